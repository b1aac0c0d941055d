; run: --emit cuda
; A carried block is an array of each thread.
kernel row_sums(x: ptr<f32>, out: ptr<f32>, rows: i32, columns: i32) {
    %0 = splat 0.0 : vector<8 x f32>
    %1 = arange {start=0, end=8} : vector<8 x i32>
    %4 = reshape %1 : block<8x1 x i32>
    %5 = mul %4, columns : block<8x1 x i32>
    %6 = broadcast %5 : block<8x64 x i32>
    %7 = addptr x, %6 : block<8x64 x ptr<f32>>
    %8 = arange {start=0, end=64} : vector<64 x i32>
    %14 = cmp_lt %4, rows : block<8x1 x bool>
    %15 = broadcast %14 : block<8x64 x bool>
    %23 = for %2 in range(0, columns, 64) iter_args(%3 = %0) : vector<8 x f32> {
        %9 = add %2, %8 : vector<64 x i32>
        %10 = reshape %9 : block<1x64 x i32>
        %11 = broadcast %10 : block<8x64 x i32>
        %12 = addptr %7, %11 : block<8x64 x ptr<f32>>
        %17 = cmp_lt %10, columns : block<1x64 x bool>
        %18 = broadcast %17 : block<8x64 x bool>
        %19 = bit_and %15, %18 : block<8x64 x bool>
        %20 = load %12, %19, 0.0 : block<8x64 x f32>
        %21 = sum %20 {axis=1} : vector<8 x f32>
        %22 = add %3, %21 : vector<8 x f32>
        yield %22
    }
    %24 = addptr out, %1 : vector<8 x ptr<f32>>
    %25 = cmp_lt %1, rows : vector<8 x bool>
    store %24, %23, %25
}
; ---
// Whether lanes from `first` to `last` lie as neighbours in memory, where a vector may.
static __device__ bool mt_is_row(const void* first, const void* last, int bytes, int align) {
    const unsigned long long from = (unsigned long long)first;
    return (unsigned long long)last - from == bytes && (from & (align - 1)) == 0;
}

struct alignas(16) mt_f32x4 {
    float lane[4];
};

template <int Outer, int N, int Inner, int Share>
static __device__ void mt_sum_f32_axis(const float* from, float* to) {
    for (int first = 0; first < Outer * Inner; first += 128 / Share) {
        const int run = first + threadIdx.x / Share;
        float value = -0.0f;
        if (run < Outer * Inner) {
            const float* lanes = from + run / Inner * (N * Inner) + run % Inner;
            for (int i = threadIdx.x % Share; i < N; i += Share) {
                const float other = lanes[i * Inner];
                value = (value + other);
            }
        }
#pragma unroll
        for (int step = Share / 2; step > 0; step /= 2) {
            const float other = __shfl_down_sync(0xffffffffu, value, step);
            value = (value + other);
        }
        if (run < Outer * Inner && threadIdx.x % Share == 0) {
            to[run] = value;
        }
    }
}

extern "C" __global__
void row_sums(float* x, float* out, int rows, int columns) {
    __shared__ __align__(16) unsigned char mt_shared[2080];
    bool mt_buffer15[4];
    float* const mt_shared20 = (float*)(mt_shared + 0);
    float* const mt_shared21 = (float*)(mt_shared + 2048);
    float mt_slot0[1];
    {
        const unsigned mt_first = threadIdx.x * 4;
        #pragma unroll
        for (int mt_k = 0; mt_k < 4; ++mt_k) {
            const unsigned mt_lane = mt_first + mt_k;
            bool v15;
            {
                const unsigned mt_lane1 = mt_lane / 64;
                int v1 = mt_lane1;
                int v4 = v1;
                bool v14 = (v4 < rows);
                v15 = v14;
            }
            mt_buffer15[mt_k] = v15;
        }
    }
    {
        const unsigned mt_lane = threadIdx.x;
        if (mt_lane < 8) {
            float v0 = 0.0f;
            mt_slot0[0] = v0;
        }
    }
    for (long long mt_i2 = 0; mt_i2 < columns; mt_i2 += 64) {
        int v2 = (int)mt_i2;
        {
            const unsigned mt_first = threadIdx.x * 4;
            int v6[4];
            int v11[4];
            bool v19[4];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                bool v15 = mt_buffer15[mt_k];
                {
                    const unsigned mt_lane1 = mt_lane / 64;
                    int v1 = mt_lane1;
                    int v4 = v1;
                    int v5 = (int)((unsigned)v4 * (unsigned)columns);
                    v6[mt_k] = v5;
                }
                {
                    const unsigned mt_lane1 = mt_lane % 64;
                    int v8 = mt_lane1;
                    int v9 = (int)((unsigned)v2 + (unsigned)v8);
                    int v10 = v9;
                    v11[mt_k] = v10;
                }
                bool v18;
                {
                    const unsigned mt_lane1 = mt_lane % 64;
                    int v8 = mt_lane1;
                    int v9 = (int)((unsigned)v2 + (unsigned)v8);
                    int v10 = v9;
                    bool v17 = (v10 < columns);
                    v18 = v17;
                }
                v19[mt_k] = (v15 & v18);
            }
            float v20[4];
            if (mt_is_row(&x[((long long)v6[0] + v11[0])], &x[((long long)v6[3] + v11[3])], 12, 16) && v19[0] && v19[1] && v19[2] && v19[3]) {
                const mt_f32x4 mt_v20 = *(const mt_f32x4*)&x[((long long)v6[0] + v11[0])];
                #pragma unroll
                for (int mt_k = 0; mt_k < 4; ++mt_k) {
                    v20[mt_k] = mt_v20.lane[mt_k];
                }
            } else {
                #pragma unroll
                for (int mt_k = 0; mt_k < 4; ++mt_k) {
                    const unsigned mt_lane = mt_first + mt_k;
                    v20[mt_k] = (v19[mt_k] ? x[((long long)v6[mt_k] + v11[mt_k])] : 0.0f);
                }
            }
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                mt_shared20[mt_lane] = v20[mt_k];
            }
        }
        __syncthreads();
        mt_sum_f32_axis<8, 64, 1, 16>(mt_shared20, mt_shared21);
        __syncthreads();
        {
            const unsigned mt_lane = threadIdx.x;
            if (mt_lane < 8) {
                float v21 = mt_shared21[mt_lane];
                float v3 = mt_slot0[0];
                float v22 = (v3 + v21);
                mt_slot0[0] = v22;
            }
        }
    }
    {
        const unsigned mt_lane = threadIdx.x;
        if (mt_lane < 8) {
            float v23 = mt_slot0[0];
            int v1 = mt_lane;
            bool v25 = (v1 < rows);
            if (v25) {
                out[v1] = v23;
            }
        }
    }
}
