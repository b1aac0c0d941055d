// What a row's scalar expression may call, for the folder, the evaluator and emitted host kernels.
//
// This file is used twice: the core library includes it, and its text opens every emitted host
// kernel. Hence no #include, no #pragma once, and everything always inlined: a kernel must not
// export a symbol that could be taken for the core's, which is compiled with other flags.
//
// The contract: a function gives the same bits here, in its vector overload (cpu/vector.h) and on
// every host, NaN payloads apart. So every fma is spelled out, and -ffp-contract=off is required.
// Nothing traps, and no argument is undefined behaviour.
#ifndef MYTRITON_IR_SCALAR_H
#define MYTRITON_IR_SCALAR_H

namespace mytriton::rows {

// Bit casts.

[[gnu::always_inline]] constexpr int bits_of(float a) {
    return __builtin_bit_cast(int, a);
}

[[gnu::always_inline]] constexpr float float_of(int a) {
    return __builtin_bit_cast(float, a);
}

// CUDA's name for float_of, so that literals print the same for both backends.
[[gnu::always_inline]] constexpr float __int_as_float(int a) {
    return float_of(a);
}

// Float math.

[[gnu::always_inline]] constexpr bool isnan(float a) {
    return a != a;
}

[[gnu::always_inline]] inline float fma(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}

[[gnu::always_inline]] inline float sqrtf(float a) {
    return __builtin_sqrtf(a);
}

// `a`, but not beyond the bounds. A NaN fails both comparisons and passes.
[[gnu::always_inline]] constexpr float bounded(float a, float low, float high) {
    a = low > a ? low : a;
    return high < a ? high : a;
}

// All lanes of F (a float, or a vector of them) are `a`. Subtracting zero keeps -0 and NaN.
template <class F>
[[gnu::always_inline]] constexpr F fill(float a) {
    return a - F{};
}

// e to the power x, without branches; at most 0.9 ulp off, denormal results included.
// F is float or a vector of floats, I the like ints. The functions are parameters because a name
// looked up at instantiation would miss the overloads for vectors, which are declared later.
// The constants are printed by tools/fit_exp.py.
template <class F, class I, F (*fused)(F, F, F), F (*within)(F, F, F)>
[[gnu::always_inline]] inline F exp_f32(F x) {
    // Beyond these bounds the result is 0 or inf anyway. At the lower one n is -254, so that the
    // powers of two below are zeros: a product that underflows instead would be slow, and -inf is
    // what masked lanes of a softmax hold.
    x = within(x, fill<F>(-176.0f), fill<F>(89.0f));

    // x = n ln 2 + r. Near 1.5 * 2^23 floats are whole numbers, so the sum rounds x / ln 2 to n
    // and leaves n + 254 in the low bits.
    const F magic = fill<F>(0x1.8p23f + 254.0f);
    const F shifted = fused(x, fill<F>(0x1.715476p0f), magic);
    const F n = shifted - magic;
    F r = fused(n, fill<F>(-0x1.62e43p-1f), x);  // exact
    r = fused(n, fill<F>(0x1.05c61p-29f), r);

    F p = fill<F>(0x1.6a3d0cp-10f);
    p = fused(p, r, fill<F>(0x1.123856p-7f));
    p = fused(p, r, fill<F>(0x1.5558bep-5f));
    p = fused(p, r, fill<F>(0x1.555494p-3f));
    p = fused(p, r, fill<F>(0x1.fffffcp-2f));
    p = fused(p, r, fill<F>(1.0f));
    p = fused(p, r, fill<F>(1.0f));

    // n reaches from -254 to 128, too far for one exponent, so scale by two powers of about n / 2.
    // The first product is exact; the second rounds once where the result is denormal. The two
    // halves of n + 254 are biased exponents already, and the shift by 23 drops what is above.
    const I biased = __builtin_bit_cast(I, shifted);
    const I half = biased >> 1;
    p *= __builtin_bit_cast(F, I(half << 23));
    return p * __builtin_bit_cast(F, I((biased - half) << 23));
}

[[gnu::always_inline]] inline float expf(float a) {
    return exp_f32<float, int, fma, bounded>(a);
}

// Integer division: truncates as C does; x / 0 is -1, x % 0 is x, and MIN / -1 wraps to MIN.

[[gnu::always_inline]] constexpr int idiv(int a, int b) {
    if (b == 0) return -1;
    return b == -1 ? int(0u - unsigned(a)) : a / b;
}

[[gnu::always_inline]] constexpr int irem(int a, int b) {
    if (b == 0) return a;
    return b == -1 ? 0 : a % b;
}

// Conversions. Float to int truncates and saturates, and a NaN gives 0; as a bool a NaN is true.

[[gnu::always_inline]] constexpr float i32_to_f32(int a) {
    return float(a);
}

[[gnu::always_inline]] constexpr float bool_to_f32(bool a) {
    return a ? 1.0f : 0.0f;
}

[[gnu::always_inline]] constexpr int f32_to_i32(float a) {
    if (isnan(a)) return 0;
    if (a >= 0x1p31f) return 0x7fffffff;
    return a <= -0x1p31f ? -0x7fffffff - 1 : int(a);
}

[[gnu::always_inline]] constexpr int bool_to_i32(bool a) {
    return a ? 1 : 0;
}

[[gnu::always_inline]] constexpr bool f32_to_bool(float a) {
    return a != 0.0f;
}

[[gnu::always_inline]] constexpr bool i32_to_bool(int a) {
    return a != 0;
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_SCALAR_H
