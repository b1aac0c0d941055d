; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cast 1e10 : i32
    store i, %0, none
    %1 = cast nan : i32
    store i, %1, none
    %2 = cast -1.9 : i32
    store i, %2, none
    %3 = cast 16777217 : f32
    store x, %3, none
    %4 = cast nan : bool
    store b, %4, none
    %5 = cast 0.0 : bool
    store b, %5, none
    %6 = cast true : i32
    store i, %6, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, 2147483647, none
    store i, 0, none
    store i, -1, none
    store x, 16777216.0, none
    store b, true, none
    store b, false, none
    store i, 1, none
}
