; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%1 = n) : i32 {
        store i, %1, none
        condition false
        store i, 2, none
        yield 3
    }
    store i, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, n, none
    store i, n, none
}
