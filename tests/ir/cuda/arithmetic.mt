; run: --emit cuda
kernel arithmetic(i: ptr<i32>, x: ptr<f32>, n: i32) {
    %0 = program_id {axis=1} : i32
    %1 = mul %0, 8 : i32
    %2 = add %1, n : i32
    %3 = neg %2 : i32
    %4 = div %3, n : i32
    %5 = rem %4, n : i32
    %6 = num_programs {axis=2} : i32
    %7 = sub %5, %6 : i32
    store i, %7, none
    %8 = mul n, 0.5 : f32
    %9 = maximum %8, nan : f32
    %10 = minimum %9, -inf : f32
    store x, %10, none
    store x, n, none
    %11 = cast %10 : i32
    store i, %11, none
    %12 = cmp_lt %10, 1.0 : bool
    %13 = select %12, %11, -2147483648 : i32
    store i, %13, none
}
; ---
static __device__ int idiv(int a, int b) {
    return b == 0 ? -1 : b == -1 ? (int)(0 - (unsigned)a) : a / b;
}

static __device__ int irem(int a, int b) {
    return b == 0 ? a : b == -1 ? 0 : a % b;
}

extern "C" __global__
void arithmetic(int* i, float* x, int n) {
    int v0 = blockIdx.y;
    int v1 = (int)((unsigned)v0 * (unsigned)8);
    int v2 = (int)((unsigned)v1 + (unsigned)n);
    int v3 = (int)-((unsigned)v2);
    int v4 = idiv(v3, n);
    int v5 = irem(v4, n);
    int v6 = gridDim.z;
    int v7 = (int)((unsigned)v5 - (unsigned)v6);
    i[0] = v7;
    float v14 = (float)(n);
    float v8 = (v14 * 0.5f);
    float v9 = (isnan(v8) ? (v8) : (isnan(__int_as_float(0x7fc00000)) ? (__int_as_float(0x7fc00000)) : ((v8) > (__int_as_float(0x7fc00000)) ? (v8) : (__int_as_float(0x7fc00000)))));
    float v10 = (isnan(v9) ? (v9) : (isnan((-__int_as_float(0x7f800000))) ? ((-__int_as_float(0x7f800000))) : ((v9) < ((-__int_as_float(0x7f800000))) ? (v9) : ((-__int_as_float(0x7f800000))))));
    x[0] = v10;
    x[0] = v14;
    int v11 = __float2int_rz(v10);
    i[0] = v11;
    bool v12 = (v10 < 1.0f);
    int v13 = (v12 ? v11 : (-2147483647 - 1));
    i[0] = v13;
}
