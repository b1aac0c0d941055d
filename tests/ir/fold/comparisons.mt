; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cmp_lt 1, 2 : bool
    store b, %0, none
    %1 = cmp_eq nan, nan : bool
    store b, %1, none
    %2 = cmp_ne nan, nan : bool
    store b, %2, none
    %3 = cmp_le 0.0, -0.0 : bool
    store b, %3, none
    %4 = cmp_gt true, false : bool
    store b, %4, none
    %5 = cmp_ge 1, 1.5 : bool
    store b, %5, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store b, true, none
    store b, false, none
    store b, true, none
    store b, true, none
    store b, true, none
    store b, false, none
}
