; run: --passes unroll
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, 2, 1) {
        for %1 in range(0, 2, 1) {
            %2 = add %0, %1 : i32
            store i, %2, none
        }
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %3 = add 0, 0 : i32
    store i, %3, none
    %4 = add 0, 1 : i32
    store i, %4, none
    %5 = add 1, 0 : i32
    store i, %5, none
    %6 = add 1, 1 : i32
    store i, %6, none
}
