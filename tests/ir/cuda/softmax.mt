; run: --emit cuda
kernel softmax(x: ptr<f32>, out: ptr<f32>, columns: i32) {
    %0 = arange {start=0, end=100} : vector<100 x i32>
    %1 = cmp_lt %0, columns : vector<100 x bool>
    %2 = addptr x, %0 : vector<100 x ptr<f32>>
    %3 = load %2, %1, -inf : vector<100 x f32>
    %4 = max %3 : f32
    %5 = sub %3, %4 : vector<100 x f32>
    %6 = exp %5 : vector<100 x f32>
    %7 = sum %6 : f32
    %8 = div %6, %7 : vector<100 x f32>
    %9 = addptr out, %0 : vector<100 x ptr<f32>>
    store %9, %8, %1
}
; ---
static __device__ float mt_max_f32(float value, float* warps) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int width = 100 - warp * 32 < 32 ? 100 - warp * 32 : 32;
    const unsigned active = 0xffffffffu >> (32 - width);
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_down_sync(active, value, step);
        if (lane + step < width) {
            value = (isnan(value) ? (value) : (isnan(other) ? (other) : ((value) > (other) ? (value) : (other))));
        }
    }
    if (lane == 0) {
        warps[warp] = value;
    }
    __syncthreads();
    value = warps[0];
    for (int i = 1; i < 4; ++i) {
        const float other = warps[i];
        value = (isnan(value) ? (value) : (isnan(other) ? (other) : ((value) > (other) ? (value) : (other))));
    }
    return value;
}

static __device__ float mt_sum_f32(float value, float* warps) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int width = 100 - warp * 32 < 32 ? 100 - warp * 32 : 32;
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
    for (int i = 1; i < 4; ++i) {
        const float other = warps[i];
        value = (value + other);
    }
    return value;
}

extern "C" __global__
void softmax(float* x, float* out, int columns) {
    __shared__ float mt_warps0[4];
    __shared__ float mt_warps1[4];
    int v0 = threadIdx.x;
    bool v1 = (v0 < columns);
    float v3 = (v1 ? x[v0] : (-__int_as_float(0x7f800000)));
    float v4 = mt_max_f32(v3, mt_warps0);
    float v5 = (v3 - v4);
    float v6 = expf(v5);
    float v7 = mt_sum_f32(v6, mt_warps1);
    float v8 = (v6 / v7);
    if (v1) {
        out[v0] = v8;
    }
}
