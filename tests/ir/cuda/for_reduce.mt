; run: --emit cuda
; The shared buffer is used again in each round.
kernel largest_sum(x: ptr<f32>, out: ptr<f32>, rows: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %9 = for %1 in range(0, rows, 1) iter_args(%2 = -inf) : f32 {
        %3 = mul %1, 64 : i32
        %4 = addptr x, %3 : ptr<f32>
        %5 = addptr %4, %0 : vector<64 x ptr<f32>>
        %6 = load %5, none, none : vector<64 x f32>
        %7 = sum %6 : f32
        %8 = maximum %2, %7 : f32
        yield %8
    }
    store out, %9, none
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
void largest_sum(float* x, float* out, int rows) {
    __shared__ float mt_warps0[2];
    int v0 = threadIdx.x;
    float v9 = (-__int_as_float(0x7f800000));
    for (int v1 = 0; v1 < rows; v1 += 1) {
        float v2 = v9;
        int v3 = (int)((unsigned)v1 * (unsigned)64);
        float v6 = (true ? x[((long long)v3 + v0)] : 0.0f);
        __syncthreads();
        float v7 = mt_sum_f32(v6, mt_warps0);
        float v8 = (isnan(v2) ? (v2) : (isnan(v7) ? (v7) : ((v2) > (v7) ? (v2) : (v7))));
        v9 = v8;
    }
    if (threadIdx.x == 0) {
        out[0] = v9;
    }
}
