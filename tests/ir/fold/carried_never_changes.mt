; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1, %2 = for %3 in range(0, n, 1) iter_args(%4 = f, %5 = 2.0, %6 = 3.0) : f32, f32, f32 {
        %7 = add %4, %5 : f32
        store x, %7, none
        %8 = add %6, %4 : f32
        yield %4, 2.0, %8
    }
    %9 = add %0, %1 : f32
    %10 = add %9, %2 : f32
    store x, %10, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %2 = for %3 in range(0, n, 1) iter_args(%6 = 3.0) : f32 {
        %7 = add f, 2.0 : f32
        store x, %7, none
        %8 = add %6, f : f32
        yield %8
    }
    %9 = add f, 2.0 : f32
    %10 = add %9, %2 : f32
    store x, %10, none
}
