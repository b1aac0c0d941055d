; run: --passes fold
kernel k(h: ptr<f16>, b: ptr<bf16>, x: ptr<f32>, d: ptr<f64>) {
    %0 = add 65504.0_f16, 65504.0_f16 : f16
    store h, %0, none
    %1 = add 2048.0_f16, 1.0_f16 : f16
    store h, %1, none
    %2 = mul 1.0078125_bf16, 1.0078125_bf16 : bf16
    store b, %2, none
    %3 = add 0.1_f64, 0.2_f64 : f64
    store d, %3, none
    %4 = sqrt 2.0_f64 : f64
    store d, %4, none
    %5 = sqrt 2.0_f16 : f16
    store h, %5, none
    %6 = fma 3.0, 0.1, -0.3 : f32
    store x, %6, none
    %7 = rem -5.5, 2.0 : f32
    store x, %7, none
    %8 = fmax nan, 1.0 : f32
    store x, %8, none
    %9 = maximum nan_f16, 1.0_f16 : f16
    store h, %9, none
    %10 = rint 2.5_bf16 : bf16
    store b, %10, none
    %11 = round 2.5_f64 : f64
    store d, %11, none
    %12 = copysign 1.0, -0.0 : f32
    store x, %12, none
    %13 = clamp nan, 0.0, 1.0 : f32
    store x, %13, none
    %14 = clamp 2.0, 3.0, 1.0 : f32
    store x, %14, none
    %15 = trunc -1.5_f16 : f16
    store h, %15, none
}
; ---
kernel k(h: ptr<f16>, b: ptr<bf16>, x: ptr<f32>, d: ptr<f64>) {
    store h, inf_f16, none
    store h, 2048.0_f16, none
    store b, 1.015625_bf16, none
    store d, 0.30000000000000004_f64, none
    store d, 1.4142135623730951_f64, none
    store h, 1.4140625_f16, none
    store x, -7.450581e-09, none
    store x, -1.5, none
    store x, 1.0, none
    store h, nan_f16, none
    store b, 2.0_bf16, none
    store d, 3.0_f64, none
    store x, -1.0, none
    store x, nan, none
    store x, 1.0, none
    store h, -1.0_f16, none
}
