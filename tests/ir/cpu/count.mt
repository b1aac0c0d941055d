; run: --emit cpu
kernel count(total: ptr<i32>, x: ptr<bool>) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = addptr x, %0 : vector<32 x ptr<bool>>
    %2 = load %1, none, none : vector<32 x bool>
    %3 = cast %2 : vector<32 x i32>
    %4 = sum %3 : i32
    %5 = load total, none, none : i32
    %6 = add %5, %4 : i32
    store total, %6, none
}
; ---
// count
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    int* const total = (int*)mt_args[0];
    unsigned char* const x = (unsigned char*)mt_args[1];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v5 = (true ? *total : 0);
        const int v0_0 = 0;
        int v4;
        {
            const auto mt_join4 = [](auto a, auto b) { return (a + b); };
            i32v mt_partial4[kPartials];
            for (auto& mt_each : mt_partial4) mt_each = splat<i32v>(0);
            long long mt_bound = 32;
            const bool mt_wraps = v0_0 > 2147483647 - 31;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 32;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v2 = load_bool((x + (v0_0 + mt_lane)));
                    const i32v v3 = from_bool<i32v>(v2);
                    mt_partial4[mt_part] = mt_join4(mt_partial4[mt_part], v3);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v2 = mt_wraps ? gather_bool(addresses(x, v0), splat_bool(true), splat_bool(false)) : load_bool((x + (v0_0 + mt_lane)));
                    const i32v v3 = from_bool<i32v>(v2);
                    mt_partial4[mt_part] = mt_join4(mt_partial4[mt_part], v3);
                }
            }
            v4 = halve(mt_partial4, mt_join4);
        }
        const int v6 = (v5 + v4);
        *total = v6;
    }
}

