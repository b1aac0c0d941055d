; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = for %1 in range(0, 1, 1) iter_args(%2 = 1) : i32 {
        %3 = cmp_eq %1, 0 : bool
        %4 = if %3 : i32 {
            %5 = for %6 in range(%1, %2, 1) iter_args(%7 = %2) : i32 {
                %8 = add %7, 10 : i32
                yield %8
            }
            yield %5
        } else {
            yield n
        }
        yield %4
    }
    store i, %0, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, 11, none
}
