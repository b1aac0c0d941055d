// Vectors for emitted host kernels: overloads of ir/scalar.h's functions, and access to memory.
//
// The text follows scalar.h's in every emitted kernel, and needs nothing else. A bool is an i32v
// lane that is 0 or -1. It is written with the vector extensions of g++ and clang++. What these
// have no name for is a builtin for x86, and else a loop over lanes, which compilers may or may
// not turn into single instructions.
#ifndef MYTRITON_CPU_VECTOR_H
#define MYTRITON_CPU_VECTOR_H

// Everything is inlined, so it does not matter how a vector that is wider than a register is
// passed.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace mytriton::rows {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

typedef float f32v __attribute__((vector_size(4 * kLanes)));
typedef int i32v __attribute__((vector_size(4 * kLanes)));
typedef long long i64v __attribute__((vector_size(8 * kLanes)));
typedef double f64v __attribute__((vector_size(8 * kLanes)));
typedef short i16v __attribute__((vector_size(2 * kLanes)));
typedef unsigned char u8v __attribute__((vector_size(kLanes)));

#if defined(__AVX512F__)
// Arguments of the builtins for AVX-512.
constexpr unsigned short kAllLanes = 0xffff;
constexpr int kRoundAsSet = 4;

[[gnu::always_inline]] inline unsigned short mask_bits(i32v mask) {
    constexpr int kNotEqual = 4;
    return __builtin_ia32_cmpd512_mask(mask, i32v{}, kNotEqual, kAllLanes);
}
#endif

// Constants. Subtracting a zero keeps -0 and NaN, where adding it would not keep -0.

[[gnu::always_inline]] inline f32v splat_f32(float a) {
    return a - f32v{};
}

[[gnu::always_inline]] inline i32v splat_i32(int a) {
    return a - i32v{};
}

[[gnu::always_inline]] inline i32v splat_bool(bool a) {
    return splat_i32(-int(a));
}

[[gnu::always_inline]] inline i64v splat_i64(long long a) {
    return a - i64v{};
}

[[gnu::always_inline]] inline i32v iota() {
    i32v r;
    for (int k = 0; k < kLanes; ++k) r[k] = k;
    return r;
}

[[gnu::always_inline]] inline i64v widen(i32v a) {
    return __builtin_convertvector(a, i64v);
}

// Overloads of scalar.h's functions.

[[gnu::always_inline]] inline i32v bits_of(f32v a) {
    return __builtin_bit_cast(i32v, a);
}

[[gnu::always_inline]] inline f32v float_of(i32v a) {
    return __builtin_bit_cast(f32v, a);
}

[[gnu::always_inline]] inline i32v isnan(f32v a) {
    return a != a;
}

[[gnu::always_inline]] inline f32v fma(f32v a, f32v b, f32v c) {
#if defined(__AVX512F__)
    return __builtin_ia32_vfmaddps512_mask(a, b, c, kAllLanes, kRoundAsSet);
#elif defined(__FMA__)
    return __builtin_ia32_vfmaddps256(a, b, c);
#else
    f32v r;
    for (int k = 0; k < kLanes; ++k) r[k] = __builtin_fmaf(a[k], b[k], c[k]);
    return r;
#endif
}

[[gnu::always_inline]] inline f32v bounded(f32v a, f32v low, f32v high) {
#if defined(__AVX__) && !defined(__AVX512F__)
    // These give their second operand if one is a NaN. g++ knows that, but does not use them for
    // what is below when a bound is constant, which costs exp a fifth of its speed.
    return __builtin_ia32_minps256(high, __builtin_ia32_maxps256(low, a));
#else
    a = low > a ? low : a;
    return high < a ? high : a;
#endif
}

[[gnu::always_inline]] inline f32v sqrtf(f32v a) {
    f32v r;
    for (int k = 0; k < kLanes; ++k) r[k] = __builtin_sqrtf(a[k]);
    return r;
}

[[gnu::always_inline]] inline f32v expf(f32v a) {
    return exp_f32<f32v, i32v, fma, bounded>(a);
}

// The divisor, with 1 in place of those that could trap. MIN / 1 is also what MIN / -1 shall be.
[[gnu::always_inline]] inline i32v safe_divisor(i32v a, i32v b) {
    return (b == 0) | ((b == -1) & (a == -0x7fffffff - 1)) ? splat_i32(1) : b;
}

