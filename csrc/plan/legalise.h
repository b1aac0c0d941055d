// Makes SSA fit what emitters print: every operand of an op has the type that the op computes in.
#pragma once

#include "ir/ir.h"

namespace mytriton {

// Inserts the casts that SSA leaves implicit (i32 beside f32, i32 stored as f32), computes f16 and
// bf16 in f32, rounding each result, and splits casts into single conversions (conversion_step).
// The result is verified SSA too; what is inserted takes numbers above all others.
Kernel legalise(const Kernel& kernel);

}  // namespace mytriton
