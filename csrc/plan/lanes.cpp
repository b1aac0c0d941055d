// Decides what one thread does for all, and which shared buffers there are.
#include "plan/lanes.h"

#include <algorithm>
#include <set>

#include "ir/across.h"
#include "ir/movement.h"
#include "ir/print.h"
#include "plan/barriers.h"

namespace mytriton {

namespace {

// Whether a load is asked to see what others write meanwhile.
bool is_fresh(const Inst& load) {
    return load.find_attr(AttrKey::is_volatile) ||
           load.find_attr(AttrKey::cache) == static_cast<int64_t>(CacheUse::cv);
}

class Planner {
  public:
    explicit Planner(const Kernel& legal) : kernel_(legal) {
        plan_.threads = lane_width(legal);
        legal.walk([&](InstId id) {
            for (Value operand : legal.inst(id).operands) used_.insert(operand.index);
        });
    }

    LanePlan run() {
        plan_.steps = block(0);
        place_barriers(kernel_, plan_);
        return std::move(plan_);
    }

  private:
    std::vector<LaneStep> block(RegionId region) {
        std::vector<LaneStep> steps;
        for (InstId id : kernel_.region(region).insts) steps.push_back(step(id));
        return steps;
    }

    LaneStep step(InstId id) {
        const Inst& inst = kernel_.inst(id);
        LaneStep step{.inst = id};
        for (RegionId region : inst.regions) step.blocks.push_back(block(region));
        if (info(inst.op).kind == OpKind::reduce) step.shared = add_slot(plan_.shared, inst);
        if (takes_text(inst.op)) step.one_thread = !takes_blocks(inst);
        bool writes = info(inst.op).has(kWrites);
        bool is_used = !inst.results.empty() && used_.contains(inst.results[0].index);
        if (writes || (inst.op == Op::load && is_fresh(inst) && is_used)) {
            bool scalar = !kernel_.type(inst.operands[0]).is_block();
            step.one_thread = scalar && plan_.threads > 1;
            if (step.one_thread && is_used) step.once = add_slot(plan_.once, inst);
        }
        return step;
    }

    int add_slot(std::vector<Scalar>& slots, const Inst& inst) {
        slots.push_back(kernel_.type(inst.result()).scalar());
        return static_cast<int>(slots.size()) - 1;
    }

    bool takes_blocks(const Inst& inst) const {
        return std::ranges::any_of(inst.operands,
                                   [&](Value v) { return kernel_.type(v).is_block(); });
    }

    const Kernel& kernel_;
    LanePlan plan_;
    std::set<uint32_t> used_;
};

// As SSA is printed: a yield of nothing is not shown, and no else where it is empty.
std::string print_steps(const Kernel& kernel, const std::vector<LaneStep>& steps,
                        const std::string& indent) {
    std::string out;
    for (const LaneStep& step : steps) {
        const Inst& inst = kernel.inst(step.inst);
        if (inst.op == Op::yield && inst.operands.empty()) continue;
        if (step.barrier_before) out += indent + "barrier\n";
        out += indent + print_inst(kernel, inst);
        if (step.one_thread) out += "  ; thread 0 only";
        if (step.shared >= 0) out += "  ; shared " + std::to_string(step.shared);
        if (step.once >= 0) out += ", then in once " + std::to_string(step.once);
        out += step.blocks.empty() ? "\n" : " {\n";
        for (size_t i = 0; i < step.blocks.size(); ++i) {
            std::string inner = print_steps(kernel, step.blocks[i], indent + "    ");
            out += (i == 0 || inner.empty() ? "" : indent + "} else {\n") + inner;
        }
        if (!step.blocks.empty()) out += indent + "}\n";
    }
    return out;
}

}  // namespace

int64_t lane_width(const Kernel& kernel) {
    std::set<int64_t> widths;
    std::string moved;  // the first op whose lanes meet others than by a reduction to a scalar
    kernel.walk([&](InstId id) {
        const Inst& inst = kernel.inst(id);
        if (moved.empty() && (is_across(inst) || moves_lanes(inst.op))) moved = info(inst.op).name;
        for (Value result : kernel.inst(id).results)
            if (kernel.type(result).is_block()) widths.insert(kernel.type(result).lanes());
    });
    if (!moved.empty())
        throw ValueError("CUDA lowering has no '" + moved +
                         "' of blocks: such kernels run on the CPU");
    if (widths.empty()) return 1;
    std::string rendered;
    for (int64_t width : widths) rendered += (rendered.empty() ? "" : ", ") + std::to_string(width);
    if (widths.size() > 1)
        throw ValueError("CUDA lowering requires one vector width, got: " + rendered);
    if (*widths.begin() > kMaxLaneThreads)
        throw ValueError("CUDA lowering requires a vector width of 1 to " +
                         std::to_string(kMaxLaneThreads) + ", got: " + rendered);
    return *widths.begin();
}

LanePlan plan_lanes(const Kernel& legal) {
    return Planner(legal).run();
}

std::string print_plan(const Kernel& legal, const LanePlan& plan) {
    std::string out = "lane layout: " + std::to_string(plan.threads) + " threads, one lane each\n";
    for (size_t i = 0; i < plan.shared.size(); ++i)
        out += "shared " + std::to_string(i) + ": " + std::to_string(plan.warps()) + " x " +
               std::string(info(plan.shared[i]).name) + "\n";
    for (size_t i = 0; i < plan.once.size(); ++i)
        out += "once " + std::to_string(i) + ": " + std::string(info(plan.once[i]).name) + "\n";
    return out + print_steps(legal, plan.steps, "");
}

}  // namespace mytriton
