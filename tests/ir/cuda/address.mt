; run: --emit cuda
kernel address(x: ptr<f32>, out: ptr<f32>, n: i32, v1: i32) {
    %0 = addptr out, 1 : ptr<f32>
    %1 = addptr %0, 2 : ptr<f32>
    store %1, 1.5, none
    %2 = arange {start=4, end=8} : vector<4 x i32>
    %3 = addptr x, n : ptr<f32>
    %4 = addptr %3, %2 : vector<4 x ptr<f32>>
    %5 = load %4, none, none : vector<4 x f32>
    %6 = addptr out, v1 : ptr<f32>
    %7 = addptr %6, %2 : vector<4 x ptr<f32>>
    store %7, %5, none
}
; ---
extern "C" __global__
void address(float* x, float* out, int n, int p_v1) {
    if (threadIdx.x == 0) {
        out[(1 + 2)] = 1.5f;
    }
    int v2 = (4 + threadIdx.x);
    float v5 = (true ? x[((long long)n + v2)] : 0.0f);
    __syncthreads();
    out[((long long)p_v1 + v2)] = v5;
}
