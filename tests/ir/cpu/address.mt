; run: --emit cpu
kernel address(x: ptr<f32>, out: ptr<f32>, n: i32, v1: i32) {
    %0 = addptr out, 1 : ptr<f32>
    %1 = addptr %0, 2 : ptr<f32>
    store %1, 1.5, none
    %2 = arange {start=4, end=8} : vector<4 x i32>
    %3 = addptr x, n : ptr<f32>
    %4 = addptr %3, %2 : vector<4 x ptr<f32>>
    %5 = load %4, none, none : vector<4 x f32>
    %6 = addptr out, v1 : ptr<f32>
    %7 = addptr %6, %2 : vector<4 x ptr<f32>>
    store %7, %5, none
}
; ---
// address
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int n = (int)mt_args[2];
    const int p_v1 = (int)mt_args[3];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        *(out + ((long long)1 + 2)) = 1.5f;
        const int v2_0 = 4;
        {
            long long mt_bound = 4;
            const bool mt_wraps = v2_0 > 2147483647 - 3;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 4;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v2 = iota() + (int)(4 + mt_lane);
                    const f32v v5 = load<f32v>((x + (v2_0 + mt_lane + n)));
                    store<f32v>((out + (v2_0 + mt_lane + p_v1)), v5);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v mt_exists = iota() + (int)mt_lane < 4;
                    const i32v v2 = iota() + (int)(4 + mt_lane);
                    const f32v v5 = mt_wraps ? gather<f32v>(addresses((x + ((long long)n)), v2), mt_exists, splat<f32v>(0.0f)) : load<f32v>((x + (v2_0 + mt_lane + n)), mt_exists, splat<f32v>(0.0f));
                    if (mt_wraps) scatter<f32v>(addresses((out + ((long long)p_v1)), v2), mt_exists, v5); else store<f32v>((out + (v2_0 + mt_lane + p_v1)), mt_exists, v5);
                }
            }
        }
    }
}

