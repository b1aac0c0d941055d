; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add true, true : bool
    store b, %0, none
    %1 = sub false, true : bool
    store b, %1, none
    %2 = bit_not true : bool
    store b, %2, none
    %3 = bit_xor true, false : bool
    store b, %3, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store b, false, none
    store b, true, none
    store b, false, none
    store b, true, none
}
