; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add 0.1, 0.2 : f32
    store x, %0, none
    %1 = div 1.0, 0.0 : f32
    store x, %1, none
    %2 = sub inf, inf : f32
    store x, %2, none
    %3 = mul 3e38, 10.0 : f32
    store x, %3, none
    %4 = neg 0.0 : f32
    store x, %4, none
    %5 = add 1, 0.5 : f32
    store x, %5, none
    %6 = mul 1e-30, 1e-15 : f32
    store x, %6, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, 0.3, none
    store x, inf, none
    store x, nan, none
    store x, inf, none
    store x, -0.0, none
    store x, 1.5, none
    store x, 1e-45, none
}
