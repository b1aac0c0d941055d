// What one instruction amounts to by itself; fold.cpp asks for each.
#pragma once

#include "ir/ir.h"

namespace mytriton {

// The constant or the operand that stands for the result, of this type, of a pure instruction of
// the kernel; none where it must be kept.
Value fold_value(Kernel& kernel, const Inst& inst, Type type);

}  // namespace mytriton
