// Inverse sine, cosine and tangent of f32, without branches, at most 1 ulp off (atan2f: 1.1).
//
// Text like ir/scalar.h: no #include, templates for F = float or a vector of floats. All are a
// multiple of pi / 2 plus an odd polynomial x + x^3 P(x^2), whose coefficients are printed by
// tools/fit_trig.py.
#ifndef MYTRITON_IR_MATH_ATAN_H
#define MYTRITON_IR_MATH_ATAN_H

namespace mytriton::rows {

// `a` with its sign changed where b is negative.
template <class F>
[[gnu::always_inline]] inline F flip_sign(F a, F b) {
    return float_of(bits_of(a) ^ (bits_of(b) & (-0x7fffffff - 1)));
}

// base pi / 2 + arc, where base is 0, 1 or 2, and not 0 if arc is negative: thus base pi / 2 is
// zero or the larger term, which makes the sum's rounding error simple. pi / 2 is the sum of two
// f32.
template <class F>
struct Angle {
    F high, low;
};

template <class F>
[[gnu::always_inline]] inline Angle<F> angle(F base, F arc) {
    const F turned = base * 0x1.921fb6p0f;
    const F high = turned + arc;
    return {high, fma(base, fill<F>(-0x1.777a5cp-25f), (turned - high) + arc)};
}

// base pi / 2 + scale asin a for a <= 1 / 2, else base pi / 2 + scale acos(a) / 2. NaN if a > 1.
template <class F>
[[gnu::always_inline]] inline F arcs_from(F base, F scale, F a) {
    using I = Ints<F>;
    // acos a = 2 asin sqrt((1 - a) / 2), where the difference is exact.
    const auto large = a > 0.5f;
    const F half = fma(a, fill<F>(-0.5f), fill<F>(0.5f));
    const F root = sqrtf(half);
    // The root is off by (half - root^2) / (2 root), so little that a guess will do for 1 / root:
    // halving the exponent and changing its sign is right to 4 %.
    const F guess = float_of(I(0x5f376000 - (bits_of(half) >> 1)));
    const F error = fma(-root, root, half) * (guess * 0.5f);

    const F z = large ? half : a * a;
    F p = fill<F>(0x1.595c6p-5f);
    p = fma(p, z, fill<F>(0x1.8c3e5p-6f));
    p = fma(p, z, fill<F>(0x1.747bb8p-5f));
    p = fma(p, z, fill<F>(0x1.330204p-4f));
    p = fma(p, z, fill<F>(0x1.5555c8p-3f));
    const F arc = (large ? root : a) * scale;
    const Angle<F> sum = angle(base, arc);
    const F low = fma(error, large ? scale : fill<F>(0.0f), sum.low);
    return sum.high + fma(arc * z, p, low);
}

template <class F>
[[gnu::always_inline]] inline F asinf(F x) {
    // |asin x|, or pi / 2 - acos |x|
    const F a = fabsf(x);
    const auto large = a > 0.5f;
    const F base = large ? fill<F>(1.0f) : fill<F>(0.0f);
    const F scale = large ? fill<F>(-2.0f) : fill<F>(1.0f);
    return copysignf(arcs_from(base, scale, a), x);
}

template <class F>
[[gnu::always_inline]] inline F acosf(F x) {
    // pi / 2 - asin x, or acos |x|, or pi - acos |x|
    const F a = fabsf(x);
    const auto large = a > 0.5f;
    const F one = fill<F>(1.0f);
    const F end = x < 0.0f ? fill<F>(2.0f) : fill<F>(0.0f);
    const F base = large ? end : one;
    const F size = large ? fill<F>(2.0f) : fill<F>(-1.0f);
    return arcs_from(base, flip_sign(size, x), a);
}

// base pi / 2 + scale atan q + slope off, for 0 <= q <= 1 and a tiny slope off.
template <class F>
[[gnu::always_inline]] inline F arctangents_from(F base, F scale, F q, F slope, F off) {
    const F z = q * q;
    F p = fill<F>(-0x1.d3461cp-10f);
    p = fma(p, z, fill<F>(0x1.641cbap-7f));
    p = fma(p, z, fill<F>(-0x1.fd79p-6f));
    p = fma(p, z, fill<F>(0x1.da2886p-5f));
    p = fma(p, z, fill<F>(-0x1.5808e4p-4f));
    p = fma(p, z, fill<F>(0x1.c08c48p-4f));
    p = fma(p, z, fill<F>(-0x1.242086p-3f));
    p = fma(p, z, fill<F>(0x1.9991e4p-3f));
    p = fma(p, z, fill<F>(-0x1.55553ep-2f));
    const F arc = q * scale;
    const Angle<F> sum = angle(base, arc);
    return sum.high + fma(arc * z, p, fma(slope, off, sum.low));
}

template <class F>
[[gnu::always_inline]] inline F atanf(F x) {
    // |atan x|, or pi / 2 - atan |1 / x|
    const F a = fabsf(x);
    const auto large = a > 1.0f;
    const F base = large ? fill<F>(1.0f) : fill<F>(0.0f);
    const F scale = large ? fill<F>(-1.0f) : fill<F>(1.0f);
    // The quotient's rounding error matters where the result is below 1, which makes the quotient
    // more than 0.6. There it is 1 / a times the remainder, and the slope of atan halves it. The
    // bounds are for zeros and infinities; beyond the upper one the quotient does not count.
    const F divisor = bounded(a, fill<F>(0x1p-64f), fill<F>(0x1p64f));
    const F inverse = 1.0f / divisor;
    const F remainder = fma(-divisor, inverse, fill<F>(1.0f));
    const F slope = large ? fill<F>(-0.5f) : fill<F>(0.0f);
    const F q = large ? inverse : a;
    return copysignf(arctangents_from(base, scale, q, slope, remainder), x);
}

// The angle of the point (x, y), with the special cases of C's Annex F.
template <class F>
[[gnu::always_inline]] inline F atan2f(F y, F x) {
    using I = Ints<F>;
    const F ax = fabsf(x);
    const F ay = fabsf(y);
    const auto steep = ay > ax;
    const F less = steep ? ax : ay;
    const F more = steep ? ay : ax;
    const F zero = fill<F>(0.0f);
    const F one = fill<F>(1.0f);
    // Two infinities count as 1 / 1, two zeros as 0 / 1.
    const F equal = less == 0.0f ? zero : one;
    const F quotient = less / more;
    const F q = less == more ? equal : quotient;
    // The quotient's rounding error is remainder / more; a guess will do for 1 / more. Changing the
    // exponent's sign would be right to 12 %. The guess is 0.75 to 0.84 of 1 / more instead, which
    // stands in for the slope of atan, 0.5 to 1. Infinities must go without. So do huge numbers,
    // and the remainders of denormals round to nothing: there the result is up to 1.5 ulp off.
    const F guess = float_of(I(0x7ec00000 - bits_of(more)));
    const F error = fma(-q, more, less) * guess;
    const F off = more < 0x1p125f ? error : zero;

    // Right of the y axis: atan q, or pi / 2 - atan q if steep; left of it: pi - these.
    const F flat = bits_of(x) < 0 ? fill<F>(2.0f) : zero;
    const F base = steep ? one : flat;
    const F size = steep ? fill<F>(-1.0f) : one;
    const F scale = flip_sign(size, x);
    return copysignf(arctangents_from(base, scale, q, scale, off), y);
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_ATAN_H
