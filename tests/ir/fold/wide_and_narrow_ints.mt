; run: --passes fold
kernel k(s: ptr<i8>, i: ptr<i32>, p: ptr<u8>, u: ptr<u32>, w: ptr<i64>, v: ptr<u64>) {
    %0 = add 127_i8, 1_i8 : i8
    store s, %0, none
    %1 = mul 200_u8, 3_u8 : u8
    store p, %1, none
    %2 = sub 0_u32, 1_u32 : u32
    store u, %2, none
    %3 = add 9223372036854775807_i64, 1_i64 : i64
    store w, %3, none
    %4 = neg -128_i8 : i8
    store s, %4, none
    %5 = abs -128_i8 : i8
    store s, %5, none
    %6 = div 7_u8, 0_u8 : u8
    store p, %6, none
    %7 = div -128_i8, -1_i8 : i8
    store s, %7, none
    %8 = rem -7_i64, 2_i64 : i64
    store w, %8, none
    %9 = rem 7_u64, 0_u64 : u64
    store v, %9, none
    %10 = div 18446744073709551615_u64, 2_u64 : u64
    store v, %10, none
    %11 = shl 1_i64, 63_i64 : i64
    store w, %11, none
    %12 = shl 1_i64, 64_i64 : i64
    store w, %12, none
    %13 = shr -8_i8, 1_i8 : i8
    store s, %13, none
    %14 = shr 248_u8, 1_u8 : u8
    store p, %14, none
    %15 = shr -8_i64, 200_i64 : i64
    store w, %15, none
    %16 = shl 1, -1 : i32
    store i, %16, none
    %17 = umulhi 4294967295_u32, 4294967295_u32 : u32
    store u, %17, none
    %18 = umulhi -1_i64, 2_i64 : i64
    store w, %18, none
    %19 = popc -1_i64 : i32
    store i, %19, none
    %20 = clz 1_u64 : i32
    store i, %20, none
    %21 = clz 0_u32 : i32
    store i, %21, none
    %22 = bit_not 1_u8 : u8
    store p, %22, none
}
; ---
kernel k(s: ptr<i8>, i: ptr<i32>, p: ptr<u8>, u: ptr<u32>, w: ptr<i64>, v: ptr<u64>) {
    store s, -128_i8, none
    store p, 88_u8, none
    store u, 4294967295_u32, none
    store w, -9223372036854775808_i64, none
    store s, -128_i8, none
    store s, -128_i8, none
    store p, 255_u8, none
    store s, -128_i8, none
    store w, -1_i64, none
    store v, 7_u64, none
    store v, 9223372036854775807_u64, none
    store w, -9223372036854775808_i64, none
    store w, 0_i64, none
    store s, -4_i8, none
    store p, 124_u8, none
    store w, -1_i64, none
    store i, 0, none
    store u, 4294967294_u32, none
    store w, 1_i64, none
    store i, 64, none
    store i, 63, none
    store i, 32, none
    store p, 254_u8, none
}
