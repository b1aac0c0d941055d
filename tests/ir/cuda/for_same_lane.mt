; run: --emit cuda
; Each lane meets only itself, in every round; where the address moves, it meets its neighbours.
kernel same_lane(x: ptr<f32>, y: ptr<f32>, times: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    for %2 in range(0, times, 1) {
        %3 = load %1, none, none : vector<64 x f32>
        %4 = add %3, 1.0 : vector<64 x f32>
        store %1, %4, none
    }
    for %5 in range(0, times, 1) {
        %6 = add %0, %5 : vector<64 x i32>
        %7 = addptr y, %6 : vector<64 x ptr<f32>>
        %8 = load %7, none, none : vector<64 x f32>
        %9 = add %8, 1.0 : vector<64 x f32>
        store %7, %9, none
    }
}
; ---
extern "C" __global__
void same_lane(float* x, float* y, int times) {
    int v0 = threadIdx.x;
    for (int v2 = 0; v2 < times; v2 += 1) {
        float v3 = (true ? x[v0] : 0.0f);
        float v4 = (v3 + 1.0f);
        x[v0] = v4;
    }
    for (int v5 = 0; v5 < times; v5 += 1) {
        int v6 = (int)((unsigned)v0 + (unsigned)v5);
        __syncthreads();
        float v8 = (true ? y[v6] : 0.0f);
        float v9 = (v8 + 1.0f);
        y[v6] = v9;
    }
}
