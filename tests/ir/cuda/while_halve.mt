; run: --emit cuda
; What stands before the condition runs each time.
kernel halving(x: ptr<f32>, limit: f32) {
    %0 = load x, none, none : f32
    %1, %2 = while iter_args(%3 = %0, %4 = 0) : f32, i32 {
        %5 = abs %3 : f32
        %6 = cmp_gt %5, limit : bool
        condition %6
        %7 = mul %3, 0.5 : f32
        %8 = add %4, 1 : i32
        yield %7, %8
    }
    store x, %1, none
    %9 = addptr x, 1 : ptr<f32>
    store %9, %2, none
}
; ---
extern "C" __global__
void halving(float* x, float limit) {
    float v0 = (true ? x[0] : 0.0f);
    float v1 = v0;
    int v2 = 0;
    while (true) {
        float v3 = v1;
        int v4 = v2;
        float v5 = fabsf(v3);
        bool v6 = (v5 > limit);
        if (!v6) {
            break;
        }
        float v7 = (v3 * 0.5f);
        int v8 = (int)((unsigned)v4 + (unsigned)1);
        v1 = v7;
        v2 = v8;
    }
    x[0] = v1;
    float v10 = (float)(v2);
    x[1] = v10;
}
