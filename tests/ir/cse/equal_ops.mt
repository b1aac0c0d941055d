; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add 1, 2 : i32
    %1 = add 1, 2 : i32
    store i, %1, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add 1, 2 : i32
    store i, %0, none
}
