// Stages end where all lanes must have done something before the next thing may start: a
// reduction's result is needed, or memory must be waited for.
#include "plan/strips.h"

#include <algorithm>

#include "ir/across.h"
#include "ir/movement.h"
#include "plan/stage.h"
#include "plan/strip_planner.h"

namespace mytriton {

StripPlanner::StripPlanner(const Kernel& kernel, StripTarget target)
    : kernel_(kernel),
      cuda_(target == StripTarget::cuda),
      facts_(kernel),
      home_(kernel.value_count(), -1),
      stored_(kernel.value_count(), false),
      cheap_(kernel.value_count(), false),
      reloads_(kernel, facts_, target) {}

StripPlan StripPlanner::run() {
    plan_.target = cuda_ ? StripTarget::cuda : StripTarget::cpu;
    plan_.slot_of.assign(kernel_.value_count(), -1);
    plan_.recomputed.assign(kernel_.value_count(), false);
    plan_.steps = place_region(0);
    kernel_.walk([&](InstId id) {
        for (Value result : kernel_.inst(id).results)
            plan_.computes_f64 |= is_block(result) && kernel_.type(result).is(Scalar::f64);
    });
    finish_stages(kernel_, facts_, plan_);
    return std::move(plan_);
}

Steps StripPlanner::place_region(RegionId region, const std::vector<size_t>& slots) {
    Steps steps;
    std::set<uint32_t> outer = in_memory_;
    std::swap(steps, steps_);
    reloads_.end_epoch();
    const std::vector<InstId>& insts = kernel_.region(region).insts;
    for (InstId id : insts) place(id);
    if (!slots.empty()) place_moves(kernel_.inst(insts.back()).operands, 0, slots);
    close();
    reloads_.end_epoch();
    in_memory_ = std::move(outer);
    std::swap(steps, steps_);
    return steps;
}

void StripPlanner::place(InstId id) {
    const Inst& inst = kernel_.inst(id);
    if (!inst.regions.empty()) return place_control(id);
    if (inst.op == Op::yield) return;  // by the op whose region it ends
    bool memory = info(inst.op).has(kReads) || info(inst.op).has(kWrites);
    bool reduce = info(inst.op).kind == OpKind::reduce;
    bool block = std::ranges::any_of(inst.results, [&](Value v) { return is_block(v); }) ||
                 std::ranges::any_of(inst.operands, [&](Value v) { return is_block(v); });
    if (moves_lanes(inst.op)) return place_movement(inst);
    if (is_across(inst)) return place_in_memory(id);
    bool reports = takes_text(inst.op);
    plan_.reports |= reports;
    // Lines come in program order: a stage reports at most once, and not before a scalar.
    if (reports && open_ && (!block || plan_.stages.back().reports)) close();
    if (!block) return place_scalar(id, memory);
    if (memory || reduce || reports) return place_effect(id, memory);
    // Pure block ops wait until an effect needs them.
    cheap_[inst.result().index] =
        !is_costly(inst) && std::ranges::all_of(inst.operands, [&](Value v) {
            return !is_block(v) || cheap_[v.index];
        });
    if (!is_costly(inst)) reloads_.note_op(inst, cheap_);
}

bool StripPlanner::is_costly(const Inst& inst) const {
    bool divides = inst.op == Op::div || inst.op == Op::rem;
    return info(inst.op).has(kCostly) ||
           (divides && kernel_.type(inst.result()).type_class() == TypeClass::Int);
}

void StripPlanner::place_scalar(InstId id, bool memory) {
    const Inst& inst = kernel_.inst(id);
    if (needs_open_stage(inst.operands)) close();
    if (inst.op == Op::addptr) return;  // part of the addresses that use it
    if (memory) {
        Access access = access_of(facts_, inst);
        if (access.writes || must_wait(facts_, open_accesses_, access)) close();
    }
    if (info(inst.op).has(kWrites)) reloads_.end_epoch();
    if (inst.op == Op::condition) close();  // what is in the stage happens before it
    steps_.push_back({Step::Kind::scalar, id});
}

void StripPlanner::place_effect(InstId id, bool memory) {
    const Inst& inst = kernel_.inst(id);
    int64_t width = 0;
    for (Value v : inst.operands)
        if (is_block(v)) width = kernel_.type(v).lanes();
    if (memory && open_ && must_wait(facts_, open_accesses_, access_of(facts_, inst))) close();
    // What must come before a write cannot be loaded again beside it.
    if (memory) reloads_.end_before(access_of(facts_, inst));
    Stage& stage = place_effect(inst.operands, width, &id);
    if (inst.op == Op::load) reloads_.note_load(inst, cheap_);
    if (info(inst.op).has(kWrites)) reloads_.end_epoch();
    stage.reports |= takes_text(inst.op);
    if (info(inst.op).kind == OpKind::reduce) {
        stage.reduces = true;
        pending_.insert(inst.result().index);
    }
}

Stage& StripPlanner::place_effect(const std::vector<Value>& operands, int64_t width,
                                  const InstId* effect) {
    if (open_ && plan_.stages.back().width != width) close();
    Needs needs = needs_of(operands);
    bool waits = std::ranges::any_of(needs.closure, [&](InstId each) {
        return needs_open_stage(kernel_.inst(each).operands) ||
               moves_from_open_stage(kernel_.inst(each));
    });
    if (open_ && (waits || needs_open_stage(operands))) {
        close();
        needs = needs_of(operands);
    }
    Stage& stage = open(width);
    for (InstId each : needs.closure) add(stage, each);
    if (effect) add(stage, *effect);
    for (Value from : needs.buffered) take_from_buffer(stage, from);
    for (Value from : needs.slots) take_from_slot(stage, from);
    return stage;
}

bool StripPlanner::moves_from_open_stage(const Inst& inst) const {
    return open_ && moves_lanes(inst.op) && std::ranges::any_of(inst.operands, [&](Value v) {
               v = facts_.unreshaped(v);
               const std::vector<Value>& left = plan_.stages.back().to_buffer;
               return std::ranges::find(left, v) != left.end() || pending_.contains(v.index);
           });
}

bool StripPlanner::needs_open_stage(const std::vector<Value>& operands) const {
    return std::ranges::any_of(operands,
                               [&](Value v) { return !v.none() && pending_.contains(v.index); });
}

StripPlanner::Needs StripPlanner::needs_of(const std::vector<Value>& operands) const {
    std::set<InstId> closure;
    Needs needs;
    std::vector<Value> pending(operands);
    while (!pending.empty()) {
        Value value = pending.back();
        pending.pop_back();
        if (!is_block(value) || in_open_stage(value)) continue;
        if (plan_.slot_of[value.index] >= 0) {
            needs.slots.push_back(value);
            continue;
        }
        if (stored_[value.index]) {
            needs.buffered.push_back(value);
            continue;
        }
        InstId id = *facts_.definition(value);
        bool elsewhere = home_[value.index] >= 0;
        // A moved pointer is no value of its own, only part of the addresses that use it.
        bool moved = kernel_.inst(id).op == Op::addptr;
        if (elsewhere && !cheap_[value.index] && !moved && !reloads_.can_reload(value)) {
            needs.buffered.push_back(value);
            continue;
        }
        if (!closure.insert(id).second) continue;
        if (moves_lanes(kernel_.inst(id).op)) continue;  // its operands are in memory
        const std::vector<Value>& its = kernel_.inst(id).operands;
        pending.insert(pending.end(), its.begin(), its.end());
    }
    needs.closure = {closure.begin(), closure.end()};
    return needs;
}

Stage& StripPlanner::open(int64_t width) {
    if (!open_) {
        plan_.stages.push_back({});
        plan_.stages.back().width = width;
        plan_.stages.back().trips = trips_;
        open_ = true;
    }
    return plan_.stages.back();
}

void StripPlanner::close() {
    if (!open_) return;
    steps_.push_back({Step::Kind::stage, 0, plan_.stages.size() - 1});
    open_ = false;
    in_stage_.clear();
    pending_.clear();
    open_accesses_.clear();
}

void StripPlanner::add(Stage& stage, InstId id) {
    stage.body.push_back(id);
    const Inst& inst = kernel_.inst(id);
    if (info(inst.op).has(kReads) || info(inst.op).has(kWrites))
        open_accesses_.push_back(access_of(facts_, inst));
    for (Value result : inst.results) {
        in_stage_.insert(result.index);
        if (home_[result.index] < 0)
            home_[result.index] = static_cast<int>(plan_.stages.size()) - 1;
    }
}

void StripPlanner::take_from_buffer(Stage& stage, Value value) {
    if (!in_stage_.insert(value.index).second) return;
    stage.from_buffer.push_back(value);
    if (!stored_[value.index]) leave_in_buffer(plan_.stages[home_[value.index]], value);
}

int64_t StripPlanner::take_scratch(Type block) {
    int64_t lanes = (block.lanes() + kStrip - 1) / kStrip * kStrip;
    Scalar scalar = lane_scalar(block);
    int64_t offset = plan_.scratch_bytes;
    plan_.scratch_bytes += lanes * (scalar == Scalar::boolean ? 4 : info(scalar).bytes);
    return offset;
}

void StripPlanner::take_from_slot(Stage& stage, Value value) {
    if (!in_stage_.insert(value.index).second) return;
    stage.from_slot.push_back(value);
    stage.unrolled |= plan_.slots[plan_.slot_of[value.index]].in_registers;
}
StripPlan plan_strips(const Kernel& legal, StripTarget target) {
    return StripPlanner(legal, target).run();
}

}  // namespace mytriton
