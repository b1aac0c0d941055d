; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add 1, 2 : i32
    %1 = mul %0, 4 : i32
    %2 = cmp_lt %1, 13 : bool
    %3 = select %2, %1, n : i32
    store i, %3, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, 12, none
}
