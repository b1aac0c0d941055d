; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = bit_and t, true : bool
    %1 = bit_or %0, false : bool
    store b, %1, none
    %2 = bit_and n, -1 : i32
    %3 = bit_or %2, 0 : i32
    %4 = bit_xor %3, 0 : i32
    store i, %4, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store b, t, none
    store i, n, none
}
