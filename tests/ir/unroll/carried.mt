; run: --passes unroll
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = for %2 in range(1, 7, 2) iter_args(%3 = f, %4 = 1.0) : f32, f32 {
        %5 = mul %3, %4 : f32
        store i, %2, none
        yield %5, %3
    }
    store x, %0, none
    store x, %1, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %6 = mul f, 1.0 : f32
    store i, 1, none
    %7 = mul %6, f : f32
    store i, 3, none
    %8 = mul %7, %6 : f32
    store i, 5, none
    store x, %8, none
    store x, %7, none
}
