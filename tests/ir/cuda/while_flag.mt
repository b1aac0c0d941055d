; run: --emit cuda
; A volatile load that all threads must agree on is done by one of them.
kernel wait_for(flag: ptr<i32>, x: ptr<f32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    while {
        %2 = load flag, none, none {volatile=1} : i32
        %3 = cmp_eq %2, 0 : bool
        condition %3
    }
    %4 = load flag, none, none {cache=cv} : i32
    store %1, %4, none
}
; ---
extern "C" __global__
void wait_for(int* flag, float* x) {
    __shared__ int mt_once0;
    __shared__ int mt_once1;
    int v0 = threadIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            mt_once0 = (true ? *(volatile int*)&flag[0] : 0);
        }
        __syncthreads();
        int v2 = mt_once0;
        bool v3 = (v2 == 0);
        if (!v3) {
            break;
        }
    }
    if (threadIdx.x == 0) {
        mt_once1 = (true ? __ldcv(&flag[0]) : 0);
    }
    __syncthreads();
    int v4 = mt_once1;
    float v5 = (float)(v4);
    x[v0] = v5;
}
