; run: --passes unroll
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = for %2 in range(0, 3, 1) iter_args(%3 = f, %4 = 1.0) : f32, f32 {
        yield %4, %3
    }
    store x, %0, none
    store x, %1, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, 1.0, none
    store x, f, none
}
