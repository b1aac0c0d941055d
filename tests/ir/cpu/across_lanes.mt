; run: --emit cpu
kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = arange {start=0, end=32} : vector<32 x i32>
    %1 = reshape %0 : block<4x8 x i32>
    %2 = cmp_lt %1, n : block<4x8 x bool>
    %3 = addptr x, %1 : block<4x8 x ptr<f32>>
    %4 = load %3, none, none : block<4x8 x f32>
    %5 = cumsum %4 {axis=1} : block<4x8 x f32>
    %6 = cumprod %5 {axis=0, reverse=1} : block<4x8 x f32>
    %7 = sort %6 : block<4x8 x f32>
    %8 = sort %7 {descending=1} : block<4x8 x f32>
    %9 = gather %8, %1 {axis=1} : block<4x8 x f32>
    %10 = histogram %1, %2 {bins=5} : vector<5 x i32>
    %11 = histogram %1, none {bins=5} : vector<5 x i32>
    %12 = add %10, %11 : vector<5 x i32>
    %13 = arange {start=0, end=5} : vector<5 x i32>
    %14 = addptr out, %13 : vector<5 x ptr<f32>>
    store %14, %12, none
    store %3, %9, none
}
; ---
// k
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    float* const x = (float*)mt_args[0];
    float* const out = (float*)mt_args[1];
    const int n = (int)mt_args[2];
    float* const mt_buffer4 = (float*)(mt_scratch + 0);
    float* const mt_buffer5 = (float*)(mt_scratch + 128);
    float* const mt_buffer6 = (float*)(mt_scratch + 256);
    float* const mt_buffer7 = (float*)(mt_scratch + 384);
    float* const mt_buffer8 = (float*)(mt_scratch + 576);
    int* const mt_buffer0 = (int*)(mt_scratch + 768);
    float* const mt_buffer9 = (float*)(mt_scratch + 896);
    int* const mt_buffer2 = (int*)(mt_scratch + 1024);
    int* const mt_buffer10 = (int*)(mt_scratch + 1152);
    int* const mt_buffer11 = (int*)(mt_scratch + 1216);
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 32; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = v0;
                    const f32v v4 = gather<f32v>(addresses(x, v1), splat_bool(true), splat<f32v>(0.0f));
                    store(mt_buffer4 + mt_lane, v4);
                }
            }
        }
        scan_axis<f32v, 4, 8, 1, false>(mt_buffer4, mt_buffer5, splat<f32v>(-0.0f), [](auto a, auto b) { return (a + b); });
        scan_axis<f32v, 1, 4, 8, true>(mt_buffer5, mt_buffer6, splat<f32v>(1.0f), [](auto a, auto b) { return (a * b); });
        sort_rows<unsigned, 23, 4, 8, false>((const unsigned*)mt_buffer6, (unsigned*)mt_buffer7, (unsigned*)(mt_scratch + 512));
        sort_rows<unsigned, 23, 4, 8, true>((const unsigned*)mt_buffer7, (unsigned*)mt_buffer8, (unsigned*)(mt_scratch + 704));
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 32; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    store(mt_buffer0 + mt_lane, v0);
                }
            }
        }
        gather_axis<4, 8, 8, 1>(mt_buffer8, mt_buffer0, mt_buffer9);
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 32; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = v0;
                    const i32v v2 = (v1 < splat<i32v>(n));
                    store(mt_buffer2 + mt_lane, v2);
                }
            }
        }
        count_lanes<32, 5>(mt_buffer0, mt_buffer2, mt_buffer10);
        count_lanes<32, 5>(mt_buffer0, nullptr, mt_buffer11);
        const int v13_0 = 0;
        {
            long long mt_bound = 5;
            const bool mt_wraps = v13_0 > 2147483647 - 4;
            const long long mt_inner = mt_wraps ? 0 : mt_bound & -16;
            const long long mt_outer = 5;
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < mt_inner; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v v11 = load<i32v>(mt_buffer11 + mt_lane);
                    const i32v v10 = load<i32v>(mt_buffer10 + mt_lane);
                    const i32v v12 = (v10 + v11);
                    const i32v v13 = iota() + (int)(0 + mt_lane);
                    const f32v v15 = convert<f32v>(v12);
                    store<f32v>((out + (v13_0 + mt_lane)), v15);
                }
            }
            #pragma GCC unroll 1
            for (long long mt_strip = mt_inner; mt_strip < mt_outer; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const i32v mt_exists = iota() + (int)mt_lane < 5;
                    const i32v v11 = load<i32v>(mt_buffer11 + mt_lane);
                    const i32v v10 = load<i32v>(mt_buffer10 + mt_lane);
                    const i32v v12 = (v10 + v11);
                    const i32v v13 = iota() + (int)(0 + mt_lane);
                    const f32v v15 = convert<f32v>(v12);
                    if (mt_wraps) scatter<f32v>(addresses(out, v13), mt_exists, v15); else store<f32v>((out + (v13_0 + mt_lane)), mt_exists, v15);
                }
            }
        }
        {
            #pragma GCC unroll 1
            for (long long mt_strip = 0; mt_strip < 32; mt_strip += 16) {
                #pragma GCC unroll 4
                for (int mt_part = 0; mt_part < kPartials; ++mt_part) {
                    const long long mt_lane = mt_strip + mt_part * kLanes;
                    const f32v v9 = load<f32v>(mt_buffer9 + mt_lane);
                    const i32v v0 = iota() + (int)(0 + mt_lane);
                    const i32v v1 = v0;
                    scatter<f32v>(addresses(x, v1), splat_bool(true), v9);
                }
            }
        }
    }
}

