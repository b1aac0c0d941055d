; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%1 = n) : i32 {
        %2 = mul %1, 3 : i32
        %3 = cmp_gt %2, 0 : bool
        condition %3
        %4 = mul %1, 3 : i32
        %5 = sub %4, 100 : i32
        yield %5
    }
    store i, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%1 = n) : i32 {
        %2 = mul %1, 3 : i32
        %3 = cmp_gt %2, 0 : bool
        condition %3
        %5 = sub %2, 100 : i32
        yield %5
    }
    store i, %0, none
}
