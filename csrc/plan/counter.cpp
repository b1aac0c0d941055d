// Which counter a loop takes.
#include "plan/counter.h"

#include "ir/literal.h"

namespace mytriton {

namespace {

// A step that is known and that C++ can spell in any type.
std::optional<int64_t> small_step(const ValueData& step) {
    if (step.kind != ValueKind::constant) return std::nullopt;
    int64_t by = signed_value(step.type.scalar(), step.bits);
    bool is_small = by != 0 && by >= -INT32_MAX && by <= INT32_MAX;
    bool fits = is_small && (by > 0 || !info(step.type.scalar()).is_unsigned());
    return fits ? std::optional(by) : std::nullopt;
}

// Whether the index after the last one is still within the type.
bool has_room(const ValueData& stop, int64_t step) {
    if (step == 1 || step == -1) return true;
    if (stop.kind != ValueKind::constant) return false;
    Scalar scalar = stop.type.scalar();
    if (info(scalar).is_unsigned()) return stop.bits <= largest_int(scalar) - (step - 1);
    int64_t bound = signed_value(scalar, stop.bits);
    return step > 0 ? bound <= signed_value(scalar, largest_int(scalar)) - (step - 1)
                    : bound >= signed_value(scalar, least_int(scalar)) - (step + 1);
}

}  // namespace

Counter counter_of(const Kernel& legal, const Inst& loop) {
    const ValueData &stop = legal.data(loop.operands[1]), &by = legal.data(loop.operands[2]);
    std::optional<int64_t> step = small_step(by);
    if (!step) return {Counter::Form::rounds};
    if (has_room(stop, *step)) return {Counter::Form::index, *step};
    if (info(by.type.scalar()).bytes <= 4) return {Counter::Form::wide, *step};
    return {Counter::Form::rounds};
}

}  // namespace mytriton
