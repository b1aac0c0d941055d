// Logarithms and powers, as templates on float or a vector of floats. Follows math_exp.h.
//
// All of them are branch-free, and every fma is spelled out, so that float and vectors agree to the
// bit. The constants are printed by tools/fit_log.py.
#ifndef MYTRITON_IR_MATH_LOG_H
#define MYTRITON_IR_MATH_LOG_H

namespace mytriton::rows {

// A positive number as 2^k m, with m from sqrt(1/2) to sqrt(2).
template <class F>
struct Parts {
    F k;
    F m;
};

// The parts of the number whose bits these are; its exponent may be below the least of f32.
template <class F>
[[gnu::always_inline]] inline Parts<F> parts_of_bits(Ints<F> bits) {
    // Counted from the bits of sqrt(1/2), the exponent changes where m would reach sqrt(2).
    const Ints<F> from = bits - 0x3f3504f3;
    return {to_floats(from >> 23), float_of((from & 0x7fffff) + 0x3f3504f3)};
}

template <class F>
[[gnu::always_inline]] inline Parts<F> parts_of(F x) {
    // Denormals are made normal, and their exponent reduced again.
    const Ints<F> bits = bits_of(x);
    const Ints<F> denormal = bits_of(x * 0x1p23f) - (23 << 23);
    return parts_of_bits<F>(x < 0x1p-126f ? denormal : bits);
}

// `result`, but for x that have no finite logarithm, what C says.
template <class F>
[[gnu::always_inline]] inline F log_or_special(F x, F result) {
    const F not_positive = x == 0.0f ? fill<F>(-__builtin_inff()) : fill<F>(__builtin_nanf(""));
    result = x < __builtin_inff() ? result : x;
    return x > 0.0f ? result : not_positive;
}

// The polynomial in f with coefficients from c0 to c8. Even and odd powers apart make two chains of
// half the length, and f^2 is needed anyway.
template <class F>
[[gnu::always_inline]] inline F degree_8(F f, F f2, float c0, float c1, float c2, float c3,
                                         float c4, float c5, float c6, float c7, float c8) {
    F even = fma(fill<F>(c8), f2, fill<F>(c6));
    even = fma(even, f2, fill<F>(c4));
    even = fma(even, f2, fill<F>(c2));
    F odd = fma(fill<F>(c7), f2, fill<F>(c5));
    odd = fma(odd, f2, fill<F>(c3));
    odd = fma(odd, f2, fill<F>(c1));
    return fma(fma(even, f, odd), f, fill<F>(c0));
}

// k ln 2 + log(1 + f) + low, for f from sqrt(1/2) - 1 to sqrt(2) - 1.
template <class F>
[[gnu::always_inline]] inline F natural_log(F k, F f, F low) {
    const F f2 = f * f;
    // (log(1 + f) - f) / f^2
    const F tail =
        degree_8(f, f2, -0x1.fffff8p-2f, 0x1.55555p-2f, -0x1.000438p-2f, 0x1.99a428p-3f,
                 -0x1.542402p-3f, 0x1.226b28p-3f, -0x1.0f4f0ap-3f, 0x1.087e7ap-3f, -0x1.383f32p-4f);
    low = fma(f2, tail, fma(k, fill<F>(-0x1.05c61p-29f), low));
    return fma(k, fill<F>(0x1.62e43p-1f), f + low);
}

// The natural logarithm; at most 0.9 ulp off.
template <class F>
[[gnu::always_inline]] inline F logf(F x) {
    const Parts<F> parts = parts_of(x);
    return log_or_special(x, natural_log(parts.k, parts.m - 1.0f, F{}));
}

// The logarithm to the base 2; at most 1.1 ulp off, and exact for powers of 2.
template <class F>
[[gnu::always_inline]] inline F log2f(F x) {
    const Parts<F> parts = parts_of(x);
    const F f = parts.m - 1.0f;
    const F f2 = f * f;
    // (log2(1 + f) - f / ln 2) / f^2
    const F tail =
        degree_8(f, f2, -0x1.71547p-1f, 0x1.ec7094p-2f, -0x1.715afep-2f, 0x1.277f44p-2f,
                 -0x1.eaa24ap-3f, 0x1.a2c9ep-3f, -0x1.87f7f6p-3f, 0x1.7f27eep-3f, -0x1.c39abep-4f);
    const F low = fma(f2, tail, f * 0x1.4ae0cp-26f);
    return log_or_special(x, parts.k + fma(f, fill<F>(0x1.715476p0f), low));
}

// The logarithm to the base 10; at most 1 ulp off.
template <class F>
[[gnu::always_inline]] inline F log10f(F x) {
    const Parts<F> parts = parts_of(x);
    const F f = parts.m - 1.0f;
    const F f2 = f * f;
    // (log10(1 + f) - f / ln 10) / f^2
    const F tail =
        degree_8(f, f2, -0x1.bcb7aap-3f, 0x1.287a7p-3f, -0x1.bcbf52p-4f, 0x1.63d068p-4f,
                 -0x1.276a48p-4f, 0x1.f84c16p-5f, -0x1.d79388p-5f, 0x1.cd07fcp-5f, -0x1.1081bap-5f);
    F low = fma(f2, tail, f * -0x1.5b235ep-27f);
    low = fma(parts.k, fill<F>(-0x1.ec10cp-27f), low);
    low = fma(f, fill<F>(0x1.bcb7b2p-2f), low);
    return log_or_special(x, fma(parts.k, fill<F>(0x1.344136p-2f), low));
}

// log(1 + x); at most 1 ulp off.
template <class F>
[[gnu::always_inline]] inline F log1pf(F x) {
    const F sum = 1.0f + x;
    const Parts<F> parts = parts_of_bits<F>(bits_of(sum));
    // What the sum lost, scaled as m is: half of it times 2^(1 - k), which is finite for k = 128.
    // For k = 0 this makes f equal to x.
    const F lost = 0.5f * (x - (sum - 1.0f));
    const F scale = float_of(0x40000000 - ((bits_of(sum) - 0x3f3504f3) & -0x800000));
    const F f_high = parts.m - 1.0f;
    const F f = fma(lost, scale, f_high);
    const F f_low = fma(lost, scale, f_high - f);
    const F result = log_or_special(sum, natural_log(parts.k, f, f_low));
    // Halving may have cost a bit, and -0 its sign.
    return fabsf(x) < 0x1p-25f ? x : result;
}

// An unevaluated sum; the second is what the first lost by rounding, the third at most about 2^-12
// of the first.
template <class F>
struct Sum {
    F high;
    F lost;
    F low;
};

// k + log2(m) to about 2^-35 of it.
template <class F>
[[gnu::always_inline]] inline Sum<F> log2_sum(F k, F m) {
    // log2(m) = 2 / ln 2 atanh(f / (2 + f)) with f = m - 1. The quotient is s + s_low, and the
    // derivative of atanh is 1 + z + ..., where z = s^2 is at most 0.03.
    const F f = m - 1.0f;
    const F inverse = 1.0f / (m + 1.0f);
    const F s = f * inverse;
    const F s_low = fma(s, -f, fma(s, fill<F>(-2.0f), f)) * inverse;
    const F z = s * s;
    const F z_low = fma(s, s, -z);

    // 2 / ln 2 atanh(s) = s (c + z (a + z q(z))). Of c and z a more bits are needed than a float
    // has, but z^2 q(z) is so small that it can go to the low part, with what these lost.
    const F c = fill<F>(0x1.715476p1f);
    const F a = fill<F>(0x1.ec709ep-1f);
    F q = fill<F>(0x1.5c737ep-2f);
    q = fma(q, z, fill<F>(0x1.a595aep-2f));
    q = fma(q, z, fill<F>(0x1.277768p-1f));
    q = fma(q, z, fill<F>(-0x1.751194p-26f));  // the rest of a

    const F cubic = z * a;
    const F cubic_low = fma(z_low, a, fma(z, a, -cubic));
    const F factor = c + cubic;
    const F factor_low = fma(z, q, (c - factor) + cubic + (cubic_low + 0x1.4ae0cp-25f));

    const F log = s * factor;
    const F log_low = fma(s, factor_low, fma(s_low, fma(z, c, c), fma(s, factor, -log)));
    const F sum = k + log;
    return {sum, (k - sum) + log, log_low};
}

// x to the power y, as 2 to the power y log2 |x|; at most 1.1 ulp off, denormal results included.
// The special cases are those of C99's Annex F.
template <class F>
[[gnu::always_inline]] inline F powf(F x, F y) {
    const F inf = fill<F>(__builtin_inff());
    const F one = fill<F>(1.0f);
    const F magnitude = fabsf(x);
    const Parts<F> parts = parts_of(magnitude);
    F k = magnitude < inf ? parts.k : magnitude;
    k = magnitude == 0.0f ? -inf : k;
    const Sum<F> log2 = log2_sum(k, parts.m);

    // Beyond these bounds y makes any power but those of 1 zero or inf, and infinite y times zero
    // would be NaN.
    const F y_within = bounded(y, fill<F>(-0x1p40f), fill<F>(0x1p40f));
    const F product = y_within * log2.high;
    F low = fma(y_within, log2.high, -product);
    low = fma(y_within, log2.lost, low);
    low = fma(y_within, log2.low, low);

    // As in exp2f, but the bounds are off the path to r. Far beyond them r would be any number.
    const F shifted = product + kExpMagic;
    const F r = (product - (shifted - kExpMagic)) + low;
    const F power = exp2_near_0(fabsf(product) > 300.0f ? F{} : r);
    const F least = fill<F>(kExpMagic - 254.0f);
    F result = scale_by_power_of_2(power, bounded(shifted, least, fill<F>(kExpMagic + 129.0f)));

    // The sign is that of x if y is odd. -0 and -inf are not too negative for a fraction.
    const auto fraction = rintf(y) != y;
    const F half_y = 0.5f * y;
    const auto even = rintf(half_y) == half_y;
    result = copysignf(result, fraction | even ? one : x);
    result = (x < 0.0f) & (x > -inf) & fraction ? fill<F>(__builtin_nanf("")) : result;
    return (x == 1.0f) | (y == 0.0f) ? one : result;
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_LOG_H
