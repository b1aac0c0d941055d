; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add f, 0.0 : f32
    %1 = add f, -0.0 : f32
    store x, %0, none
    store x, %1, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add f, 0.0 : f32
    %1 = add f, -0.0 : f32
    store x, %0, none
    store x, %1, none
}
