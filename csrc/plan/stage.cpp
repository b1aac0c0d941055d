// Interiors, costs and the lane-0 values that stages start from.
#include "plan/stage.h"

#include <algorithm>
#include <set>

#include "ir/across.h"
#include "ir/movement.h"
#include "plan/past.h"

namespace mytriton {

namespace {

constexpr int64_t kCostlyLanes = 8;  // an exp weighs about as much as this many light ops

class Finisher {
  public:
    Finisher(const Kernel& kernel, const Facts& facts, StripPlan& plan)
        : kernel_(kernel), facts_(facts), plan_(plan) {}

    void run() {
        for (Stage& stage : plan_.stages) finish(stage);
        if (plan_.target == StripTarget::cpu) find_repeats(kernel_, facts_, bounds_, plan_);
        drop_idle_stages(plan_.steps);
        place_lane0_steps(plan_.steps, {});
    }

  private:
    bool is_block(Value value) const { return !value.none() && kernel_.type(value).is_block(); }

    void finish(Stage& stage) {
        // A report leaves the function, which a strip that is written out cannot.
        stage.unrolled &= !stage.reports;
        bool by_rows = plan_.target == StripTarget::cpu && !stage.unrolled;
        if (!stage.row && by_rows) stage.row = find_row(stage);
        Value bound = find_bound(stage);
        if (!bound.none()) {
            RowTests tests = *bound_tests(stage, bound);
            stage.bound = tests.tests;
            stage.row_masks = tests.rows;
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
            Value index = contiguous_index(stage, stage.row, inst);
            if (!index.none()) add_once(stage.contiguous, index);
            if (!index.none() && stage.row) stage.row_accesses.push_back(id);
        }
        plan_.cost_per_program += stage.width * cost * stage.trips;
        for (Value index : stage.contiguous) add_wraps(stage, index);
        for (const PrefixTest& test : stage.bound)
            for (Value value : facts_.may_wrap(test.index)) {
                add_once(stage.may_wrap, value);
                add_once(stage.bound_may_wrap, value);
            }
        bounds_.push_back(bound);
    }

    void add_wraps(Stage& stage, Value index) const {
        for (Value value : facts_.may_wrap(index)) add_once(stage.may_wrap, value);
    }

    // --- rows ------------------------------------------------------------------------------------

    // Of the first access that is contiguous along rows only.
    int64_t find_row(const Stage& stage) const {
        for (InstId id : stage.body) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op != Op::load && inst.op != Op::store) continue;
            if (!is_block(inst.operands[0])) continue;
            int64_t row = kernel_.type(inst.operands[0]).shape().back();
            bool may_gain = row % kStrip == 0 && contiguous_index(stage, 0, inst).none();
            if (may_gain && !contiguous_index(stage, row, inst).none()) return row;
        }
        return 0;
    }

    // The lane offset that addresses a contiguous access of the stage, or of each of its rows.
    Value contiguous_index(const Stage& stage, int64_t row, const Inst& access) const {
        Address address = facts_.address(access.operands[0]);
        if (!row) return facts_.is_contiguous(address) ? address.lane_offsets[0] : Value();
        const std::vector<int64_t>& shape = kernel_.type(access.operands[0]).shape();
        Value index = facts_.row_index(address);
        bool known = !index.none() && !shape.empty() && shape.back() % row == 0 &&
                     starts_row(stage, row, address.lane_offsets) &&
                     starts_row(stage, row, facts_.may_wrap(index));
        return known ? index : Value();
    }

    std::optional<RowTests> bound_tests(const Stage& stage, Value mask) const {
        if (!stage.row) {
            RowTests tests{facts_.prefix_tests(mask), {}};
            return tests.tests.empty() ? std::nullopt : std::optional(tests);
        }
        std::optional<RowTests> tests = facts_.row_tests(mask, stage.row);
        if (!tests || !starts_row(stage, stage.row, tests->rows)) return std::nullopt;
        for (const PrefixTest& test : tests->tests)
            if (!starts_row(stage, stage.row, facts_.may_wrap(test.index))) return std::nullopt;
        return tests;
    }

    // Whether their lanes at the start of each row can be computed by scalars: a block of one row
    // has one, before the stage.
    bool starts_row(const Stage& stage, int64_t row, const std::vector<Value>& values) const {
        std::vector<Value> pending = values;
        std::set<uint32_t> seen;
        while (!pending.empty()) {
            Value value = pending.back();
            pending.pop_back();
            if (!is_block(value) || !seen.insert(value.index).second) continue;
            int64_t lanes = kernel_.type(value).lanes();
            if (lanes != stage.width && lanes != row) return false;
            if (lanes != stage.width || in_memory(stage, value)) continue;
            std::optional<InstId> id = facts_.definition(value);
            if (!id || info(kernel_.inst(*id).op).has(kReads)) return false;
            const Inst& inst = kernel_.inst(*id);
            if (inst.operands.size() == 2 && moves_lanes(inst.op)) return false;
            if (!moves_lanes(inst.op))
                pending.insert(pending.end(), inst.operands.begin(), inst.operands.end());
        }
        return true;
    }

