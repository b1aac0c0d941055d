// Scans, sort, gather and histogram in shared memory. Reductions stand in reduce.cpp.
#include "cuda/across.h"

#include <algorithm>

#include "cuda/reduce.h"
#include "cuda/replace.h"
#include "ir/across.h"
#include "ir/literal.h"

namespace mytriton {

namespace {

// One thread a run, where there are runs for all threads.
constexpr std::string_view kScanRuns =
    R"(template <int Outer, int N, int Inner, bool Reverse>
static __device__ void $name_runs(const $T* from, $T* to) {
    for (int run = threadIdx.x; run < Outer * Inner; run += $threads) {
        const int start = run / Inner * (N * Inner) + run % Inner;
        $T value = $identity;
        for (int i = 0; i < N; ++i) {
            const int at = start + (Reverse ? N - 1 - i : i) * Inner;
            const $T other = from[at];
            value = $value_other;
            to[at] = value;
        }
    }
}
)";

// One warp a run: 32 lanes at a time, beginning with what the lanes before come to.
constexpr std::string_view kScanWarps =
    R"(template <int Outer, int N, int Inner, bool Reverse>
static __device__ void $name_warps(const $T* from, $T* to) {
    const int lane = threadIdx.x % 32;
    for (int run = threadIdx.x / 32; run < Outer * Inner; run += $warps) {
        const int start = run / Inner * (N * Inner) + run % Inner;
        $T before = $identity;
        for (int first = 0; first < N; first += 32) {
            const int i = first + lane;
            const int at = start + (Reverse ? N - 1 - i : i) * Inner;
            $T other = $identity;
            if (i < N) {
                other = from[at];
            }
#pragma unroll
            for (int step = 1; step < 32; step *= 2) {
                const $T value = __shfl_up_sync(0xffffffffu, other, step);
                if (lane >= step) {
                    other = $value_other;
                }
            }
            {
                const $T value = before;
                other = $value_other;
            }
            if (i < N) {
                to[at] = other;
            }
            before = __shfl_sync(0xffffffffu, other, 31);
        }
    }
}
)";

// A bitonic network whose comparators all point one way, so that lanes past N, which would be the
// last ones, never move and need not be there.
constexpr std::string_view kSort = R"(template <int Rows, int N, bool Descending>
static __device__ void $name(const $T* from, $T* to) {
    constexpr int kHalf = $half;
    for (int i = threadIdx.x; i < Rows * N; i += $threads) {
        to[i] = from[i];
    }
    for (int size = 2; size <= 2 * kHalf; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int pair = threadIdx.x; pair < Rows * kHalf; pair += $threads) {
                const int i = pair % kHalf;
                const int low = i / step * (2 * step) + i % step;
                const int high = step == size / 2 ? low + 2 * (step - i % step) - 1 : low + step;
                $T* row = to + pair / kHalf * N;
                if (high < N) {
                    const $T a = row[low];
                    const $T b = row[high];
                    if (Descending ? $a_b : $b_a) {
                        row[low] = b;
                        row[high] = a;
                    }
                }
            }
        }
    }
}
)";

constexpr std::string_view kKey = R"(// As unsigned ints in the order of sort.
static __device__ $U $name($T a) {
    const $U bits = $bits;
    if (bits > $neg_inf) {
        return bits;
    }
    return ($U)((bits & $sign ? ~bits : bits | $sign) - $below);
}
)";

constexpr std::string_view kGather = R"(template <int Outer, int From, int To, int Inner>
static __device__ void $name(const $T* src, const $I* index, $T* to) {
    for (int i = threadIdx.x; i < Outer * To * Inner; i += $threads) {
        const $I at = index[i];
        const int place = at < 0 ? 0 : at < ($L)From ? (int)at : From - 1;
        to[i] = src[(i / (To * Inner) * From + place) * Inner + i % Inner];
    }
}
)";

constexpr std::string_view kHistogram = R"(template <int N, int Bins>
static __device__ void $name(const $T* input, const bool* mask, int* to) {
    for (int i = threadIdx.x; i < Bins; i += $threads) {
        to[i] = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += $threads) {
        const $T value = input[i];
        if ((!mask || mask[i]) && value >= 0 && value < ($L)Bins) {
            atomicAdd(&to[(int)value], 1);
        }
    }
}
)";

std::string listed(const std::vector<int64_t>& numbers) {
    std::string out;
    for (int64_t number : numbers) out += (out.empty() ? "" : ", ") + std::to_string(number);
    return out;
}

std::string flag(const Inst& inst, AttrKey key) {
    return inst.find_attr(key).value_or(0) ? ", true>(" : ", false>(";
}

// An int type that holds a number of lanes beside one of these.
std::string wider(const ScalarInfo& type) {
    return type.bytes == 8 ? std::string(type.cxx) : type.is_unsigned() ? "unsigned" : "int";
}

