; run: --emit cpu
kernel wide(d: ptr<f64>, n: i64) {
    %0 = program_id {axis=0} : i32
    %1 = cast %0 : i64
    %2 = mul %1, 16_i64 : i64
    %3 = arange {start=0, end=16} : vector<16 x i32>
    %4 = cast %3 : vector<16 x i64>
    %5 = add %2, %4 : vector<16 x i64>
    %6 = cmp_lt %5, n : vector<16 x bool>
    %7 = addptr d, %5 : vector<16 x ptr<f64>>
    %8 = load %7, %6, none : vector<16 x f64>
    %9 = exp %8 : vector<16 x f64>
    %10 = fmod %9, 0.1_f64 : vector<16 x f64>
    store %7, %10, %6
}
; ---
#define MYTRITON_F64
// wide
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    double* const d = (double*)mt_args[0];
    const long long n = (long long)mt_args[1];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0 = (int)(mt_program % mt_grid[0]);
        const long long v1 = convert<long long>(v0);
        const long long v2 = (v1 * 16ll);
        const int v3_0 = 0;
        const long long v4_0 = convert<long long>(v3_0);
        const long long v5_0 = (v2 + v4_0);
        {
            long long mt_bound = 16;
            mt_bound = lanes_below(n, v5_0, false, mt_bound);
            const bool mt_wraps = v5_0 > 9223372036854775807ll - 15 || v3_0 > 2147483647 - 15;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = mt_wraps ? 16 : mt_bound;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v3 = iota() + (int)(0 + mt_lane);
                    const i64v v4 = convert<i64v>(v3);
                    const i64v v5 = (splat<i64v>(v2) + v4);
                    const i32v v6 = splat_bool(true);
                    const f64v v8 = load<f64v>((d + (v5_0 + mt_lane)));
                    const f64v v9 = expf(v8);
                    const f64v v10 = fmodf(v9, splat<f64v>(0.1));
                    store<f64v>((d + (v5_0 + mt_lane)), v10);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v3 = iota() + (int)(0 + mt_lane);
                    const i64v v4 = convert<i64v>(v3);
                    const i64v v5 = (splat<i64v>(v2) + v4);
                    const i32v v6 = to_mask((v5 < splat<i64v>(n)));
                    const f64v v8 = mt_wraps ? gather<f64v>(addresses(d, v5), v6, splat<f64v>(0.0)) : load<f64v>((d + (v5_0 + mt_lane)), v6, splat<f64v>(0.0));
                    const f64v v9 = expf(v8);
                    const f64v v10 = fmodf(v9, splat<f64v>(0.1));
                    if (mt_wraps) scatter<f64v>(addresses(d, v5), v6, v10); else store<f64v>((d + (v5_0 + mt_lane)), v6, v10);
                }
            }
        }
    }
}

