// Evaluates rows of ops.def: their scalar expressions compiled as C++, over lanes held as bits.
#pragma once

#include <cstdint>

#include "ir/op.h"

namespace mytriton {

// A run of lanes as constant bits (literal.h); step 0 repeats one scalar for every lane.
struct Lanes {
    const uint64_t* bits;
    int64_t step;
    uint64_t operator[](int64_t lane) const { return bits[lane * step]; }
};

// out[i] = row(a[i], b[i], c[i]) for operands of one type class (Select: a is bool).
// InternalError where the row has no expression for it.
void apply_row(Op op, TypeClass type_class, int64_t count, Lanes a, Lanes b, Lanes c,
               uint64_t* out);

// out[i] = the conversion of a[i]; equal types copy.
void apply_conversion(Scalar from, Scalar to, int64_t count, Lanes a, uint64_t* out);

// One lane of the above.
uint64_t apply_row(Op op, TypeClass type_class, uint64_t a, uint64_t b = 0, uint64_t c = 0);
uint64_t apply_conversion(Scalar from, Scalar to, uint64_t a);

// The identity of a reduce op's combine.
uint64_t identity_of(Op op, TypeClass type_class);

}  // namespace mytriton
