; run: --passes fold
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    %0 = add 2147483647, 1 : i32
    store i, %0, none
    %1 = mul 65536, 65536 : i32
    store i, %1, none
    %2 = div -7, 2 : i32
    store i, %2, none
    %3 = div 1, 0 : i32
    store i, %3, none
    %4 = div -2147483648, -1 : i32
    store i, %4, none
    %5 = rem -7, 2 : i32
    store i, %5, none
    %6 = rem 5, 0 : i32
    store i, %6, none
    %7 = neg -2147483648 : i32
    store i, %7, none
    %8 = bit_not 0 : i32
    store i, %8, none
}
; ---
kernel k(x: ptr<f32>, i: ptr<i32>, b: ptr<bool>, f: f32, n: i32, t: bool) {
    store i, -2147483648, none
    store i, 0, none
    store i, -3, none
    store i, -1, none
    store i, -2147483648, none
    store i, -1, none
    store i, 5, none
    store i, -2147483648, none
    store i, -1, none
}
