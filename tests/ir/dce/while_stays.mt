; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0, %1 = while iter_args(%2 = n, %3 = f) : i32, f32 {
        %4 = cmp_gt %2, 0 : bool
        %5 = exp %3 : f32
        condition %4
        %6 = sub %2, 1 : i32
        yield %6, %5
    }
    for %7 in range(0, n, 1) {
        if t {
            while {
                %8 = load b, none, none : bool
                condition %8
            }
        }
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = while iter_args(%2 = n) : i32 {
        %4 = cmp_gt %2, 0 : bool
        condition %4
        %6 = sub %2, 1 : i32
        yield %6
    }
    for %7 in range(0, n, 1) {
        if t {
            while {
                %8 = load b, none, none : bool
                condition %8
            }
        }
    }
}
