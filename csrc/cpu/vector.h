// Vectors for emitted host kernels: types, and overloads of ir/scalar.h's functions of floats.
//
// The text follows scalar.h's in every emitted kernel, and needs nothing else. A bool is an i32v
// lane that is 0 or -1; f16 and bf16 are u16v. It is written with the vector extensions of g++ and
// clang++. What these have no name for is a builtin for x86, and else a loop over lanes, which
// compilers may or may not turn into single instructions.
#ifndef MYTRITON_CPU_VECTOR_H
#define MYTRITON_CPU_VECTOR_H

// Everything is inlined, so it does not matter how a vector that is wider than a register is
// passed.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mytriton::rows {

#if defined(__AVX512F__)
constexpr int kRegisterBytes = 64;
#elif defined(__AVX__)
constexpr int kRegisterBytes = 32;
#else
constexpr int kRegisterBytes = 16;
#endif

// Lanes of a vector: those that fill a register in 32 bits or, in a kernel that computes in f64, in
// 64 bits. The emitter defines MYTRITON_F64 for the latter.
#if defined(MYTRITON_F64)
constexpr int kLanes = kRegisterBytes / 8;
#else
constexpr int kLanes = kRegisterBytes / 4;
#endif

typedef float f32v __attribute__((vector_size(4 * kLanes)));
typedef double f64v __attribute__((vector_size(8 * kLanes)));
typedef signed char i8v __attribute__((vector_size(kLanes)));
typedef short i16v __attribute__((vector_size(2 * kLanes)));
typedef int i32v __attribute__((vector_size(4 * kLanes)));
typedef long long i64v __attribute__((vector_size(8 * kLanes)));
typedef unsigned char u8v __attribute__((vector_size(kLanes)));
typedef unsigned short u16v __attribute__((vector_size(2 * kLanes)));
typedef unsigned u32v __attribute__((vector_size(4 * kLanes)));
typedef unsigned long long u64v __attribute__((vector_size(8 * kLanes)));
typedef long longv __attribute__((vector_size(8 * kLanes)));  // g++ compares f64v as this
typedef char charv __attribute__((vector_size(kLanes)));      // clang++ compares i8v as this

// What belongs to a vector: its elements, the mask that its comparisons give, the same ints without
// a sign.
template <class V>
struct VectorOf;
#define MYTRITON_VECTOR(V, T, M, U) \
    template <>                     \
    struct VectorOf<V> {            \
        using element = T;          \
        using mask = M;             \
        using without_sign = U;     \
    };
MYTRITON_VECTOR(f32v, float, i32v, f32v)
MYTRITON_VECTOR(f64v, double, i64v, f64v)
MYTRITON_VECTOR(i8v, signed char, i8v, u8v)
MYTRITON_VECTOR(i16v, short, i16v, u16v)
MYTRITON_VECTOR(i32v, int, i32v, u32v)
MYTRITON_VECTOR(i64v, long long, i64v, u64v)
MYTRITON_VECTOR(u8v, unsigned char, i8v, u8v)
MYTRITON_VECTOR(u16v, unsigned short, i16v, u16v)
MYTRITON_VECTOR(u32v, unsigned, i32v, u32v)
MYTRITON_VECTOR(u64v, unsigned long long, i64v, u64v)
MYTRITON_VECTOR(longv, long, i64v, u64v)
MYTRITON_VECTOR(charv, char, i8v, u8v)
#undef MYTRITON_VECTOR

template <class V>
using Element = typename VectorOf<V>::element;
template <class V>
using Mask = typename VectorOf<V>::mask;
template <class V>
using WithoutSign = typename VectorOf<V>::without_sign;
template <class V>
concept Vector = requires { typename VectorOf<V>::element; };

template <>
struct IntsOf<f32v> {
    using type = i32v;
};
template <>
struct IntsOf<f64v> {
    using type = i64v;
};
template <>
inline constexpr bool kIsDouble<f64v> = true;

// Constants. Subtracting a zero keeps -0 and NaN, where adding it would not keep -0.

template <Vector V>
[[gnu::always_inline]] inline V splat(Element<V> a) {
    return a - V{};
}

[[gnu::always_inline]] inline i32v splat_bool(bool a) {
    return splat<i32v>(-int(a));
}

[[gnu::always_inline]] inline i32v iota() {
    i32v r;
    for (int k = 0; k < kLanes; ++k) r[k] = k;
    return r;
}

