// Lowers an expression graph to typed SSA.
#pragma once

#include "front/graph.h"
#include "ir/ir.h"

namespace mytriton {

// Statements keep program order; a pure expression is lowered where it is first needed. A load
// lowers its pointer, mask and fallback; a store its value, pointer and mask, in that order.
Kernel lower(const Graph& graph);

}  // namespace mytriton
