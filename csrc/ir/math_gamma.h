// The logarithm of the gamma function, as a template on float or a vector of floats.
//
// Needs no other math_*.h. The constants are printed by tools/fit_gamma.py.
#ifndef MYTRITON_IR_MATH_GAMMA_H
#define MYTRITON_IR_MATH_GAMMA_H

namespace mytriton::rows {

// An unevaluated sum, the second much smaller than the first.
template <class F>
struct Pair {
    F high;
    F low;
};

// a + b, if `a` is a multiple of the last bit of `b`, say because it is larger.
template <class F>
[[gnu::always_inline]] inline Pair<F> exact_sum(F a, F b) {
    const F high = a + b;
    return {high, (a - high) + b};
}

// log(w.high + w.low) for a positive w, to about 2^-29 of it. The low part of the result reaches
// 2^-4 of the high one.
template <class F>
[[gnu::always_inline]] inline Pair<F> precise_log(Pair<F> w) {
    // w = 2^k (1 + f). Counting from the bits of sqrt(1/2), a carry into the exponent is where
    // 1 + f would reach sqrt(2).
    const auto small = w.high < 0x1p-100f;
    const F scaled = small ? w.high * 0x1p50f : w.high;
    const Ints<F> from = bits_of(scaled) - 0x3f3504f3;
    const F m = float_of((from & 0x7fffff) + 0x3f3504f3);
    const F k = to_floats(from >> 23) - (small ? fill<F>(50.0f) : F{});
    const F inverse_power = float_of(0x3f800000 - (from & -0x800000));
    const Pair<F> f = exact_sum(m - 1.0f, small ? F{} : w.low * inverse_power);

    const F square = f.high * f.high;
    F p = fill<F>(-0x1.420d98p-4f);
    p = fma(p, f.high, fill<F>(0x1.07da3ap-3f));
    p = fma(p, f.high, fill<F>(-0x1.0cde78p-3f));
    p = fma(p, f.high, fill<F>(0x1.226c9cp-3f));
    p = fma(p, f.high, fill<F>(-0x1.547896p-3f));
    p = fma(p, f.high, fill<F>(0x1.99a5aep-3f));
    p = fma(p, f.high, fill<F>(-0x1.00022p-2f));
    p = fma(p, f.high, fill<F>(0x1.55554ap-2f));
    // log(1 + f) = f - f^2 / 2 + f^3 p, the first two kept exactly.
    const F half = 0.5f * f.high;
    const F half_square = half * f.high;
    const F half_square_low = fma(half, f.high, -half_square);
    const Pair<F> two = exact_sum(f.high, -half_square);
    F low = fma(-f.low, f.high, f.low) + (two.low - half_square_low);
    low = fma(square * f.high, p, low);
    // The high part of ln 2 has so few bits that its multiples are exact.
    const Pair<F> sum = exact_sum(k * 0x1.62e4p-1f, two.high);
    return {sum.high, sum.low + fma(k, fill<F>(0x1.7f7d1cp-20f), low)};
}

// c + e times `rest`.
template <class F>
[[gnu::always_inline]] inline Pair<F> precise_step(Pair<F> rest, F e, float high, float low) {
    const F product = rest.high * e;
    const F lost = fma(rest.high, e, -product);
    const Pair<F> sum = exact_sum(fill<F>(high), product);
    return {sum.high, fma(rest.low, e, sum.low + (lost + low))};
}

// 1 / gamma(1 + e) to about 2^-46, |e| <= 1/2.
template <class F>
[[gnu::always_inline]] inline Pair<F> inverse_gamma(F e) {
    F rest = fill<F>(-0x1.b26f9p-23f);
    rest = fma(rest, e, fill<F>(0x1.31023p-20f));
    rest = fma(rest, e, fill<F>(-0x1.4fdf54p-20f));
    rest = fma(rest, e, fill<F>(-0x1.51d0fep-16f));
    rest = fma(rest, e, fill<F>(0x1.0c8a8p-13f));
    rest = fma(rest, e, fill<F>(-0x1.c364fap-13f));
    Pair<F> sum = {rest, F{}};
    sum = precise_step(sum, e, -0x1.317112p-10f, -0x1.9c7454p-35f);
    sum = precise_step(sum, e, 0x1.d919c6p-8f, -0x1.b013eap-33f);
    sum = precise_step(sum, e, -0x1.3b4af2p-7f, -0x1.0907c4p-32f);
    sum = precise_step(sum, e, -0x1.59af1p-5f, -0x1.e1a04ap-32f);
    sum = precise_step(sum, e, 0x1.551232p-3f, 0x1.687f7cp-32f);
    sum = precise_step(sum, e, -0x1.5815ep-5f, -0x1.1f44ep-26f);
    sum = precise_step(sum, e, -0x1.4fcf4p-1f, -0x1.357d16p-28f);
    sum = precise_step(sum, e, 0x1.2788dp-1f, -0x1.c824f4p-28f);
    return precise_step(sum, e, 1.0f, 0.0f);
}

// log |gamma(x)|. With j the whole number nearest to x and e = x - j,
//
//     gamma(x) = gamma(1 + e) (1 + e) (2 + e) ... (j - 1 + e)             for j > 0
//     1 / |gamma(x)| = |e| (1 - e) (2 - e) ... (|j| - e) / gamma(1 + e)   for j <= 0.
//
// All these factors are exact, and the product is computed to about 2^-45, which is what log needs
// near its zeros: floats come as close to them as that. From |j| = 11 on it is Stirling's series,
//
//     log gamma(a) = a (log a - 1) - log(a) / 2 + log(2 pi) / 2 + 1 / (12 a) - 1 / (360 a^3),
//
// and for negative x log(pi / (a |sin(pi x)|)) minus that. At most 0.8 ulp off.
template <class F>
[[gnu::always_inline]] inline F lgammaf(F x) {
    // Beyond the bound the result is inf, and the series gives that there.
    const F a = bounded(fabsf(x), fill<F>(0.0f), fill<F>(0x1.9p121f));
    const F one = fill<F>(1.0f);
    const F j = rintf(x);
    const F e = x - j;
    const auto falling = j < 1.0f;
    const auto far = fabsf(j) > 10.0f;

    // The product of the factors and of gamma(1 + e) or its inverse.
    const F step = falling ? -e : e;
    const F count = falling ? -j : j - 1.0f;
    Pair<F> product = {falling ? fabsf(e) : one, F{}};
    for (int i = 1; i <= 10; ++i) {
        const F factor = count < float(i) ? one : step + float(i);
        const F high = product.high * factor;
        const F lost = fma(product.high, factor, -high);
        product = {high, fma(product.low, factor, lost)};
    }
    const Pair<F> inverse = inverse_gamma(e);
    const F gamma = 1.0f / inverse.high;
    const F gamma_low = gamma * fma(-gamma, inverse.low, fma(-gamma, inverse.high, one));
    const F last = falling ? inverse.high : gamma;
    const F last_low = falling ? inverse.low : gamma_low;
    Pair<F> near;
    near.high = product.high * last;
    near.low = fma(product.high, last, -near.high);
    near.low += fma(product.high, last_low, product.low * last);

    const Pair<F> parts = precise_log(Pair<F>{far ? a : near.high, far ? F{} : near.low});
    const Pair<F> whole = exact_sum(parts.high, parts.low);

    const F leading = a * (whole.high - 1.0f);  // the difference is exact
    F low = fma(a, whole.high - 1.0f, -leading);
    low = fma(a, whole.low, low);
    const F r = 1.0f / a;
    low += r * fma(r * r, fill<F>(-0x1.6c16c2p-9f), fill<F>(0x1.555556p-4f));
    const F rising = leading + (low + fma(fill<F>(-0.5f), whole.high, fill<F>(0x1.d67f1cp-1f)));

    const F z = e * e;
    F sine = fill<F>(-0x1.b7cdc4p-8f);
    sine = fma(sine, z, fill<F>(0x1.4f4c2p-4f));
    sine = fma(sine, z, fill<F>(-0x1.32cc0ap-1f));
    sine = fma(sine, z, fill<F>(0x1.466ba6p1f));
    sine = fma(sine, z, fill<F>(-0x1.4abbcep2f));
    sine = fma(sine, z, fill<F>(0x1.921fb6p1f));
    const F magnitude = fabsf(e);
    const F product_sine = magnitude * sine;
    const Pair<F> log_sine =
        precise_log(Pair<F>{product_sine, fma(magnitude, sine, -product_sine)});
    const Pair<F> both = exact_sum(leading, log_sine.high);
    low += log_sine.low + fma(fill<F>(0.5f), whole.high, fill<F>(-0x1.ce6bb2p-3f));
    const F reflected = -(both.high + (both.low + low));

    // Where `leading` overflows the rest is not a number.
    const F beyond = leading < __builtin_inff() ? rising : leading;
    const F result = far ? (falling ? reflected : beyond) : (falling ? -whole.high : whole.high);
    const auto pole = (x == j) & falling;
    return pole ? fill<F>(__builtin_inff()) : result;
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_GAMMA_H
