; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = load x, none, none : f32
    store x, f, none
    %1 = load x, none, none : f32
    %2 = add %0, %1 : f32
    store x, %2, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = load x, none, none : f32
    store x, f, none
    %1 = load x, none, none : f32
    %2 = add %0, %1 : f32
    store x, %2, none
}
