; run: --emit cpu
kernel widths(x: ptr<f32>) {
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = addptr x, %0 : vector<128 x ptr<f32>>
    store %1, 1.0, none
    %2 = arange {start=0, end=256} : vector<256 x i32>
    %3 = addptr x, %2 : vector<256 x ptr<f32>>
    store %3, 2.0, none
}
; ---
// widths
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0_0 = 0;
        {
            long long mt_bound = 128;
            const bool mt_wraps = v0_0 > 2147483647 - 127;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 128;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    store<f32v>((x + (v0_0 + mt_lane)), splat<f32v>(1.0f));
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    if (mt_wraps) scatter<f32v>(addresses(x, v0), splat_bool(true), splat<f32v>(1.0f)); else store<f32v>((x + (v0_0 + mt_lane)), splat<f32v>(1.0f));
                }
            }
        }
        const int v2_0 = 0;
        {
            long long mt_bound = 256;
            const bool mt_wraps = v2_0 > 2147483647 - 255;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 256;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v2 = iota() + (int)(0 + mt_lane);
                    store<f32v>((x + (v2_0 + mt_lane)), splat<f32v>(2.0f));
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v2 = iota() + (int)(0 + mt_lane);
                    if (mt_wraps) scatter<f32v>(addresses(x, v2), splat_bool(true), splat<f32v>(2.0f)); else store<f32v>((x + (v2_0 + mt_lane)), splat<f32v>(2.0f));
                }
            }
        }
    }
}

