; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = for %2 in range(3, 5, 2) iter_args(%3 = 2, %4 = n) : i32, i32 {
        %5 = add %2, %3 : i32
        store i, %5, none
        %6 = add %4, %2 : i32
        yield %4, %6
    }
    store i, %0, none
    store i, %1, none
    for %7 in range(9, 0, -20) {
        store i, %7, none
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, 5, none
    %6 = add n, 3 : i32
    store i, n, none
    store i, %6, none
    store i, 9, none
}
