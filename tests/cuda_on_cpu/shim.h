// What CUDA text is compiled against to run on the CPU: the part of CUDA that the emitter prints.
//
// A kernel's text stands unchanged in a namespace of its own, between MT_TEXT_BEGIN and MT_TEXT_END
// (runner.py writes them). Each CUDA thread is a fiber: barriers and shuffles call the runtime,
// which runs another one. Loads, stores and undefined arithmetic call it too, by the compiler's
// instrumentation. No header of the standard library is included, as a batch of kernels is to be
// compiled in a fraction of a second.
#pragma once

#include "interface.h"
#include "ir/scalar.h"

#define threadIdx mt_builtins.thread
#define blockIdx mt_builtins.block
#define blockDim mt_builtins.block_dim
#define gridDim mt_builtins.grid_dim
constexpr int warpSize = 32;

#define __device__
#define __forceinline__ inline
// `extern "C" __global__ void k(...)` becomes an empty extern "C" {} and a static function, for in
// a batch several kernels may have one name.
#define __global__ \
    {              \
    }              \
    [[gnu::noinline]] static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static __attribute__((section("mt_shared_" MT_KEY)))

#define __syncthreads() mt_barrier(__LINE__)
#define __syncwarp(...) mt_sync_warp(__LINE__ __VA_OPT__(, ) __VA_ARGS__)
#define __shfl_sync(...) mt_shuffle<MtShuffle::idx>(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) mt_shuffle<MtShuffle::up>(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) mt_shuffle<MtShuffle::down>(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) mt_shuffle<MtShuffle::exclusive_or>(__LINE__, __VA_ARGS__)

inline void mt_sync_warp(int line, unsigned mask = 0xffffffffu) {
    mt_exchange(line, MtShuffle::none, mask, 0, 0, warpSize);
}

template <MtShuffle kind, class T>
inline T mt_shuffle(int line, unsigned mask, T value, int operand, int width = warpSize) {
    // Of ints below 32 bits CUDA shuffles what they promote to.
    if constexpr (sizeof(T) < 4) {
        return static_cast<T>(mt_shuffle<kind, int>(line, mask, value, operand, width));
    } else if constexpr (sizeof(T) == 4) {
        unsigned bits = __builtin_bit_cast(unsigned, value);
        bits = static_cast<unsigned>(mt_exchange(line, kind, mask, bits, operand, width));
        return __builtin_bit_cast(T, bits);
    } else {
        unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
        return __builtin_bit_cast(T, mt_exchange(line, kind, mask, bits, operand, width));
    }
}

// Math is that of the evaluator, to the bit; device_math.h has it. What the emitter does not print
// is not declared.
using mytriton::rows::__int_as_float;
using mytriton::rows::__longlong_as_double;
using mytriton::rows::isnan;
bool isinf(float a);
bool isinf(double a);
bool isfinite(float a);
bool isfinite(double a);
float fmaf(float a, float b, float c);
double fma(double a, double b, double c);
#define MT_UNARY(name)      \
    float name##f(float a); \
    double name(double a);
#define MT_BINARY(name)              \
    float name##f(float a, float b); \
    double name(double a, double b);
#include "device_math.def"
#undef MT_UNARY
#undef MT_BINARY

inline float __fdividef(float a, float b) {
    return a / b;
}
inline float __powf(float a, float b) {
    return powf(a, b);
}
#define MT_FAST(name)                \
    inline float __##name(float a) { \
        return name(a);              \
    }
MT_FAST(expf)
MT_FAST(logf)
MT_FAST(log2f)
MT_FAST(log10f)
MT_FAST(sinf)
MT_FAST(cosf)
MT_FAST(tanf)
#undef MT_FAST

// Bits.

inline int __float_as_int(float a) {
    return mytriton::rows::bits_of(a);
}
inline unsigned __float_as_uint(float a) {
    return unsigned(mytriton::rows::bits_of(a));
}
inline long long __double_as_longlong(double a) {
    return mytriton::rows::bits_of(a);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return mytriton::rows::umulhi(a, b);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return mytriton::rows::umulhi(a, b);
}
inline int __popc(unsigned a) {
    return mytriton::rows::popc(a);
}
inline int __popcll(unsigned long long a) {
    return mytriton::rows::popc(a);
}
inline int __clz(int a) {
    return mytriton::rows::clz(a);
}
inline int __clzll(long long a) {
    return mytriton::rows::clz(a);
}

