; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = maximum 0.0, -0.0 : f32
    store x, %0, none
    %1 = maximum -0.0, 0.0 : f32
    store x, %1, none
    %2 = minimum 0.0, -0.0 : f32
    store x, %2, none
    %3 = minimum -0.0, 0.0 : f32
    store x, %3, none
    %4 = maximum nan, 1.0 : f32
    store x, %4, none
    %5 = minimum 1.0, nan : f32
    store x, %5, none
    %6 = maximum 1.0, 2.0 : f32
    store x, %6, none
    %7 = maximum 3, -4 : i32
    store i, %7, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, -0.0, none
    store x, 0.0, none
    store x, -0.0, none
    store x, 0.0, none
    store x, nan, none
    store x, nan, none
    store x, 2.0, none
    store i, 3, none
}
