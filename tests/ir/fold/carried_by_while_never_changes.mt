; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = while iter_args(%2 = n, %3 = 8) : i32, i32 {
        %4 = cmp_gt %2, %3 : bool
        condition %4
        %5 = sub %2, %3 : i32
        yield %5, %3
    }
    %6 = add %0, %1 : i32
    store i, %6, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%2 = n) : i32 {
        %4 = cmp_gt %2, 8 : bool
        condition %4
        %5 = sub %2, 8 : i32
        yield %5
    }
    %6 = add %0, 8 : i32
    store i, %6, none
}
