; run: --emit cpu
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = reshape %0 : block<4x16 x i32>
    %2 = addptr x, %1 : block<4x16 x ptr<f32>>
    %3 = load %2, none, none : block<4x16 x f32>
    %4 = max %3 {axis=1} : vector<4 x f32>
    %5 = reshape %4 : block<4x1 x f32>
    %6 = broadcast %5 : block<4x16 x f32>
    %7 = sub %3, %6 : block<4x16 x f32>
    %8 = sum %7 {axis=0} : vector<16 x f32>
    %9 = arange {start=0, end=16} : vector<16 x i32>
    %10 = addptr out, %9 : vector<16 x ptr<f32>>
    store %10, %8, none
}
; ---
// k
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int n = (int)mt_args[2];
    float* const mt_buffer3 = (float*)(mt_scratch + 0);
    float* const mt_buffer4 = (float*)(mt_scratch + 256);
    float* const mt_buffer7 = (float*)(mt_scratch + 320);
    float* const mt_buffer8 = (float*)(mt_scratch + 576);
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        {
            for (long long mt_row = 0; mt_row < 64; mt_row += 16) {
                const int v0_0 = (int)(0 + mt_row);
                const int v1_0 = v0_0;
                long long mt_bound = 16;
                const bool mt_wraps = v1_0 > 2147483647 - 15;
                const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
                const long long mt_outer = 16;
                #pragma GCC unroll 1
                for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v0 = iota() + (int)(0 + mt_lane);
                        const i32v v1 = v0;
                        const f32v v3 = load<f32v>((x + (mt_column + v1_0)));
                        store(mt_buffer3 + mt_lane, v3);
                    }
                }
                #pragma GCC unroll 1
                for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v0 = iota() + (int)(0 + mt_lane);
                        const i32v v1 = v0;
                        const f32v v3 = mt_wraps ? gather<f32v>(addresses(x, v1), splat_bool(true), splat<f32v>(0.0f)) : load<f32v>((x + (mt_column + v1_0)));
                        store(mt_buffer3 + mt_lane, v3);
                    }
                }
            }
        }
        reduce_axis<f32v, 4, 16, 1>(mt_buffer3, mt_buffer4, splat<f32v>((-__int_as_float(0x7f800000))), [](auto a, auto b) { return (isnan(a) ? (a) : (isnan(b) ? (b) : ((a) > (b) ? (a) : (b)))); });
        {
            for (long long mt_row = 0; mt_row < 64; mt_row += 16) {
                const int v0_0 = (int)(0 + mt_row);
                const int v1_0 = v0_0;
                const f32v v6 = splat<f32v>(mt_buffer4[mt_row / 16]);
                long long mt_bound = 16;
                const bool mt_wraps = v1_0 > 2147483647 - 15;
                const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
                const long long mt_outer = 16;
                #pragma GCC unroll 1
                for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v0 = iota() + (int)(0 + mt_lane);
                        const i32v v1 = v0;
                        const f32v v3 = load<f32v>((x + (mt_column + v1_0)));
                        const f32v v7 = (v3 - v6);
                        store(mt_buffer7 + mt_lane, v7);
                    }
                }
                #pragma GCC unroll 1
                for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v0 = iota() + (int)(0 + mt_lane);
                        const i32v v1 = v0;
                        const f32v v3 = mt_wraps ? gather<f32v>(addresses(x, v1), splat_bool(true), splat<f32v>(0.0f)) : load<f32v>((x + (mt_column + v1_0)));
                        const f32v v7 = (v3 - v6);
                        store(mt_buffer7 + mt_lane, v7);
                    }
                }
            }
        }
        reduce_axis<f32v, 1, 4, 16>(mt_buffer7, mt_buffer8, splat<f32v>(-0.0f), [](auto a, auto b) { return (a + b); });
        const int v9_0 = 0;
        {
            long long mt_bound = 16;
            const bool mt_wraps = v9_0 > 2147483647 - 15;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 16;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const f32v v8 = load<f32v>(mt_buffer8 + mt_lane);
                    const i32v v9 = iota() + (int)(0 + mt_lane);
                    store<f32v>((out + (v9_0 + mt_lane)), v8);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const f32v v8 = load<f32v>(mt_buffer8 + mt_lane);
                    const i32v v9 = iota() + (int)(0 + mt_lane);
                    if (mt_wraps) scatter<f32v>(addresses(out, v9), splat_bool(true), v8); else store<f32v>((out + (v9_0 + mt_lane)), v8);
                }
            }
        }
    }
}

