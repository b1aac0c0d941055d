; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%1 = n) : i32 {
        %2 = cmp_gt %1, 0 : bool
        condition %2
        if %2 {
            store i, %1, none
        }
        %3 = sub %1, 1 : i32
        yield %3
    }
    store i, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%1 = n) : i32 {
        %2 = cmp_gt %1, 0 : bool
        condition %2
        store i, %1, none
        %3 = sub %1, 1 : i32
        yield %3
    }
    store i, %0, none
}
