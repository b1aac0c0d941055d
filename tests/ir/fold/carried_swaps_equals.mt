; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1, %2 = for %3 in range(0, n, 1) iter_args(%4 = f, %5 = f, %6 = 1.0) : f32, f32, f32 {
        store x, %4, none
        yield %5, %4, %5
    }
    store x, %0, none
    store x, %1, none
    store x, %2, none
    %7, %8 = for %9 in range(0, n, 1) iter_args(%10 = f, %11 = 1.0) : f32, f32 {
        yield %11, %10
    }
    store x, %7, none
    store x, %8, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %2 = for %3 in range(0, n, 1) iter_args(%6 = 1.0) : f32 {
        store x, f, none
        yield f
    }
    store x, f, none
    store x, f, none
    store x, %2, none
    %7, %8 = for %9 in range(0, n, 1) iter_args(%10 = f, %11 = 1.0) : f32, f32 {
        yield %11, %10
    }
    store x, %7, none
    store x, %8, none
}
