// tanh, sinh and cosh, as templates on float or a vector of floats. Needs no other math_*.h.
//
// The constants are printed by tools/fit_tanh.py.
#ifndef MYTRITON_IR_MATH_TANH_H
#define MYTRITON_IR_MATH_TANH_H

namespace mytriton::rows {

// x = n ln 2 + r and h = tanh(r) give
//
//     1 - tanh(x) = 2 (1 - h) / ((4^n + 1) + (4^n - 1) h),
//
// and tanh(x) = h where n is 0. n is rounded so that it is 0 where tanh(x) < 0.5; beyond, the error
// of the right side counts at most half, and that of ln 2 hardly. At most 1.7 ulp off.
template <class F>
[[gnu::always_inline]] inline F tanhf(F x) {
    // Beyond 9.02 the result is 1 to f32.
    const F a = bounded(fabsf(x), fill<F>(0.0f), fill<F>(9.1f));
    // Near 1.5 * 2^23 floats are whole numbers, so that the sum rounds; n is in the low bits.
    const F magic = fill<F>(0x1.8p23f);
    const F shifted = fma(a, fill<F>(0x1.715476p0f), fill<F>(-0.2925f)) + magic;
    const F n = shifted - magic;
    const F r = fma(n, fill<F>(-0x1.62e43p-1f), a);

    // In pairs: a chain of fma would take longer than all else.
    const F z = r * r;
    const F zz = z * z;
    const F p0 = fma(fill<F>(0x1.110ceep-3f), z, fill<F>(-0x1.55554ap-2f));
    F p1 = fma(fill<F>(0x1.58e518p-6f), z, fill<F>(-0x1.b91e7ep-5f));
    p1 = fma(fill<F>(-0x1.9921ap-8f), zz, p1);
    const F h = fma(fma(p1, zz, p0), z * r, r);

    const F power = float_of((bits_of(shifted) << 24) + 0x3f800000);
    const F ratio = (1.0f - h) / fma(power - 1.0f, h, power + 1.0f);
    const F beyond = fma(fill<F>(-2.0f), ratio, fill<F>(1.0f));
    return copysignf(n > 0.0f ? beyond : h, x);
}

// For sinh and cosh: x = n ln 2 + r, |x| as `a`. With P = 2^(n-1) and M = 2^(-n-1),
//
//     sinh(x) = (P - M) cosh(r) + (P + M) sinh(r)
//     cosh(x) = (P + M) cosh(r) + (P - M) sinh(r).
template <class F>
struct Hyperbolic {
    F plus, minus;  // P and M, P divided by `scale`
    F scale;        // 2 where P could overflow, else 1
    F r;            // the reduced argument without
    F low;          // its low part
    F sinh_tail;    // sinh(r) - r, with the low part added
    F cosh_tail;    // cosh(r) - 1
};

template <class F>
[[gnu::always_inline]] inline Hyperbolic<F> hyperbolic(F x) {
    // From 89.42 on the result is inf.
    const F a = bounded(fabsf(x), fill<F>(0.0f), fill<F>(89.5f));
    const F magic = fill<F>(0x1.8p23f);
    const F shifted = fma(a, fill<F>(0x1.715476p0f), magic);
    const F n = shifted - magic;
    Hyperbolic<F> out;
    out.r = fma(n, fill<F>(-0x1.62e43p-1f), a);  // exact
    out.low = n * 0x1.05c61p-29f;
    const F z = out.r * out.r;
    F p = fill<F>(0x1.a2e35p-13f);
    p = fma(p, z, fill<F>(0x1.110fbep-7f));
    p = fma(p, z, fill<F>(0x1.555556p-3f));
    out.sinh_tail = fma(p, z * out.r, out.low);
    p = fill<F>(0x1.6d4f0ap-10f);
    p = fma(p, z, fill<F>(0x1.5554e6p-5f));
    p = fma(p, z, fill<F>(0.5f));
    out.cosh_tail = fma(out.low, out.r, p * z);

    // n reaches 129. From 64 on M does not matter.
    const auto big = n > 64.0f;
    out.scale = big ? fill<F>(2.0f) : fill<F>(1.0f);
    const F half = big ? fill<F>(0.25f) : fill<F>(0.5f);
    // Exponents are added to those of the factors as integers: 2^128 would overflow.
    const Ints<F> exponent = bits_of(shifted) << 23;
    out.plus = float_of(bits_of(half) + exponent);
    out.minus = big ? fill<F>(0.0f) : float_of(bits_of(half) - exponent);
    return out;
}

// At most 1 ulp off.
template <class F>
[[gnu::always_inline]] inline F sinhf(F x) {
    const Hyperbolic<F> of = hyperbolic(x);
    const F less = of.plus - of.minus;
    const F more = of.plus + of.minus;
    // The sum of the two large parts, and its rounding error: |less| is the larger, or zero.
    const F product = more * of.r;
    const F sum = less + product;
    const F error = fma(more, of.r, less - sum);
    const F tail = fma(less, of.cosh_tail, fma(more, of.sinh_tail, error));
    return copysignf((sum + tail) * of.scale, x);
}

// At most 1.1 ulp off.
template <class F>
[[gnu::always_inline]] inline F coshf(F x) {
    const Hyperbolic<F> of = hyperbolic(x);
    const F less = of.plus - of.minus;
    const F more = of.plus + of.minus;
    // P + M is not exact for n about 12, so M is added to the small parts.
    F tail = fma(more, of.cosh_tail, less * of.sinh_tail);
    tail = of.minus + fma(less, of.r, tail);
    return (of.plus + tail) * of.scale;
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_TANH_H
