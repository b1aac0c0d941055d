; run: --passes hoist
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
        %1 = for %2 in range(0, 9, 1) iter_args(%3 = 0) : i32 {
            %4 = add %3, 2 : i32
            yield %4
        }
        %5 = mul %1, 3 : i32
        for %6 in range(0, 9, 1) {
            %7 = mul %5, %1 : i32
            store i, %7, none
        }
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
        %1 = for %2 in range(0, 9, 1) iter_args(%3 = 0) : i32 {
            %4 = add %3, 2 : i32
            yield %4
        }
        %5 = mul %1, 3 : i32
        %7 = mul %5, %1 : i32
        for %6 in range(0, 9, 1) {
            store i, %7, none
        }
    }
}
