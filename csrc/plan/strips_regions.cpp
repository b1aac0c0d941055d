// Loops and branches: the slots that they carry blocks in, and what is computed before them.
#include <algorithm>
#include <map>

#include "ir/range.h"
#include "plan/strip_planner.h"

namespace mytriton {

namespace {

constexpr int64_t kUnknownTrips = 16;  // of a loop, where nothing tells
constexpr int64_t kMostTrips = 1'000'000;

}  // namespace

void StripPlanner::place_control(InstId id) {
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

void StripPlanner::compute_before(const Inst& control) {
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

bool StripPlanner::is_mask_to_keep(Value value) const {
    const Inst& inst = kernel_.inst(*facts_.definition(value));
    return kernel_.type(value).is(Scalar::boolean) && inst.op != Op::splat &&
           facts_.prefix_tests(value).empty();
}

std::vector<size_t> StripPlanner::make_slots(const Inst& inst) {
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

void StripPlanner::put_in_slot(Value value) {
    plan_.slot_of[value.index] = static_cast<int>(plan_.slots.size());
    cheap_[value.index] = true;
}

void StripPlanner::place_moves(const std::vector<Value>& from, size_t first,
                               const std::vector<size_t>& slots) {
    std::map<int64_t, std::vector<Move>> by_width;
    for (size_t i = first; i < from.size(); ++i)
        if (is_block(from[i]) && plan_.slot_of[from[i].index] != static_cast<int>(slots[i - first]))
            by_width[kernel_.type(from[i]).lanes()].push_back({from[i], slots[i - first]});
    for (const auto& [width, moves] : by_width) {
        std::vector<Value> values;
        for (const Move& move : moves) values.push_back(move.from);
        Stage& stage = place_effect(values, width, nullptr);
        stage.moves.insert(stage.moves.end(), moves.begin(), moves.end());
        for (const Move& move : moves) stage.unrolled |= plan_.slots[move.slot].in_registers;
    }
}

int64_t StripPlanner::trips_of(const Inst& inst) const {
    if (inst.op == Op::if_) return 1;
    if (inst.op == Op::while_) return kUnknownTrips;
    std::optional<uint64_t> trips = constant_trip_count(kernel_, inst);
    if (!trips) return kUnknownTrips;
    return static_cast<int64_t>(std::clamp<uint64_t>(*trips, 1, kMostTrips));
}
}  // namespace mytriton
