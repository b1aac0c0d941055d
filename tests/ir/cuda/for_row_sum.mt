; run: --emit cuda
; The block is carried; nothing in the loop needs a barrier.
kernel row_sum(x: ptr<f32>, out: ptr<f32>, columns: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = splat 0.0 : vector<64 x f32>
    %9 = for %2 in range(0, columns, 64) iter_args(%3 = %1) : vector<64 x f32> {
        %4 = addptr x, %2 : ptr<f32>
        %5 = addptr %4, %0 : vector<64 x ptr<f32>>
        %6 = sub columns, %2 : i32
        %7 = cmp_lt %0, %6 : vector<64 x bool>
        %8 = load %5, %7, 0.0 : vector<64 x f32>
        %10 = add %3, %8 : vector<64 x f32>
        yield %10
    }
    %11 = sum %9 : f32
    store out, %11, none
}
; ---
static __device__ float mt_sum_f32(float value, float* warps) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int width = 64 - warp * 32 < 32 ? 64 - warp * 32 : 32;
    const unsigned active = 0xffffffffu >> (32 - width);
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_down_sync(active, value, step);
        if (lane + step < width) {
            value = (value + other);
        }
    }
    if (lane == 0) {
        warps[warp] = value;
    }
    __syncthreads();
    value = warps[0];
    for (int i = 1; i < 2; ++i) {
        const float other = warps[i];
        value = (value + other);
    }
    return value;
}

extern "C" __global__
void row_sum(float* x, float* out, int columns) {
    __shared__ float mt_warps0[2];
    int v0 = threadIdx.x;
    float v1 = 0.0f;
    float v9 = v1;
    for (long long mt_i2 = 0; mt_i2 < columns; mt_i2 += 64) {
        int v2 = (int)mt_i2;
        float v3 = v9;
        int v6 = (int)((unsigned)columns - (unsigned)v2);
        bool v7 = (v0 < v6);
        float v8 = (v7 ? x[((long long)v2 + v0)] : 0.0f);
        float v10 = (v3 + v8);
        v9 = v10;
    }
    float v11 = mt_sum_f32(v9, mt_warps0);
    if (threadIdx.x == 0) {
        out[0] = v11;
    }
}
