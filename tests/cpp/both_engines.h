// Runs a kernel on the evaluator and as compiled host text, on copies of the same memory, and
// compares every byte. Arrays stand between guard bytes that nothing may change.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/compile.h"
#include "cpu/emit.h"
#include "cpu/evaluate.h"
#include "cpu/launch.h"
#include "hand_built.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "no_disk_cache.h"
#include "plan/legalise.h"
#include "plan/strips.h"

namespace mytriton {

// One argument: an array behind a pointer, or the bits of a scalar.
class Arg {
  public:
    Arg(uint64_t bits) : bits_(static_cast<int64_t>(bits)) {}
    Arg(Scalar scalar, size_t count)
        : scalar_(scalar), memory_(count * info(scalar).bytes + 2 * kGuard, kGuardByte) {
        std::memset(data<unsigned char>(), 0, count * info(scalar).bytes);
    }
    static Arg floats(const std::vector<float>& values) { return of(Scalar::f32, values); }
    static Arg ints(const std::vector<int32_t>& values) { return of(Scalar::i32, values); }
    static Arg bools(const std::vector<unsigned char>& bytes) { return of(Scalar::boolean, bytes); }

    template <class T>
    T* data() {
        return reinterpret_cast<T*>(memory_.data() + kGuard);
    }
    template <class T>
    std::vector<T> values() {
        return std::vector<T>(data<T>(), data<T>() + size() / sizeof(T));
    }
    int64_t bits() {
        return memory_.empty() ? bits_ : reinterpret_cast<int64_t>(data<unsigned char>());
    }
    bool guards_stay() const {
        auto is_guard = [](unsigned char byte) { return byte == kGuardByte; };
        return memory_.empty() ||
               (std::all_of(memory_.begin(), memory_.begin() + kGuard, is_guard) &&
                std::all_of(memory_.end() - kGuard, memory_.end(), is_guard));
    }
    // The first element that differs; NaNs are all alike.
    std::optional<size_t> difference(const Arg& other) const {
        for (size_t i = 0; i < size() / info(scalar_).bytes; ++i)
            if (canonical(scalar_, element(i)) != canonical(scalar_, other.element(i))) return i;
        return std::nullopt;
    }
    std::string spelled(size_t i) const {
        return scalar_ == Scalar::boolean ? std::to_string(element(i)) : spell(scalar_, element(i));
    }
    // A bool's is its byte.
    uint64_t element(size_t i) const {
        uint64_t bits = 0;
        size_t bytes = info(scalar_).bytes;
        std::memcpy(&bits, memory_.data() + kGuard + i * bytes, bytes);
        return bits;
    }

  private:
    static constexpr size_t kGuard = 256;
    static constexpr unsigned char kGuardByte = 0xa5;

    template <class T>
    static Arg of(Scalar scalar, const std::vector<T>& values) {
        Arg arg(scalar, values.size());
        std::memcpy(arg.data<T>(), values.data(), values.size() * sizeof(T));
        return arg;
    }
    size_t size() const { return memory_.empty() ? 0 : memory_.size() - 2 * kGuard; }

    Scalar scalar_{};
    int64_t bits_ = 0;
    std::vector<unsigned char> memory_;
};

using Grid = std::array<int64_t, 3>;

inline std::vector<int64_t> bits_of_all(std::vector<Arg>& args) {
    std::vector<int64_t> bits;
    for (Arg& arg : args) bits.push_back(arg.bits());
    return bits;
}

// The arguments after a run of the whole grid.
inline std::vector<Arg> evaluated(const Kernel& kernel, std::vector<Arg> args, Grid grid) {
    Kernel legal = legalise(kernel);
    evaluate(legal, bits_of_all(args).data(), grid.data(), 0, grid[0] * grid[1] * grid[2]);
    return args;
}

inline std::vector<Arg> compiled(const Kernel& kernel, std::vector<Arg> args, Grid grid) {
    Kernel legal = legalise(kernel);
    StripPlan plan = plan_strips(legal);
    auto entry = reinterpret_cast<CpuEntry>(
        compile_host(find_host_compiler().value(), cpu_translation_unit(emit_cpu(legal, plan).text),
                     kCpuEntry, legal.name()));
    // Scratch holds NaNs and large ints, so that what is read but was not written shows.
    std::vector<unsigned char> memory(plan.scratch_bytes + 64, 0xff);
    void* scratch = memory.data();
    size_t space = memory.size();
    std::align(64, plan.scratch_bytes, scratch, space);
    std::vector<int64_t> bits = bits_of_all(args);
    int64_t programs = grid[0] * grid[1] * grid[2], middle = programs / 2;
    for (auto [first, last] : {std::pair(int64_t{0}, middle), std::pair(middle, programs)})
        entry(reinterpret_cast<const long long*>(bits.data()),
              reinterpret_cast<const long long*>(grid.data()), first, last,
              static_cast<unsigned char*>(scratch));
    return args;
}

// Runs both and gives the evaluator's answer.
inline std::vector<Arg> run_both(const Kernel& kernel, const std::vector<Arg>& args, Grid grid) {
    verify(kernel);
    std::vector<Arg> expected = evaluated(kernel, args, grid);
    std::vector<Arg> got = compiled(kernel, args, grid);
    for (size_t i = 0; i < args.size(); ++i) {
        EXPECT_TRUE(expected[i].guards_stay()) << "the evaluator left array " << i;
        EXPECT_TRUE(got[i].guards_stay()) << "the compiled kernel left array " << i;
        if (std::optional<size_t> at = got[i].difference(expected[i]))
            ADD_FAILURE() << "argument " << i << " (" << kernel.params()[i].name << ") differs at "
                          << *at << ": evaluated " << expected[i].spelled(*at) << ", compiled "
                          << got[i].spelled(*at) << "\n"
                          << print_kernel(kernel);
    }
    return expected;
}

// Tests that need the host compiler; they skip where there is none.
class BothEngines : public testing::Test {
  protected:
    void SetUp() override {
        if (find_host_compiler()) return;
        const char* required = std::getenv("MYTRITON_REQUIRE_COMPILER");
        if (required && *required && std::string(required) != "0")
            FAIL() << "no host compiler found";
        GTEST_SKIP() << "no host compiler found";
    }
};

}  // namespace mytriton
