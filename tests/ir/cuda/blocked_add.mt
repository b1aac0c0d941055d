; run: --emit cuda
; Whole vectors where the mask holds for all lanes and pointers are aligned.
kernel add_kernel(x: ptr<f32>, y: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, 1024 : i32
    %2 = arange {start=0, end=1024} : vector<1024 x i32>
    %3 = add %1, %2 : vector<1024 x i32>
    %4 = addptr x, %3 : vector<1024 x ptr<f32>>
    %5 = cmp_lt %3, n : vector<1024 x bool>
    %6 = load %4, %5, none : vector<1024 x f32>
    %7 = addptr y, %3 : vector<1024 x ptr<f32>>
    %8 = load %7, %5, none : vector<1024 x f32>
    %9 = add %6, %8 : vector<1024 x f32>
    %10 = addptr out, %3 : vector<1024 x ptr<f32>>
    store %10, %9, %5
}
; ---
struct alignas(16) mt_f32x4 {
    float lane[4];
};

extern "C" __global__
void add_kernel(float* x, float* y, float* out, int n) {
    int v0 = blockIdx.x;
    int v1 = (v0 * 1024);
    int v2_0 = 0;
    int v3_0 = (v1 + v2_0);
    if (v3_0 <= 2147483647 - 1023 && v3_0 + 1023 < n && ((unsigned long long)&x[v3_0] & 15) == 0 && ((unsigned long long)&y[v3_0] & 15) == 0 && ((unsigned long long)&out[v3_0] & 15) == 0) {
        #pragma unroll
        for (int mt_r = 0; mt_r < 2; ++mt_r) {
            const unsigned mt_first = (mt_r * 128 + threadIdx.x) * 4;
            int v3[4];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                int v2 = mt_lane;
                v3[mt_k] = (v1 + v2);
            }
            const mt_f32x4 mt_v6 = *(const mt_f32x4*)&x[v3[0]];
            const mt_f32x4 mt_v8 = *(const mt_f32x4*)&y[v3[0]];
            float v9[4];
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                v9[mt_k] = (mt_v6.lane[mt_k] + mt_v8.lane[mt_k]);
            }
            mt_f32x4 mt_s11;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                mt_s11.lane[mt_k] = v9[mt_k];
            }
            *(mt_f32x4*)&out[v3[0]] = mt_s11;
        }
    } else {
        #pragma unroll
        for (int mt_r = 0; mt_r < 2; ++mt_r) {
            const unsigned mt_first = (mt_r * 128 + threadIdx.x) * 4;
            #pragma unroll
            for (int mt_k = 0; mt_k < 4; ++mt_k) {
                const unsigned mt_lane = mt_first + mt_k;
                int v2 = mt_lane;
                int v3 = (v1 + v2);
                bool v5 = (v3 < n);
                float v6 = (v5 ? x[v3] : 0.0f);
                float v8 = (v5 ? y[v3] : 0.0f);
                float v9 = (v6 + v8);
                if (v5) {
                    out[v3] = v9;
                }
            }
        }
    }
}