// Through f64, as no target divides vectors of ints. The quotient of two ints that is not whole is
// at least 2^-31 of itself away from a whole number, so its rounding to 53 bits reaches none.
[[gnu::always_inline]] inline i32v divide(i32v a, i32v safe) {
    return __builtin_convertvector(
        __builtin_convertvector(a, f64v) / __builtin_convertvector(safe, f64v), i32v);
}

[[gnu::always_inline]] inline i32v idiv(i32v a, i32v b) {
    return b == 0 ? splat_i32(-1) : divide(a, safe_divisor(a, b));
}

[[gnu::always_inline]] inline i32v irem(i32v a, i32v b) {
    i32v safe = safe_divisor(a, b);
    return b == 0 ? a : a - divide(a, safe) * safe;
}

[[gnu::always_inline]] inline f32v i32_to_f32(i32v a) {
    return __builtin_convertvector(a, f32v);
}

[[gnu::always_inline]] inline f32v bool_to_f32(i32v a) {
    return float_of(a & bits_of(splat_f32(1.0f)));
}

[[gnu::always_inline]] inline i32v f32_to_i32(f32v a) {
    // Out-of-range lanes are replaced first: what the hardware gives for them differs.
    f32v low = splat_f32(-0x1p31f);
    f32v in_range = a < 0x1p31f ? (a > low ? a : low) : f32v{};
    i32v r = __builtin_convertvector(in_range, i32v);
    return a >= 0x1p31f ? splat_i32(0x7fffffff) : r;
}

[[gnu::always_inline]] inline i32v bool_to_i32(i32v a) {
    return a & 1;
}

[[gnu::always_inline]] inline i32v f32_to_bool(f32v a) {
    return a != 0.0f;
}

[[gnu::always_inline]] inline i32v i32_to_bool(i32v a) {
    return a != 0;
}

// Contiguous access, unaligned. In memory a bool is a byte: any but 0 reads as true, and 0 or 1 is
// written. The step through i16v is there for g++, which converts lane by lane without it.

[[gnu::always_inline]] inline f32v load_f32(const float* from) {
    f32v r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
}

[[gnu::always_inline]] inline i32v load_i32(const int* from) {
    i32v r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
}

[[gnu::always_inline]] inline i32v load_bool(const unsigned char* from) {
    u8v r;
    __builtin_memcpy(&r, from, sizeof r);
    return __builtin_convertvector(__builtin_convertvector(r, i16v), i32v) != 0;
}

[[gnu::always_inline]] inline void store_f32(float* to, f32v value) {
    __builtin_memcpy(to, &value, sizeof value);
}

[[gnu::always_inline]] inline void store_i32(int* to, i32v value) {
    __builtin_memcpy(to, &value, sizeof value);
}

[[gnu::always_inline]] inline void store_bool(unsigned char* to, i32v value) {
    u8v bytes = __builtin_convertvector(__builtin_convertvector(value & 1, i16v), u8v);
    __builtin_memcpy(to, &bytes, sizeof bytes);
}

// Access lane by lane. Memory of a lane whose mask is 0 is never touched: such a lane's address is
// replaced by that of a spare element on the stack, which costs less than a branch for each lane.
// Lanes are stored in ascending order, so the last of those with one address wins.

static_assert(sizeof(void*) == sizeof(long long), "addresses are computed in 64 bits");

template <class T>
[[gnu::always_inline]] inline i64v addresses(const T* base, const i64v& offset, i32v mask,
                                             const T* spare) {
    i64v used = offset * (long long)sizeof(T) + (long long)base;
    i64v replaced = splat_i64((long long)spare);
    return replaced + ((used - replaced) & widen(mask));
}

template <class T, class V>
[[gnu::always_inline]] inline V gather(const T* base, const i64v& offset, i32v mask, V other) {
    T spare{};
    i64v from = addresses(base, offset, mask, &spare);
    V r;
    for (int k = 0; k < kLanes; ++k) r[k] = *(const T*)from[k];
    return mask ? r : other;
}

template <class T, class V>
[[gnu::always_inline]] inline void scatter(T* base, const i64v& offset, i32v mask, V value) {
    T spare{};
    i64v to = addresses<T>(base, offset, mask, &spare);
    for (int k = 0; k < kLanes; ++k) *(T*)to[k] = T(value[k]);
}

[[gnu::always_inline]] inline f32v gather_f32(const float* base, const i64v& offset, i32v mask,
                                              f32v other) {
    return gather(base, offset, mask, other);
}

[[gnu::always_inline]] inline i32v gather_i32(const int* base, const i64v& offset, i32v mask,
                                              i32v other) {
    return gather(base, offset, mask, other);
}

