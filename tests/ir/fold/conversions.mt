; run: --passes fold
kernel k(s: ptr<i8>, p: ptr<u8>, u: ptr<u32>, w: ptr<i64>, v: ptr<u64>, h: ptr<f16>, b: ptr<bf16>, x: ptr<f32>, d: ptr<f64>) {
    %0 = cast 300 : u8
    store p, %0, none
    %1 = cast -1 : u8
    store p, %1, none
    %2 = cast 200_u8 : i8
    store s, %2, none
    %3 = cast 200_u8 : i64
    store w, %3, none
    %4 = cast -1_i8 : u64
    store v, %4, none
    %5 = cast 1e10 : u32
    store u, %5, none
    %6 = cast -1.0 : u32
    store u, %6, none
    %7 = cast nan_f64 : i64
    store w, %7, none
    %8 = cast inf_f16 : i64
    store w, %8, none
    %9 = cast 1e30 : u64
    store v, %9, none
    %10 = cast -129.5_f16 : i8
    store s, %10, none
    %11 = cast 65520.0 : f16
    store h, %11, none
    %12 = cast 65519.0 : f16
    store h, %12, none
    %13 = cast 1.00390625 : bf16
    store b, %13, none
    %14 = cast 1.01171875 : bf16
    store b, %14, none
    %15 = cast nan : f16
    store h, %15, none
    %16 = cast 1e-08 : f16
    store h, %16, none
    %17 = cast 3e-08 : f16
    store h, %17, none
    %18 = cast 16777217_i64 : f32
    store x, %18, none
    %19 = cast 18446744073709551615_u64 : f64
    store d, %19, none
    %20 = cast 0.1_f16 : f64
    store d, %20, none
    %21 = cast 0.1_bf16 : f32
    store x, %21, none
    %22 = cast_rtz 65535.0 : f16
    store h, %22, none
    %23 = cast_rtz 1.01171875 : bf16
    store b, %23, none
    %24 = cast_rtz 0.1_f64 : f32
    store x, %24, none
    %25 = cast_rtz inf : f16
    store h, %25, none
    %26 = bitcast 1.0 : u32
    store u, %26, none
    %27 = bitcast 15360_i16 : f16
    store h, %27, none
    %28 = bitcast -1_i8 : u8
    store p, %28, none
    %29 = bitcast -0.0_f64 : i64
    store w, %29, none
}
; ---
kernel k(s: ptr<i8>, p: ptr<u8>, u: ptr<u32>, w: ptr<i64>, v: ptr<u64>, h: ptr<f16>, b: ptr<bf16>, x: ptr<f32>, d: ptr<f64>) {
    store p, 44_u8, none
    store p, 255_u8, none
    store s, -56_i8, none
    store w, 200_i64, none
    store v, 18446744073709551615_u64, none
    store u, 4294967295_u32, none
    store u, 0_u32, none
    store w, 0_i64, none
    store w, 9223372036854775807_i64, none
    store v, 18446744073709551615_u64, none
    store s, -128_i8, none
    store h, inf_f16, none
    store h, 65504.0_f16, none
    store b, 1.0_bf16, none
    store b, 1.015625_bf16, none
    store h, nan_f16, none
    store h, 0.0_f16, none
    store h, 5.9604645e-08_f16, none
    store x, 16777216.0, none
    store d, 1.8446744073709552e+19_f64, none
    store d, 0.0999755859375_f64, none
    store x, 0.100097656, none
    store h, 65504.0_f16, none
    store b, 1.0078125_bf16, none
    store x, 0.099999994, none
    store h, inf_f16, none
    store u, 1065353216_u32, none
    store h, 1.0_f16, none
    store p, 255_u8, none
    store w, -9223372036854775808_i64, none
}
