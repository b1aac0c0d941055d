; run: --passes fold,cse,dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = select true, n, 7 : i32
    %1 = add %0, 0 : i32
    %2 = mul %1, 2 : i32
    %3 = mul n, 2 : i32
    %4 = add %2, %3 : i32
    store i, %4, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %2 = mul n, 2 : i32
    %4 = add %2, %2 : i32
    store i, %4, none
}
