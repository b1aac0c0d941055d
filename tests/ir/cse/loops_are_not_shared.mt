; run: --passes cse
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(0, n, 1) iter_args(%2 = n) : i32 {
        %3 = add %2, %1 : i32
        yield %3
    }
    %4 = for %5 in range(0, n, 1) iter_args(%6 = n) : i32 {
        %7 = add %6, %5 : i32
        yield %7
    }
    %8 = add %0, %4 : i32
    store i, %8, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(0, n, 1) iter_args(%2 = n) : i32 {
        %3 = add %2, %1 : i32
        yield %3
    }
    %4 = for %5 in range(0, n, 1) iter_args(%6 = n) : i32 {
        %7 = add %6, %5 : i32
        yield %7
    }
    %8 = add %0, %4 : i32
    store i, %8, none
}
