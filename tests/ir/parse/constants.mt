; run: --emit ssa
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>) {
    store x, 1.0, none
    store x, -0.0, none
    store x, 0.1, none
    store x, 1e30, none
    store x, 1e-05, none
    store x, 1e-45, none
    store x, 3.4028235e38, none
    store x, 16777216.0, none
    store x, 0.30000001192092896, none
    store x, inf, none
    store x, -inf, none
    store x, nan, none
    store x, nan_0xffc00000, none
    store i, 0, none
    store i, -1, none
    store i, 2147483647, none
    store i, -2147483648, none
    store b, true, none
    store b, false, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>) {
    store x, 1.0, none
    store x, -0.0, none
    store x, 0.1, none
    store x, 1e+30, none
    store x, 1e-05, none
    store x, 1e-45, none
    store x, 3.4028235e+38, none
    store x, 16777216.0, none
    store x, 0.3, none
    store x, inf, none
    store x, -inf, none
    store x, nan, none
    store x, nan_0xffc00000, none
    store i, 0, none
    store i, -1, none
    store i, 2147483647, none
    store i, -2147483648, none
    store b, true, none
    store b, false, none
}
