; run: --emit cpu
kernel softmax(x: ptr<f32>, out: ptr<f32>, columns: i32) {
    %0 = arange {start=0, end=100} : vector<100 x i32>
    %1 = cmp_lt %0, columns : vector<100 x bool>
    %2 = addptr x, %0 : vector<100 x ptr<f32>>
    %3 = load %2, %1, -inf : vector<100 x f32>
    %4 = max %3 : f32
    %5 = sub %3, %4 : vector<100 x f32>
    %6 = exp %5 : vector<100 x f32>
    %7 = sum %6 : f32
    %8 = div %6, %7 : vector<100 x f32>
    %9 = addptr out, %0 : vector<100 x ptr<f32>>
    store %9, %8, %1
}
; ---
// softmax
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int columns = (int)mt_args[2];
    float* const mt_buffer6 = (float*)(mt_scratch + 0);
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0_0 = 0;
        float v4;
        {
            const auto mt_join4 = [](auto a, auto b) { return (isnan(a) ? (a) : (isnan(b) ? (b) : ((a) > (b) ? (a) : (b)))); };
            f32v mt_partial4[kPartials];
            for (auto& mt_each : mt_partial4) mt_each = splat<f32v>((-__int_as_float(0x7f800000)));
            long long mt_bound = 100;
            mt_bound = lanes_below(columns, v0_0, false, mt_bound);
            const bool mt_wraps = v0_0 > 2147483647 - 99;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 100;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = splat_bool(true);
                    const f32v v3 = load<f32v>((x + (v0_0 + mt_lane)));
                    mt_partial4[mt_part] = mt_join4(mt_partial4[mt_part], v3);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v mt_exists = iota() + (int)mt_lane < 100;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = (v0 < splat<i32v>(columns));
                    const f32v v3 = mt_wraps ? gather<f32v>(addresses(x, v0), (v1 & mt_exists), splat<f32v>((-__int_as_float(0x7f800000)))) : load<f32v>((x + (v0_0 + mt_lane)), (v1 & mt_exists), splat<f32v>((-__int_as_float(0x7f800000))));
                    mt_partial4[mt_part] = mt_join4(mt_partial4[mt_part], (mt_exists ? v3 : splat<f32v>((-__int_as_float(0x7f800000)))));
                }
            }
            v4 = halve(mt_partial4, mt_join4);
        }
        float v7;
        {
            const auto mt_join7 = [](auto a, auto b) { return (a + b); };
            f32v mt_partial7[kPartials];
            for (auto& mt_each : mt_partial7) mt_each = splat<f32v>(-0.0f);
            long long mt_bound = 100;
            mt_bound = lanes_below(columns, v0_0, false, mt_bound);
            const bool mt_wraps = v0_0 > 2147483647 - 99;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 100;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = splat_bool(true);
                    const f32v v3 = load<f32v>((x + (v0_0 + mt_lane)));
                    const f32v v5 = (v3 - splat<f32v>(v4));
                    const f32v v6 = expf(v5);
                    mt_partial7[mt_part] = mt_join7(mt_partial7[mt_part], v6);
                    store(mt_buffer6 + mt_lane, v6);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v mt_exists = iota() + (int)mt_lane < 100;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = (v0 < splat<i32v>(columns));
                    const f32v v3 = mt_wraps ? gather<f32v>(addresses(x, v0), (v1 & mt_exists), splat<f32v>((-__int_as_float(0x7f800000)))) : load<f32v>((x + (v0_0 + mt_lane)), (v1 & mt_exists), splat<f32v>((-__int_as_float(0x7f800000))));
                    const f32v v5 = (v3 - splat<f32v>(v4));
                    const f32v v6 = expf(v5);
                    mt_partial7[mt_part] = mt_join7(mt_partial7[mt_part], (mt_exists ? v6 : splat<f32v>(-0.0f)));
                    store(mt_buffer6 + mt_lane, v6);
                }
            }
            v7 = halve(mt_partial7, mt_join7);
        }
        {
            long long mt_bound = 100;
            mt_bound = lanes_below(columns, v0_0, false, mt_bound);
            const bool mt_wraps = v0_0 > 2147483647 - 99;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = mt_wraps ? 100 : mt_bound;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const f32v v6 = load<f32v>(mt_buffer6 + mt_lane);
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = splat_bool(true);
                    const f32v v8 = (v6 / splat<f32v>(v7));
                    store<f32v>((out + (v0_0 + mt_lane)), v8);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v mt_exists = iota() + (int)mt_lane < 100;
                    const f32v v6 = load<f32v>(mt_buffer6 + mt_lane);
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = (v0 < splat<i32v>(columns));
                    const f32v v8 = (v6 / splat<f32v>(v7));
                    if (mt_wraps) scatter<f32v>(addresses(out, v0), (v1 & mt_exists), v8); else store<f32v>((out + (v0_0 + mt_lane)), (v1 & mt_exists), v8);
                }
            }
        }
    }
}

