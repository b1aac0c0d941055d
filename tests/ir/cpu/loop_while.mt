; run: --emit cpu
kernel halve(x: ptr<f32>, out: ptr<f32>, n: i64) {
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = addptr x, %0 : vector<128 x ptr<f32>>
    %2 = load %1, none, none : vector<128 x f32>
    %3, %4 = while iter_args(%5 = %2, %6 = 0) : vector<128 x f32>, i32 {
        %7 = max %5 : f32
        %8 = cmp_gt %7, 1.0 : bool
        condition %8
        %9 = mul %5, 0.5 : vector<128 x f32>
        %10 = for %11 in range(0_i64, n, 3_i64) iter_args(%12 = %6) : i32 {
            %13 = add %12, 1 : i32
            yield %13
        }
        yield %9, %10
    }
    %14 = addptr out, %0 : vector<128 x ptr<f32>>
    store %14, %3, none
    store out, 1.0, none
}
; ---
// halve
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const long long n = (long long)mt_args[2];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        float* const mt_slot0 = (float*)(mt_scratch + 0);
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
                    const f32v v2 = load<f32v>((x + (v0_0 + mt_lane)));
                    store(mt_slot0 + mt_lane, v2);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const f32v v2 = mt_wraps ? gather<f32v>(addresses(x, v0), splat_bool(true), splat<f32v>(0.0f)) : load<f32v>((x + (v0_0 + mt_lane)));
                    store(mt_slot0 + mt_lane, v2);
                }
            }
        }
        int v4 = 0;
        while (true) {
            const int v6 = v4;
            float v7;
            {
                const auto mt_join7 = [](auto a, auto b) { return (isnan(a) ? (a) : (isnan(b) ? (b) : ((a) > (b) ? (a) : (b)))); };
                f32v mt_partial7[kPartials];
                for (auto& mt_each : mt_partial7) mt_each = splat<f32v>((-__int_as_float(0x7f800000)));
                #pragma GCC unroll 1
                for (long long mt_strip = 0; mt_strip < 128; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_lane = mt_strip + mt_part * kLanes;
                        const f32v v5 = load<f32v>(mt_slot0 + mt_lane);
                        mt_partial7[mt_part] = mt_join7(mt_partial7[mt_part], v5);
                    }
                }
                v7 = halve(mt_partial7, mt_join7);
            }
            const bool v8 = (v7 > 1.0f);
            if (!v8) break;
            int v10 = v6;
            long long mt_index11 = 0ll;
            for (unsigned long long mt_trips11 = trip_count(0ll, n, 3ll); mt_trips11 > 0; --mt_trips11, mt_index11 += 3ll) {
                const long long v11 = (long long)mt_index11;
                const int v12 = v10;
                const int v13 = (v12 + 1);
                v10 = v13;
            }
            {
                #pragma GCC unroll 1
                for (long long mt_strip = 0; mt_strip < 128; mt_strip += 16) {
                    #pragma GCC unroll 4
                    for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                        const long long mt_lane = mt_strip + mt_part * kLanes;
                        const f32v v5 = load<f32v>(mt_slot0 + mt_lane);
                        const f32v v9 = (v5 * splat<f32v>(0.5f));
                        store(mt_slot0 + mt_lane, v9);
                    }
                }
            }
            v4 = v10;
        }
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
                    const f32v v3 = load<f32v>(mt_slot0 + mt_lane);
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    store<f32v>((out + (v0_0 + mt_lane)), v3);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const f32v v3 = load<f32v>(mt_slot0 + mt_lane);
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    if (mt_wraps) scatter<f32v>(addresses(out, v0), splat_bool(true), v3); else store<f32v>((out + (v0_0 + mt_lane)), v3);
                }
            }
        }
        *out = 1.0f;
    }
}

