; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add n, 1 : i32
    %1 = mul %0, 2 : i32
    %2 = add n, 3 : i32
    store i, %2, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %2 = add n, 3 : i32
    store i, %2, none
}
