// erf and erfc, as templates on float or a vector of floats. Follows math_exp.h.
//
// The constants are printed by tools/fit_erf.py.
#ifndef MYTRITON_IR_MATH_ERF_H
#define MYTRITON_IR_MATH_ERF_H

namespace mytriton::rows {

// erf(x) = x + x A(x^2) below 1, and 1 - B(x)^4 beyond, B(x) being the fourth root of erfc(x): a
// smooth function, which takes a lower degree than erfc(x). At most 1.5 ulp off.
template <class F>
[[gnu::always_inline]] inline F erff(F x) {
    // Beyond 3.92 the result is 1 to f32.
    const F a = bounded(fabsf(x), fill<F>(0.0f), fill<F>(3.93f));
    // In pairs: chains of fma would take longer than all else.
    const F z = a * a;
    const F zz = z * z;
    const F n1 = fma(fill<F>(0x1.ce2ce6p-4f), z, fill<F>(-0x1.81273ep-2f));
    const F n3 = fma(fill<F>(0x1.53f224p-8f), z, fill<F>(-0x1.b7f71ap-6f));
    const F n5 = fma(fill<F>(0x1.4771fcp-14f), z, fill<F>(-0x1.a3515ep-11f));
    F near = fma(fma(fma(n5, zz, n3), zz, n1), z, fill<F>(0x1.06eba8p-3f));
    near = fma(near, a, a);

    const F f2 = fma(fill<F>(0x1.7da248p-6f), a, fill<F>(-0x1.f9d54ep-4f));
    const F f4 = fma(fill<F>(0x1.a8cf4ap-8f), a, fill<F>(0x1.2b23aap-7f));
    const F f6 = fma(fill<F>(0x1.cc0fd4p-10f), a, fill<F>(-0x1.948fbap-8f));
    const F f8 = fma(fill<F>(0x1.801218p-17f), a, fill<F>(-0x1.da5ec8p-13f));
    F far = fma(fma(fma(f8, z, f6), z, f4), z, f2);
    far = fma(far, a, fill<F>(-0x1.1f9504p-2f));
    far = fma(far, a, fill<F>(0x1.ffea5p-1f));
    far *= far;
    far = fma(-far, far, fill<F>(1.0f));
    return copysignf(a < 1.0f ? near : far, x);
}

// 1 - erf(x) up to 0.47. Beyond, exp(-x^2) q S(q - 127/512) with q = 1 / (|x| + 2), or 2 minus
// that. At most 1.95 ulp off, denormal results included.
template <class F>
[[gnu::always_inline]] inline F erfcf(F x) {
    // Beyond 10.06 the result is 0 to f32; at the bound exp multiplies by zeros, which is faster
    // than a product that underflows.
    const F a = bounded(fabsf(x), fill<F>(0.0f), fill<F>(13.26f));
    const F z = a * a;
    F near = fill<F>(0x1.35ea54p-8f);
    near = fma(near, z, fill<F>(-0x1.b67054p-6f));
    near = fma(near, z, fill<F>(0x1.ce2518p-4f));
    near = fma(near, z, fill<F>(-0x1.812732p-2f));
    near = fma(near, z, fill<F>(0x1.06eba8p-3f));
    near = 1.0f - fma(near, x, x);

    // q and what its rounding, and that of |x| + 2, lost.
    const F d = a + 2.0f;
    const F d_low = a - (d - 2.0f);
    const F q = 1.0f / d;
    const F q_low = q * fma(-q, d_low, fma(-q, d, fill<F>(1.0f)));
    const F t = (q - 0x1.fcp-3f) + q_low;
    F s = fill<F>(-0x1.ba83ap4f);
    s = fma(s, t, fill<F>(-0x1.1bd042p5f));
    s = fma(s, t, fill<F>(0x1.df6282p3f));
    s = fma(s, t, fill<F>(0x1.8a9dbp3f));
    s = fma(s, t, fill<F>(-0x1.b28c32p2f));
    s = fma(s, t, fill<F>(-0x1.5c305ap2f));
    s = fma(s, t, fill<F>(0x1.30034ap1f));
    s = fma(s, t, fill<F>(0x1.1d4bfap2f));
    s = fma(s, t, fill<F>(0x1.5d980cp1f));
    const F first = fill<F>(0x1.0427bcp0f);
    const F sum = fma(s, t, first);
    const F sum_low = fma(s, t, first - sum);  // the difference is exact
    const F factor = q * sum;
    const F factor_low = fma(q_low, sum, fma(q, sum_low, fma(q, sum, -factor)));

    // exp(-x^2) = 2^n (1 + r_high + u), from both parts of the square.
    const F z_low = fma(a, a, -z);
    const F shifted = fma(z, fill<F>(-0x1.715476p0f), fill<F>(kExpMagic));
    const F n = shifted - kExpMagic;
    const F r_high = fma(n, fill<F>(-0x1.62e43p-1f), -z);  // exact
    const F r_low = fma(n, fill<F>(0x1.05c61p-29f), -z_low);
    const F r = r_high + r_low;
    F u = fill<F>(0x1.6a3d04p-10f);
    u = fma(u, r, fill<F>(0x1.123856p-7f));
    u = fma(u, r, fill<F>(0x1.5558bep-5f));
    u = fma(u, r, fill<F>(0x1.555494p-3f));
    u = fma(u, r, fill<F>(0x1.fffffcp-2f));
    u = fma(u, r * r, r_low);

    const F product = factor + fma(factor, r_high, fma(factor, u, fma(factor_low, r, factor_low)));
    const F far = scale_by_power_of_2(product, shifted);
    return a < 0.47f ? near : (x < 0.0f ? 2.0f - far : far);
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_ERF_H
