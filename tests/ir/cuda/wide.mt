; run: --emit cuda
kernel wide(d: ptr<f64>, n: i64) {
    %0 = program_id {axis=0} : i32
    %1 = cast %0 : i64
    %2 = mul %1, 16_i64 : i64
    %3 = arange {start=0, end=16} : vector<16 x i32>
    %4 = cast %3 : vector<16 x i64>
    %5 = add %2, %4 : vector<16 x i64>
    %6 = cmp_lt %5, n : vector<16 x bool>
    %7 = addptr d, %5 : vector<16 x ptr<f64>>
    %8 = load %7, %6, none : vector<16 x f64>
    %9 = exp %8 : vector<16 x f64>
    %10 = fmod %9, 0.1_f64 : vector<16 x f64>
    store %7, %10, %6
}
; ---
extern "C" __global__
void wide(double* d, long long n) {
    int v0 = blockIdx.x;
    long long v1 = (long long)(v0);
    long long v2 = (long long)((unsigned long long)v1 * (unsigned long long)16ll);
    int v3 = threadIdx.x;
    long long v4 = (long long)(v3);
    long long v5 = (long long)((unsigned long long)v2 + (unsigned long long)v4);
    bool v6 = (v5 < n);
    double v8 = (v6 ? d[v5] : 0.0);
    double v9 = exp(v8);
    double v10 = fmod(v9, 0.1);
    if (v6) {
        d[v5] = v10;
    }
}
