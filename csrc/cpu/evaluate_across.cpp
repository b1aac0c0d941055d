// Ops across lanes, written for clarity: the compiled functions in vector_across.h agree with them.
#include "cpu/evaluate_across.h"

#include <algorithm>
#include <vector>

#include "ir/across.h"
#include "ir/apply.h"
#include "ir/literal.h"

namespace mytriton {

namespace {

// f(first lane) of each run.
template <class F>
void each_run(Runs runs, const F& f) {
    for (int64_t outer = 0; outer < runs.outer; ++outer)
        for (int64_t inner = 0; inner < runs.inner; ++inner)
            f(outer * runs.count * runs.inner + inner);
}

bool is_set(const Inst& inst, AttrKey flag) {
    return inst.find_attr(flag).value_or(0) != 0;
}

// The place that an index names: its nearest where it is outside of 0 to count - 1.
int64_t place_of(Scalar scalar, uint64_t index, int64_t count) {
    if (!info(scalar).is_unsigned() && signed_value(scalar, index) < 0) return 0;
    return static_cast<int64_t>(std::min(index, static_cast<uint64_t>(count - 1)));
}

}  // namespace

void evaluate_scan(const Kernel& kernel, const Inst& inst, Lanes operand, uint64_t* out) {
    Type type = kernel.type(inst.result());
    const OpInfo& row = info(inst.op);
    Runs runs = runs_along(type, inst.attr(AttrKey::axis));
    each_run(runs, [&](int64_t first) {
        uint64_t so_far = identity_bits(row.identity, type.scalar());
        for (int64_t i = 0; i < runs.count; ++i) {
            int64_t place = is_set(inst, AttrKey::reverse) ? runs.count - 1 - i : i;
            int64_t lane = first + place * runs.inner;
            out[lane] = so_far = apply_row(row.combine, type.scalar(), so_far, operand[lane]);
        }
    });
}

void evaluate_sort(const Kernel& kernel, const Inst& inst, Lanes operand, uint64_t* out) {
    Type type = kernel.type(inst.result());
    Runs runs = runs_along(type, last_axis(type));
    for (int64_t i = 0; i < type.lanes(); ++i) out[i] = operand[i];
    each_run(runs, [&](int64_t first) {
        uint64_t* row = out + first;
        std::ranges::sort(row, row + runs.count, {},
                          [&](uint64_t bits) { return sort_key(type.scalar(), bits); });
        if (is_set(inst, AttrKey::descending)) std::reverse(row, row + runs.count);
    });
}

void evaluate_gather(const Kernel& kernel, const Inst& inst, Lanes src, Lanes index,
                     uint64_t* out) {
    Scalar scalar = kernel.type(inst.operands[1]).scalar();
    int64_t axis = inst.attr(AttrKey::axis);
    Runs from = runs_along(kernel.type(inst.operands[0]), axis);
    Runs to = runs_along(kernel.type(inst.result()), axis);
    each_run(to, [&](int64_t first) {
        int64_t outer = first / (to.count * to.inner), inner = first % to.inner;
        for (int64_t i = 0; i < to.count; ++i) {
            int64_t lane = first + i * to.inner;
            int64_t place = outer * from.count + place_of(scalar, index[lane], from.count);
            out[lane] = src[place * from.inner + inner];
        }
    });
}

void evaluate_histogram(const Kernel& kernel, const Inst& inst, Lanes input, Lanes mask,
                        uint64_t* out) {
    Type type = kernel.type(inst.operands[0]);
    uint64_t bins = static_cast<uint64_t>(inst.attr(AttrKey::bins));
    bool is_unsigned = info(type.scalar()).is_unsigned(), masked = !inst.operands[1].none();
    std::fill_n(out, bins, 0);
    for (int64_t i = 0; i < type.lanes(); ++i) {
        uint64_t value = input[i];
        if (!is_unsigned) value = static_cast<uint64_t>(signed_value(type.scalar(), value));
        if (value < bins && (!masked || mask[i])) ++out[value];
    }
}

}  // namespace mytriton
