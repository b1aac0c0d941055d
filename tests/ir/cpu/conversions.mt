; run: --emit cpu
kernel conversions(q: ptr<f16>, p: ptr<u8>, w: i64) {
    %0 = arange {start=0, end=16} : vector<16 x i32>
    %1 = addptr q, %0 : vector<16 x ptr<f16>>
    %2 = load %1, none, none : vector<16 x f16>
    %3 = cast %2 : vector<16 x f32>
    %4 = mul %3, 0.5 : vector<16 x f32>
    %5 = cast %4 : vector<16 x f16>
    store %1, %5, none
    %6 = addptr p, %0 : vector<16 x ptr<u8>>
    %7 = load %6, none, none : vector<16 x u8>
    %8 = add %7, 200_u8 : vector<16 x u8>
    %9 = cast %8 : vector<16 x i64>
    %10 = mul %9, w : vector<16 x i64>
    %11 = cast %10 : vector<16 x f32>
    %12 = add %11, %4 : vector<16 x f32>
    %13 = cast_rtz %12 : vector<16 x bf16>
    %14 = bitcast %13 : vector<16 x u16>
    %15 = cast %14 : vector<16 x u8>
    store %6, %15, none
}
; ---
// conversions
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    f16* const q = (f16*)mt_args[0];
    unsigned char* const p = (unsigned char*)mt_args[1];
    const long long w = (long long)mt_args[2];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0_0 = 0;
        {
            long long mt_bound = 16;
            const bool mt_wraps = v0_0 > 2147483647 - 15;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 16;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const u16v v2 = load<u16v>((q + (v0_0 + mt_lane)));
                    const f32v v3 = f16_to_f32(v2);
                    const f32v v4 = (v3 * splat<f32v>(0.5f));
                    const u16v v5 = f32_to_f16(v4);
                    store<u16v>((q + (v0_0 + mt_lane)), v5);
                    const u8v v7 = load<u8v>((p + (v0_0 + mt_lane)));
                    const u8v v8 = (v7 + splat<u8v>((unsigned char)200));
                    const i64v v9 = convert<i64v>(v8);
                    const i64v v10 = (v9 * splat<i64v>(w));
                    const f32v v11 = convert<f32v>(v10);
                    const f32v v12 = (v11 + v4);
                    const u16v v13 = f32_to_bf16_rtz(v12);
                    const u16v v14 = __builtin_bit_cast(u16v, v13);
                    const u8v v15 = convert<u8v>(v14);
                    store<u8v>((p + (v0_0 + mt_lane)), v15);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const u16v v2 = mt_wraps ? gather<u16v>(addresses(q, v0), splat_bool(true), splat<u16v>(0x0000)) : load<u16v>((q + (v0_0 + mt_lane)));
                    const f32v v3 = f16_to_f32(v2);
                    const f32v v4 = (v3 * splat<f32v>(0.5f));
                    const u16v v5 = f32_to_f16(v4);
                    if (mt_wraps) scatter<u16v>(addresses(q, v0), splat_bool(true), v5); else store<u16v>((q + (v0_0 + mt_lane)), v5);
                    const u8v v7 = mt_wraps ? gather<u8v>(addresses(p, v0), splat_bool(true), splat<u8v>((unsigned char)0)) : load<u8v>((p + (v0_0 + mt_lane)));
                    const u8v v8 = (v7 + splat<u8v>((unsigned char)200));
                    const i64v v9 = convert<i64v>(v8);
                    const i64v v10 = (v9 * splat<i64v>(w));
                    const f32v v11 = convert<f32v>(v10);
                    const f32v v12 = (v11 + v4);
                    const u16v v13 = f32_to_bf16_rtz(v12);
                    const u16v v14 = __builtin_bit_cast(u16v, v13);
                    const u8v v15 = convert<u8v>(v14);
                    if (mt_wraps) scatter<u8v>(addresses(p, v0), splat_bool(true), v15); else store<u8v>((p + (v0_0 + mt_lane)), v15);
                }
            }
        }
    }
}

