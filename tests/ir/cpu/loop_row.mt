; run: --emit cpu
kernel row_sum(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = splat 0.0 : vector<64 x f32>
    %2 = for %3 in range(0, n, 64) iter_args(%4 = %1) : vector<64 x f32> {
        %5 = add %3, %0 : vector<64 x i32>
        %6 = cmp_lt %5, n : vector<64 x bool>
        %7 = addptr x, %5 : vector<64 x ptr<f32>>
        %8 = load %7, %6, 0.0 : vector<64 x f32>
        %9 = add %4, %8 : vector<64 x f32>
        yield %9
    }
    %10 = sum %2 : f32
    %11 = cmp_gt %10, 0.0 : bool
    if %11 {
        store out, %10, none
    } else {
        %12 = neg %10 : f32
        store out, %12, none
    }
}
; ---
// row_sum
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int n = (int)mt_args[2];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        f32v mt_slot0[64 / kLanes];
        {
            each<64 / kLanes>([&](auto mt_vector) MT_INLINE {
                constexpr int mt_part = mt_vector % kPartials;
                constexpr long long mt_lane = mt_vector * kLanes;
                (void)mt_part, (void)mt_lane;
                const f32v v1 = splat<f32v>(0.0f);
                mt_slot0[mt_vector] = v1;
            });
        }
        for (long long mt_index3 = 0; mt_index3 < n; mt_index3 += 64) {
            const int v3 = (int)mt_index3;
            const int v0_0 = 0;
            const int v5_0 = (v3 + v0_0);
            {
                long long mt_bound = 64;
                mt_bound = lanes_below(n, v5_0, false, mt_bound);
                const bool mt_wraps = v5_0 > 2147483647 - 63;
                const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
                const long long mt_outer = 64;
                if (mt_inner == 64) {
                    each<64 / kLanes>([&](auto mt_vector) MT_INLINE {
                        constexpr int mt_part = mt_vector % kPartials;
                        constexpr long long mt_lane = mt_vector * kLanes;
                        (void)mt_part, (void)mt_lane;
                        const f32v v4 = mt_slot0[mt_vector];
                        const i32v v0 = iota() + (int)(0 + mt_lane);
                        const i32v v5 = (splat<i32v>(v3) + v0);
                        const i32v v6 = splat_bool(true);
                        const f32v v8 = load<f32v>((x + (v5_0 + mt_lane)));
                        const f32v v9 = (v4 + v8);
                        mt_slot0[mt_vector] = v9;
                    });
                } else {
                    each<64 / kLanes>([&](auto mt_vector) MT_INLINE {
                        constexpr int mt_part = mt_vector % kPartials;
                        constexpr long long mt_lane = mt_vector * kLanes;
                        (void)mt_part, (void)mt_lane;
                        const f32v v4 = mt_slot0[mt_vector];
                        const i32v v0 = iota() + (int)(0 + mt_lane);
                        const i32v v5 = (splat<i32v>(v3) + v0);
                        const i32v v6 = (v5 < splat<i32v>(n));
                        const f32v v8 = mt_wraps ? gather<f32v>(addresses(x, v5), v6, splat<f32v>(0.0f)) : load<f32v>((x + (v5_0 + mt_lane)), v6, splat<f32v>(0.0f));
                        const f32v v9 = (v4 + v8);
                        mt_slot0[mt_vector] = v9;
                    });
                }
            }
        }
        float v10;
        {
            const auto mt_join10 = [](auto a, auto b) { return (a + b); };
            f32v mt_partial10[kPartials];
            for (auto& mt_each : mt_partial10) mt_each = splat<f32v>(-0.0f);
            each<64 / kLanes>([&](auto mt_vector) MT_INLINE {
                constexpr int mt_part = mt_vector % kPartials;
                constexpr long long mt_lane = mt_vector * kLanes;
                (void)mt_part, (void)mt_lane;
                const f32v v2 = mt_slot0[mt_vector];
                mt_partial10[mt_part] = mt_join10(mt_partial10[mt_part], v2);
            });
            v10 = halve(mt_partial10, mt_join10);
        }
        const bool v11 = (v10 > 0.0f);
        if (v11) {
            *out = v10;
        } else {
            const float v12 = -(v10);
            *out = v12;
        }
    }
}

