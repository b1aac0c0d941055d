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
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA shuffles 4 or 8 bytes");
    if constexpr (sizeof(T) == 4) {
        unsigned bits = __builtin_bit_cast(unsigned, value);
        bits = static_cast<unsigned>(mt_exchange(line, kind, mask, bits, operand, width));
        return __builtin_bit_cast(T, bits);
    } else {
        unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
        return __builtin_bit_cast(T, mt_exchange(line, kind, mask, bits, operand, width));
    }
}

// Math is that of the evaluator, to the bit; what the emitter does not print is not declared.
using mytriton::rows::__int_as_float;
using mytriton::rows::expf;
using mytriton::rows::isnan;

inline int __float2int_rz(float a) {
    return mytriton::rows::f32_to_i32(a);
}

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
