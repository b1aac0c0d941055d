// Chooses compiled code or the evaluator, and cuts the grid into parts.
#include "cpu/launch.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "cpu/compile.h"
#include "cpu/emit.h"
#include "cpu/evaluate.h"
#include "plan/legalise.h"

namespace mytriton {

namespace {

// Work below this, in lanes of a light op, is not worth a second thread: starting one costs about
// a microsecond.
constexpr int64_t kGrainCost = 200'000;

// About as much as it costs to give a contended lock away and to get it back.
constexpr int64_t kBriefCost = 4096;

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value && std::string(value) != "0";
}

// One scratch area a thread, grown as needed and kept: a launch allocates nothing once warm.
unsigned char* scratch(int64_t bytes) {
    struct Area {
        unsigned char* data = nullptr;
        int64_t size = 0;
        ~Area() { std::free(data); }
    };
    thread_local Area area;
    if (area.size < bytes) {
        std::free(area.data);
        int64_t rounded = (bytes + 4095) / 4096 * 4096;
        area.data = static_cast<unsigned char*>(std::aligned_alloc(64, rounded));
        area.size = area.data ? rounded : 0;
        if (!area.data) throw std::bad_alloc();
    }
    return area.data;
}

bool has_regions(const Kernel& kernel) {
    bool found = false;
    kernel.walk([&](InstId id) { found |= !kernel.inst(id).regions.empty(); });
    return found;
}

}  // namespace

CpuKernel::CpuKernel(const Kernel& kernel)
    : legal_(legalise(kernel)),
      plan_(plan_strips(legal_)),
      text_(emit_cpu(legal_, plan_).text),
      branches_(has_regions(legal_)) {}

bool CpuKernel::is_brief(const int64_t (&grid)[3]) const {
    if (!ready_ || !entry_ || branches_ || plan_.reports) return false;
    return grid[0] * grid[1] * grid[2] <= kBriefCost / plan_.cost_per_program;
}

void CpuKernel::prepare(const std::function<void(const std::string&)>& warn) {
    std::lock_guard lock(mutex_);
    if (ready_) return;
    std::optional<std::string> compiler;
    if (!is_set("MYTRITON_EVALUATE")) {
        compiler = find_host_compiler();
        std::string missing = "no C++ compiler found ($CXX, c++, g++, clang++)";
        if (!compiler && is_set("MYTRITON_REQUIRE_COMPILER")) throw RuntimeError(missing);
        static std::atomic<bool> warned{false};
        if (!compiler && !warned.exchange(true))
            warn(missing + ": kernels run on mytriton's evaluator, which is many times slower");
    }
    if (compiler)
        entry_ = reinterpret_cast<CpuEntry>(
            compile_host(*compiler, cpu_translation_unit(text_), kCpuEntry, legal_.name()));
    ready_ = true;
}

// One program after the other, so that their lines come in order.
void CpuKernel::launch_reporting(const int64_t* args, const int64_t (&grid)[3],
                                 const Printer& print) {
    int64_t programs = grid[0] * grid[1] * grid[2];
    if (!entry_) return evaluate(legal_, args, grid, 0, programs, print);
    struct Context {
        const Kernel& legal;
        const int64_t* grid;
        const Printer& print;
        std::string failure = {};
    } context{legal_, grid, print};
    // No exception may pass through the kernel, which was compiled without them.
    auto print_fn = [](void* given, long long inst, long long program, long long lane,
                       const long long* bits) noexcept {
        Context& to = *static_cast<Context*>(given);
        const Inst& report = to.legal.inst(static_cast<InstId>(inst));
        std::string text = print_line(to.legal, report, to.grid, program, lane,
                                      reinterpret_cast<const int64_t*>(bits));
        if (report.op == Op::device_assert)
            to.failure = text;
        else if (to.print)
            to.print(text);
    };
    void (*function)(void*, long long, long long, long long, const long long*) noexcept = print_fn;
    std::vector<int64_t> slots(args, args + legal_.params().size());
    slots.push_back(reinterpret_cast<int64_t>(function));
    slots.push_back(reinterpret_cast<int64_t>(&context));
    entry_(reinterpret_cast<const long long*>(slots.data()),
           reinterpret_cast<const long long*>(grid), 0, programs, scratch(plan_.scratch_bytes));
    if (!context.failure.empty()) throw AssertionFailed(context.failure);
}

void CpuKernel::launch(const int64_t* args, const int64_t (&grid)[3],
                       const ParallelFor& parallel_for,
                       const std::function<void(const std::string&)>& warn, const Printer& print) {
    int64_t programs = grid[0] * grid[1] * grid[2];
    if (programs == 0) return;
    if (!ready_) prepare(warn);
    if (plan_.reports) return launch_reporting(args, grid, print);
    static_assert(sizeof(long long) == sizeof(int64_t));
    int64_t grain = std::max<int64_t>(1, kGrainCost / plan_.cost_per_program);
    auto body = [&](int64_t first, int64_t last) {
        if (!entry_) return evaluate(legal_, args, grid, first, last);
        entry_(reinterpret_cast<const long long*>(args), reinterpret_cast<const long long*>(grid),
               first, last, scratch(plan_.scratch_bytes));
    };
    if (programs <= grain)
        body(0, programs);
    else
        parallel_for(programs, grain, body);
}

}  // namespace mytriton
