; run: --emit cpu
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=5} : vector<5 x i32>
    %1 = addptr x, %0 : vector<5 x ptr<f32>>
    %2 = load %1, none, none : vector<5 x f32>
    %3 = join %2, %2 : block<5x2 x f32>
    %4 = half %3 {index=1} : vector<5 x f32>
    %5 = cat %4, %2 : vector<10 x f32>
    %6 = arange {start=0, end=10} : vector<10 x i32>
    %7 = addptr out, %6 : vector<10 x ptr<f32>>
    store %7, %5, none
}
; ---
// k
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int n = (int)mt_args[2];
    float* const mt_buffer2 = (float*)(mt_scratch + 0);
    float* const mt_buffer3 = (float*)(mt_scratch + 64);
    float* const mt_buffer4 = (float*)(mt_scratch + 128);
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0_0 = 0;
        {
            long long mt_bound = 5;
            const bool mt_wraps = v0_0 > 2147483647 - 4;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 5;
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
                    const i32v mt_exists = iota() + (int)mt_lane < 5;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const f32v v2 = mt_wraps ? gather<f32v>(addresses(x, v0), mt_exists, splat<f32v>(0.0f)) : load<f32v>((x + (v0_0 + mt_lane)), mt_exists, splat<f32v>(0.0f));
                    store(mt_buffer2 + mt_lane, v2);
                }
            }
        }
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 10; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v mt_exists = iota() + (int)mt_lane < 10;
                    const f32v v3 = pick<f32v, 10>(mt_lane, [&](long long mt_i) { return mt_i % 2 ? mt_buffer2[mt_i / 2] : mt_buffer2[mt_i / 2]; });
                    store(mt_buffer3 + mt_lane, v3);
                }
            }
        }
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 5; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v mt_exists = iota() + (int)mt_lane < 5;
                    const f32v v4 = strided<f32v, 2>(mt_buffer3 + 1 + mt_lane * 2);
                    store(mt_buffer4 + mt_lane, v4);
                }
            }
        }
        const int v6_0 = 0;
        {
            long long mt_bound = 10;
            const bool mt_wraps = v6_0 > 2147483647 - 9;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 10;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const f32v v5 = pick<f32v, 10>(mt_lane, [&](long long mt_i) { return mt_i < 5 ? mt_buffer4[mt_i] : mt_buffer2[mt_i - 5]; });
                    const i32v v6 = iota() + (int)(0 + mt_lane);
                    store<f32v>((out + (v6_0 + mt_lane)), v5);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v mt_exists = iota() + (int)mt_lane < 10;
                    const f32v v5 = pick<f32v, 10>(mt_lane, [&](long long mt_i) { return mt_i < 5 ? mt_buffer4[mt_i] : mt_buffer2[mt_i - 5]; });
                    const i32v v6 = iota() + (int)(0 + mt_lane);
                    if (mt_wraps) scatter<f32v>(addresses(out, v6), mt_exists, v5); else store<f32v>((out + (v6_0 + mt_lane)), mt_exists, v5);
                }
            }
        }
    }
}

