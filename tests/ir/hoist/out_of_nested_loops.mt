; run: --passes hoist
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    for %0 in range(0, n, 1) {
        for %1 in range(0, 8, 1) {
            %2 = mul n, 2 : i32
            %3 = mul %0, %2 : i32
            %4 = add %3, 1 : i32
            %5 = add %4, %1 : i32
            %6 = while iter_args(%7 = %5) : i32 {
                %8 = add %3, %2 : i32
                %9 = add %5, %8 : i32
                %10 = cmp_lt %7, %9 : bool
                condition %10
                %11 = neg n : i32
                %12 = sub %7, %11 : i32
                yield %12
            }
            store i, %6, none
        }
    }
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %2 = mul n, 2 : i32
    %11 = neg n : i32
    for %0 in range(0, n, 1) {
        %3 = mul %0, %2 : i32
        %4 = add %3, 1 : i32
        %8 = add %3, %2 : i32
        for %1 in range(0, 8, 1) {
            %5 = add %4, %1 : i32
            %9 = add %5, %8 : i32
            %6 = while iter_args(%7 = %5) : i32 {
                %10 = cmp_lt %7, %9 : bool
                condition %10
                %12 = sub %7, %11 : i32
                yield %12
            }
            store i, %6, none
        }
    }
}
