; run: --emit cuda
kernel triangle(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = splat 0.0 : vector<32 x f32>
    for %2 in range(0, n, 1) {
        %12 = for %3 in range(0, %2, 1) iter_args(%4 = %1) : vector<32 x f32> {
            %5 = cmp_gt %3, 3 : bool
            %11 = if %5 : vector<32 x f32> {
                %6 = mul %3, 32 : i32
                %7 = addptr x, %6 : ptr<f32>
                %8 = addptr %7, %0 : vector<32 x ptr<f32>>
                %9 = load %8, none, none : vector<32 x f32>
                %10 = add %4, %9 : vector<32 x f32>
                yield %10
            } else {
                yield %4
            }
            yield %11
        }
        %13 = sum %12 : f32
        %14 = addptr out, %2 : ptr<f32>
        store %14, %13, none
    }
}
; ---
static __device__ float mt_sum_f32(float value, float* warps) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int width = 32 - warp * 32 < 32 ? 32 - warp * 32 : 32;
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
    for (int i = 1; i < 1; ++i) {
        const float other = warps[i];
        value = (value + other);
    }
    return value;
}

extern "C" __global__
void triangle(float* x, float* out, int n) {
    __shared__ float mt_warps0[1];
    int v0 = threadIdx.x;
    float v1 = 0.0f;
    for (int v2 = 0; v2 < n; v2 += 1) {
        float v12 = v1;
        for (int v3 = 0; v3 < v2; v3 += 1) {
            float v4 = v12;
            bool v5 = (v3 > 3);
            float v11;
            if (v5) {
                int v6 = (int)((unsigned)v3 * (unsigned)32);
                float v9 = (true ? x[((long long)v6 + v0)] : 0.0f);
                float v10 = (v4 + v9);
                v11 = v10;
            } else {
                v11 = v4;
            }
            v12 = v11;
        }
        __syncthreads();
        float v13 = mt_sum_f32(v12, mt_warps0);
        if (threadIdx.x == 0) {
            out[v2] = v13;
        }
    }
}
