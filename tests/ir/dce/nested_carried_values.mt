; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = for %2 in range(0, n, 1) iter_args(%3 = f, %4 = f) : f32, f32 {
        %5, %6 = for %7 in range(0, n, 1) iter_args(%8 = %3, %9 = %4) : f32, f32 {
            %10 = add %8, 1.0 : f32
            %11 = add %9, %8 : f32
            yield %10, %11
        }
        yield %6, %5
    }
    store x, %0, none
    %12, %13 = for %14 in range(0, n, 1) iter_args(%15 = f, %16 = f) : f32, f32 {
        %17, %18 = for %19 in range(0, n, 1) iter_args(%20 = %15, %21 = %16) : f32, f32 {
            %22 = add %20, 1.0 : f32
            %23 = add %21, 1.0 : f32
            yield %22, %23
        }
        yield %17, %18
    }
    store x, %12, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = for %2 in range(0, n, 1) iter_args(%3 = f, %4 = f) : f32, f32 {
        %5, %6 = for %7 in range(0, n, 1) iter_args(%8 = %3, %9 = %4) : f32, f32 {
            %10 = add %8, 1.0 : f32
            %11 = add %9, %8 : f32
            yield %10, %11
        }
        yield %6, %5
    }
    store x, %0, none
    %12 = for %14 in range(0, n, 1) iter_args(%15 = f) : f32 {
        %17 = for %19 in range(0, n, 1) iter_args(%20 = %15) : f32 {
            %22 = add %20, 1.0 : f32
            yield %22
        }
        yield %17
    }
    store x, %12, none
}
