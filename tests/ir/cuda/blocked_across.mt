; run: --emit cuda
; Functions that all threads run on shared memory.
kernel ordered(x: ptr<f32>, index: ptr<i32>, out: ptr<f32>, counts: ptr<i32>) {
    %0 = arange {start=0, end=512} : vector<512 x i32>
    %1 = addptr x, %0 : vector<512 x ptr<f32>>
    %2 = load %1, none, none : vector<512 x f32>
    %3 = addptr index, %0 : vector<512 x ptr<i32>>
    %4 = load %3, none, none : vector<512 x i32>
    %5 = sort %2 : vector<512 x f32>
    %6 = cumsum %5 {axis=0} : vector<512 x f32>
    %7 = gather %6, %4 {axis=0} : vector<512 x f32>
    %8 = addptr out, %0 : vector<512 x ptr<f32>>
    store %8, %7, none
    %9 = histogram %4, none {bins=16} : vector<16 x i32>
    %10 = arange {start=0, end=16} : vector<16 x i32>
    %11 = addptr counts, %10 : vector<16 x ptr<i32>>
    store %11, %9, none
}
; ---
struct alignas(16) mt_f32x4 {
    float lane[4];
};

struct alignas(16) mt_i32x4 {
    int lane[4];
};

// As unsigned ints in the order of sort.
static __device__ unsigned mt_key_f32(float a) {
    const unsigned bits = __float_as_uint(a);
    if (bits > 4286578688u) {
        return bits;
    }
    return (unsigned)((bits & 2147483648u ? ~bits : bits | 2147483648u) - 8388607u);
}

template <int Rows, int N, bool Descending>
static __device__ void mt_sort_f32_512(const float* from, float* to) {
    constexpr int kHalf = 256;
    for (int i = threadIdx.x; i < Rows * N; i += 128) {
        to[i] = from[i];
    }
    for (int size = 2; size <= 2 * kHalf; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < Rows * kHalf; pair += 128) {
                const int i = pair % kHalf;
                const int low = i / step * (2 * step) + i % step;
                const int high = step == size / 2 ? low + 2 * (step - i % step) - 1 : low + step;
                float* row = to + pair / kHalf * N;
                if (high < N) {
                    const float a = row[low];
                    const float b = row[high];
                    if (Descending ? mt_key_f32(a) < mt_key_f32(b) : mt_key_f32(b) < mt_key_f32(a)) {
                        row[low] = b;
                        row[high] = a;
                    }
                }
            }
        }
    }
}

template <int Outer, int N, int Inner, bool Reverse>
static __device__ void mt_cumsum_f32_warps(const float* from, float* to) {
    const int lane = threadIdx.x % 32;
    for (int run = threadIdx.x / 32; run < Outer * Inner; run += 4) {
        const int start = run / Inner * (N * Inner) + run % Inner;
        float before = -0.0f;
        for (int first = 0; first < N; first += 32) {
            const int i = first + lane;
            const int at = start + (Reverse ? N - 1 - i : i) * Inner;
            float other = -0.0f;
            if (i < N) {
                other = from[at];
            }
#pragma unroll
            for (int step = 1; step < 32; step *= 2) {
                const float value = __shfl_up_sync(0xffffffffu, other, step);
                if (lane >= step) {
                    other = (value + other);
                }
            }
            {
                const float value = before;
                other = (value + other);
            }
            if (i < N) {
                to[at] = other;
            }
            before = __shfl_sync(0xffffffffu, other, 31);
        }
    }
}

template <int Outer, int From, int To, int Inner>
static __device__ void mt_gather_f32_i32(const float* src, const int* index, float* to) {
    for (int i = threadIdx.x; i < Outer * To * Inner; i += 128) {
        const int at = index[i];
        const int place = at < 0 ? 0 : at < (int)From ? (int)at : From - 1;
        to[i] = src[(i / (To * Inner) * From + place) * Inner + i % Inner];
    }
}

template <int N, int Bins>
static __device__ void mt_histogram_i32(const int* input, const bool* mask, int* to) {
    for (int i = threadIdx.x; i < Bins; i += 128) {
        to[i] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += 128) {
        const int value = input[i];
        if ((!mask || mask[i]) && value >= 0 && value < (int)Bins) {
            atomicAdd(&to[(int)value], 1);
        }
    }
}

extern "C" __global__
void ordered(float* x, int* index, float* out, int* counts) {
    __shared__ __align__(16) unsigned char mt_shared[6144];
    float* const mt_shared2 = (float*)(mt_shared + 0);
    float* const mt_shared5 = (float*)(mt_shared + 2048);
    float* const mt_shared6 = (float*)(mt_shared + 0);
    int* const mt_shared4 = (int*)(mt_shared + 4096);
    float* const mt_shared7 = (float*)(mt_shared + 2048);
    int* const mt_shared9 = (int*)(mt_shared + 0);
    int v0_0 = 0;
    if (v0_0 <= 2147483647 - 511 && ((unsigned long long)&x[v0_0] & 15) == 0 && ((unsigned long long)&index[v0_0] & 15) == 0) {
        {
            const unsigned mt_first = threadIdx.x * 4;
            int v0[4];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                v0[mt_k] = mt_lane;
            }
            const mt_f32x4 mt_v2 = *(const mt_f32x4*)&x[v0[0]];
            const mt_i32x4 mt_v4 = *(const mt_i32x4*)&index[v0[0]];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                mt_shared2[mt_lane] = mt_v2.lane[mt_k];
                mt_shared4[mt_lane] = mt_v4.lane[mt_k];
            }
        }
    } else {
        {
            const unsigned mt_first = threadIdx.x * 4;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                int v0 = mt_lane;
                float v2 = (true ? x[v0] : 0.0f);
                int v4 = (true ? index[v0] : 0);
                mt_shared2[mt_lane] = v2;
                mt_shared4[mt_lane] = v4;
            }
        }
    }
    __syncthreads();
    mt_sort_f32_512<1, 512, false>(mt_shared2, mt_shared5);
    __syncthreads();
    mt_cumsum_f32_warps<1, 512, 1, false>(mt_shared5, mt_shared6);
    __syncthreads();
    mt_gather_f32_i32<1, 512, 512, 1>(mt_shared6, mt_shared4, mt_shared7);
    __syncthreads();
    if (v0_0 <= 2147483647 - 511 && ((unsigned long long)&out[v0_0] & 15) == 0) {
        {
            const unsigned mt_first = threadIdx.x * 4;
            float v7[4];
            int v0[4];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                v7[mt_k] = mt_shared7[mt_lane];
                v0[mt_k] = mt_lane;
            }
            mt_f32x4 mt_s9;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                mt_s9.lane[mt_k] = v7[mt_k];
            }
            *(mt_f32x4*)&out[v0[0]] = mt_s9;
        }
    } else {
        {
            const unsigned mt_first = threadIdx.x * 4;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                float v7 = mt_shared7[mt_lane];
                int v0 = mt_lane;
                out[v0] = v7;
            }
        }
    }
    mt_histogram_i32<512, 16>(mt_shared4, nullptr, mt_shared9);
    __syncthreads();
    {
        const unsigned mt_lane = threadIdx.x;
        if (mt_lane < 16) {
            int v9 = mt_shared9[mt_lane];
            int v10 = mt_lane;
            counts[v10] = v9;
        }
    }
}
