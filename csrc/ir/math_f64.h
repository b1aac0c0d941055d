// Math of f64: the C library's, lane by lane. Embedded in emitted kernels as scalar.h is.
#ifndef MYTRITON_IR_MATH_F64_H
#define MYTRITON_IR_MATH_F64_H

namespace mytriton::rows {

// Rows call functions by C's names for f32; these overloads stand in front of the templates that
// serve f32.
#define MYTRITON_UNARY(name, builtin)                                  \
    template <class D>                                                 \
        requires kIsDouble<D>                                          \
    [[gnu::always_inline]] inline D name(D a) {                        \
        return lanewise([](double lane) { return builtin(lane); }, a); \
    }
#define MYTRITON_BINARY(name, builtin)                                           \
    template <class D>                                                           \
        requires kIsDouble<D>                                                    \
    [[gnu::always_inline]] inline D name(D a, D b) {                             \
        return lanewise([](double x, double y) { return builtin(x, y); }, a, b); \
    }
MYTRITON_UNARY(expf, __builtin_exp)
MYTRITON_UNARY(exp2f, __builtin_exp2)
MYTRITON_UNARY(expm1f, __builtin_expm1)
MYTRITON_UNARY(logf, __builtin_log)
MYTRITON_UNARY(log2f, __builtin_log2)
MYTRITON_UNARY(log10f, __builtin_log10)
MYTRITON_UNARY(log1pf, __builtin_log1p)
MYTRITON_UNARY(sinf, __builtin_sin)
MYTRITON_UNARY(cosf, __builtin_cos)
MYTRITON_UNARY(tanf, __builtin_tan)
MYTRITON_UNARY(asinf, __builtin_asin)
MYTRITON_UNARY(acosf, __builtin_acos)
MYTRITON_UNARY(atanf, __builtin_atan)
MYTRITON_UNARY(sinhf, __builtin_sinh)
MYTRITON_UNARY(coshf, __builtin_cosh)
MYTRITON_UNARY(tanhf, __builtin_tanh)
MYTRITON_UNARY(erff, __builtin_erf)
MYTRITON_UNARY(erfcf, __builtin_erfc)
MYTRITON_BINARY(powf, __builtin_pow)
MYTRITON_BINARY(atan2f, __builtin_atan2)
#undef MYTRITON_UNARY
#undef MYTRITON_BINARY

// lgamma itself writes a global variable. clang++ has no builtin of this one.
extern "C" double lgamma_r(double a, int* sign) noexcept;

template <class D>
    requires kIsDouble<D>
[[gnu::always_inline]] inline D lgammaf(D a) {
    return lanewise(
        [](double lane) {
            int sign = 0;
            return lgamma_r(lane, &sign);
        },
        a);
}

// exp(-|a|) cannot overflow, so that very negative arguments keep their small results.
template <class D>
    requires kIsDouble<D>
[[gnu::always_inline]] inline D sigmoidf(D a) {
    const D one = fill<D>(1.0);
    const D small = expf(D(-fabsf(a)));
    return (a < 0.0 ? small : one) / (one + small);
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_MATH_F64_H
