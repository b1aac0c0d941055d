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

// The first op whose lanes meet others than by a reduction to a scalar; and the widths of blocks.
std::pair<std::optional<Op>, std::set<int64_t>> survey(const Kernel& kernel) {
    std::set<int64_t> widths;
    std::optional<Op> moved;
    kernel.walk([&](InstId id) {
        const Inst& inst = kernel.inst(id);
        if (!moved && (is_across(inst) || moves_lanes(inst.op))) moved = inst.op;
        for (Value result : inst.results)
            if (kernel.type(result).is_block()) widths.insert(kernel.type(result).lanes());
    });
    return {moved, widths};
}

class Planner {
  public:
    explicit Planner(const Kernel& legal) : kernel_(legal) {
        plan_.threads = lane_width(legal);
        used_ = used_values(legal);
    }

    LanePlan run() {
        plan_.steps = block(0);
        std::vector<SyncStep> steps = sync_steps(plan_.steps);
        place_barriers(kernel_, steps, plan_.threads);
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
        if (writes || (is_fresh(inst) && is_used)) {
            bool scalar = !kernel_.type(inst.operands[0]).is_block();
            step.one_thread = scalar && plan_.threads > 1;
            if (step.one_thread && is_used) step.once = add_slot(plan_.once, inst);
        }
        return step;
    }

    // Each reduction and each once-step has a place of its own, whose addresses do not matter here.
    std::vector<SyncStep> sync_steps(std::vector<LaneStep>& steps) {
        std::vector<SyncStep> out;
        for (LaneStep& step : steps) {
            const Inst& inst = kernel_.inst(step.inst);
            SyncStep sync{&step.barrier_before, step.inst, step.one_thread};
            if (info(inst.op).has(kReads) || info(inst.op).has(kWrites))
                sync.accesses = {step.inst};
            if (step.shared >= 0 || step.once >= 0) {
                int64_t place = step.shared >= 0 ? 2 * step.shared : 2 * step.once + 1;
                sync.waits = true;
                sync.writes = sync.reads_after = {{place, place + 1}};
            }
            for (std::vector<LaneStep>& block : step.blocks)
                sync.blocks.push_back(sync_steps(block));
            out.push_back(std::move(sync));
        }
        return out;
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

bool is_fresh(const Inst& inst) {
    return inst.op == Op::load &&
           (inst.find_attr(AttrKey::is_volatile) ||
            inst.find_attr(AttrKey::cache) == static_cast<int64_t>(CacheUse::cv));
}

std::set<uint32_t> used_values(const Kernel& kernel) {
    std::set<uint32_t> used;
    kernel.walk([&](InstId id) {
        for (Value operand : kernel.inst(id).operands) used.insert(operand.index);
    });
    return used;
}

bool takes_lane_layout(const Kernel& kernel) {
    if (kernel.options().lane_layout) return true;
    auto [moved, widths] = survey(kernel);
    return !kernel.options().num_warps && !moved && widths.size() <= 1 &&
           (widths.empty() || *widths.begin() <= kMostLanesByDefault);
}

int64_t lane_width(const Kernel& kernel) {
    auto [moved, widths] = survey(kernel);
    if (moved)
        throw ValueError("CUDA lowering has no '" + std::string(info(*moved).name) +
                         "' of blocks in the lane layout: leave layout='lane' out");
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
