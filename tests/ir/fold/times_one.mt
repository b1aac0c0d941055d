; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = mul n, 1 : i32
    %1 = mul 1, %0 : i32
    %2 = div %1, 1 : i32
    store i, %2, none
    %3 = mul f, 1.0 : f32
    %4 = mul 1.0, %3 : f32
    %5 = div %4, 1.0 : f32
    store x, %5, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, n, none
    store x, f, none
}
