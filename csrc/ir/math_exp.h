// Exponential functions, as templates on float or a vector of floats.
//
// All of them are branch-free, and every fma is spelled out, so that float and vectors agree to the
// bit. The constants are printed by tools/fit_exp.py.
#ifndef MYTRITON_IR_MATH_EXP_H
#define MYTRITON_IR_MATH_EXP_H

namespace mytriton::rows {

// Near 1.5 * 2^23 floats are whole numbers: adding this rounds to a whole n, and leaves
// n + kExpBias in the low bits of the sum. Two halves of that are biased exponents.
constexpr int kExpBias = 254;
constexpr float kExpMagic = 0x1.8p23f + float(kExpBias);

// p 2^n, for `shifted` = n + kExpMagic, -254 <= n <= 256, and p not far from 1. At -254 it
// multiplies by zeros: a product that underflows instead would be slow.
template <class F>
[[gnu::always_inline]] inline F scale_by_power_of_2(F p, F shifted) {
    // Too far for one exponent, so scale by two powers of about n / 2. The first product is exact;
    // the second rounds once where the result is denormal. The shifts by 23 drop what is above n.
    const Ints<F> biased = bits_of(shifted);
    const Ints<F> half = biased >> 1;
    p *= float_of(half << 23);
    return p * float_of((biased - half) << 23);
}

// e to the power x; at most 0.9 ulp off, denormal results included.
template <class F>
[[gnu::always_inline]] inline F expf(F x) {
    // Beyond these bounds the result is 0 or inf anyway. At the lower one n is -254: -inf, which
    // masked lanes of a softmax hold, must not be slow.
    x = bounded(x, fill<F>(-176.0f), fill<F>(89.0f));

    // x = n ln 2 + r.
    const F shifted = fma(x, fill<F>(0x1.715476p0f), fill<F>(kExpMagic));
    const F n = shifted - kExpMagic;
    F r = fma(n, fill<F>(-0x1.62e43p-1f), x);  // exact
    r = fma(n, fill<F>(0x1.05c61p-29f), r);

    F p = fill<F>(0x1.6a3d0cp-10f);
    p = fma(p, r, fill<F>(0x1.123856p-7f));
    p = fma(p, r, fill<F>(0x1.5558bep-5f));
    p = fma(p, r, fill<F>(0x1.555494p-3f));
    p = fma(p, r, fill<F>(0x1.fffffcp-2f));
    p = fma(p, r, fill<F>(1.0f));
    p = fma(p, r, fill<F>(1.0f));
    return scale_by_power_of_2(p, shifted);
}

// 2 to the power r, for r not far beyond [-1/2, 1/2].
template <class F>
[[gnu::always_inline]] inline F exp2_near_0(F r) {
    F p = fill<F>(0x1.416b5ap-13f);
    p = fma(p, r, fill<F>(0x1.5f082ep-10f));
    p = fma(p, r, fill<F>(0x1.3b2dep-7f));
    p = fma(p, r, fill<F>(0x1.c6af7cp-5f));
    p = fma(p, r, fill<F>(0x1.ebfbdcp-3f));
    p = fma(p, r, fill<F>(0x1.62e43p-1f));
    return fma(p, r, fill<F>(1.0f));
}

// 2 to the power x; at most 0.9 ulp off, denormal results included, and exact where x is whole.
template <class F>
[[gnu::always_inline]] inline F exp2f(F x) {
    x = bounded(x, fill<F>(-254.0f), fill<F>(129.0f));
    const F shifted = x + kExpMagic;
    const F r = x - (shifted - kExpMagic);  // exact
    return scale_by_power_of_2(exp2_near_0(r), shifted);
}

// e to the power x, minus 1; at most 1.2 ulp off.
template <class F>
[[gnu::always_inline]] inline F expm1f(F x) {
    // At the lower bound the result rounds to -1, at the upper one to inf.
    const F within = bounded(x, fill<F>(-20.0f), fill<F>(89.0f));

    // x = n ln 2 + r + r_low. The bias makes `half` 2^(n - 1), which does not overflow.
    const F magic = fill<F>(0x1.8p23f + 126.0f);
    const F shifted = fma(within, fill<F>(0x1.715476p0f), magic);
    const F n = shifted - magic;
    const F half = float_of(bits_of(shifted) << 23);
    const F r_high = fma(n, fill<F>(-0x1.62e43p-1f), within);  // exact
    const F r_low = n * 0x1.05c61p-29f;
    const F r = r_high + r_low;

    // (e^r - 1 - r) / r^2
    F p = fill<F>(0x1.6b95d6p-10f);
    p = fma(p, r, fill<F>(0x1.12252ep-7f));
    p = fma(p, r, fill<F>(0x1.5556f8p-5f));
    p = fma(p, r, fill<F>(0x1.5554b4p-3f));
    p = fma(p, r, fill<F>(0x1.fffffep-2f));

    // Half the result is half e^r - 1/2. The sum of the two leading terms is kept exactly, for
    // where they cancel.
    const F one_less = half - 0.5f;
    const F linear = half * r_high;
    const F sum = one_less + linear;
    const F lost = linear - (sum - one_less);
    const F result = 2.0f * (sum + fma(half, fma(r * r, p, r_low), lost));
    // Halving may have cost a bit, and -0 its sign.
    return fabsf(x) < 0x1p-25f ? x : result;
}

// 1 / (1 + e^-x); at most 1.6 ulp off, denormal results included.
template <class F>
[[gnu::always_inline]] inline F sigmoidf(F x) {
    // e^-|x| does not overflow, and where x is negative the result is as precise as it is.
    const F e = expf(-fabsf(x));
    const F numerator = x < 0.0f ? e : fill<F>(1.0f);
    const F quotient = numerator / (1.0f + e);
    // One step of Newton's method makes up for what the sum and the division lost; so the error is
    // that of e and of one rounding. The difference is exact. 6% off will do for 1 / (1 + e).
    const F rest = fma(quotient, -e, numerator - quotient);
    const F inverse = fma(e, fill<F>(-0x1.e2p-2f), fill<F>(0x1.e2p-1f));
    return fma(rest, inverse, quotient);
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_EXP_H
