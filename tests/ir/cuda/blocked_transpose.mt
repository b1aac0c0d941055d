; run: --emit cuda
; A tile goes through shared memory; indices are computed again.
kernel tr(X: ptr<f32>, Y: ptr<f32>, M: i32, N: i32) {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, 32 : i32
    %2 = arange {start=0, end=32} : vector<32 x i32>
    %3 = add %1, %2 : vector<32 x i32>
    %4 = reshape %3 : block<32x1 x i32>
    %5 = mul %4, N : block<32x1 x i32>
    %6 = broadcast %5 : block<32x32 x i32>
    %7 = addptr X, %6 : block<32x32 x ptr<f32>>
    %8 = program_id {axis=1} : i32
    %9 = mul %8, 32 : i32
    %11 = add %9, %2 : vector<32 x i32>
    %12 = reshape %11 : block<1x32 x i32>
    %13 = broadcast %12 : block<32x32 x i32>
    %14 = addptr %7, %13 : block<32x32 x ptr<f32>>
    %16 = cmp_lt %4, M : block<32x1 x bool>
    %17 = broadcast %16 : block<32x32 x bool>
    %19 = cmp_lt %12, N : block<1x32 x bool>
    %20 = broadcast %19 : block<32x32 x bool>
    %21 = bit_and %17, %20 : block<32x32 x bool>
    %22 = load %14, %21, 0.0 : block<32x32 x f32>
    %23 = permute %22 {order=1x0} : block<32x32 x f32>
    %24 = reshape %11 : block<32x1 x i32>
    %25 = mul %24, M : block<32x1 x i32>
    %26 = broadcast %25 : block<32x32 x i32>
    %27 = addptr Y, %26 : block<32x32 x ptr<f32>>
    %28 = reshape %3 : block<1x32 x i32>
    %29 = broadcast %28 : block<32x32 x i32>
    %30 = addptr %27, %29 : block<32x32 x ptr<f32>>
    %32 = cmp_lt %24, N : block<32x1 x bool>
    %33 = broadcast %32 : block<32x32 x bool>
    %35 = cmp_lt %28, M : block<1x32 x bool>
    %36 = broadcast %35 : block<32x32 x bool>
    %37 = bit_and %33, %36 : block<32x32 x bool>
    store %30, %23, %37
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

extern "C" __global__
void tr(float* X, float* Y, int M, int N) {
    __shared__ __align__(16) unsigned char mt_shared[4096];
    float* const mt_shared22 = (float*)(mt_shared + 0);
    int v0 = blockIdx.x;
    int v1 = (int)((unsigned)v0 * (unsigned)32);
    int v8 = blockIdx.y;
    int v9 = (int)((unsigned)v8 * (unsigned)32);
    #pragma unroll
    for (int mt_r = 0; mt_r < 2; ++mt_r) {
        const unsigned mt_first = (mt_r * 128 + threadIdx.x) * 4;
        int v6[4];
        int v13[4];
        bool v21[4];
        #pragma unroll
        for (int mt_k = 0; mt_k < 4; ++mt_k) {
            const unsigned mt_lane = mt_first + mt_k;
            {
                const unsigned mt_lane1 = mt_lane / 32;
                int v2 = mt_lane1;
                int v3 = (int)((unsigned)v1 + (unsigned)v2);
                int v4 = v3;
                int v5 = (int)((unsigned)v4 * (unsigned)N);
                v6[mt_k] = v5;
            }
            {
                const unsigned mt_lane1 = mt_lane % 32;
                int v2 = mt_lane1;
                int v11 = (int)((unsigned)v9 + (unsigned)v2);
                int v12 = v11;
                v13[mt_k] = v12;
            }
            bool v17;
            {
                const unsigned mt_lane1 = mt_lane / 32;
                int v2 = mt_lane1;
                int v3 = (int)((unsigned)v1 + (unsigned)v2);
                int v4 = v3;
                bool v16 = (v4 < M);
                v17 = v16;
            }
            bool v20;
            {
                const unsigned mt_lane1 = mt_lane % 32;
                int v2 = mt_lane1;
                int v11 = (int)((unsigned)v9 + (unsigned)v2);
                int v12 = v11;
                bool v19 = (v12 < N);
                v20 = v19;
            }
            v21[mt_k] = (v17 & v20);
        }
        float v22[4];
        if (mt_is_row(&X[((long long)v6[0] + v13[0])], &X[((long long)v6[3] + v13[3])], 12, 16) && v21[0] && v21[1] && v21[2] && v21[3]) {
            const mt_f32x4 mt_v22 = *(const mt_f32x4*)&X[((long long)v6[0] + v13[0])];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                v22[mt_k] = mt_v22.lane[mt_k];
            }
        } else {
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                v22[mt_k] = (v21[mt_k] ? X[((long long)v6[mt_k] + v13[mt_k])] : 0.0f);
            }
        }
        #pragma unroll
        for (int mt_k = 0; mt_k < 4; ++mt_k) {
            const unsigned mt_lane = mt_first + mt_k;
            mt_shared22[mt_lane] = v22[mt_k];
        }
    }
    __syncthreads();
    #pragma unroll
    for (int mt_r = 0; mt_r < 2; ++mt_r) {
        const unsigned mt_first = (mt_r * 128 + threadIdx.x) * 4;
        float v23[4];
        int v26[4];
        int v29[4];
        bool v37[4];
        #pragma unroll
        for (int mt_k = 0; mt_k < 4; ++mt_k) {
            const unsigned mt_lane = mt_first + mt_k;
            v23[mt_k] = mt_shared22[mt_lane / 32 + mt_lane % 32 * 32];
            {
                const unsigned mt_lane1 = mt_lane / 32;
                int v2 = mt_lane1;
                int v11 = (int)((unsigned)v9 + (unsigned)v2);
                int v24 = v11;
                int v25 = (int)((unsigned)v24 * (unsigned)M);
                v26[mt_k] = v25;
            }
            {
                const unsigned mt_lane1 = mt_lane % 32;
                int v2 = mt_lane1;
                int v3 = (int)((unsigned)v1 + (unsigned)v2);
                int v28 = v3;
                v29[mt_k] = v28;
            }
            bool v33;
            {
                const unsigned mt_lane1 = mt_lane / 32;
                int v2 = mt_lane1;
                int v11 = (int)((unsigned)v9 + (unsigned)v2);
                int v24 = v11;
                bool v32 = (v24 < N);
                v33 = v32;
            }
            bool v36;
            {
                const unsigned mt_lane1 = mt_lane % 32;
                int v2 = mt_lane1;
                int v3 = (int)((unsigned)v1 + (unsigned)v2);
                int v28 = v3;
                bool v35 = (v28 < M);
                v36 = v35;
            }
            v37[mt_k] = (v33 & v36);
        }
        if (mt_is_row(&Y[((long long)v26[0] + v29[0])], &Y[((long long)v26[3] + v29[3])], 12, 16) && v37[0] && v37[1] && v37[2] && v37[3]) {
            mt_f32x4 mt_s33;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                mt_s33.lane[mt_k] = v23[mt_k];
            }
            *(mt_f32x4*)&Y[((long long)v26[0] + v29[0])] = mt_s33;
        } else {
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                if (v37[mt_k]) {
                    Y[((long long)v26[mt_k] + v29[mt_k])] = v23[mt_k];
                }
            }
        }
    }
}
