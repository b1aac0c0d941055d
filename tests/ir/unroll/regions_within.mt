; run: --passes unroll
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, 2, 1) {
        %1 = for %2 in range(0, n, 1) iter_args(%3 = %0) : i32 {
            %4 = add %3, %2 : i32
            yield %4
        }
        if t {
            store i, %1, none
        } else {
            store i, %0, none
        }
        %5 = while iter_args(%6 = %1) : i32 {
            %7 = cmp_gt %6, %0 : bool
            condition %7
            yield %0
        }
        store i, %5, none
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %10 = for %8 in range(0, n, 1) iter_args(%9 = 0) : i32 {
        %11 = add %9, %8 : i32
        yield %11
    }
    if t {
        store i, %10, none
    } else {
        store i, 0, none
    }
    %13 = while iter_args(%12 = %10) : i32 {
        %14 = cmp_gt %12, 0 : bool
        condition %14
        yield 0
    }
    store i, %13, none
    %17 = for %15 in range(0, n, 1) iter_args(%16 = 1) : i32 {
        %18 = add %16, %15 : i32
        yield %18
    }
    if t {
        store i, %17, none
    } else {
        store i, 1, none
    }
    %20 = while iter_args(%19 = %17) : i32 {
        %21 = cmp_gt %19, 1 : bool
        condition %21
        yield 1
    }
    store i, %20, none
}
