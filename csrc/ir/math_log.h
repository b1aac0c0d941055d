// Logarithms and powers, as templates on float or a vector of floats. Follows math_exp.h.
//
// All of them are branch-free, and every fma is spelled out, so that float and vectors agree to the
// bit. The constants are printed by tools/fit_log.py.
#ifndef MYTRITON_IR_MATH_LOG_H
#define MYTRITON_IR_MATH_LOG_H

namespace mytriton::rows {

// A positive number as 2^k (1 + f), with 1 + f from sqrt(1/2) to sqrt(2).
template <class F>
struct Parts {
    F k;
    F f;
};

// The parts of a finite `x` that is at least 2^-126, times 2^-shift.
template <class F>
[[gnu::always_inline]] inline Parts<F> parts_of_normal(F x, F shift) {
    // Counting from the bits of sqrt(1/2), a carry into the exponent is where 1 + f would reach
    // sqrt(2).
    const Ints<F> from = bits_of(x) - 0x3f3504f3;
    const F m = float_of((from & 0x7fffff) + 0x3f3504f3);
    return {to_floats(from >> 23) - shift, m - 1.0f};
}

// As above, for denormal x too.
template <class F>
[[gnu::always_inline]] inline Parts<F> parts_of(F x) {
    const auto small = x < 0x1p-126f;
    return parts_of_normal(small ? x * 0x1p23f : x, small ? fill<F>(23.0f) : F{});
}

// `result`, but for x that have no finite logarithm, what C says.
template <class F>
[[gnu::always_inline]] inline F log_or_special(F x, F result) {
    const F not_positive = x == 0.0f ? fill<F>(-__builtin_inff()) : fill<F>(__builtin_nanf(""));
    result = x < __builtin_inff() ? result : x;
    return x > 0.0f ? result : not_positive;
}

// (log(1 + f) - f) / f^2
template <class F>
[[gnu::always_inline]] inline F log_tail(F f) {
    F p = fill<F>(-0x1.383f32p-4f);
    p = fma(p, f, fill<F>(0x1.087e7ap-3f));
    p = fma(p, f, fill<F>(-0x1.0f4f0ap-3f));
    p = fma(p, f, fill<F>(0x1.226b28p-3f));
    p = fma(p, f, fill<F>(-0x1.542402p-3f));
    p = fma(p, f, fill<F>(0x1.99a428p-3f));
    p = fma(p, f, fill<F>(-0x1.000438p-2f));
    p = fma(p, f, fill<F>(0x1.55555p-2f));
    return fma(p, f, fill<F>(-0x1.fffff8p-2f));
}

// k ln 2 + log(1 + f)
template <class F>
[[gnu::always_inline]] inline F log_of_parts(Parts<F> x) {
    const F low = fma(x.f * x.f, log_tail(x.f), x.k * -0x1.05c61p-29f);
    return fma(x.k, fill<F>(0x1.62e43p-1f), x.f + low);
}

template <class F>
[[gnu::always_inline]] inline F logf(F x) {
    return log_or_special(x, log_of_parts(parts_of(x)));
}

template <class F>
[[gnu::always_inline]] inline F log2f(F x) {
    const Parts<F> parts = parts_of(x);
    const F f = parts.f;
    F p = fill<F>(-0x1.c39abep-4f);
    p = fma(p, f, fill<F>(0x1.7f27eep-3f));
    p = fma(p, f, fill<F>(-0x1.87f7f6p-3f));
    p = fma(p, f, fill<F>(0x1.a2c9ep-3f));
    p = fma(p, f, fill<F>(-0x1.eaa24ap-3f));
    p = fma(p, f, fill<F>(0x1.277f44p-2f));
    p = fma(p, f, fill<F>(-0x1.715afep-2f));
    p = fma(p, f, fill<F>(0x1.ec7094p-2f));
    p = fma(p, f, fill<F>(-0x1.71547p-1f));
    const F low = fma(f * f, p, f * 0x1.4ae0cp-26f);
    return log_or_special(x, parts.k + fma(f, fill<F>(0x1.715476p0f), low));
}

template <class F>
[[gnu::always_inline]] inline F log10f(F x) {
    const Parts<F> parts = parts_of(x);
    const F f = parts.f;
    F p = fill<F>(-0x1.1081bap-5f);
    p = fma(p, f, fill<F>(0x1.cd07fcp-5f));
    p = fma(p, f, fill<F>(-0x1.d79388p-5f));
    p = fma(p, f, fill<F>(0x1.f84c16p-5f));
    p = fma(p, f, fill<F>(-0x1.276a48p-4f));
    p = fma(p, f, fill<F>(0x1.63d068p-4f));
    p = fma(p, f, fill<F>(-0x1.bcbf52p-4f));
    p = fma(p, f, fill<F>(0x1.287a7p-3f));
    p = fma(p, f, fill<F>(-0x1.bcb7aap-3f));
    const F low = fma(f * f, p, f * -0x1.5b235ep-27f);
    const F k_low = fma(parts.k, fill<F>(-0x1.ec10cp-27f), low);
    return log_or_special(
        x, fma(parts.k, fill<F>(0x1.344136p-2f), fma(f, fill<F>(0x1.bcb7b2p-2f), k_low)));
}

// log(1 + x)
template <class F>
[[gnu::always_inline]] inline F log1pf(F x) {
    const F sum = 1.0f + x;
    Parts<F> parts = parts_of_normal(sum, F{});
    // What the sum lost, scaled as f is: half of it times 2^(1 - k), which is finite for k = 128.
    // For k = 0 f becomes x.
    const F lost = 0.5f * (x - (sum - 1.0f));
    const F scale = float_of(0x40000000 - ((bits_of(sum) - 0x3f3504f3) & -0x800000));
    parts.f = fma(lost, scale, parts.f);
    const F result = log_or_special(sum, log_of_parts(parts));
    // Halving may have cost a bit, and -0 its sign.
    return fabsf(x) < 0x1p-25f ? x : result;
}

// An unevaluated sum of two numbers; the second is at most about 2^-12 of the first.
template <class F>
struct Pair {
    F high;
    F low;
};

// k + log2(1 + f) to about 2^-35 of it.
template <class F>
[[gnu::always_inline]] inline Pair<F> log2_pair(Parts<F> x) {
    // log2(1 + f) = 2 / ln 2 atanh(f / (2 + f)). The quotient is s + s_low, and the derivative of
    // atanh is 1 + z + ..., where z = s^2 is at most 0.03.
    const F below = 2.0f + x.f;
    const F below_low = x.f - (below - 2.0f);
    const F inverse = 1.0f / below;
    const F s = x.f * inverse;
    const F s_low = fma(-s, below_low, fma(-s, below, x.f)) * inverse;
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
    const F sum = x.k + log;
    return {sum, (x.k - sum) + log + log_low};
}

// x to the power y, as 2 to the power y log2 |x|; special cases are those of C99's Annex F.
template <class F>
[[gnu::always_inline]] inline F powf(F x, F y) {
    const F inf = fill<F>(__builtin_inff());
    const F one = fill<F>(1.0f);
    const F magnitude = fabsf(x);
    const Pair<F> log2 = log2_pair(parts_of(magnitude));
    F log2_high = magnitude < inf ? log2.high : magnitude;
    log2_high = magnitude == 0.0f ? -inf : log2_high;

    // Beyond the bounds y makes any power but those of 1 zero or inf, and infinite y times zero
    // would be NaN. The product is bounded as in exp2f, and then its low part has no meaning.
    const F y_within = bounded(y, fill<F>(-0x1p40f), fill<F>(0x1p40f));
    const F product = y_within * log2_high;
    const F product_low = fma(y_within, log2_high, -product) + y_within * log2.low;
    const F within = bounded(product, fill<F>(-254.0f), fill<F>(129.0f));
    const F shifted = within + kExpMagic;
    const F r = within - (shifted - kExpMagic);  // exact
    const F r_low = within == product ? product_low : F{};
    F result = scale_by_power_of_2(exp2_near_0(r + r_low), shifted);

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
