// What a row's scalar expression may call, for the folder, the evaluator and emitted host kernels.
//
// This file is used twice: the core library includes it, and its text opens every emitted host
// kernel. Hence no #include, no #pragma once, and everything always inlined: a kernel must not
// export a symbol that could be taken for the core's, which is compiled with other flags.
//
// The contract: a function gives the same bits here, in its vector overload (cpu/vector.h) and on
// every host, NaN payloads apart. So every fma is spelled out, and -ffp-contract=off is required.
// Nothing traps, and no argument is undefined behaviour. Functions whose result is not fixed to the
// bit are templates over scalars and vectors, in the math_*.h that follow vector.h.
#ifndef MYTRITON_IR_SCALAR_H
#define MYTRITON_IR_SCALAR_H

namespace mytriton::rows {

// Floats of 16 bits are held as their bits.
typedef unsigned short f16;
typedef unsigned short bf16;

// Types that correspond, also for the vectors that vector.h adds: the ints as wide as a float, and
// an int type without its sign.
template <class F>
struct IntsOf;
template <>
struct IntsOf<float> {
    using type = int;
};
template <>
struct IntsOf<double> {
    using type = long long;
};
template <class F>
using Ints = typename IntsOf<F>::type;

template <class T>
struct UnsignedOf {
    using type = T;
};
template <>
struct UnsignedOf<signed char> {
    using type = unsigned char;
};
template <>
struct UnsignedOf<short> {
    using type = unsigned short;
};
template <>
struct UnsignedOf<int> {
    using type = unsigned;
};
template <>
struct UnsignedOf<long long> {
    using type = unsigned long long;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::type;

// Bit casts.

[[gnu::always_inline]] constexpr int bits_of(float a) {
    return __builtin_bit_cast(int, a);
}

[[gnu::always_inline]] constexpr long long bits_of(double a) {
    return __builtin_bit_cast(long long, a);
}

[[gnu::always_inline]] constexpr float float_of(int a) {
    return __builtin_bit_cast(float, a);
}

[[gnu::always_inline]] constexpr double float_of(long long a) {
    return __builtin_bit_cast(double, a);
}

// CUDA's names for float_of, so that literals print the same for both backends.
[[gnu::always_inline]] constexpr float __int_as_float(int a) {
    return float_of(a);
}

[[gnu::always_inline]] constexpr double __longlong_as_double(long long a) {
    return float_of(a);
}

// All lanes of F (a scalar, or a vector) are `a`. Subtracting zero keeps -0 and NaN.
template <class F, class T>
[[gnu::always_inline]] constexpr F fill(T a) {
    return a - F{};
}

template <class F>
[[gnu::always_inline]] constexpr Ints<F> fill_ints(int a) {
    return a - Ints<F>{};
}

// Float operations that are correctly rounded or exact.

[[gnu::always_inline]] constexpr bool isnan(float a) {
    return a != a;
}

[[gnu::always_inline]] constexpr bool isnan(double a) {
    return a != a;
}

[[gnu::always_inline]] inline float fma(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}

[[gnu::always_inline]] inline double fma(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

[[gnu::always_inline]] inline float sqrtf(float a) {
    return __builtin_sqrtf(a);
}

[[gnu::always_inline]] inline double sqrtf(double a) {
    return __builtin_sqrt(a);
}

[[gnu::always_inline]] inline float floorf(float a) {
    return __builtin_floorf(a);
}

[[gnu::always_inline]] inline double floorf(double a) {
    return __builtin_floor(a);
}

[[gnu::always_inline]] inline float ceilf(float a) {
    return __builtin_ceilf(a);
}

[[gnu::always_inline]] inline double ceilf(double a) {
    return __builtin_ceil(a);
}

[[gnu::always_inline]] inline float truncf(float a) {
    return __builtin_truncf(a);
}

[[gnu::always_inline]] inline double truncf(double a) {
    return __builtin_trunc(a);
}

[[gnu::always_inline]] inline float rintf(float a) {
    return __builtin_rintf(a);
}

[[gnu::always_inline]] inline double rintf(double a) {
    return __builtin_rint(a);
}

[[gnu::always_inline]] inline float fmodf(float a, float b) {
    return __builtin_fmodf(a, b);
}

[[gnu::always_inline]] inline double fmodf(double a, double b) {
    return __builtin_fmod(a, b);
}

[[gnu::always_inline]] constexpr float fabsf(float a) {
    return float_of(bits_of(a) & 0x7fffffff);
}

[[gnu::always_inline]] constexpr double fabsf(double a) {
    return float_of(bits_of(a) & 0x7fffffffffffffff);
}

[[gnu::always_inline]] constexpr float copysignf(float a, float b) {
    constexpr int kSign = -0x7fffffff - 1;
    return float_of((bits_of(a) & ~kSign) | (bits_of(b) & kSign));
}

[[gnu::always_inline]] constexpr double copysignf(double a, double b) {
    constexpr long long kSign = -0x7fffffffffffffff - 1;
    return float_of((bits_of(a) & ~kSign) | (bits_of(b) & kSign));
}

// `a`, but not beyond the bounds. A NaN fails both comparisons and passes.
[[gnu::always_inline]] constexpr float bounded(float a, float low, float high) {
    a = low > a ? low : a;
    return high < a ? high : a;
}

// Whether any lane is chosen.
[[gnu::always_inline]] constexpr bool any(bool mask) {
    return mask;
}

// Whole floats below 2^31 to ints, and ints to floats.

[[gnu::always_inline]] constexpr int to_ints(float a) {
    return int(a);
}

[[gnu::always_inline]] constexpr float to_floats(int a) {
    return float(a);
}

// f32 to f64, and rounded to nearest even back.

[[gnu::always_inline]] constexpr double to_doubles(float a) {
    return a;
}

[[gnu::always_inline]] constexpr float to_floats(double a) {
    return float(a);
}

// One f64 function for each lane of a double or a vector of them.
template <class T>
constexpr bool kIsDouble = false;
template <>
inline constexpr bool kIsDouble<double> = true;

template <class Function>
[[gnu::always_inline]] inline double lanewise(Function function, double a) {
    return function(a);
}

template <class Function>
[[gnu::always_inline]] inline double lanewise(Function function, double a, double b) {
    return function(a, b);
}

// Integer division: truncates as C does; x / 0 has all bits set, x % 0 is x, and MIN / -1 wraps to
// MIN. Types narrower than int are promoted, which changes nothing.

template <class T>
[[gnu::always_inline]] constexpr T idiv(T a, T b) {
    if (b == 0) return T(-1);
    return T(-1) < 0 && b == T(-1) ? T(Unsigned<T>(0) - Unsigned<T>(a)) : T(a / b);
}

template <class T>
[[gnu::always_inline]] constexpr T irem(T a, T b) {
    if (b == 0) return a;
    return T(-1) < 0 && b == T(-1) ? T(0) : T(a % b);
}

template <class T>
[[gnu::always_inline]] constexpr T iabs(T a) {
    return a < 0 ? T(Unsigned<T>(0) - Unsigned<T>(a)) : a;
}

// Shifts by a count that is taken as unsigned and may be too large.

template <class T>
[[gnu::always_inline]] constexpr T shl(T a, T b) {
    constexpr Unsigned<T> kBits = 8 * sizeof(T);
    return Unsigned<T>(b) < kBits ? T(Unsigned<T>(a) << b) : T(0);
}

template <class T>
[[gnu::always_inline]] constexpr T shr(T a, T b) {
    constexpr Unsigned<T> kBits = 8 * sizeof(T);
    if (Unsigned<T>(b) < kBits) return T(a >> b);
    return a < 0 ? T(-1) : T(0);
}

// Bits, of 32 or 64.

template <class T>
[[gnu::always_inline]] constexpr T umulhi(T a, T b) {
    if constexpr (sizeof(T) == 4)
        return T(((unsigned long long)(unsigned)a * (unsigned)b) >> 32);
    else
        return T(((unsigned __int128)(unsigned long long)a * (unsigned long long)b) >> 64);
}

template <class T>
[[gnu::always_inline]] constexpr int popc(T a) {
    return __builtin_popcountll(Unsigned<T>(a));
}

template <class T>
[[gnu::always_inline]] constexpr int clz(T a) {
    constexpr int kBits = 8 * sizeof(T);
    return a == 0 ? kBits : __builtin_clzll(Unsigned<T>(a)) - (64 - kBits);
}

// Conversions. To bool is != 0, so that a NaN is true. Float to int truncates and saturates, and a
// NaN gives 0. Others are C's: ints keep their low bits, floats round to nearest even.

template <class T>
[[gnu::always_inline]] constexpr bool to_bool(T a) {
    return a != 0;
}

template <class T>
[[gnu::always_inline]] constexpr T from_bool(bool a) {
    return T(a ? 1 : 0);
}

template <class T>
constexpr bool kIsFloat = false;
template <>
inline constexpr bool kIsFloat<float> = true;
template <>
inline constexpr bool kIsFloat<double> = true;

// The least int of a type, and the float just past its largest one. Both are floats exactly.
template <class T>
constexpr T kLeast = T(-1) < 0 ? T(Unsigned<T>(1) << (8 * sizeof(T) - 1)) : T(0);
template <class T>
constexpr double kPastLargest = T(-1) < 0 ? -double(kLeast<T>) : 2.0 * (T(-1) / 2 + T(1));

template <class To, class From>
[[gnu::always_inline]] constexpr To convert(From a) {
    if constexpr (kIsFloat<From> && !kIsFloat<To>) {
        if (isnan(a)) return 0;
        if (a >= From(kPastLargest<To>)) return To(~kLeast<To>);
        return a <= From(kLeast<To>) ? kLeast<To> : To(a);
    } else {
        return To(a);
    }
}

// f64 to f32 with another rounding: towards zero, and to odd (an inexact result gets its last bit
// set). What is rounded to odd may be rounded once more, to a format with at least two bits less,
// and is then as if it had been rounded once.

[[gnu::always_inline]] constexpr float f64_to_f32_rtz(double a) {
    float nearest = float(a);
    return fabsf(double(nearest)) > fabsf(a) ? float_of(bits_of(nearest) - 1) : nearest;
}

[[gnu::always_inline]] constexpr float f64_to_f32_odd(double a) {
    float truncated = f64_to_f32_rtz(a);
    return double(truncated) == a ? truncated : float_of(bits_of(truncated) | 1);
}

// f16: 5 bits of exponent, 10 of mantissa. bf16: the high half of an f32.

[[gnu::always_inline]] constexpr float f16_to_f32(f16 a) {
    // The exponent's bias changes by 112; a product with 2^112 does that for denormals too.
    const int magnitude = (a & 0x7fff) << 13;
    const int special = magnitude >= 0x7c00 << 13 ? 0x7f800000 : 0;
    const float scaled = float_of(magnitude) * 0x1p112f;
    return float_of((special ? (magnitude | special) : bits_of(scaled)) | (a & 0x8000) << 16);
}

[[gnu::always_inline]] constexpr float bf16_to_f32(bf16 a) {
    return float_of(a << 16);
}

[[gnu::always_inline]] constexpr f16 f32_to_f16(float a) {
    const unsigned sign = unsigned(bits_of(a)) >> 16 & 0x8000;
    const unsigned magnitude = bits_of(a) & 0x7fffffff;
    if (magnitude > 0x7f800000) return f16(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= 0x47800000) return f16(sign | 0x7c00);
    // Below 2^-14 results are denormal, that is multiples of 2^-24, and so are floats near 0.5.
    if (magnitude < 0x38800000)
        return f16(sign | unsigned(bits_of(float_of(int(magnitude)) + 0.5f) - bits_of(0.5f)));
    // Ties to even; a carry goes into the exponent, up to that of infinity.
    return f16(sign | (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

[[gnu::always_inline]] constexpr bf16 f32_to_bf16(float a) {
    const unsigned bits = unsigned(bits_of(a));
    if (isnan(a)) return bf16(bits >> 16 | 0x40);
    return bf16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

[[gnu::always_inline]] constexpr f16 f32_to_f16_rtz(float a) {
    const f16 nearest = f32_to_f16(a);
    return fabsf(f16_to_f32(nearest)) > fabsf(a) ? f16(nearest - 1) : nearest;
}

[[gnu::always_inline]] constexpr bf16 f32_to_bf16_rtz(float a) {
    return bf16(unsigned(bits_of(a)) >> 16 | (isnan(a) ? 0x40 : 0));
}

}  // namespace mytriton::rows

#endif  // MYTRITON_IR_SCALAR_H
