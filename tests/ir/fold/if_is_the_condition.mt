; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = if t : bool, bool {
        store i, 1, none
        yield true, false
    } else {
        yield false, true
    }
    %2 = bit_and %0, %1 : bool
    store b, %2, none
    %3 = bit_not t : bool
    %4 = if %3 : bool {
        store i, 1, none
        yield false
    } else {
        yield true
    }
    store b, %4, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = if t : bool, bool {
        store i, 1, none
        yield true, false
    } else {
        yield false, true
    }
    %5 = bit_not t : bool
    %2 = bit_and t, %5 : bool
    store b, %2, none
    %3 = bit_not t : bool
    %4 = if %3 : bool {
        store i, 1, none
        yield false
    } else {
        yield true
    }
    store b, t, none
}