// Ints of one width as ints of another, in steps of a factor 2: g++ converts lane by lane what is
// further apart.
template <Vector To, Vector From>
[[gnu::always_inline]] inline To resize(From a) {
    constexpr bool kUnsigned = Element<From>(-1) > 0;
    if constexpr (sizeof(To) == sizeof(From)) {
        return (To)a;
    } else if constexpr (sizeof(To) > 2 * sizeof(From)) {
        if constexpr (sizeof(From) == sizeof(i8v) && kUnsigned)
            return resize<To>(__builtin_convertvector(a, u16v));
        else if constexpr (sizeof(From) == sizeof(i8v))
            return resize<To>(__builtin_convertvector(a, i16v));
        else if constexpr (kUnsigned)
            return resize<To>(__builtin_convertvector(a, u32v));
        else
            return resize<To>(__builtin_convertvector(a, i32v));
    } else if constexpr (2 * sizeof(To) < sizeof(From)) {
        if constexpr (sizeof(From) == sizeof(i64v))
            return resize<To>(__builtin_convertvector(a, u32v));
        else
            return resize<To>(__builtin_convertvector(a, u16v));
    } else {
        return __builtin_convertvector(a, To);
    }
}

// Masks: a comparison gives one as wide as what it compares, a bool is an i32v.

template <Vector M>
[[gnu::always_inline]] inline i32v to_mask(M mask) {
    return resize<i32v>(mask);
}

template <Vector V>
[[gnu::always_inline]] inline Mask<V> mask_of(i32v mask) {
    return resize<Mask<V>>(mask);
}

// Overloads of scalar.h's functions.

template <Vector F>
[[gnu::always_inline]] inline Ints<F> bits_of(F a) {
    return __builtin_bit_cast(Ints<F>, a);
}

[[gnu::always_inline]] inline f32v float_of(i32v a) {
    return __builtin_bit_cast(f32v, a);
}

[[gnu::always_inline]] inline f64v float_of(i64v a) {
    return __builtin_bit_cast(f64v, a);
}

template <Vector F>
[[gnu::always_inline]] inline Mask<F> isnan(F a) {
    return a != a;
}

template <Vector F, class Function>
[[gnu::always_inline]] inline F each_lane(Function function, F a) {
    F r;
    for (int k = 0; k < kLanes; ++k) r[k] = function(a[k]);
    return r;
}

template <Vector V, class Function>
[[gnu::always_inline]] inline V each_lane(Function function, V a, V b) {
    V r;
    for (int k = 0; k < kLanes; ++k) r[k] = function(a[k], b[k]);
    return r;
}

template <class Function>
[[gnu::always_inline]] inline f64v lanewise(Function function, f64v a) {
    return each_lane(function, a);
}

template <class Function>
[[gnu::always_inline]] inline f64v lanewise(Function function, f64v a, f64v b) {
    return each_lane(function, a, b);
}

// What one instruction of x86 does. For a vector that fills no register, or more than one, the
// templates below loop over lanes.
typedef float f32x4 __attribute__((vector_size(16)));
typedef double f64x2 __attribute__((vector_size(16)));
#if defined(__AVX__)
typedef float f32x8 __attribute__((vector_size(32)));
typedef double f64x4 __attribute__((vector_size(32)));
#endif

template <Vector F>
[[gnu::always_inline]] inline F fma(F a, F b, F c) {
    F r;
    for (int k = 0; k < kLanes; ++k) r[k] = fma(a[k], b[k], c[k]);
    return r;
}

template <Vector F>
[[gnu::always_inline]] inline F sqrtf(F a) {
    return each_lane([](Element<F> lane) { return sqrtf(lane); }, a);
}

// Rounding to whole numbers. The immediate of roundps: 0 nearest, ties to even; 1 down; 2 up; 3
// towards zero; 8 raises no flag.
template <int mode, Vector F>
[[gnu::always_inline]] inline F round_to(F a) {
    return each_lane(
        [](Element<F> lane) {
            return mode == 8    ? rintf(lane)
                   : mode == 9  ? floorf(lane)
                   : mode == 10 ? ceilf(lane)
                                : truncf(lane);
        },
        a);
}

