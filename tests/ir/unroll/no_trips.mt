; run: --passes unroll
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(1, 1, 2) iter_args(%2 = f) : f32 {
        store x, %2, none
        yield 1.0
    }
    store x, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, f, none
}
