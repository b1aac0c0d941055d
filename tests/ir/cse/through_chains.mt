; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = mul n, 2 : i32
    %1 = add %0, 1 : i32
    %2 = mul n, 2 : i32
    %3 = add %2, 1 : i32
    %4 = sub %1, %3 : i32
    store i, %4, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = mul n, 2 : i32
    %1 = add %0, 1 : i32
    %4 = sub %1, %1 : i32
    store i, %4, none
}
