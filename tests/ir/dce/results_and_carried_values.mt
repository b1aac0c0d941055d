; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1, %2 = for %3 in range(0, n, 1) iter_args(%4 = f, %5 = 1.0, %6 = 2.0) : f32, f32, f32 {
        %7 = add %4, %5 : f32
        %8 = mul %5, 2.0 : f32
        %9 = exp %6 : f32
        yield %7, %8, %9
    }
    store x, %0, none
    %10, %11 = if t : f32, f32 {
        %12 = exp f : f32
        yield f, %12
    } else {
        %13 = log f : f32
        yield 0.0, %13
    }
    store x, %10, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = for %3 in range(0, n, 1) iter_args(%4 = f, %5 = 1.0) : f32, f32 {
        %7 = add %4, %5 : f32
        %8 = mul %5, 2.0 : f32
        yield %7, %8
    }
    store x, %0, none
    %10 = if t : f32 {
        yield f
    } else {
        yield 0.0
    }
    store x, %10, none
}
