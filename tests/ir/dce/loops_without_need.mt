; run: --passes dce
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(0, n, 1) iter_args(%2 = f) : f32 {
        %3 = load x, none, none : f32
        %4 = add %2, %3 : f32
        for %5 in range(0, %1, 1) {
            %6 = load i, none, none : i32
        }
        yield %4
    }
    if t {
        %7 = load x, none, none : f32
        if t {
            %8 = neg %7 : f32
        }
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
}