// Float to int as PTX has it: it saturates, and a NaN gives 0, but the int with only the highest
// bit set where float or int has 64 bits.

template <class To, class From>
inline To mt_rz(From a) {
    constexpr bool wide = sizeof(To) == 8 || sizeof(From) == 8;
    if (wide && a != a) return To(1ull << (8 * sizeof(To) - 1));
    return mytriton::rows::convert<To>(a);
}
inline int __float2int_rz(float a) {
    return mt_rz<int>(a);
}
inline unsigned __float2uint_rz(float a) {
    return mt_rz<unsigned>(a);
}
inline long long __float2ll_rz(float a) {
    return mt_rz<long long>(a);
}
inline unsigned long long __float2ull_rz(float a) {
    return mt_rz<unsigned long long>(a);
}
inline int __double2int_rz(double a) {
    return mt_rz<int>(a);
}
inline unsigned __double2uint_rz(double a) {
    return mt_rz<unsigned>(a);
}
inline long long __double2ll_rz(double a) {
    return mt_rz<long long>(a);
}
inline unsigned long long __double2ull_rz(double a) {
    return mt_rz<unsigned long long>(a);
}
inline float __double2float_rz(double a) {
    return mytriton::rows::f64_to_f32_rtz(a);
}

// Atomics. Fibers take turns at instrumented accesses only, of which there is none here between the
// load and the store. The runtime is told that they are atomic.
#define MT_ATOMIC(name, T, next)                                   \
    [[gnu::no_sanitize("thread")]] inline T name(T* at, T value) { \
        mt_atomic_access(at, sizeof(T));                           \
        const T old = *at;                                         \
        *at = (T)(next);                                           \
        return old;                                                \
    }                                                              \
    inline T name##_system(T* at, T value) {                       \
        return name(at, value);                                    \
    }
MT_ATOMIC(atomicAdd, int, int(unsigned(old) + unsigned(value)))
MT_ATOMIC(atomicAdd, unsigned, old + value)
MT_ATOMIC(atomicAdd, unsigned long long, old + value)
MT_ATOMIC(atomicAdd, float, old + value)
MT_ATOMIC(atomicAdd, double, old + value)
MT_ATOMIC(atomicMax, int, old > value ? old : value)
MT_ATOMIC(atomicMax, unsigned, old > value ? old : value)
MT_ATOMIC(atomicMax, long long, old > value ? old : value)
MT_ATOMIC(atomicMax, unsigned long long, old > value ? old : value)
MT_ATOMIC(atomicMin, int, old < value ? old : value)
MT_ATOMIC(atomicMin, unsigned, old < value ? old : value)
MT_ATOMIC(atomicMin, long long, old < value ? old : value)
MT_ATOMIC(atomicMin, unsigned long long, old < value ? old : value)
MT_ATOMIC(atomicAnd, int, old& value)
MT_ATOMIC(atomicAnd, unsigned, old& value)
MT_ATOMIC(atomicAnd, unsigned long long, old& value)
MT_ATOMIC(atomicOr, int, old | value)
MT_ATOMIC(atomicOr, unsigned, old | value)
MT_ATOMIC(atomicOr, unsigned long long, old | value)
MT_ATOMIC(atomicXor, int, old ^ value)
MT_ATOMIC(atomicXor, unsigned, old ^ value)
MT_ATOMIC(atomicXor, unsigned long long, old ^ value)
MT_ATOMIC(atomicExch, int, value)
MT_ATOMIC(atomicExch, unsigned, value)
MT_ATOMIC(atomicExch, unsigned long long, value)
MT_ATOMIC(atomicExch, float, value)
#undef MT_ATOMIC