#if defined(__FMA__)
[[gnu::always_inline]] inline f32x4 fma(f32x4 a, f32x4 b, f32x4 c) {
    return __builtin_ia32_vfmaddps(a, b, c);
}
[[gnu::always_inline]] inline f64x2 fma(f64x2 a, f64x2 b, f64x2 c) {
    return __builtin_ia32_vfmaddpd(a, b, c);
}
[[gnu::always_inline]] inline f32x8 fma(f32x8 a, f32x8 b, f32x8 c) {
    return __builtin_ia32_vfmaddps256(a, b, c);
}
[[gnu::always_inline]] inline f64x4 fma(f64x4 a, f64x4 b, f64x4 c) {
    return __builtin_ia32_vfmaddpd256(a, b, c);
}
#endif
#if defined(__SSE2__)
[[gnu::always_inline]] inline f32x4 sqrtf(f32x4 a) {
    return __builtin_ia32_sqrtps(a);
}
[[gnu::always_inline]] inline f64x2 sqrtf(f64x2 a) {
    return __builtin_ia32_sqrtpd(a);
}
#endif
#if defined(__SSE4_1__)
template <int mode>
[[gnu::always_inline]] inline f32x4 round_to(f32x4 a) {
    return __builtin_ia32_roundps(a, mode);
}
template <int mode>
[[gnu::always_inline]] inline f64x2 round_to(f64x2 a) {
    return __builtin_ia32_roundpd(a, mode);
}
#endif
#if defined(__AVX__)
[[gnu::always_inline]] inline f32x8 sqrtf(f32x8 a) {
    return __builtin_ia32_sqrtps256(a);
}
[[gnu::always_inline]] inline f64x4 sqrtf(f64x4 a) {
    return __builtin_ia32_sqrtpd256(a);
}
template <int mode>
[[gnu::always_inline]] inline f32x8 round_to(f32x8 a) {
    return __builtin_ia32_roundps256(a, mode);
}
template <int mode>
[[gnu::always_inline]] inline f64x4 round_to(f64x4 a) {
    return __builtin_ia32_roundpd256(a, mode);
}
#endif
#if defined(__AVX512F__)
typedef float f32x16 __attribute__((vector_size(64)));
typedef double f64x8 __attribute__((vector_size(64)));
constexpr unsigned short kAllLanes = 0xffff;
constexpr int kRoundAsSet = 4;
[[gnu::always_inline]] inline f32x16 fma(f32x16 a, f32x16 b, f32x16 c) {
    return __builtin_ia32_vfmaddps512_mask(a, b, c, kAllLanes, kRoundAsSet);
}
[[gnu::always_inline]] inline f64x8 fma(f64x8 a, f64x8 b, f64x8 c) {
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, 0xff, kRoundAsSet);
}
[[gnu::always_inline]] inline f32x16 sqrtf(f32x16 a) {
    return __builtin_ia32_sqrtps512_mask(a, a, kAllLanes, kRoundAsSet);
}
[[gnu::always_inline]] inline f64x8 sqrtf(f64x8 a) {
    return __builtin_ia32_sqrtpd512_mask(a, a, 0xff, kRoundAsSet);
}
template <int mode>
[[gnu::always_inline]] inline f32x16 round_to(f32x16 a) {
    return __builtin_ia32_rndscaleps_mask(a, mode, a, kAllLanes, kRoundAsSet);
}
template <int mode>
[[gnu::always_inline]] inline f64x8 round_to(f64x8 a) {
    return __builtin_ia32_rndscalepd_mask(a, mode, a, 0xff, kRoundAsSet);
}
#endif

template <Vector F>
[[gnu::always_inline]] inline F rintf(F a) {
    return round_to<8>(a);
}

template <Vector F>
[[gnu::always_inline]] inline F floorf(F a) {
    return round_to<9>(a);
}

template <Vector F>
[[gnu::always_inline]] inline F ceilf(F a) {
    return round_to<10>(a);
}

template <Vector F>
[[gnu::always_inline]] inline F truncf(F a) {
    return round_to<11>(a);
}

template <Vector F>
[[gnu::always_inline]] inline F fmodf(F a, F b) {
    return each_lane([](Element<F> x, Element<F> y) { return fmodf(x, y); }, a, b);
}

template <Vector F>
constexpr Element<Ints<F>> kSignBit = Element<Ints<F>>(1ull << (8 * sizeof(Element<F>) - 1));

template <Vector F>
[[gnu::always_inline]] inline F fabsf(F a) {
    return float_of(bits_of(a) & ~kSignBit<F>);
}

template <Vector F>
[[gnu::always_inline]] inline F copysignf(F a, F b) {
    return float_of((bits_of(a) & ~kSignBit<F>) | (bits_of(b) & kSignBit<F>));
}

[[gnu::always_inline]] inline f32v bounded(f32v a, f32v low, f32v high) {
#if defined(__AVX__) && !defined(__AVX512F__) && !defined(MYTRITON_F64)
    // These give their second operand if one is a NaN. g++ knows that, but does not use them for
    // what is below when a bound is constant, which costs exp a fifth of its speed.
    return __builtin_ia32_minps256(high, __builtin_ia32_maxps256(low, a));
#else
    a = low > a ? low : a;
    return high < a ? high : a;
#endif
}

[[gnu::always_inline]] inline bool any(i32v mask) {
#if defined(__AVX__) && !defined(__AVX512F__) && !defined(MYTRITON_F64)
    return __builtin_ia32_movmskps256(float_of(mask)) != 0;
#else
    int r = 0;
    for (int k = 0; k < kLanes; ++k) r |= mask[k];
    return r != 0;
#endif
}

[[gnu::always_inline]] inline i32v to_ints(f32v a) {
    return __builtin_convertvector(a, i32v);
}

[[gnu::always_inline]] inline f32v to_floats(i32v a) {
    return __builtin_convertvector(a, f32v);
}

[[gnu::always_inline]] inline f64v to_doubles(f32v a) {
    return __builtin_convertvector(a, f64v);
}

[[gnu::always_inline]] inline f32v to_floats(f64v a) {
    return __builtin_convertvector(a, f32v);
}

}  // namespace mytriton::rows

#endif  // MYTRITON_CPU_VECTOR_H
