; run: --emit cuda
kernel count(total: ptr<i32>, x: ptr<bool>) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = addptr x, %0 : vector<32 x ptr<bool>>
    %2 = load %1, none, none : vector<32 x bool>
    %3 = cast %2 : vector<32 x i32>
    %4 = sum %3 : i32
    %5 = load total, none, none : i32
    %6 = add %5, %4 : i32
    store total, %6, none
}
; ---
static __device__ int mt_sum_i32(int value, int* warps) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int width = 32 - warp * 32 < 32 ? 32 - warp * 32 : 32;
    const unsigned active = 0xffffffffu >> (32 - width);
    for (int step = 16; step > 0; step /= 2) {
        const int other = __shfl_down_sync(active, value, step);
        if (lane + step < width) {
            value = (int)((unsigned)value + (unsigned)other);
        }
    }
    if (lane == 0) {
        warps[warp] = value;
    }
    __syncthreads();
    value = warps[0];
    for (int i = 1; i < 1; ++i) {
        const int other = warps[i];
        value = (int)((unsigned)value + (unsigned)other);
    }
    return value;
}

extern "C" __global__
void count(int* total, unsigned char* x) {
    __shared__ int mt_warps0[1];
    int v0 = threadIdx.x;
    bool v2 = (true ? (x[v0] != 0) : false);
    int v3 = (int)(v2);
    int v4 = mt_sum_i32(v3, mt_warps0);
    int v5 = (true ? total[0] : 0);
    int v6 = (int)((unsigned)v5 + (unsigned)v4);
    __syncthreads();
    if (threadIdx.x == 0) {
        total[0] = v6;
    }
}
