; run: --emit cuda
; One thread tries, all learn what it found; the next try waits until they have.
kernel locked(lock: ptr<i32>, x: ptr<f32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    while {
        %2 = atomic_cas lock, 0, 1 : i32
        %3 = cmp_ne %2, 0 : bool
        condition %3
    }
    %4 = load %1, none, none : vector<64 x f32>
    %5 = add %4, 1.0 : vector<64 x f32>
    store %1, %5, none
    %6 = atomic_rmw lock, 0, none {rmw=xchg} : i32
}
; ---
static __device__ int mt_atomic_cas_i32_acq_rel_gpu(int* at, int compare, int value) {
    __threadfence();
    const unsigned old = atomicCAS((unsigned*)at, (unsigned)(compare), (unsigned)(value));
    __threadfence();
    return (int)(old);
}

static __device__ int mt_atomic_xchg_i32_acq_rel_gpu(int* at, int value) {
    __threadfence();
    const int old = atomicExch(at, value);
    __threadfence();
    return old;
}

extern "C" __global__
void locked(int* lock, float* x) {
    __shared__ int mt_once0;
    int v0 = threadIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            mt_once0 = mt_atomic_cas_i32_acq_rel_gpu(&lock[0], 0, 1);
        }
        __syncthreads();
        int v2 = mt_once0;
        bool v3 = (v2 != 0);
        if (!v3) {
            break;
        }
    }
    float v4 = (true ? x[v0] : 0.0f);
    float v5 = (v4 + 1.0f);
    x[v0] = v5;
    __syncthreads();
    if (threadIdx.x == 0) {
        mt_atomic_xchg_i32_acq_rel_gpu(&lock[0], 0);
    }
}
