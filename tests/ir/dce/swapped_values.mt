; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1, %2 = for %3 in range(0, n, 1) iter_args(%4 = f, %5 = 1.0, %6 = 2.0) : f32, f32, f32 {
        store i, %3, none
        yield %5, %4, %6
    }
    %7, %8, %9, %10 = for %11 in range(0, n, 1) iter_args(%12 = f, %13 = 1.0, %14 = 2.0, %15 = 4.0) : f32, f32, f32, f32 {
        yield %13, %14, %12, %15
    }
    store x, %7, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %3 in range(0, n, 1) {
        store i, %3, none
    }
    %7, %8, %9 = for %11 in range(0, n, 1) iter_args(%12 = f, %13 = 1.0, %14 = 2.0) : f32, f32, f32 {
        yield %13, %14, %12
    }
    store x, %7, none
}
