; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(4, 4, 1) iter_args(%2 = f) : f32 {
        %3 = load x, none, none : f32
        store x, %3, none
        yield %3
    }
    for %4 in range(0, 4, 0) {
        store i, %4, none
    }
    for %5 in range(0, 4, -1) {
        store i, %5, none
    }
    store x, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, f, none
}
