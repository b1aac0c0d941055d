; run: --emit cuda
kernel arms(x: ptr<f32>, out: ptr<f32>, up: bool, again: bool) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = sub 63, %0 : vector<64 x i32>
    %2 = addptr x, %0 : vector<64 x ptr<f32>>
    %3 = load %2, none, none : vector<64 x f32>
    %4 = addptr out, %0 : vector<64 x ptr<f32>>
    %8, %9 = if up : vector<64 x f32>, i64 {
        store %4, %3, none
        %5 = add %3, 1.0 : vector<64 x f32>
        yield %5, 7_i64
    } else {
        %6 = addptr out, %1 : vector<64 x ptr<f32>>
        store %6, %3, none
        yield %3, -1_i64
    }
    if again {
        %10 = load %4, none, none : vector<64 x f32>
        %11 = add %10, %8 : vector<64 x f32>
        store %2, %11, none
    }
    %12 = cast %9 : f32
    store x, %12, none
}
; ---
extern "C" __global__
void arms(float* x, float* out, bool up, bool again) {
    int v0 = threadIdx.x;
    int v1 = (63 - v0);
    float v3 = (true ? x[v0] : 0.0f);
    float v8;
    long long v9;
    if (up) {
        out[v0] = v3;
        float v5 = (v3 + 1.0f);
        v8 = v5;
        v9 = 7ll;
    } else {
        out[v1] = v3;
        v8 = v3;
        v9 = -1ll;
    }
    if (again) {
        __syncthreads();
        float v10 = (true ? out[v0] : 0.0f);
        float v11 = (v10 + v8);
        x[v0] = v11;
    }
    float v12 = (float)(v9);
    __syncthreads();
    if (threadIdx.x == 0) {
        x[0] = v12;
    }
}
