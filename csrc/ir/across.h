// Ops that make lanes of what many other lanes hold: reductions along an axis, scans, sort, gather
// and histogram. Their types and what they have in common, for every plan.
#pragma once

#include <cstdint>

#include "ir/ir.h"

namespace mytriton {

// Whether an op makes a block of what lanes of a block have to do with one another.
bool is_across(const Inst& inst);

// An axis of a block: `outer` times `inner` runs of `count` lanes, which are `inner` apart.
struct Runs {
    int64_t outer, count, inner;
};
Runs runs_along(Type block, int64_t axis);
int64_t last_axis(Type block);

// The result types. TypingError where operands or attributes do not fit.
Type scanned_type(Op op, Type operand, int64_t axis);
Type sorted_type(Type operand);
Type gathered_type(Type src, Type index, int64_t axis);
Type histogram_type(Type input, Type mask, int64_t bins);

// The order that sort brings lanes into, which tells apart whatever has different bits: that of
// these keys as unsigned ints. Ints and bool go by value; floats too, -0.0 before 0.0, and after
// inf every NaN, by its bits as an unsigned int. Descending is exactly the reverse.
uint64_t sort_key(Scalar scalar, uint64_t bits);

}  // namespace mytriton
