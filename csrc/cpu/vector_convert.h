// Conversions of vectors for emitted host kernels: overloads of ir/scalar.h's.
//
// The text follows vector_int.h's in every emitted kernel.
#ifndef MYTRITON_CPU_VECTOR_CONVERT_H
#define MYTRITON_CPU_VECTOR_CONVERT_H

namespace mytriton::rows {

template <Vector V>
[[gnu::always_inline]] inline i32v to_bool(V a) {
    return to_mask(a != 0);
}

template <Vector To>
[[gnu::always_inline]] inline To from_bool(i32v a) {
    if constexpr (kIsFloat<Element<To>>)
        return __builtin_convertvector(a & 1, To);
    else
        return resize<To>(a & 1);
}

template <Vector To, Vector From>
[[gnu::always_inline]] inline To convert(From a) {
    constexpr bool kFromFloat = kIsFloat<Element<From>>, kToFloat = kIsFloat<Element<To>>;
    if constexpr (kFromFloat && !kToFloat) {
        // Out-of-range lanes are replaced first: what the hardware gives for them differs.
        using T = Element<To>;
        const From low = splat<From>(Element<From>(kLeast<T>));
        const auto fits = a < Element<From>(kPastLargest<T>);
        const From in_range = fits ? (a > low ? a : low) : From{};
        To r;
        if constexpr (sizeof(To) < sizeof(i32v))
            r = resize<To>(__builtin_convertvector(in_range, i32v));
        else
            r = __builtin_convertvector(in_range, To);
        const auto large = a >= Element<From>(kPastLargest<T>);
        return resize<Mask<To>>(large) ? splat<To>(~kLeast<T>) : r;
    } else if constexpr (kFromFloat || (kToFloat && sizeof(From) >= sizeof(i32v))) {
        return __builtin_convertvector(a, To);
    } else if constexpr (kToFloat) {
        return __builtin_convertvector(resize<i32v>(a), To);
    } else {
        return resize<To>(a);
    }
}

[[gnu::always_inline]] inline f32v f64_to_f32_rtz(f64v a) {
    f32v nearest = __builtin_convertvector(a, f32v);
    i32v away = to_mask(fabsf(__builtin_convertvector(nearest, f64v)) > fabsf(a));
    return float_of(bits_of(nearest) + away);
}

[[gnu::always_inline]] inline f32v f64_to_f32_odd(f64v a) {
    f32v truncated = f64_to_f32_rtz(a);
    i32v inexact = to_mask(__builtin_convertvector(truncated, f64v) != a);
    return float_of(bits_of(truncated) | (inexact & 1));
}

[[gnu::always_inline]] inline f32v bf16_to_f32(u16v a) {
    return float_of((i32v)(resize<u32v>(a) << 16));
}

[[gnu::always_inline]] inline u16v f32_to_bf16(f32v a) {
    const u32v bits = (u32v)bits_of(a);
    const u32v rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return resize<u16v>(isnan(a) ? (bits >> 16) | 0x40 : rounded);
}

[[gnu::always_inline]] inline u16v f32_to_bf16_rtz(f32v a) {
    return resize<u16v>((u32v)bits_of(a) >> 16 | ((u32v)isnan(a) & 0x40));
}

#if defined(__F16C__)
typedef short i16x8 __attribute__((vector_size(16)));

[[gnu::always_inline]] inline f32v f16_to_f32(u16v a) {
#if defined(__AVX512F__) && !defined(MYTRITON_F64)
    return __builtin_ia32_vcvtph2ps512_mask((i16v)a, f32v{}, kAllLanes, kRoundAsSet);
#else
    i16x8 lanes{};
    __builtin_memcpy(&lanes, &a, sizeof a);
    f32v r;
    if constexpr (kLanes == 8) {
        const auto wide = __builtin_ia32_vcvtph2ps256(lanes);
        __builtin_memcpy(&r, &wide, sizeof r);
    } else {
        const auto wide = __builtin_ia32_vcvtph2ps(lanes);
        __builtin_memcpy(&r, &wide, sizeof r);
    }
    return r;
#endif
}

// `mode` as in round_to, without the flag.
template <int mode>
[[gnu::always_inline]] inline u16v f32_to_f16_by(f32v a) {
#if defined(__AVX512F__) && !defined(MYTRITON_F64)
    return (u16v)__builtin_ia32_vcvtps2ph512_mask(a, mode, i16v{}, kAllLanes);
#else
    u16v r;
    if constexpr (kLanes == 8) {
        f32x8 lanes;
        __builtin_memcpy(&lanes, &a, sizeof lanes);
        const auto narrow = __builtin_ia32_vcvtps2ph256(lanes, mode);
        __builtin_memcpy(&r, &narrow, sizeof r);
    } else {
        f32x4 lanes;
        __builtin_memcpy(&lanes, &a, sizeof lanes);
        const auto narrow = __builtin_ia32_vcvtps2ph(lanes, mode);
        __builtin_memcpy(&r, &narrow, sizeof r);
    }
    return r;
#endif
}

[[gnu::always_inline]] inline u16v f32_to_f16(f32v a) {
    return f32_to_f16_by<0>(a);
}

[[gnu::always_inline]] inline u16v f32_to_f16_rtz(f32v a) {
    return f32_to_f16_by<3>(a);
}
#else
[[gnu::always_inline]] inline f32v f16_to_f32(u16v a) {
    f32v r;
    for (int k = 0; k < kLanes; ++k) r[k] = f16_to_f32(a[k]);
    return r;
}

[[gnu::always_inline]] inline u16v f32_to_f16(f32v a) {
    u16v r;
    for (int k = 0; k < kLanes; ++k) r[k] = f32_to_f16(a[k]);
    return r;
}

[[gnu::always_inline]] inline u16v f32_to_f16_rtz(f32v a) {
    u16v r;
    for (int k = 0; k < kLanes; ++k) r[k] = f32_to_f16_rtz(a[k]);
    return r;
}
#endif

}  // namespace mytriton::rows

#endif  // MYTRITON_CPU_VECTOR_CONVERT_H
