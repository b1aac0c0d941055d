; run: --emit cuda
kernel reverse(x: ptr<f32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    %2 = load %1, none, none : vector<64 x f32>
    %3 = sub 63, %0 : vector<64 x i32>
    %4 = addptr x, %3 : vector<64 x ptr<f32>>
    store %4, %2, none
}
; ---
extern "C" __global__
void reverse(float* x) {
    int v0 = threadIdx.x;
    float v2 = (true ? x[v0] : 0.0f);
    int v3 = (63 - v0);
    __syncthreads();
    x[v3] = v2;
}
