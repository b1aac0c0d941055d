; run: --emit cpu
kernel reverse(x: ptr<f32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    %2 = load %1, none, none : vector<64 x f32>
    %3 = sub 63, %0 : vector<64 x i32>
    %4 = addptr x, %3 : vector<64 x ptr<f32>>
    store %4, %2, none
}
; ---
// reverse
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const mt_buffer2 = (float*)(mt_scratch + 0);
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0_0 = 0;
        {
            long long mt_bound = 64;
            const bool mt_wraps = v0_0 > 2147483647 - 63;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 64;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const f32v v2 = load<f32v>((x + (v0_0 + mt_lane)));
                    store(mt_buffer2 + mt_lane, v2);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const f32v v2 = mt_wraps ? gather<f32v>(addresses(x, v0), splat_bool(true), splat<f32v>(0.0f)) : load<f32v>((x + (v0_0 + mt_lane)));
                    store(mt_buffer2 + mt_lane, v2);
                }
            }
        }
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 64; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const f32v v2 = load<f32v>(mt_buffer2 + mt_lane);
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v3 = (splat<i32v>(63) - v0);
                    scatter<f32v>(addresses(x, v3), splat_bool(true), v2);
                }
            }
        }
    }
}

