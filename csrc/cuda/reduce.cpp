// Texts of reductions. Each is a tree of shuffles in a warp, then the warps' words in order, so
// that all threads hold the same result.
#include "cuda/reduce.h"

#include "cuda/replace.h"
#include "ir/literal.h"

namespace mytriton {

namespace {

// In-warp tree by shuffles, one shared word a warp, one barrier; every thread then combines the
// words in order, so that all hold the same result. Each reduction has a buffer of its own, which
// is why no second barrier is needed.
constexpr std::string_view kReduce = R"(static __device__ $T $name($T value, $T* warps) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int width = $threads - warp * 32 < 32 ? $threads - warp * 32 : 32;
    const unsigned active = 0xffffffffu >> (32 - width);
    for (int step = 16; step > 0; step /= 2) {
        const $T other = __shfl_down_sync(active, value, step);
        if (lane + step < width) {
            value = $value_other;
        }
    }
    if (lane == 0) {
        warps[warp] = value;
    }
    __syncthreads();
    value = warps[0];
    for (int i = 1; i < $warps; ++i) {
        const $T other = warps[i];
        value = $value_other;
    }
    return value;
}
)";

constexpr std::string_view kPut = R"(template <int V>
static __device__ void $name_put($T (&partial)[V], $T* words) {
#pragma unroll
    for (int half = V / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < half; ++i) {
            const $T value = partial[i];
            const $T other = partial[i + half];
            partial[i] = $value_other;
        }
    }
    $T value = partial[0];
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        const $T other = __shfl_down_sync(0xffffffffu, value, step);
        value = $value_other;
    }
    if (threadIdx.x % 32 == 0) {
        words[threadIdx.x / 32] = value;
    }
}
)";

constexpr std::string_view kGet = R"(static __device__ $T $name_get(const $T* words) {
    $T value = words[0];
#pragma unroll
    for (int i = 1; i < $warps; ++i) {
        const $T other = words[i];
        value = $value_other;
    }
    return value;
}
)";

constexpr std::string_view kAxis = R"(template <int Outer, int N, int Inner, int Share>
static __device__ void $name_axis(const $T* from, $T* to) {
    for (int first = 0; first < Outer * Inner; first += $threads / Share) {
        const int run = first + threadIdx.x / Share;
        $T value = $identity;
        if (run < Outer * Inner) {
            const $T* lanes = from + run / Inner * (N * Inner) + run % Inner;
            for (int i = threadIdx.x % Share; i < N; i += Share) {
                const $T other = lanes[i * Inner];
                value = $value_other;
            }
        }
#pragma unroll
        for (int step = Share / 2; step > 0; step /= 2) {
            const $T other = __shfl_down_sync(0xffffffffu, value, step);
            value = $value_other;
        }
        if (run < Outer * Inner && threadIdx.x % Share == 0) {
            to[run] = value;
        }
    }
}
)";

// One instruction where there is one: it takes NaN before numbers as the row does, and of zeros the
// larger, where the row takes b.
constexpr std::string_view kExtremum = R"(static __device__ float mt_$op_nan(float a, float b) {
#if __CUDA_ARCH__ >= 800
    float r;
    asm("$op.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
#else
    return $a_b;
#endif
}
)";

std::string name_of(Op op, Scalar scalar) {
    return "mt_" + std::string(info(op).name) + "_" + std::string(info(scalar).name);
}

std::string filled(std::string_view text, Op op, Scalar scalar, int64_t threads,
                   const std::string& combine) {
    const OpInfo& row = info(op);
    std::string out = replace_all(std::string(text), "$name", name_of(op, scalar));
    out = replace_all(out, "$T", info(scalar).cxx);
    out = replace_all(out, "$threads", std::to_string(threads));
    out = replace_all(out, "$warps", std::to_string((threads + 31) / 32));
    out = replace_all(out, "$identity", spell_cxx(scalar, identity_bits(row.identity, scalar)));
    return replace_all(out, "$value_other", combine);
}

}  // namespace

std::string lane_reduction(Op op, Scalar scalar, int64_t threads, DeviceFunctions& functions) {
    std::string combine =
        device_expression(info(op).combine, scalar, true, {"value", "other", ""}, functions);
    functions.insert(filled(kReduce, op, scalar, threads, combine));
    return name_of(op, scalar);
}

std::string combined(Op op, Scalar scalar, const std::string& a, const std::string& b,
                     DeviceFunctions& functions) {
    Op combine = info(op).combine;
    bool is_extremum = combine == Op::maximum || combine == Op::minimum;
    if (!is_extremum || scalar != Scalar::f32)
        return device_expression(combine, scalar, true, {a, b, ""}, functions);
    std::string name = combine == Op::maximum ? "max" : "min";
    std::string text = replace_all(std::string(kExtremum), "$op", name);
    std::string row = device_expression(combine, scalar, true, {"a", "b", ""}, functions);
    functions.insert(replace_all(text, "$a_b", row));
    return "mt_" + name + "_nan(" + a + ", " + b + ")";
}

std::string thread_reduction(Op op, Scalar scalar, int64_t threads, DeviceFunctions& functions) {
    std::string combine = combined(op, scalar, "value", "other", functions);
    functions.insert(filled(kPut, op, scalar, threads, combine));
    functions.insert(filled(kGet, op, scalar, threads, combine));
    return name_of(op, scalar);
}

std::string axis_reduction(Op op, Scalar scalar, int64_t threads, DeviceFunctions& functions) {
    std::string combine = combined(op, scalar, "value", "other", functions);
    functions.insert(filled(kAxis, op, scalar, threads, combine));
    return name_of(op, scalar) + "_axis";
}

}  // namespace mytriton
