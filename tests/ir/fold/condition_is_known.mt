; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cmp_lt n, 4 : bool
    %1 = bit_not %0 : bool
    if %0 {
        if %0 {
            store i, 1, none
        }
        if %1 {
            store i, 2, none
        }
        store b, %1, %0
    } else {
        if %0 {
            store i, 3, none
        } else {
            store i, 4, none
        }
        %2 = bit_and %0, t : bool
        store b, %2, %1
    }
    if %1 {
        if %0 {
            store i, 5, none
        }
        store b, %0, none
    }
    store b, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cmp_lt n, 4 : bool
    %1 = bit_not %0 : bool
    if %0 {
        store i, 1, none
        store b, false, true
    } else {
        store i, 4, none
        store b, false, true
    }
    if %1 {
        store b, false, none
    }
    store b, %0, none
}
