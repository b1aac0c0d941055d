; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = while iter_args(%2 = 0, %3 = f) : i32, f32 {
        store x, %3, none
        %4 = add %2, 1 : i32
        %5 = cmp_lt 3, %4 : bool
        condition %5
        yield %4, 2.0
    }
    store i, %0, none
    store x, %1, none
    %6 = while iter_args(%7 = 5) : i32 {
        %8 = cmp_gt %7, 0 : bool
        condition %8
        %9 = sub %7, 1 : i32
        yield %9
    }
    store i, %6, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, f, none
    store i, 0, none
    store x, f, none
    %6 = while iter_args(%7 = 5) : i32 {
        %8 = cmp_gt %7, 0 : bool
        condition %8
        %9 = sub %7, 1 : i32
        yield %9
    }
    store i, %6, none
}