    bool in_memory(const Stage& stage, Value value) const {
        return plan_.slot_of[value.index] >= 0 || contains(stage.from_buffer, value);
    }

    // The first mask of the stage that holds for leading lanes only; else that of a stage which
    // left it a block.
    Value find_bound(const Stage& stage) const {
        for (InstId id : stage.body) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op != Op::load && inst.op != Op::store) continue;
            Value mask = inst.operands[inst.op == Op::load ? 1 : 2];
            if (is_block(mask) && bound_tests(stage, mask)) return mask;
        }
        if (!stage.reduces && stage.to_buffer.empty()) return {};
        for (Value value : stage.from_buffer)
            for (size_t i = 0; i < bounds_.size(); ++i)
                if (!bounds_[i].none() && plan_.stages[i].row == stage.row &&
                    contains(plan_.stages[i].to_buffer, value))
                    return bounds_[i];
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

    // Those of which nothing is left: they loaded what later ones load again.
    void drop_idle_stages(Steps& steps) const {
        std::erase_if(steps, [&](const Step& step) {
            return step.kind == Step::Kind::stage && is_idle(plan_.stages[step.stage]);
        });
        for (Step& step : steps)
            for (Steps& block : step.blocks) drop_idle_stages(block);
    }

    bool is_idle(const Stage& stage) const {
        return !stage.reduces && !stage.reports && stage.to_buffer.empty() && stage.moves.empty() &&
               std::ranges::none_of(
                   stage.body, [&](InstId id) { return info(kernel_.inst(id).op).has(kWrites); });
    }

    static bool contains(const std::vector<Value>& values, Value value) {
        return std::ranges::find(values, value) != values.end();
    }

    static void add_once(std::vector<Value>& values, Value value) {
        if (!contains(values, value)) values.push_back(value);
    }

    // Before each stage, the lane-0 values that its bound and its addresses start from: an index
    // op on the lane-0 values of its operands. What is placed in a region is known only there.
    void place_lane0_steps(Steps& steps, std::set<uint32_t> placed) {
        Steps with;
        for (Step& step : steps) {
            if (step.kind == Step::Kind::stage)
                for (Value value : take_row_starts(plan_.stages[step.stage]))
                    if (placed.insert(value.index).second)
                        with.push_back({.kind = Step::Kind::lane0, .value = value});
            for (Steps& block : step.blocks) place_lane0_steps(block, placed);
            with.push_back(std::move(step));
        }
        steps = std::move(with);
    }

    // What is needed before the stage; the rest becomes its row starts.
    std::vector<Value> take_row_starts(Stage& stage) const {
        if (!stage.row) return lane0_needs(stage, stage.may_wrap);
        std::vector<Value> needs = stage.may_wrap;
        needs.insert(needs.end(), stage.row_masks.begin(), stage.row_masks.end());
        for (InstId id : stage.row_accesses) {
            Value pointer = kernel_.inst(id).operands[0];
            std::vector<Value> offsets = facts_.address(pointer).lane_offsets;
            needs.insert(needs.end(), offsets.begin(), offsets.end());
        }
        std::vector<Value> before;
        for (Value value : needs)
            if (kernel_.type(value).lanes() != stage.width) before.push_back(value);
        std::erase_if(needs, [&](Value v) { return contains(before, v); });
        stage.row_starts = lane0_needs(stage, needs);
        return lane0_needs(stage, before);
    }

    // In program order: those in slots first, which need nothing else.
    std::vector<Value> lane0_needs(const Stage& stage, std::vector<Value> pending) const {
        std::set<InstId> needs;
        std::vector<Value> found;
        while (!pending.empty()) {
            Value value = pending.back();
            pending.pop_back();
            if (!is_block(value)) continue;
            bool at_row = stage.row && kernel_.type(value).lanes() == stage.width;
            if (plan_.slot_of[value.index] >= 0 || (at_row && in_memory(stage, value))) {
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
    std::vector<Value> bounds_;  // by stage: the mask that its bound is of
};

}  // namespace

void finish_stages(const Kernel& legal, const Facts& facts, StripPlan& plan) {
    Finisher(legal, facts, plan).run();
}

}  // namespace mytriton
