; run: --emit cpu
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
// add_kernel
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const y = (float*)mt_args[1];
    float* const out = (float*)mt_args[2];
    const int n = (int)mt_args[3];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0 = (int)(mt_program % mt_grid[0]);
        const int v1 = (v0 * 256);
        const int v2_0 = 0;
        const int v3_0 = (v1 + v2_0);
        {
            long long mt_bound = 256;
            mt_bound = lanes_below(n, v3_0, false, mt_bound);
            const bool mt_wraps = v3_0 > 2147483647 - 255;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = mt_wraps ? 256 : mt_bound;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v2 = iota() + (int)(0 + mt_lane);
                    const i32v v3 = (splat<i32v>(v1) + v2);
                    const i32v v5 = splat_bool(true);
                    const f32v v6 = load<f32v>((x + (v3_0 + mt_lane)));
                    const f32v v8 = load<f32v>((y + (v3_0 + mt_lane)));
                    const f32v v9 = (v6 + v8);
                    store<f32v>((out + (v3_0 + mt_lane)), v9);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v2 = iota() + (int)(0 + mt_lane);
                    const i32v v3 = (splat<i32v>(v1) + v2);
                    const i32v v5 = (v3 < splat<i32v>(n));
                    const f32v v6 = mt_wraps ? gather<f32v>(addresses(x, v3), v5, splat<f32v>(0.0f)) : load<f32v>((x + (v3_0 + mt_lane)), v5, splat<f32v>(0.0f));
                    const f32v v8 = mt_wraps ? gather<f32v>(addresses(y, v3), v5, splat<f32v>(0.0f)) : load<f32v>((y + (v3_0 + mt_lane)), v5, splat<f32v>(0.0f));
                    const f32v v9 = (v6 + v8);
                    if (mt_wraps) scatter<f32v>(addresses(out, v3), v5, v9); else store<f32v>((out + (v3_0 + mt_lane)), v5, v9);
                }
            }
        }
    }
}

