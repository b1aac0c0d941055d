// A kernel ready for the CPU: compiled on its first launch, shared out over threads by the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "cpu/print_line.h"
#include "ir/ir.h"
#include "plan/strips.h"

namespace mytriton {

// The emitted function: programs first to last - 1. Scratch is aligned to 64 bytes. Where the
// kernel prints, two more slots follow its arguments: a PrintFn and what that takes first.
using CpuEntry = void (*)(const long long* args, const long long* grid, long long first,
                          long long last, unsigned char* scratch);

// Calls body(begin, end) on parts of 0 to count that are worth at least `grain`, in any threads.
using ParallelFor = std::function<void(int64_t count, int64_t grain,
                                       const std::function<void(int64_t, int64_t)>& body)>;

class CpuKernel {
  public:
    explicit CpuKernel(const Kernel& kernel);

    const std::string& text() const { return text_; }
    const StripPlan& plan() const { return plan_; }
    const Kernel& legal() const { return legal_; }

    // args: 64 bits a parameter, as evaluate() takes them. Thread-safe. Runs on the evaluator when
    // no host compiler is found, after one call of `warn` in the life of the process; with
    // MYTRITON_REQUIRE_COMPILER=1 that is a RuntimeError, with MYTRITON_EVALUATE=1 it is asked for.
    // `print` gets the lines that the kernel prints, in the order of programs. AssertionFailed
    // where a device_assert does not hold: programs after that one, and what follows in it, have
    // not run.
    void launch(const int64_t* args, const int64_t (&grid)[3], const ParallelFor& parallel_for,
                const std::function<void(const std::string&)>& warn, const Printer& print = {});

    // Whether launch() would be back before another thread could have made use of a lock that the
    // caller gave away meanwhile: compiled, straight code on few lanes.
    bool is_brief(const int64_t (&grid)[3]) const;

  private:
    void launch_reporting(const int64_t* args, const int64_t (&grid)[3], const Printer& print);
    void prepare(const std::function<void(const std::string&)>& warn);

    Kernel legal_;
    StripPlan plan_;
    std::string text_;
    bool branches_;  // or loops, whose length no plan knows
    std::mutex mutex_;
    std::atomic<bool> ready_{false};
    CpuEntry entry_ = nullptr;  // null when ready: evaluate
};

}  // namespace mytriton
