// Evaluates rows of ops.def: their scalar expressions compiled as C++, over lanes held as bits.
#pragma once

#include <cstdint>

#include "ir/conversion.h"
#include "ir/op.h"

namespace mytriton {

// out[i] = row(a[i], b[i], c[i]) for operands of one type (Select: a is bool). f16 and bf16 are
// computed in f32 and rounded. InternalError where the row does not take the type.
void apply_row(Op op, Scalar scalar, int64_t count, Lanes a, Lanes b, Lanes c, uint64_t* out);

// One lane of it.
uint64_t apply_row(Op op, Scalar scalar, uint64_t a, uint64_t b = 0, uint64_t c = 0);

}  // namespace mytriton
