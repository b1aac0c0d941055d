// Lanes that change places, and ops across lanes: what they come from has to be in memory before.
#include <algorithm>

#include "ir/across.h"
#include "ir/movement.h"
#include "plan/strip_planner.h"

namespace mytriton {

namespace {

constexpr size_t kMostRecomputed = 16;  // instructions
constexpr int64_t kSortedLanes = 16;  // a lane to sort weighs about as much as this many light ops

}  // namespace

void StripPlanner::place_movement(const Inst& inst) {
    if (cuda_ && inst.operands.size() == 1 && is_recomputable(inst.operands[0])) {
        plan_.recomputed[inst.result().index] = true;
        cheap_[inst.result().index] = true;
        return;
    }
    for (Value operand : inst.operands) keep_in_memory(facts_.unreshaped(operand));
    if (inst.operands.size() > 1) return;
    LaneMap map =
        lane_map(inst.op, inst.attrs, kernel_.type(inst.operands[0]), kernel_.type(inst.result()));
    cheap_[inst.result().index] = map.is_uniform(kStrip) || map.is_consecutive(kStrip);
}

bool StripPlanner::is_recomputable(Value value) {
    std::vector<Value> pending = {value};
    std::set<InstId> closure;
    while (!pending.empty()) {
        Value each = pending.back();
        pending.pop_back();
        if (!is_block(each)) continue;
        std::optional<InstId> id = facts_.definition(each);
        if (!id || plan_.slot_of[each.index] >= 0 || stored_[each.index]) return false;
        const Inst& inst = kernel_.inst(*id);
        if (!cheap_[each.index] || !info(inst.op).has(kPure)) return false;
        if (moves_lanes(inst.op) && !plan_.recomputed[each.index]) return false;
        if (closure.insert(*id).second && closure.size() > kMostRecomputed) return false;
        pending.insert(pending.end(), inst.operands.begin(), inst.operands.end());
    }
    for (InstId id : closure)
        if (needs_open_stage(kernel_.inst(id).operands)) close();
    return true;
}

void StripPlanner::place_in_memory(InstId id) {
    const Inst& inst = kernel_.inst(id);
    Value result = inst.result();
    bool in_stage = combines_rows(inst);
    if (in_stage) {
        place_rows(id);
    } else {
        for (Value operand : inst.operands)
            if (is_block(operand)) keep_in_memory(facts_.unreshaped(operand));
        close();
    }
    stored_[result.index] = true;
    in_memory_.insert(result.index);
    plan_.buffers.push_back({result, take_scratch(kernel_.type(result)), true});
    if (in_stage) return;
    Step step{Step::Kind::memory, id};
    int64_t cost = 1;
    if (inst.op == Op::sort) {
        Type block = kernel_.type(result);
        step.room = take_scratch(block.with_shape({block.shape().back()}));
        cost = kSortedLanes;
    }
    for (Value operand : inst.operands)
        if (is_block(operand))
            plan_.cost_per_program += kernel_.type(operand).lanes() * cost * trips_;
    steps_.push_back(std::move(step));
}

bool StripPlanner::combines_rows(const Inst& inst) const {
    if (cuda_ || info(inst.op).kind != OpKind::reduce) return false;
    const std::vector<int64_t>& shape = kernel_.type(inst.operands[0]).shape();
    bool last = inst.attr(AttrKey::axis) + 1 == static_cast<int64_t>(shape.size());
    return last && shape.back() % kStrip == 0 &&
           kernel_.type(inst.operands[0]).lanes() > kRegisterLanes;
}

void StripPlanner::place_rows(InstId id) {
    const Inst& inst = kernel_.inst(id);
    int64_t row = kernel_.type(inst.operands[0]).shape().back();
    if (open_ && plan_.stages.back().row && plan_.stages.back().row != row) close();
    Stage& stage = place_effect(inst.operands, kernel_.type(inst.operands[0]).lanes(), &id);
    stage.row = row;
    stage.reduces = true;
    pending_.insert(inst.result().index);
}

void StripPlanner::keep_in_memory(Value value) {
    if (!in_memory_.insert(value.index).second || stored_[value.index]) return;
    leave_in_memory(value);
    std::ranges::find(plan_.buffers, value, &Buffer::value)->exchanged = true;
}

void StripPlanner::leave_in_memory(Value value) {
    bool in_slot = plan_.slot_of[value.index] >= 0;
    bool elsewhere = home_[value.index] >= 0 && !cheap_[value.index] && !in_open_stage(value);
    if (elsewhere && !in_slot)
        leave_in_buffer(plan_.stages[home_[value.index]], value);
    else
        leave_in_buffer(place_effect({value}, kernel_.type(value).lanes(), nullptr), value);
}

void StripPlanner::leave_in_buffer(Stage& stage, Value value) {
    if (std::ranges::find(stage.to_buffer, value) != stage.to_buffer.end()) return;
    stage.to_buffer.push_back(value);
    if (std::ranges::find(plan_.buffers, value, &Buffer::value) == plan_.buffers.end())
        plan_.buffers.push_back({value, take_scratch(kernel_.type(value))});
}
}  // namespace mytriton
