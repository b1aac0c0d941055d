; run: --emit cuda
kernel add_kernel(x: ptr<f32>, y: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, 256 : i32
    %2 = arange {start=0, end=256} : vector<256 x i32>
    %3 = add %1, %2 : vector<256 x i32>
    %4 = addptr x, %3 : vector<256 x ptr<f32>>
    %5 = cmp_lt %3, n : vector<256 x bool>
    %6 = load %4, %5, 0.0 : vector<256 x f32>
    %7 = addptr y, %3 : vector<256 x ptr<f32>>
    %8 = load %7, %5, 0.0 : vector<256 x f32>
    %9 = add %6, %8 : vector<256 x f32>
    %10 = addptr out, %3 : vector<256 x ptr<f32>>
    store %10, %9, %5
}
; ---
extern "C" __global__
void add_kernel(float* x, float* y, float* out, int n) {
    int v0 = blockIdx.x;
    int v1 = (v0 * 256);
    int v2 = threadIdx.x;
    int v3 = (v1 + v2);
    bool v5 = (v3 < n);
    float v6 = (v5 ? x[v3] : 0.0f);
    float v8 = (v5 ? y[v3] : 0.0f);
    float v9 = (v6 + v8);
    if (v5) {
        out[v3] = v9;
    }
}
