; run: --emit ssa
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, n, none
    %0 = load x, t, 0 : f32
    store x, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store x, n, none
    %0 = load x, t, 0 : f32
    store x, %0, none
}
