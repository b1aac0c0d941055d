; run: --emit cuda
; Carried values of each kind, two of them swapped in each round.
kernel types(h: ptr<f16>, b: ptr<bf16>, p: ptr<bool>, d: ptr<f64>, n: i64, half: f16, on: bool) {
    %1, %2, %3, %4, %5, %6 = for %0 in range(0_i64, n, 1_i64) iter_args(%11 = half, %12 = 1.0_f16, %13 = 1.0_bf16, %14 = on, %15 = 0.0_f64, %16 = 0_u8) : f16, f16, bf16, bool, f64, u8 {
        %20 = add %11, %12 : f16
        %21 = bit_not %14 : bool
        %22 = add %15, 1.0_f64 : f64
        %23 = add %16, 3_u8 : u8
        yield %12, %20, %13, %21, %22, %23
    }
    store h, %1, none
    %30 = addptr h, 1 : ptr<f16>
    store %30, %2, none
    store b, %3, none
    store p, %4, none
    store d, %5, none
}
; ---
// The bits of a float.
typedef unsigned short f16;

// The bits of a float.
typedef unsigned short bf16;

static __device__ float f16_to_f32(f16 a) {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a));
    return r;
}

static __device__ f16 f32_to_f16(float a) {
    f16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
    return r;
}

extern "C" __global__
void types(f16* h, bf16* b, unsigned char* p, double* d, long long n, f16 half, bool on) {
    f16 v1 = half;
    f16 v2 = 0x3c00;
    bf16 v3 = 0x3f80;
    bool v4 = on;
    double v5 = 0.0;
    unsigned char v6 = (unsigned char)0;
    for (long long v0 = 0ll; v0 < n; v0 += 1) {
        f16 v11 = v1;
        f16 v12 = v2;
        bf16 v13 = v3;
        bool v14 = v4;
        double v15 = v5;
        unsigned char v16 = v6;
        float v31 = f16_to_f32(v11);
        float v32 = f16_to_f32(v12);
        float v33 = (v31 + v32);
        f16 v20 = f32_to_f16(v33);
        bool v21 = (!v14);
        double v22 = (v15 + 1.0);
        unsigned char v23 = (v16 + (unsigned char)3);
        v1 = v12;
        v2 = v20;
        v3 = v13;
        v4 = v21;
        v5 = v22;
        v6 = v23;
    }
    h[0] = v1;
    h[1] = v2;
    b[0] = v3;
    p[0] = v4;
    d[0] = v5;
}
