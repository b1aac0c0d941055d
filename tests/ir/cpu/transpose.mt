; run: --emit cpu
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = reshape %0 : block<16x1 x i32>
    %2 = reshape %0 : block<1x16 x i32>
    %3 = mul %1, n : block<16x1 x i32>
    %4 = broadcast %3 : block<16x16 x i32>
    %5 = broadcast %2 : block<16x16 x i32>
    %6 = add %4, %5 : block<16x16 x i32>
    %7 = addptr x, %6 : block<16x16 x ptr<f32>>
    %8 = load %7, none, none : block<16x16 x f32>
    %9 = permute %8 {order=1x0} : block<16x16 x f32>
    %10 = addptr out, %6 : block<16x16 x ptr<f32>>
    store %10, %9, none
}
; ---
// k
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int n = (int)mt_args[2];
    int* const mt_buffer3 = (int*)(mt_scratch + 0);
    int* const mt_buffer0 = (int*)(mt_scratch + 64);
    float* const mt_buffer8 = (float*)(mt_scratch + 128);
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 16; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = v0;
                    const i32v v3 = (v1 * splat<i32v>(n));
                    store(mt_buffer3 + mt_lane, v3);
                    store(mt_buffer0 + mt_lane, v0);
                }
            }
        }
        {
            for (long long mt_row = 0; mt_row < 256; mt_row += 16) {
                const int v4_0 = mt_buffer3[mt_row / 16];
                const int v5_0 = mt_buffer0[0];
                const int v6_0 = (v4_0 + v5_0);
                const i32v v4 = splat<i32v>(mt_buffer3[mt_row / 16]);
                long long mt_bound = 16;
                const bool mt_wraps = v6_0 > 2147483647 - 15;
                const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
                const long long mt_outer = 16;
                #pragma GCC unroll 1
                for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v5 = load<i32v>(mt_buffer0 + mt_column);
                        const i32v v6 = (v4 + v5);
                        const f32v v8 = load<f32v>((x + (mt_column + v6_0)));
                        store(mt_buffer8 + mt_lane, v8);
                    }
                }
                #pragma GCC unroll 1
                for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v5 = load<i32v>(mt_buffer0 + mt_column);
                        const i32v v6 = (v4 + v5);
                        const f32v v8 = mt_wraps ? gather<f32v>(addresses(x, v6), splat_bool(true), splat<f32v>(0.0f)) : load<f32v>((x + (mt_column + v6_0)));
                        store(mt_buffer8 + mt_lane, v8);
                    }
                }
            }
        }
        {
            for (long long mt_row = 0; mt_row < 256; mt_row += 16) {
                const int v4_0 = mt_buffer3[mt_row / 16];
                const int v5_0 = mt_buffer0[0];
                const int v6_0 = (v4_0 + v5_0);
                const i32v v4 = splat<i32v>(mt_buffer3[mt_row / 16]);
                long long mt_bound = 16;
                const bool mt_wraps = v6_0 > 2147483647 - 15;
                const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
                const long long mt_outer = 16;
                #pragma GCC unroll 1
                for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v5 = load<i32v>(mt_buffer0 + mt_column);
                        const i32v v6 = (v4 + v5);
                        const f32v v9 = strided<f32v, 16>(mt_buffer8 + mt_row / 16 + mt_column * 16);
                        store<f32v>((out + (mt_column + v6_0)), v9);
                    }
                }
                #pragma GCC unroll 1
                for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v5 = load<i32v>(mt_buffer0 + mt_column);
                        const i32v v6 = (v4 + v5);
                        const f32v v9 = strided<f32v, 16>(mt_buffer8 + mt_row / 16 + mt_column * 16);
                        if (mt_wraps) scatter<f32v>(addresses(out, v6), splat_bool(true), v9); else store<f32v>((out + (mt_column + v6_0)), v9);
                    }
                }
            }
        }
    }
}