// Whether a stands before b in the order of sort.
std::string before(Scalar scalar, const std::string& a, const std::string& b,
                   DeviceFunctions& functions) {
    const ScalarInfo& type = info(scalar);
    if (!type.is_float()) return a + " < " + b;
    std::string name = "mt_key_" + std::string(type.name);
    uint64_t sign = uint64_t{1} << (type.bits() - 1);
    uint64_t infinity = identity_bits(Identity::highest, scalar);
    std::string suffix = type.bytes == 8 ? "ull" : "u";
    auto number = [&](uint64_t bits) { return std::to_string(bits) + suffix; };
    std::string key = replace_all(std::string(kKey), "$name", name);
    std::string bits = type.bytes == 8   ? "(unsigned long long)__double_as_longlong(a)"
                       : type.bytes == 4 ? "__float_as_uint(a)"
                                         : "a";
    key = replace_all(key, "$bits", bits);
    key = replace_all(key, "$U",
                      type.bytes == 8   ? "unsigned long long"
                      : type.bytes == 4 ? "unsigned"
                                        : "unsigned short");
    key = replace_all(key, "$neg_inf", number(sign | infinity));
    key = replace_all(key, "$sign", number(sign));
    key = replace_all(key, "$below", number(sign - 1 - infinity));
    define_type(scalar, functions);
    functions.insert(replace_all(key, "$T", type.cxx));
    return name + "(" + a + ") < " + name + "(" + b + ")";
}

class Across {
  public:
    Across(const Kernel& kernel, const Inst& inst, int64_t threads, DeviceFunctions& functions)
        : inst_(inst),
          threads_(threads),
          functions_(functions),
          type_(kernel.type(inst.operands[0])),
          result_(kernel.type(inst.result())),
          index_(inst.operands.size() > 1 ? kernel.type(inst.operands[1]) : Type()) {
        name_ =
            "mt_" + std::string(info(inst.op).name) + "_" + std::string(info(type_.scalar()).name);
    }

    // The function and its template arguments, up to the arguments.
    std::string call() {
        define_type(type_.scalar(), functions_);
        if (inst_.op == Op::sort) return sort();
        if (inst_.op == Op::histogram) return histogram();
        if (inst_.op == Op::gather) return gather();
        Runs runs = runs_along(type_, inst_.attr(AttrKey::axis));
        std::string sizes = listed({runs.outer, runs.count, runs.inner});
        return info(inst_.op).kind == OpKind::reduce ? reduction(runs, sizes) : scan(runs, sizes);
    }

  private:
    std::string reduction(const Runs& runs, const std::string& sizes) {
        int64_t share = 1, count = runs.outer * runs.inner;
        while (2 * share <= 32 && 2 * share <= runs.count && 2 * share * count <= threads_)
            share *= 2;
        return axis_reduction(inst_.op, type_.scalar(), threads_, functions_) + "<" + sizes + ", " +
               std::to_string(share) + ">(";
    }

    std::string scan(const Runs& runs, const std::string& sizes) {
        bool alone = runs.outer * runs.inner >= threads_;
        const OpInfo& row = info(inst_.op);
        std::string text(alone ? kScanRuns : kScanWarps);
        text = replace_all(text, "$identity",
                           spell_cxx(type_.scalar(), identity_bits(row.identity, type_.scalar())));
        text = replace_all(text, "$value_other",
                           device_expression(row.combine, type_.scalar(), true,
                                             {"value", "other", ""}, functions_));
        define(text);
        return name_ + (alone ? "_runs<" : "_warps<") + sizes + flag(inst_, AttrKey::reverse);
    }

    std::string sort() {
        Runs runs = runs_along(type_, last_axis(type_));
        int64_t half = 1;
        while (2 * half < runs.count) half *= 2;
        std::string text =
            replace_all(std::string(kSort), "$a_b", before(type_.scalar(), "a", "b", functions_));
        text = replace_all(text, "$b_a", before(type_.scalar(), "b", "a", functions_));
        name_ += "_" + std::to_string(runs.count);
        define(replace_all(text, "$half", std::to_string(half)));
        return name_ + "<" + listed({runs.outer, runs.count}) + flag(inst_, AttrKey::descending);
    }

    std::string gather() {
        const ScalarInfo& index = info(index_.scalar());
        name_ += "_" + std::string(index.name);
        std::string text = replace_all(std::string(kGather), "$I", index.cxx);
        define(replace_all(text, "$L", wider(index)));
        int64_t axis = inst_.attr(AttrKey::axis);
        Runs runs = runs_along(type_, axis);
        return name_ + "<" + listed({runs.outer, runs.count, result_.shape()[axis], runs.inner}) +
               ">(";
    }

    std::string histogram() {
        define(replace_all(std::string(kHistogram), "$L", wider(info(type_.scalar()))));
        return name_ + "<" + listed({type_.lanes(), inst_.attr(AttrKey::bins)}) + ">(";
    }

    void define(std::string text) {
        text = replace_all(text, "$name", name_);
        text = replace_all(text, "$threads", std::to_string(threads_));
        text = replace_all(text, "$warps", std::to_string(threads_ / 32));
        functions_.insert(replace_all(text, "$T", info(type_.scalar()).cxx));
    }

    const Inst& inst_;
    int64_t threads_;
    DeviceFunctions& functions_;
    Type type_, result_, index_;
    std::string name_;
};

}  // namespace

std::string across_call(const Kernel& kernel, const Inst& inst, int64_t threads,
                        const std::vector<std::string>& from, const std::string& to,
                        DeviceFunctions& functions) {
    std::string out = Across(kernel, inst, threads, functions).call();
    for (const std::string& each : from) out += (each.empty() ? "nullptr" : each) + ", ";
    return out + to + ")";
}

}  // namespace mytriton
