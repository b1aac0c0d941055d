; run: --emit cuda
; A load must wait for the round before, and the store for all loads.
kernel shift(x: ptr<f32>, times: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = add %0, 1 : vector<64 x i32>
    %2 = addptr x, %1 : vector<64 x ptr<f32>>
    %3 = addptr x, %0 : vector<64 x ptr<f32>>
    for %4 in range(0, times, 1) {
        %5 = load %2, none, none : vector<64 x f32>
        store %3, %5, none
    }
}
; ---
extern "C" __global__
void shift(float* x, int times) {
    int v0 = threadIdx.x;
    int v1 = (v0 + 1);
    for (int v4 = 0; v4 < times; v4 += 1) {
        __syncthreads();
        float v5 = (true ? x[v1] : 0.0f);
        __syncthreads();
        x[v0] = v5;
    }
}
