; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cmp_lt n, 4 : bool
    %1 = bit_and %0, t : bool
    if %1 {
        store b, %0, t
    } else {
        store b, %0, t
    }
    %2 = bit_or %0, t : bool
    if %2 {
        store b, %0, t
    } else {
        store b, %0, none
        store b, t, none
    }
    if t {
        store b, %1, none
        store b, %2, none
        %3 = bit_or t, %0 : bool
        store b, %3, none
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cmp_lt n, 4 : bool
    %1 = bit_and %0, t : bool
    if %1 {
        store b, true, true
    } else {
        store b, %0, t
    }
    %2 = bit_or %0, t : bool
    if %2 {
        store b, %0, t
    } else {
        store b, false, none
        store b, false, none
    }
    if t {
        store b, %1, none
        store b, true, none
        store b, true, none
    }
}
