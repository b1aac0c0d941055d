; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = cmp_lt 2, 1 : bool
    %1 = if %0 : i32 {
        store i, 0, none
        yield n
    } else {
        yield 7
    }
    %2 = add %1, 1 : i32
    store i, %2, none
    if %0 {
        store i, 5, none
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, 8, none
}
