; run: --emit cuda
; The row stays in registers; one word a warp and one barrier a reduction.
kernel softmax_kernel(x: ptr<f32>, out: ptr<f32>, columns: i32) num_warps=2 {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, columns : i32
    %2 = addptr x, %1 : ptr<f32>
    %3 = arange {start=0, end=1024} : vector<1024 x i32>
    %4 = addptr %2, %3 : vector<1024 x ptr<f32>>
    %5 = cmp_lt %3, columns : vector<1024 x bool>
    %6 = load %4, %5, -inf : vector<1024 x f32>
    %7 = max %6 : f32
    %8 = sub %6, %7 : vector<1024 x f32>
    %9 = exp %8 : vector<1024 x f32>
    %10 = sum %9 : f32
    %11 = div %9, %10 : vector<1024 x f32>
    %13 = addptr out, %1 : ptr<f32>
    %14 = addptr %13, %3 : vector<1024 x ptr<f32>>
    store %14, %11, %5
}
; ---
struct alignas(16) mt_f32x4 {
    float lane[4];
};

static __device__ float mt_max_nan(float a, float b) {
#if __CUDA_ARCH__ >= 800
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
#else
    return (isnan(a) ? (a) : (isnan(b) ? (b) : ((a) > (b) ? (a) : (b))));
#endif
}

template <int V>
static __device__ void mt_max_f32_put(float (&partial)[V], float* words) {
#pragma unroll
    for (int half = V / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < half; ++i) {
            const float value = partial[i];
            const float other = partial[i + half];
            partial[i] = mt_max_nan(value, other);
        }
    }
    float value = partial[0];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_down_sync(0xffffffffu, value, step);
        value = mt_max_nan(value, other);
    }
    if (threadIdx.x % 32 == 0) {
        words[threadIdx.x / 32] = value;
    }
}

static __device__ float mt_max_f32_get(const float* words) {
    float value = words[0];
#pragma unroll
    for (int i = 1; i < 2; ++i) {
        const float other = words[i];
        value = mt_max_nan(value, other);
    }
    return value;
}

template <int V>
static __device__ void mt_sum_f32_put(float (&partial)[V], float* words) {
#pragma unroll
    for (int half = V / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < half; ++i) {
            const float value = partial[i];
            const float other = partial[i + half];
            partial[i] = (value + other);
        }
    }
    float value = partial[0];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        const float other = __shfl_down_sync(0xffffffffu, value, step);
        value = (value + other);
    }
    if (threadIdx.x % 32 == 0) {
        words[threadIdx.x / 32] = value;
    }
}

static __device__ float mt_sum_f32_get(const float* words) {
    float value = words[0];
#pragma unroll
    for (int i = 1; i < 2; ++i) {
        const float other = words[i];
        value = (value + other);
    }
    return value;
}

extern "C" __global__
void softmax_kernel(float* x, float* out, int columns) {
    __shared__ float mt_words0[2];
    __shared__ float mt_words1[2];
    float mt_buffer6[16];
    float mt_buffer9[16];
    int v0 = blockIdx.x;
    int v1 = (int)((unsigned)v0 * (unsigned)columns);
    int v3_0 = 0;
    float mt_partial7[4] = {(-__int_as_float(0x7f800000)), (-__int_as_float(0x7f800000)), (-__int_as_float(0x7f800000)), (-__int_as_float(0x7f800000))};
    if (v3_0 <= 2147483647 - 1023 && v3_0 + 1023 < columns && ((unsigned long long)&x[((long long)v1 + v3_0)] & 15) == 0) {
        #pragma unroll
        for (int mt_r = 0; mt_r < 4; ++mt_r) {
            const unsigned mt_first = (mt_r * 64 + threadIdx.x) * 4;
            int v3[4];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                v3[mt_k] = mt_lane;
            }
            const mt_f32x4 mt_v6 = *(const mt_f32x4*)&x[((long long)v1 + v3[0])];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                mt_partial7[mt_k] = mt_max_nan(mt_partial7[mt_k], mt_v6.lane[mt_k]);
                mt_buffer6[mt_r * 4 + mt_k] = mt_v6.lane[mt_k];
            }
        }
    } else {
        #pragma unroll
        for (int mt_r = 0; mt_r < 4; ++mt_r) {
            const unsigned mt_first = (mt_r * 64 + threadIdx.x) * 4;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                int v3 = mt_lane;
                bool v5 = (v3 < columns);
                float v6 = (v5 ? x[((long long)v1 + v3)] : (-__int_as_float(0x7f800000)));
                mt_partial7[mt_k] = mt_max_nan(mt_partial7[mt_k], v6);
                mt_buffer6[mt_r * 4 + mt_k] = v6;
            }
        }
    }
    mt_max_f32_put(mt_partial7, mt_words0);
    __syncthreads();
    float v7 = mt_max_f32_get(mt_words0);
    float mt_partial10[4] = {-0.0f, -0.0f, -0.0f, -0.0f};
    #pragma unroll
    for (int mt_r = 0; mt_r < 4; ++mt_r) {
        const unsigned mt_first = (mt_r * 64 + threadIdx.x) * 4;
        #pragma unroll
        for (int mt_k = 0; mt_k < 4; ++mt_k) {
            const unsigned mt_lane = mt_first + mt_k;
            float v6 = mt_buffer6[mt_r * 4 + mt_k];
            float v8 = (v6 - v7);
            float v9 = expf(v8);
            mt_partial10[mt_k] = (mt_partial10[mt_k] + v9);
            mt_buffer9[mt_r * 4 + mt_k] = v9;
        }
    }
    mt_sum_f32_put(mt_partial10, mt_words1);
    __syncthreads();
    float v10 = mt_sum_f32_get(mt_words1);
    if (v3_0 <= 2147483647 - 1023 && v3_0 + 1023 < columns && ((unsigned long long)&out[((long long)v1 + v3_0)] & 15) == 0) {
        #pragma unroll
        for (int mt_r = 0; mt_r < 4; ++mt_r) {
            const unsigned mt_first = (mt_r * 64 + threadIdx.x) * 4;
            int v3[4];
            float v11[4];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                float v9 = mt_buffer9[mt_r * 4 + mt_k];
                v3[mt_k] = mt_lane;
                v11[mt_k] = (v9 / v10);
            }
            mt_f32x4 mt_s14;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                mt_s14.lane[mt_k] = v11[mt_k];
            }
            *(mt_f32x4*)&out[((long long)v1 + v3[0])] = mt_s14;
        }
    } else {
        #pragma unroll
        for (int mt_r = 0; mt_r < 4; ++mt_r) {
            const unsigned mt_first = (mt_r * 64 + threadIdx.x) * 4;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                float v9 = mt_buffer9[mt_r * 4 + mt_k];
                int v3 = mt_lane;
                bool v5 = (v3 < columns);
                float v11 = (v9 / v10);
                if (v5) {
                    out[((long long)v1 + v3)] = v11;
                }
            }
        }
    }
}
