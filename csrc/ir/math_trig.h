// Sine, cosine and tangent of f32, at most 1 ulp off, or 1.3 next to poles.
//
// Text like ir/scalar.h: no #include, templates for F = float or a vector of floats. x is reduced
// to r + q pi / 2 with |r| hardly above pi / 4, and the sign of x set aside, which keeps that of
// zeros. r is kept to more than f32: its rounding alone could be an ulp of a sine below 0.5. The
// constants are printed by tools/fit_trig.py.
#ifndef MYTRITON_IR_MATH_TRIG_H
#define MYTRITON_IR_MATH_TRIG_H

namespace mytriton::rows {

// x as r + low + q pi / 2. q is in the two lowest bits of `quadrant`.
template <class F>
struct QuarterTurn {
    F r, low;
    Ints<F> quadrant;
};

// For 0 <= a < 2^18.
template <class F>
[[gnu::always_inline]] inline QuarterTurn<F> near_turn(F a) {
    // Near 1.5 * 2^23 floats are whole numbers: the sum rounds 2 a / pi to n. Likewise below, where
    // the second part is rounded to a multiple of 2^-24.
    const F magic = fill<F>(0x1.8p23f);
    const F shifted = fma(a, fill<F>(0x1.45f306p-1f), magic);
    const F n = shifted - magic;
    // pi / 2 in three parts, the second a multiple of 2^-47. Unless n is 0, a is above 1 / 2, so
    // that r is a multiple of 2^-24; it is below 1, and thus exact. `low` is about 2^-25 at most
    // and exact but for the third part. No a comes nearer to a multiple of pi / 2 than 2^-28.
    const F fine_magic = fill<F>(0x1.8p-1f);
    const F second = fma(n, fill<F>(0x1.777a5cp-25f), fine_magic) - fine_magic;
    const F r = fma(n, fill<F>(-0x1.921fb6p0f), a) + second;
    F low = fma(n, fill<F>(0x1.777a5cp-25f), -second);
    low = fma(n, fill<F>(0x1.ee59dap-50f), low);
    return {r, low, bits_of(shifted)};
}

// x + y, and what rounding it left out.
template <class F>
[[gnu::always_inline]] inline F exact_sum(F x, F y, F& error) {
    const F s = x + y;
    const F part = s - x;
    error = (x - (s - part)) + (y - part);
    return s;
}

// For 2^18 <= a, inf giving NaN. With a = m 2^e and a whole m, 2 a / pi modulo 4 is m times those
// bits of 2 / pi that 2^e leaves below 4 (Payne and Hanek). 96 of them are cut out; what is left
// out is below 2^-70, while 2 a / pi comes no nearer to a whole number than about 2^-30.
template <class F>
[[gnu::always_inline]] inline QuarterTurn<F> far_turn(F a) {
    using I = Ints<F>;
    const I bits = bits_of(a);
    // How many bits to skip, 0 to 110: whole words first.
    const I skip = (bits >> 23) - (127 + 18);
    const auto one_word = (skip & 32) != 0;
    const auto two_words = (skip & 64) != 0;
    // 2 / pi from the bit of weight 2^6 on.
    const I words[7] = {fill_ints<F>(0x0145f306),       fill_ints<F>(int(0xdc9c882au)),
                        fill_ints<F>(0x53f84eaf),       fill_ints<F>(int(0xa3ea69bbu)),
                        fill_ints<F>(int(0x81b6c52bu)), fill_ints<F>(0x32788720),
                        fill_ints<F>(int(0x83fca2c7u))};
    I odd[6];
    for (int k = 0; k < 6; ++k) odd[k] = one_word ? words[k + 1] : words[k];
    I even[4];
    for (int k = 0; k < 4; ++k) even[k] = two_words ? odd[k + 2] : odd[k];
    const I left = skip & 31;
    const I right = 31 - left;
    I cut[3];
    for (int k = 0; k < 3; ++k)
        cut[k] = (even[k] << left) | (((even[k + 1] >> 1) & 0x7fffffff) >> right);

    // As four chunks of 24 bits, the second one signed, so that what it adds stays below 2.
    const I second = ((cut[0] << 24) | ((cut[1] >> 8) & 0xffffff)) >> 8;
    const I first = (cut[0] >> 8) - (second >> 31);
    const I third = ((cut[1] & 0xffff) << 8) | ((cut[2] >> 24) & 0xff);
    const I fourth = cut[2] & 0xffffff;

    // The products, exactly but for the last: p0 + p1 + e1 + p2 + e2 + p3. The first one is
    // wanted modulo 4, which is 24 bits.
    const I whole = (bits & 0x7fffff) | 0x800000;
    const F m = to_floats(whole);
    const F p0 = to_floats((whole * first) << 8) * 0x1p-30f;
    const F c1 = to_floats(second) * 0x1p-46f;
    const F c2 = to_floats(third) * 0x1p-70f;
    const F p1 = m * c1;
    const F e1 = fma(m, c1, -p1);
    const F p2 = m * c2;
    const F e2 = fma(m, c2, -p2);
    const F p3 = m * (to_floats(fourth) * 0x1p-94f);

    const F magic = fill<F>(0x1.8p23f);
    const F shifted = (p0 + p1) + magic;
    const F rest = p0 - (shifted - magic);  // exact
    // The larger terms can cancel, so their sums are exact.
    F error, error2, low;
    const F top = exact_sum(rest, p1, error);
    const F next = exact_sum(e1, p2, error2);
    const F turns = exact_sum(top, error + next, low);  // error is 0 if top is small
    low += error2 + (e2 + p3);

    // From quarter turns to radians; a - a is NaN for inf.
    const F high = turns * 0x1.921fb6p0f + (a - a);
    F tail = fma(turns, fill<F>(0x1.921fb6p0f), -high);
    tail = fma(turns, fill<F>(-0x1.777a5cp-25f), tail);
    tail = fma(low, fill<F>(0x1.921fb6p0f), tail);
    const F r = high + tail;
    return {r, (high - r) + tail, bits_of(shifted)};
}

// Large arguments are rare and cost five times as much as all else: the branch saves that time. It
// does not change results, as each lane takes what belongs to its own magnitude.
template <class F>
[[gnu::always_inline]] inline QuarterTurn<F> quarter_turn(F a) {
    QuarterTurn<F> turn = near_turn(a);
    const auto large = a >= 0x1p18f;
    if (any(large)) [[unlikely]] {
        const QuarterTurn<F> far = far_turn(a);
        turn.r = large ? far.r : turn.r;
        turn.low = large ? far.low : turn.low;
        turn.quadrant = large ? far.quadrant : turn.quadrant;
    }
    return turn;
}

// The sine of `turn` and `shift` quarter turns more.
template <class F>
[[gnu::always_inline]] inline F sine_of(QuarterTurn<F> turn, int shift) {
    const F r = turn.r;
    const F z = r * r;
    F s = fma(z, fill<F>(-0x1.9915bcp-13f), fill<F>(0x1.1106bap-7f));
    s = fma(s, z, fill<F>(-0x1.555544p-3f));
    s = r + fma(s, r * z, turn.low);
    F c = fma(z, fill<F>(0x1.999116p-16f), fill<F>(-0x1.6c0af4p-10f));
    c = fma(c, z, fill<F>(0x1.555548p-5f));
    c = fma(c, z, fill<F>(-0.5f));
    // What rounding left out of r^2 / 2.
    const F tail = fma(fma(r, r, -z), fill<F>(-0.5f), -(r * turn.low));
    c = 1.0f + fma(c, z, tail);
    const Ints<F> quadrant = turn.quadrant + shift;
    const F result = (quadrant << 31) < 0 ? c : s;
    return float_of(bits_of(result) ^ ((quadrant << 30) & (-0x7fffffff - 1)));
}

template <class F>
[[gnu::always_inline]] inline F sinf(F x) {
    const F s = sine_of(quarter_turn(fabsf(x)), 0);
    return float_of(bits_of(s) ^ (bits_of(x) & (-0x7fffffff - 1)));
}

template <class F>
[[gnu::always_inline]] inline F cosf(F x) {
    return sine_of(quarter_turn(fabsf(x)), 1);
}

template <class F>
[[gnu::always_inline]] inline F tanf(F x) {
    const QuarterTurn<F> turn = quarter_turn(fabsf(x));
    const F r = turn.r;
    const F z = r * r;
    const F z_low = fma(r, r, -z);
    F t = fill<F>(0x1.2b78f8p-8f);
    t = fma(t, z, fill<F>(-0x1.38f33ep-12f));
    t = fma(t, z, fill<F>(0x1.6cfb4cp-7f));
    t = fma(t, z, fill<F>(0x1.5accdep-6f));
    t = fma(t, z, fill<F>(0x1.bb09fp-5f));
    t = fma(t, z, fill<F>(0x1.110c8ep-3f));
    t = fma(t, z, fill<F>(0x1.555564p-2f));
    // The tangent is high + low, to more than f32. turn.low counts times the tangent's slope,
    // 1 + tan^2, for which 1 + 1.5 z is near enough; and the rounding error of z about r / 2 times.
    const F slope = fma(z, fill<F>(1.5f), fill<F>(1.0f));
    t = fma(t, r * z, fma(z_low, r * 0.5f, turn.low * slope));
    const F high = r + t;
    const F low = (r - high) + t;
    // In odd quadrants -1 / tangent: a quotient, made better by one step of Newton's.
    const F q = -1.0f / high;
    const F wrong = fma(q, low, fma(q, high, fill<F>(1.0f)));
    const F turned = fma(q, wrong, q);
    const F result = (turn.quadrant << 31) < 0 ? turned : high;
    return float_of(bits_of(result) ^ (bits_of(x) & (-0x7fffffff - 1)));
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_TRIG_H
