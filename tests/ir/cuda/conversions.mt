; run: --emit cuda
kernel conversions(q: ptr<f16>, p: ptr<u8>, w: i64) {
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = addptr q, %0 : vector<16 x ptr<f16>>
    %2 = load %1, none, none : vector<16 x f16>
    %3 = cast %2 : vector<16 x f32>
    %4 = mul %3, 0.5 : vector<16 x f32>
    %5 = cast %4 : vector<16 x f16>
    store %1, %5, none
    %6 = addptr p, %0 : vector<16 x ptr<u8>>
    %7 = load %6, none, none : vector<16 x u8>
    %8 = add %7, 200_u8 : vector<16 x u8>
    %9 = cast %8 : vector<16 x i64>
    %10 = mul %9, w : vector<16 x i64>
    %11 = cast %10 : vector<16 x f32>
    %12 = add %11, %4 : vector<16 x f32>
    %13 = cast_rtz %12 : vector<16 x bf16>
    %14 = bitcast %13 : vector<16 x u16>
    %15 = cast %14 : vector<16 x u8>
    store %6, %15, none
}
; ---
// The bits of a float.
typedef unsigned short f16;

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

// The bits of a float.
typedef unsigned short bf16;

static __device__ bf16 f32_to_bf16_rtz(float a) {
    return __float_as_uint(a) >> 16 | (isnan(a) ? 0x40 : 0);
}

extern "C" __global__
void conversions(f16* q, unsigned char* p, long long w) {
    int v0 = threadIdx.x;
    f16 v2 = (true ? q[v0] : 0x0000);
    float v3 = f16_to_f32(v2);
    float v4 = (v3 * 0.5f);
    f16 v5 = f32_to_f16(v4);
    q[v0] = v5;
    unsigned char v7 = (true ? p[v0] : (unsigned char)0);
    unsigned char v8 = (v7 + (unsigned char)200);
    long long v9 = (long long)(v8);
    long long v10 = (long long)((unsigned long long)v9 * (unsigned long long)w);
    float v11 = (float)(v10);
    float v12 = (v11 + v4);
    bf16 v13 = f32_to_bf16_rtz(v12);
    unsigned short v14 = (unsigned short)(v13);
    unsigned char v15 = (unsigned char)(v14);
    p[v0] = v15;
}
