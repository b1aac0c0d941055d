// How facts about conditions spread: down through what they are made of, and one step up.
#include "passes/conditions.h"

namespace mytriton {

namespace {

// A condition may be made of thousands; this many are ever looked at, lest folding take long.
constexpr size_t kMostSteps = 64;

}  // namespace

void KnownConditions::define(InstId id) {
    const Inst& inst = kernel_.inst(id);
    bool logic = inst.op == Op::bit_not || inst.op == Op::bit_and || inst.op == Op::bit_or;
    if (logic && kernel_.type(inst.result()) == Type::scalar(Scalar::boolean))
        definitions_.emplace(inst.result().index, id);
}

const Inst* KnownConditions::definition(Value value) const {
    auto found = definitions_.find(value.index);
    return found == definitions_.end() ? nullptr : &kernel_.inst(found->second);
}

Value KnownConditions::opposite(Value value) const {
    const Inst* inst = definition(value);
    return inst && inst->op == Op::bit_not ? inst->operands[0] : Value();
}

// An and that holds means that both operands do; an or that does not, that neither does.
void KnownConditions::assume(Value condition, bool holds) {
    std::vector<std::pair<Value, bool>> pending = {{condition, holds}};
    for (size_t steps = 0; !pending.empty() && steps < kMostSteps; ++steps) {
        auto [value, known] = pending.back();
        pending.pop_back();
        if (kernel_.is_constant(value) || !known_.emplace(value.index, known).second) continue;
        trail_.push_back(value.index);
        const Inst* inst = definition(value);
        if (!inst) continue;
        if (inst->op == Op::bit_not)
            pending.emplace_back(inst->operands[0], !known);
        else if (known == (inst->op == Op::bit_and))
            for (Value operand : inst->operands) pending.emplace_back(operand, known);
    }
}

std::optional<bool> KnownConditions::direct(Value value) const {
    if (kernel_.is_constant(value)) return kernel_.data(value).bits != 0;
    auto found = known_.find(value.index);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<bool> KnownConditions::find(Value value) const {
    if (known_.empty() || value.none() || kernel_.is_constant(value)) return std::nullopt;
    if (std::optional<bool> known = direct(value)) return known;
    const Inst* inst = definition(value);
    if (!inst) return std::nullopt;
    std::optional<bool> first = direct(inst->operands[0]);
    if (inst->op == Op::bit_not) return first ? std::optional(!*first) : std::nullopt;
    std::optional<bool> second = direct(inst->operands[1]);
    bool decisive = inst->op == Op::bit_or;  // one such operand decides
    if (first == decisive || second == decisive) return decisive;
    return first && second ? std::optional(!decisive) : std::nullopt;
}

void KnownConditions::forget(size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) known_.erase(trail_.back());
}

}  // namespace mytriton
