; run: --emit cpu
kernel arithmetic(i: ptr<i32>, x: ptr<f32>, n: i32) {
    %0 = program_id {axis=1} : i32
    %1 = mul %0, 8 : i32
    %2 = add %1, n : i32
    %3 = neg %2 : i32
    %4 = div %3, n : i32
    %5 = rem %4, n : i32
    %6 = num_programs {axis=2} : i32
    %7 = sub %5, %6 : i32
    store i, %7, none
    %8 = mul n, 0.5 : f32
    %9 = maximum %8, nan : f32
    %10 = minimum %9, -inf : f32
    store x, %10, none
    store x, n, none
    %11 = cast %10 : i32
    store i, %11, none
    %12 = cmp_lt %10, 1.0 : bool
    %13 = select %12, %11, -2147483648 : i32
    store i, %13, none
}
; ---
// arithmetic
extern "C" void mt_run(const long long* mt_args, const long long* mt_grid,
                       long long mt_first, long long mt_last, unsigned char* mt_scratch) {
    int* const i = (int*)mt_args[0];
    float* const x = (float*)mt_args[1];
    const int n = (int)mt_args[2];
    for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {
        const int v0 = (int)(mt_program / mt_grid[0] % mt_grid[1]);
        const int v1 = (v0 * 8);
        const int v2 = (v1 + n);
        const int v3 = -(v2);
        const int v4 = idiv(v3, n);
        const int v5 = irem(v4, n);
        const int v6 = (int)mt_grid[2];
        const int v7 = (v5 - v6);
        *i = v7;
        const float v14 = convert<float>(n);
        const float v8 = (v14 * 0.5f);
        const float v9 = (isnan(v8) ? (v8) : (isnan(__int_as_float(0x7fc00000)) ? (__int_as_float(0x7fc00000)) : ((v8) > (__int_as_float(0x7fc00000)) ? (v8) : (__int_as_float(0x7fc00000)))));
        const float v10 = (isnan(v9) ? (v9) : (isnan((-__int_as_float(0x7f800000))) ? ((-__int_as_float(0x7f800000))) : ((v9) < ((-__int_as_float(0x7f800000))) ? (v9) : ((-__int_as_float(0x7f800000))))));
        *x = v10;
        *x = v14;
        const int v11 = convert<int>(v10);
        *i = v11;
        const bool v12 = (v10 < 1.0f);
        const int v13 = (v12 ? v11 : (-2147483647 - 1));
        *i = v13;
    }
}

