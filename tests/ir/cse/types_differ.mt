; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cast n : f32
    %1 = cast n : bool
    %2 = cast n : f32
    store x, %2, none
    store b, %1, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cast n : f32
    %1 = cast n : bool
    store x, %0, none
    store b, %1, none
}
