// Interiors, costs and the lane-0 values that stages start from.
#include "plan/stage.h"

#include <algorithm>
#include <set>

#include "ir/across.h"
#include "ir/movement.h"

namespace mytriton {

namespace {

constexpr int64_t kCostlyLanes = 8;  // an exp weighs about as much as this many light ops

class Finisher {
  public:
    Finisher(const Kernel& kernel, const Facts& facts, StripPlan& plan)
        : kernel_(kernel), facts_(facts), plan_(plan) {}

    void run() {
        for (Stage& stage : plan_.stages) finish(stage);
        place_lane0_steps(plan_.steps, {});
    }

  private:
    bool is_block(Value value) const { return !value.none() && kernel_.type(value).is_block(); }

    void finish(Stage& stage) {
        // A report leaves the function, which a strip that is written out cannot.
        stage.unrolled &= !stage.reports;
        Value bound = find_bound(stage);
        if (!bound.none()) {
            stage.bound = facts_.prefix_tests(bound);
            add_all_true(stage, bound);
        }
        stage.stops_at_bound = !bound.none() && !stage.reduces && !stage.reports &&
                               stage.to_buffer.empty() && stage.moves.empty();
        int64_t cost = 0;
        for (InstId id : stage.body) {
            const Inst& inst = kernel_.inst(id);
            cost += info(inst.op).has(kCostly) ? kCostlyLanes : 1;
            bool memory = info(inst.op).has(kReads) || info(inst.op).has(kWrites);
            if (!memory) continue;
            bool masked = inst.op == Op::store || inst.op == Op::atomic_rmw;
            if (info(inst.op).has(kWrites) && (!masked || inst.operands[2] != bound))
                stage.stops_at_bound = false;
            if (inst.op != Op::load && inst.op != Op::store) continue;
            Address address = facts_.address(inst.operands[0]);
            if (facts_.is_contiguous(address)) add_once(stage.contiguous, address.lane_offsets[0]);
        }
        plan_.cost_per_program += stage.width * cost * stage.trips;
        for (Value index : stage.contiguous) add_wraps(stage, index);
        for (const PrefixTest& test : stage.bound) add_wraps(stage, test.index);
    }

    void add_wraps(Stage& stage, Value index) const {
        for (Value value : facts_.may_wrap(index)) add_once(stage.may_wrap, value);
    }

    // The first mask of the stage that holds for leading lanes only.
    Value find_bound(const Stage& stage) const {
        for (InstId id : stage.body) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op != Op::load && inst.op != Op::store) continue;
            Value mask = inst.operands[inst.op == Op::load ? 1 : 2];
            if (is_block(mask) && !facts_.prefix_tests(mask).empty()) return mask;
        }
        return {};
    }

    // The mask and, where it is a conjunction, its parts.
    void add_all_true(Stage& stage, Value mask) {
        std::vector<Value> pending = {mask};
        std::set<uint32_t> seen;
        while (!pending.empty()) {
            Value value = pending.back();
            pending.pop_back();
            if (!seen.insert(value.index).second) continue;
            stage.all_true.push_back(value);
            const Inst& inst = kernel_.inst(*facts_.definition(value));
            if (inst.op == Op::bit_and)
                pending.insert(pending.end(), inst.operands.begin(), inst.operands.end());
        }
        std::ranges::sort(stage.all_true, {}, &Value::index);
    }

    static void add_once(std::vector<Value>& values, Value value) {
        if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }

    // Before each stage, the lane-0 values that its bound and its addresses start from: an index
    // op on the lane-0 values of its operands. What is placed in a region is known only there.
    void place_lane0_steps(Steps& steps, std::set<uint32_t> placed) {
        Steps with;
        for (Step& step : steps) {
            if (step.kind == Step::Kind::stage)
                for (Value value : lane0_needs(plan_.stages[step.stage]))
                    if (placed.insert(value.index).second)
                        with.push_back({.kind = Step::Kind::lane0, .value = value});
            for (Steps& block : step.blocks) place_lane0_steps(block, placed);
            with.push_back(std::move(step));
        }
        steps = std::move(with);
    }

    // In program order: those in slots first, which need nothing else.
    std::vector<Value> lane0_needs(const Stage& stage) const {
        std::set<InstId> needs;
        std::vector<Value> found;
        std::vector<Value> pending = stage.may_wrap;
        while (!pending.empty()) {
            Value value = pending.back();
            pending.pop_back();
            if (!is_block(value)) continue;
            if (plan_.slot_of[value.index] >= 0) {
                add_once(found, value);
                continue;
            }
            InstId id = *facts_.definition(value);
            if (!needs.insert(id).second) continue;
            const Inst& inst = kernel_.inst(id);
            if (moves_lanes(inst.op) || is_across(inst)) continue;  // they are in memory
            const std::vector<Value>& operands = inst.operands;
            pending.insert(pending.end(), operands.begin(), operands.end());
        }
        for (InstId id : needs) found.push_back(kernel_.inst(id).result());
        return found;
    }

    const Kernel& kernel_;
    const Facts& facts_;
    StripPlan& plan_;
};

}  // namespace

void finish_stages(const Kernel& legal, const Facts& facts, StripPlan& plan) {
    Finisher(legal, facts, plan).run();
}

}  // namespace mytriton
