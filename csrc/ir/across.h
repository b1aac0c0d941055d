// Ops whose lanes come from other lanes than their own by more than a move: reductions along an
// axis. What is said here serves every plan.
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

}  // namespace mytriton
