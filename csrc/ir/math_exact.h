// Float functions that are exact or correctly rounded, made of those in scalar.h and vector.h; F is
// a float, a double or a vector of either. Embedded in emitted kernels as scalar.h is.
#ifndef MYTRITON_IR_MATH_EXACT_H
#define MYTRITON_IR_MATH_EXACT_H

namespace mytriton::rows {

template <class F>
[[gnu::always_inline]] inline F fmaf(F a, F b, F c) {
    return fma(a, b, c);
}

// The nearest whole number, ties away from zero. a - truncf(a) is exact.
template <class F>
[[gnu::always_inline]] inline F roundf(F a) {
    const F whole = truncf(a);
    return fabsf(a - whole) >= 0.5f ? F(whole + copysignf(fill<F>(1.0f), a)) : whole;
}

template <class F>
[[gnu::always_inline]] constexpr auto isinf(F a) {
    return fabsf(a) == __builtin_inff();
}

template <class F>
[[gnu::always_inline]] constexpr auto isfinite(F a) {
    return fabsf(a) < __builtin_inff();
}

// Two roundings, so at most 1.5 ulp off.
template <class F>
[[gnu::always_inline]] inline F rsqrtf(F a) {
    return 1.0f / sqrtf(a);
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_EXACT_H
