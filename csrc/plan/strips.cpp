// Cuts a program into stages. Stages end where all lanes must have done something before the next
// thing may start: a reduction's result is needed, or memory must be waited for.
#include "plan/strips.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/across.h"
#include "ir/movement.h"
#include "ir/range.h"
#include "plan/memory.h"
#include "plan/reload.h"
#include "plan/stage.h"

namespace mytriton {

namespace {

constexpr int64_t kUnknownTrips = 16;  // of a loop, where nothing tells
constexpr int64_t kMostTrips = 1'000'000;
constexpr size_t kMostRecomputed = 16;  // instructions
constexpr int64_t kSortedLanes = 16;  // a lane to sort weighs about as much as this many light ops

class Planner {
  public:
    Planner(const Kernel& kernel, StripTarget target)
        : kernel_(kernel),
          cuda_(target == StripTarget::cuda),
          facts_(kernel),
          home_(kernel.value_count(), -1),
          stored_(kernel.value_count(), false),
          cheap_(kernel.value_count(), false),
          reloads_(kernel, facts_, target) {}

    StripPlan run() {
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

  private:
    bool is_block(Value value) const { return !value.none() && kernel_.type(value).is_block(); }

    // The steps of a region, which ends by moving what it yields to these slots.
    Steps place_region(RegionId region, const std::vector<size_t>& slots = {}) {
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

    void place(InstId id) {
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

    // --- lanes that change places: what they come from has to be in memory before ---------------

    // Each strip then takes its lanes from there.
    void place_movement(const Inst& inst) {
        if (cuda_ && inst.operands.size() == 1 && is_recomputable(inst.operands[0])) {
            plan_.recomputed[inst.result().index] = true;
            cheap_[inst.result().index] = true;
            return;
        }
        for (Value operand : inst.operands) keep_in_memory(facts_.unreshaped(operand));
        if (inst.operands.size() > 1) return;
        LaneMap map = lane_map(inst.op, inst.attrs, kernel_.type(inst.operands[0]),
                               kernel_.type(inst.result()));
        cheap_[inst.result().index] = map.is_uniform(kStrip) || map.is_consecutive(kStrip);
    }

    // Whether any lane can do for itself what this lane did: index arithmetic, of no great length.
    // It closes the stage that the scalars in it come from.
    bool is_recomputable(Value value) {
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

    void place_in_memory(InstId id) {
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

    // Rows of whole strips are combined by the stage that computes them.
    bool combines_rows(const Inst& inst) const {
        if (cuda_ || info(inst.op).kind != OpKind::reduce) return false;
        const std::vector<int64_t>& shape = kernel_.type(inst.operands[0]).shape();
        bool last = inst.attr(AttrKey::axis) + 1 == static_cast<int64_t>(shape.size());
        return last && shape.back() % kStrip == 0 &&
               kernel_.type(inst.operands[0]).lanes() > kRegisterLanes;
    }

    void place_rows(InstId id) {
        const Inst& inst = kernel_.inst(id);
        int64_t row = kernel_.type(inst.operands[0]).shape().back();
        if (open_ && plan_.stages.back().row && plan_.stages.back().row != row) close();
        Stage& stage = place_effect(inst.operands, kernel_.type(inst.operands[0]).lanes(), &id);
        stage.row = row;
        stage.reduces = true;
        pending_.insert(inst.result().index);
    }

    void keep_in_memory(Value value) {
        if (!in_memory_.insert(value.index).second || stored_[value.index]) return;
        leave_in_memory(value);
        std::ranges::find(plan_.buffers, value, &Buffer::value)->exchanged = true;
    }

    void leave_in_memory(Value value) {
        bool in_slot = plan_.slot_of[value.index] >= 0;
        bool elsewhere = home_[value.index] >= 0 && !cheap_[value.index] && !in_open_stage(value);
        if (elsewhere && !in_slot)
            leave_in_buffer(plan_.stages[home_[value.index]], value);
        else
            leave_in_buffer(place_effect({value}, kernel_.type(value).lanes(), nullptr), value);
    }

    void leave_in_buffer(Stage& stage, Value value) {
        if (std::ranges::find(stage.to_buffer, value) != stage.to_buffer.end()) return;
        stage.to_buffer.push_back(value);
        if (std::ranges::find(plan_.buffers, value, &Buffer::value) == plan_.buffers.end())
            plan_.buffers.push_back({value, take_scratch(kernel_.type(value))});
    }

    // --- ops with regions ------------------------------------------------------------------------

    void place_control(InstId id) {
        const Inst& inst = kernel_.inst(id);
        compute_before(inst);
        std::vector<size_t> slots = make_slots(inst);
        bool loop = inst.op != Op::if_;
        size_t first = inst.op == Op::for_ ? kForInits : 0;
        if (loop) place_moves(inst.operands, first, slots);
        close();
        Step step{Step::Kind::control, id};
        int64_t outer_trips = trips_;
        trips_ = std::min<int64_t>(trips_ * trips_of(inst), kMostTrips);
        for (RegionId region : inst.regions) step.blocks.push_back(place_region(region, slots));
        trips_ = outer_trips;
        steps_.push_back(std::move(step));
    }

    // Blocks that a region needs from outside are computed there, if they cost anything: in the
    // region it might be done over and over, or not at all where something behind it needs them.
    void compute_before(const Inst& control) {
        std::set<uint32_t> inside;
        std::vector<Value> used;
        for (RegionId region : control.regions) {
            for (Value arg : kernel_.region(region).args) inside.insert(arg.index);
            kernel_.walk(region, [&](InstId id) {
                const Inst& inst = kernel_.inst(id);
                for (Value result : inst.results) inside.insert(result.index);
                for (RegionId inner : inst.regions)
                    for (Value arg : kernel_.region(inner).args) inside.insert(arg.index);
                used.insert(used.end(), inst.operands.begin(), inst.operands.end());
            });
        }
        while (!used.empty()) {
            Value value = used.back();
            used.pop_back();
            if (!is_block(value) || inside.contains(value.index) || home_[value.index] >= 0 ||
                stored_[value.index])
                continue;
            std::optional<InstId> id = facts_.definition(value);
            if (!id || plan_.slot_of[value.index] >= 0) continue;
            const std::vector<Value>& operands = kernel_.inst(*id).operands;
            if (control.op != Op::if_ && is_mask_to_keep(value)) cheap_[value.index] = false;
            if (kernel_.inst(*id).op == Op::addptr || cheap_[value.index])
                used.insert(used.end(), operands.begin(), operands.end());
            else
                place_effect({value}, kernel_.type(value).lanes(), nullptr);
        }
    }

    // Masks of leading lanes become bounds; others are not to be computed in each round again.
    bool is_mask_to_keep(Value value) const {
        const Inst& inst = kernel_.inst(*facts_.definition(value));
        return kernel_.type(value).is(Scalar::boolean) && inst.op != Op::splat &&
               facts_.prefix_tests(value).empty();
    }

    std::vector<size_t> make_slots(const Inst& inst) {
        std::vector<size_t> slots;
        for (size_t i = 0; i < inst.results.size(); ++i) {
            Value result = inst.results[i];
            slots.push_back(plan_.slots.size());
            if (!is_block(result)) continue;
            int64_t lanes = kernel_.type(result).lanes();
            Slot slot{result, cuda_ || lanes <= kRegisterLanes};
            if (!slot.in_registers) slot.offset = take_scratch(kernel_.type(result));
            put_in_slot(result);
            if (inst.op != Op::if_) {
                const std::vector<Value>& args = kernel_.region(inst.regions[0]).args;
                put_in_slot(args[args.size() - inst.results.size() + i]);
            }
            plan_.slots.push_back(slot);
        }
        return slots;
    }

    void put_in_slot(Value value) {
        plan_.slot_of[value.index] = static_cast<int>(plan_.slots.size());
        cheap_[value.index] = true;
    }

    // Values of one width are moved together, so that what is swapped is read before it is written.
    void place_moves(const std::vector<Value>& from, size_t first,
                     const std::vector<size_t>& slots) {
        std::map<int64_t, std::vector<Move>> by_width;
        for (size_t i = first; i < from.size(); ++i)
            if (is_block(from[i]) &&
                plan_.slot_of[from[i].index] != static_cast<int>(slots[i - first]))
                by_width[kernel_.type(from[i]).lanes()].push_back({from[i], slots[i - first]});
        for (const auto& [width, moves] : by_width) {
            std::vector<Value> values;
            for (const Move& move : moves) values.push_back(move.from);
            Stage& stage = place_effect(values, width, nullptr);
            stage.moves.insert(stage.moves.end(), moves.begin(), moves.end());
            for (const Move& move : moves) stage.unrolled |= plan_.slots[move.slot].in_registers;
        }
    }

    int64_t trips_of(const Inst& inst) const {
        if (inst.op == Op::if_) return 1;
        if (inst.op == Op::while_) return kUnknownTrips;
        std::optional<uint64_t> trips = constant_trip_count(kernel_, inst);
        if (!trips) return kUnknownTrips;
        return static_cast<int64_t>(std::clamp<uint64_t>(*trips, 1, kMostTrips));
    }

    // --- single instructions ---------------------------------------------------------------------

    // Ints are divided lane by lane.
    bool is_costly(const Inst& inst) const {
        bool divides = inst.op == Op::div || inst.op == Op::rem;
        return info(inst.op).has(kCostly) ||
               (divides && kernel_.type(inst.result()).type_class() == TypeClass::Int);
    }

    // Scalar steps run before the stage that is open, unless they need something of it.
    void place_scalar(InstId id, bool memory) {
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

    void place_effect(InstId id, bool memory) {
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

    // Computes these values in the stage that is open, or in a new one where that cannot be; then
    // does the effect that they are needed for.
    Stage& place_effect(const std::vector<Value>& operands, int64_t width, const InstId* effect) {
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

    // Other lanes of what the open stage leaves in a buffer are there only after it.
    bool moves_from_open_stage(const Inst& inst) const {
        return open_ && moves_lanes(inst.op) && std::ranges::any_of(inst.operands, [&](Value v) {
                   v = facts_.unreshaped(v);
                   const std::vector<Value>& left = plan_.stages.back().to_buffer;
                   return std::ranges::find(left, v) != left.end() || pending_.contains(v.index);
               });
    }

    // Results of the open stage's reductions exist only after it.
    bool needs_open_stage(const std::vector<Value>& operands) const {
        return std::ranges::any_of(
            operands, [&](Value v) { return !v.none() && pending_.contains(v.index); });
    }

    struct Needs {
        std::vector<InstId> closure;  // pure ops that must join the stage, in program order
        std::vector<Value> buffered, slots;
    };

    // Values of earlier stages are computed again where that is cheap, else they come through a
    // buffer.
    Needs needs_of(const std::vector<Value>& operands) const {
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

    bool in_open_stage(Value value) const { return open_ && in_stage_.contains(value.index); }

    Stage& open(int64_t width) {
        if (!open_) {
            plan_.stages.push_back({});
            plan_.stages.back().width = width;
            plan_.stages.back().trips = trips_;
            open_ = true;
        }
        return plan_.stages.back();
    }

    void close() {
        if (!open_) return;
        steps_.push_back({Step::Kind::stage, 0, plan_.stages.size() - 1});
        open_ = false;
        in_stage_.clear();
        pending_.clear();
        open_accesses_.clear();
    }

    void add(Stage& stage, InstId id) {
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

    void take_from_buffer(Stage& stage, Value value) {
        if (!in_stage_.insert(value.index).second) return;
        stage.from_buffer.push_back(value);
        if (!stored_[value.index]) leave_in_buffer(plan_.stages[home_[value.index]], value);
    }

    int64_t take_scratch(Type block) {
        int64_t lanes = (block.lanes() + kStrip - 1) / kStrip * kStrip;
        Scalar scalar = lane_scalar(block);
        int64_t offset = plan_.scratch_bytes;
        plan_.scratch_bytes += lanes * (scalar == Scalar::boolean ? 4 : info(scalar).bytes);
        return offset;
    }

    void take_from_slot(Stage& stage, Value value) {
        if (!in_stage_.insert(value.index).second) return;
        stage.from_slot.push_back(value);
        stage.unrolled |= plan_.slots[plan_.slot_of[value.index]].in_registers;
    }

    const Kernel& kernel_;
    bool cuda_;
    Facts facts_;
    StripPlan plan_;
    std::vector<int> home_;         // by value: the stage that first computed it
    std::vector<bool> stored_;      // by value: a memory step leaves it in its buffer
    std::set<uint32_t> in_memory_;  // values whose buffers hold them here
    std::vector<bool> cheap_;       // by value: index arithmetic, not worth a buffer
    Reloads reloads_;
    Steps steps_;        // of the region that is being placed
    int64_t trips_ = 1;  // how often it is taken to run
    bool open_ = false;
    std::set<uint32_t> in_stage_;
    std::set<uint32_t> pending_;
    std::vector<Access> open_accesses_;
};

}  // namespace

StripPlan plan_strips(const Kernel& legal, StripTarget target) {
    return Planner(legal, target).run();
}

}  // namespace mytriton
