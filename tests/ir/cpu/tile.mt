; run: --emit cpu
kernel copy_tile(x: ptr<f32>, out: ptr<f32>, m: i32, n: i32, step: i32) {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, 32 : i32
    %2 = arange {start=0, end=32} : vector<32 x i32>
    %3 = add %1, %2 : vector<32 x i32>
    %4 = reshape %3 : block<32x1 x i32>
    %5 = mul %4, step : block<32x1 x i32>
    %6 = broadcast %5 : block<32x32 x i32>
    %7 = reshape %2 : block<1x32 x i32>
    %8 = broadcast %7 : block<32x32 x i32>
    %9 = addptr x, %6 : block<32x32 x ptr<f32>>
    %10 = addptr %9, %8 : block<32x32 x ptr<f32>>
    %11 = cmp_lt %4, m : block<32x1 x bool>
    %12 = broadcast %11 : block<32x32 x bool>
    %13 = cmp_lt %7, n : block<1x32 x bool>
    %14 = broadcast %13 : block<32x32 x bool>
    %15 = bit_and %12, %14 : block<32x32 x bool>
    %16 = load %10, %15, none : block<32x32 x f32>
    %17 = addptr out, %6 : block<32x32 x ptr<f32>>
    %18 = addptr %17, %8 : block<32x32 x ptr<f32>>
    store %18, %16, %15
}
; ---
// copy_tile
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int m = (int)mt_args[2];
    const int n = (int)mt_args[3];
    const int step = (int)mt_args[4];
    int* const mt_buffer5 = (int*)(mt_scratch + 0);
    int* const mt_buffer2 = (int*)(mt_scratch + 128);
    int* const mt_buffer11 = (int*)(mt_scratch + 256);
    int* const mt_buffer13 = (int*)(mt_scratch + 384);
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0 = (int)(mt_program % mt_grid[0]);
        const int v1 = (v0 * 32);
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 32; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v2 = iota() + (int)(0 + mt_lane);
                    const i32v v3 = (splat<i32v>(v1) + v2);
                    const i32v v4 = v3;
                    const i32v v5 = (v4 * splat<i32v>(step));
                    const i32v v11 = (v4 < splat<i32v>(m));
                    const i32v v7 = v2;
                    const i32v v13 = (v7 < splat<i32v>(n));
                    store(mt_buffer5 + mt_lane, v5);
                    store(mt_buffer2 + mt_lane, v2);
                    store(mt_buffer11 + mt_lane, v11);
                    store(mt_buffer13 + mt_lane, v13);
                }
            }
        }
        const int v2_0 = 0;
        const int v7_0 = v2_0;
        {
            for (long long mt_row = 0; mt_row < 1024; mt_row += 32) {
                const int v6_0 = mt_buffer5[mt_row / 32];
                const int v8_0 = mt_buffer2[0];
                const bool v12_0 = mt_buffer11[mt_row / 32];
                const i32v v6 = splat<i32v>(mt_buffer5[mt_row / 32]);
                const i32v v12 = splat_bool(mt_buffer11[mt_row / 32] != 0);
                long long mt_bound = 32;
                mt_bound = lanes_below(n, v7_0, false, mt_bound);
                if (!(v12_0)) mt_bound = 0;
                const bool mt_wraps = v8_0 > 2147483647 - 31 || v7_0 > 2147483647 - 31;
                const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
                const long long mt_outer = mt_wraps ? 32 : mt_bound;
                #pragma GCC unroll 1
                for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v8 = load<i32v>(mt_buffer2 + mt_column);
                        const i32v v12 = splat_bool(true);
                        const i32v v14 = splat_bool(true);
                        const i32v v15 = splat_bool(true);
                        const f32v v16 = load<f32v>((x + (mt_column + v6_0 + v8_0)));
                        store<f32v>((out + (mt_column + v6_0 + v8_0)), v16);
                    }
                }
                #pragma GCC unroll 1
                for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_column = mt_strip + mt_part * kLanes;
                        const long long mt_lane = mt_row + mt_column;
                        const i32v v8 = load<i32v>(mt_buffer2 + mt_column);
                        const i32v v14 = load<i32v>(mt_buffer13 + mt_column);
                        const i32v v15 = (v12 & v14);
                        const f32v v16 = mt_wraps ? gather<f32v>(addresses(x, resize<i64v>(v6) + resize<i64v>(v8)), v15, splat<f32v>(0.0f)) : load<f32v>((x + (mt_column + v6_0 + v8_0)), v15, splat<f32v>(0.0f));
                        if (mt_wraps) scatter<f32v>(addresses(out, resize<i64v>(v6) + resize<i64v>(v8)), v15, v16); else store<f32v>((out + (mt_column + v6_0 + v8_0)), v15, v16);
                    }
                }
            }
        }
    }
}

