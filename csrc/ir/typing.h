// The type rules of ops, stated once: tracing infers with them, the verifier checks with them.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ir/attr.h"
#include "ir/op.h"
#include "ir/type.h"

namespace mytriton {

// A rule was broken; the caller adds where.
class TypingError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The element type of arithmetic on two others in SSA: equal ones, or f32 beside i32. All else is
// cast while tracing (front/promote.h); nothing means the two do not mix.
std::optional<Scalar> promote(Scalar a, Scalar b);

// The shape that operands share: scalars stretch, blocks must be equal.
// TypingError: "incompatible shapes: vector<128 x f32>, vector<256 x f32>".
std::vector<int64_t> common_shape(const std::vector<Type>& operands);

// The result type of a pure, reduce, addptr, load or atomic_cas op; omitted operands are Type().
// The other ops carry theirs in attributes (arange) or in the result itself (cast).
Type result_type(Op op, const std::vector<Type>& operands);

// Of a reduce op: along an axis of a block, which goes; nothing for the only axis of a rank 1.
Type reduced_type(Op op, Type operand, std::optional<int64_t> axis);

// May a value of `from` be stored as `to` without a cast? Equal types, and i32 as f32.
bool is_storable(Scalar from, Scalar to);

// May cast, cast_rtz or bitcast make `to` of `from`?
bool is_castable(Op op, Type from, Type to);

// The result type of an atomic_rmw: the pointed-to type in the shape of all operands.
Type atomic_type(Rmw rmw, Type pointer, Type value, Type mask);

// May ptr_cast make `to` of `from`? Pointers and i64 in one shape.
bool is_pointer_cast(Type from, Type to);

// TypingError unless `value` may be stored through `pointer` under `mask`.
void check_store(Type pointer, Type value, Type mask);

}  // namespace mytriton
