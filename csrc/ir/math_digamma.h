// The derivative of the logarithm of the gamma function, of f64 and with it of f32.
//
// f32 is computed in f64, as it needs the digits: between negative whole numbers there are zeros,
// which floats come close to. Follows math_f64.h, whose functions it calls.
#ifndef MYTRITON_IR_MATH_DIGAMMA_H
#define MYTRITON_IR_MATH_DIGAMMA_H

namespace mytriton::rows {

// Up to 10 the argument is raised by 10,
//
//     digamma(a) = digamma(a + 10) - 1 / (a + 9) - ... - 1 / (a + 1) - 1 / a,
//
// and from there on it is the asymptotic series, whose first term left out is below 2^-54,
//
//     digamma(y) = log y - 1 / (2 y) - 1 / (12 y^2) + 1 / (120 y^4) - ... - 1 / (12 y^14).
//
// For negative x it is digamma(1 + |x|) - pi / tan(pi x), which is digamma(|x|) without the term
// 1 / |x| of the sum. x is -0.0 where the 1 / x of the sum is -inf: that pole has a sign.
template <class D>
    requires kIsDouble<D>
[[gnu::always_inline]] inline D digammaf(D x) {
    const D zero = fill<D>(0.0);
    const D a = fabsf(x);
    const auto negative = x < 0.0;
    const auto near = a < 10.0;

    D sum = zero;
    for (int k = 9; k > 0; --k) sum += 1.0 / (a + double(k));
    sum = near ? sum : zero;
    const D first = negative ? (near ? zero : D(-1.0 / a)) : (near ? D(1.0 / x) : zero);

    const D y = near ? D(a + 10.0) : a;
    const D r = 1.0 / y;
    const D z = r * r;
    D p = fill<D>(-1.0 / 12);
    p = fma(p, z, fill<D>(691.0 / 32760));
    p = fma(p, z, fill<D>(-1.0 / 132));
    p = fma(p, z, fill<D>(1.0 / 240));
    p = fma(p, z, fill<D>(-1.0 / 252));
    p = fma(p, z, fill<D>(1.0 / 120));
    p = fma(p, z, fill<D>(-1.0 / 12));
    const D tail = fma(p, z, D(-0.5 * r));
    const D rising = ((logf(y) - sum) + tail) - first;

    // e is exact, and pi e has the same tangent as pi x.
    const D e = x - rintf(x);
    const D falling = rising - 3.14159265358979323846 / tanf(D(e * 3.14159265358979323846));
    const auto pole = negative & (x == rintf(x));
    return pole ? fill<D>(__builtin_nan("")) : negative ? falling : rising;
}

template <class F>
[[gnu::always_inline]] inline F digammaf(F x) {
    return to_floats(digammaf(to_doubles(x)));
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_DIGAMMA_H