#define MT_CAS(T)                                                                  \
    [[gnu::no_sanitize("thread")]] inline T atomicCAS(T* at, T compare, T value) { \
        mt_atomic_access(at, sizeof(T));                                           \
        const T old = *at;                                                         \
        if (old == compare) *at = value;                                           \
        return old;                                                                \
    }                                                                              \
    inline T atomicCAS_system(T* at, T compare, T value) {                         \
        return atomicCAS(at, compare, value);                                      \
    }
MT_CAS(unsigned short)
MT_CAS(unsigned)
MT_CAS(unsigned long long)
#undef MT_CAS

// Accesses are in order here, and there is no cache.

inline void __threadfence_block() {}
inline void __threadfence() {}
inline void __threadfence_system() {}

#define MT_LOAD(name)            \
    template <class T>           \
    inline T name(const T* at) { \
        return *at;              \
    }
MT_LOAD(__ldca)
MT_LOAD(__ldcg)
MT_LOAD(__ldcs)
MT_LOAD(__ldcv)
#undef MT_LOAD

#define MT_STORE(name)                 \
    template <class T>                 \
    inline void name(T* at, T value) { \
        *at = value;                   \
    }
MT_STORE(__stwb)
MT_STORE(__stcg)
MT_STORE(__stcs)
MT_STORE(__stwt)
#undef MT_STORE

// Inline PTX. The emitter names the result r and the operands a and b; the instruction is known by
// its first word. None may have its address taken: it would count as memory that threads access.

[[gnu::no_sanitize("thread")]] constexpr bool mt_begins(const char* text, const char* word) {
    while (*word && *text == *word) ++text, ++word;
    return !*word;
}
inline float mt_ptx(const char* text, unsigned short a) {
    if (!mt_begins(text, "\"cvt.f32.f16 ")) __builtin_trap();
    return mytriton::rows::f16_to_f32(a);
}
// A register, which is read as the type that the result has.
struct MtRegister {
    float number;
    unsigned short bits;
    operator float() const { return number; }
    operator unsigned short() const { return bits; }
};
inline MtRegister mt_ptx(const char* text, float a) {
    if (mt_begins(text, "\"ex2.approx.ftz.f32 ")) return {exp2f(a), 0};
    if (mt_begins(text, "\"cvt.rn.f16.f32 ")) return {0, mytriton::rows::f32_to_f16(a)};
    if (!mt_begins(text, "\"cvt.rz.f16.f32 ")) __builtin_trap();
    return {0, mytriton::rows::f32_to_f16_rtz(a)};
}
template <class T>
unsigned long long mt_ptx(const char* text, const T* a) {
    if (!mt_begins(text, "\"ld.global.")) __builtin_trap();
    const T value = *a;
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
inline float mt_ptx(const char* text, float a, float b) {
    const bool larger = mt_begins(text, "\"max.NaN.f32 ");
    if (!larger && !mt_begins(text, "\"min.NaN.f32 ")) __builtin_trap();
    if (a != a || b != b) return __int_as_float(0x7fffffff);
    const int first = __float_as_int(a), second = __float_as_int(b);
    if (a == b) return __int_as_float(larger ? first & second : first | second);
    return (a > b) == larger ? a : b;
}
// Where no operand is called b, this is.
struct MtNone {};
constexpr MtNone b;
template <class T>
auto mt_ptx(const char* text, T a, MtNone) {
    return mt_ptx(text, a);
}
#define asm(...) r = mt_ptx(#__VA_ARGS__, a, b)
#define __CUDA_ARCH__ 900

// --- around each text ----------------------------------------------------------------------------

#define MT_TEXT_BEGIN(key)                               \
    extern "C" {                                         \
    [[gnu::weak]] extern char __start_mt_shared_##key[]; \
    [[gnu::weak]] extern char __stop_mt_shared_##key[];  \
    }                                                    \
    namespace mt_##key {

#define MT_TEXT_END(key) }

// The body of mt_call is not a part of the kernel.
#define MT_CALL [[gnu::no_sanitize("thread"), gnu::no_sanitize("undefined")]] static void mt_call
#define MT_ENTRY(key) {#key, mt_##key::mt_call, __start_mt_shared_##key, __stop_mt_shared_##key}
