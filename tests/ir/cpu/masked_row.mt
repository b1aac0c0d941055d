; run: --emit cpu
kernel sum_of_row(x: ptr<f32>, out: ptr<f32>, columns: i32) {
    %0 = arange {start=0, end=1024} : vector<1024 x i32>
    %1 = cmp_lt %0, columns : vector<1024 x bool>
    %2 = addptr x, %0 : vector<1024 x ptr<f32>>
    %3 = load %2, %1, 0.0 : vector<1024 x f32>
    %4 = sum %3 : f32
    store out, %4, none
}
; ---
// sum_of_row
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int columns = (int)mt_args[2];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0_0 = 0;
        float v4;
        {
            const auto mt_join4 = [](auto a, auto b) { return (a + b); };
            f32v mt_partial4[kPartials];
            for (auto& mt_each : mt_partial4) mt_each = splat<f32v>(-0.0f);
            long long mt_bound = 1024;
            mt_bound = lanes_below(columns, v0_0, false, mt_bound);
            const bool mt_wraps = v0_0 > 2147483647 - 1023;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 1024;
            const long long mt_past = mt_wraps ? 1024 : (mt_bound + 15) & -16;
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
                const auto mt_before4 = partials(mt_partial4);
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = (mt_strip < mt_past ? mt_strip : mt_past) + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = (v0 < splat<i32v>(columns));
                    const f32v v3 = mt_wraps ? gather<f32v>(addresses(x, v0), v1, splat<f32v>(0.0f)) : load<f32v>((x + (v0_0 + mt_lane)), v1, splat<f32v>(0.0f));
                    mt_partial4[mt_part] = mt_join4(mt_partial4[mt_part], v3);
                }
                if (mt_strip >= mt_past && same_bits(mt_before4, partials(mt_partial4))) break;
            }
            v4 = halve(mt_partial4, mt_join4);
        }
        *out = v4;
    }
}

