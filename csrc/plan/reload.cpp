// Epochs, and what it costs to compute a value from loads.
#include "plan/reload.h"

#include <algorithm>

namespace mytriton {

namespace {

constexpr int kMostOps = 4;  // what costs more than these comes through a buffer

}  // namespace

Reloads::Reloads(const Kernel& kernel, const Facts& facts, StripTarget target)
    : kernel_(kernel),
      facts_(facts),
      values_(kernel.value_count()),
      never_(target == StripTarget::cuda) {
    kernel.walk([&](InstId id) {
        Op op = kernel.inst(id).op;
        never_ |= op == Op::atomic_rmw || op == Op::atomic_cas;
    });
}

bool Reloads::is_free(Value value, const std::vector<bool>& cheap) const {
    return value.none() || !kernel_.type(value).is_block() || cheap[value.index];
}

void Reloads::note_load(const Inst& load, const std::vector<bool>& cheap) {
    Access access = access_of(facts_, load);
    auto free = [&](Value value) { return is_free(value, cheap); };
    if (never_ || facts_.row_index(access.address).none()) return;
    if (!std::ranges::all_of(access.address.lane_offsets, free) || !free(load.operands[1]) ||
        !free(load.operands[2]))
        return;
    values_[load.result().index] = {epoch_, 1};
    accesses_.push_back(std::move(access));
}

void Reloads::note_op(const Inst& op, const std::vector<bool>& cheap) {
    int ops = 1;
    for (Value operand : op.operands) {
        if (is_free(operand, cheap)) continue;
        if (!can_reload(operand)) return;
        ops += values_[operand.index].ops;
    }
    if (ops <= kMostOps) values_[op.result().index] = {epoch_, ops};
}

void Reloads::end_epoch() {
    ++epoch_;
    accesses_.clear();
}

void Reloads::end_before(const Access& access) {
    if (must_wait(facts_, accesses_, access)) end_epoch();
}

}  // namespace mytriton