[[gnu::always_inline]] inline i32v gather_bool(const unsigned char* base, const i64v& offset,
                                               i32v mask, i32v other) {
    return mask ? gather(base, offset, mask, i32v{}) != 0 : other;
}

[[gnu::always_inline]] inline void scatter_f32(float* base, const i64v& offset, i32v mask,
                                               f32v value) {
    scatter(base, offset, mask, value);
}

[[gnu::always_inline]] inline void scatter_i32(int* base, const i64v& offset, i32v mask,
                                               i32v value) {
    scatter(base, offset, mask, value);
}

[[gnu::always_inline]] inline void scatter_bool(unsigned char* base, const i64v& offset, i32v mask,
                                                i32v value) {
    scatter(base, offset, mask, value & 1);
}

[[gnu::always_inline]] inline f32v gather_f32(const float* base, i32v offset, i32v mask,
                                              f32v other) {
    return gather_f32(base, widen(offset), mask, other);
}

[[gnu::always_inline]] inline i32v gather_i32(const int* base, i32v offset, i32v mask, i32v other) {
    return gather_i32(base, widen(offset), mask, other);
}

[[gnu::always_inline]] inline i32v gather_bool(const unsigned char* base, i32v offset, i32v mask,
                                               i32v other) {
    return gather_bool(base, widen(offset), mask, other);
}

[[gnu::always_inline]] inline void scatter_f32(float* base, i32v offset, i32v mask, f32v value) {
    scatter_f32(base, widen(offset), mask, value);
}

[[gnu::always_inline]] inline void scatter_i32(int* base, i32v offset, i32v mask, i32v value) {
    scatter_i32(base, widen(offset), mask, value);
}

[[gnu::always_inline]] inline void scatter_bool(unsigned char* base, i32v offset, i32v mask,
                                                i32v value) {
    scatter_bool(base, widen(offset), mask, value);
}

// Contiguous access under a mask, which need not be a prefix.

[[gnu::always_inline]] inline f32v load_f32(const float* from, i32v mask, f32v other) {
#if defined(__AVX512F__)
    return __builtin_ia32_loadups512_mask(from, other, mask_bits(mask));
#elif defined(__AVX__)
    return mask ? __builtin_ia32_maskloadps256((const f32v*)from, mask) : other;
#else
    return gather_f32(from, iota(), mask, other);
#endif
}

[[gnu::always_inline]] inline i32v load_i32(const int* from, i32v mask, i32v other) {
    return bits_of(load_f32((const float*)from, mask, float_of(other)));
}

[[gnu::always_inline]] inline i32v load_bool(const unsigned char* from, i32v mask, i32v other) {
    return gather_bool(from, iota(), mask, other);
}

[[gnu::always_inline]] inline void store_f32(float* to, i32v mask, f32v value) {
#if defined(__AVX512F__)
    __builtin_ia32_storeups512_mask(to, value, mask_bits(mask));
#elif defined(__AVX__)
    __builtin_ia32_maskstoreps256((f32v*)to, mask, value);
#else
    scatter_f32(to, iota(), mask, value);
#endif
}

[[gnu::always_inline]] inline void store_i32(int* to, i32v mask, i32v value) {
    store_f32((float*)to, mask, float_of(value));
}

[[gnu::always_inline]] inline void store_bool(unsigned char* to, i32v mask, i32v value) {
    scatter_bool(to, iota(), mask, value);
}

// Combination across lanes. It is part of the language, not of the target: partial result k takes
// lanes k, k + 16, k + 32, ... of a row, then p[k] = combine(p[k], p[k + 8]), and so on with 4, 2
// and 1. A kernel keeps the 16 partials in kPartials vectors and ends with halve(), whose combine
// takes and gives vectors as well as scalars: steps as wide as a vector are done in vectors.

constexpr int kPartials = 16 / kLanes;

template <class T, class Combine>
[[gnu::always_inline]] inline auto halve(const T (&partial)[kPartials], Combine combine) {
    T whole[kPartials];
    for (int k = 0; k < kPartials; ++k) whole[k] = partial[k];
    for (int half = kPartials / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) whole[k] = combine(whole[k], whole[k + half]);
    decltype(partial[0][0] + partial[0][0]) p[kLanes];
    __builtin_memcpy(p, whole, sizeof p);
    for (int half = kLanes / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) p[k] = combine(p[k], p[k + half]);
    return p[0];
}

}  // namespace mytriton::rows

#endif  // MYTRITON_CPU_VECTOR_H
