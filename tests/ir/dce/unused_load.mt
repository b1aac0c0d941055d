; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = load x, none, none : f32
    %1 = load i, none, none : i32
    store i, %1, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %1 = load i, none, none : i32
    store i, %1, none
}
