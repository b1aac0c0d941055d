// Decides barriers, single-thread stores and shared buffers of the lane layout.
#include "plan/lanes.h"

#include <algorithm>
#include <set>

#include "ir/print.h"
#include "plan/memory.h"

namespace mytriton {

int64_t lane_width(const Kernel& kernel) {
    std::set<int64_t> widths;
    for (InstId id : kernel.body())
        for (Value result : kernel.inst(id).results)
            if (kernel.type(result).is_block()) widths.insert(kernel.type(result).lanes());
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
    Facts facts(legal);
    LanePlan plan{.threads = lane_width(legal), .steps = {}, .shared = {}, .once = {}};
    std::set<uint32_t> used;
    for (InstId id : legal.body())
        for (Value operand : legal.inst(id).operands) used.insert(operand.index);
    std::vector<Access> since_barrier;
    for (InstId id : legal.body()) {
        const Inst& inst = legal.inst(id);
        LaneStep step{.inst = id};
        if (info(inst.op).kind == OpKind::reduce) {
            step.shared = static_cast<int>(plan.shared.size());
            plan.shared.push_back(legal.type(inst.result()).scalar());
        }
        if (takes_text(inst.op))
            step.one_thread = std::ranges::none_of(
                inst.operands, [&](Value v) { return legal.type(v).is_block(); });
        if (info(inst.op).has(kReads) || info(inst.op).has(kWrites)) {
            Access access = access_of(facts, inst);
            bool scalar = !legal.type(inst.operands[0]).is_block();
            step.one_thread = access.writes && scalar && plan.threads > 1;
            if (plan.threads > 1 && must_wait(facts, since_barrier, access)) {
                step.barrier_before = true;
                since_barrier.clear();
            }
            since_barrier.push_back(std::move(access));
            if (step.one_thread && !inst.results.empty() && used.contains(inst.result().index)) {
                // All threads wait for the result, and so for everything before it.
                step.once = static_cast<int>(plan.once.size());
                plan.once.push_back(legal.type(inst.result()).scalar());
                since_barrier.clear();
            }
        }
        plan.steps.push_back(step);
    }
    return plan;
}

std::string print_plan(const Kernel& legal, const LanePlan& plan) {
    std::string out = "lane layout: " + std::to_string(plan.threads) + " threads, one lane each\n";
    for (size_t i = 0; i < plan.shared.size(); ++i)
        out += "shared " + std::to_string(i) + ": " + std::to_string(plan.warps()) + " x " +
               std::string(info(plan.shared[i]).name) + "\n";
    for (size_t i = 0; i < plan.once.size(); ++i)
        out += "once " + std::to_string(i) + ": " + std::string(info(plan.once[i]).name) + "\n";
    for (const LaneStep& step : plan.steps) {
        if (step.barrier_before) out += "barrier\n";
        out += print_inst(legal, legal.inst(step.inst));
        if (step.one_thread) out += "  ; thread 0 only";
        if (step.shared >= 0) out += "  ; shared " + std::to_string(step.shared);
        if (step.once >= 0) out += ", then in once " + std::to_string(step.once);
        out += "\n";
    }
    return out;
}

}  // namespace mytriton
