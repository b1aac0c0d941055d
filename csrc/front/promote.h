// The promotion table of the language: in which type two operands of different types are computed.
// docs/promotion.md shows it whole.
#pragma once

#include <string>

#include "ir/typing.h"

namespace mytriton {

struct Promotable {
    Scalar scalar;
    bool weak = false;  // a Python number
};

// Triton's rules, in this order:
//   a number of the same or a lower kind (bool < int < float) takes the other operand's type;
//   f64 wins; then f32, and so does any float where `division`; f16 beside any other is f16; bf16
//   beside bf16 is bf16, else f32;
//   of two ints the wider wins, and the unsigned one among equals; bool takes the other's type.
// TypingError where `division` meets two ints of different signs.
Promotable promote_operands(const std::string& op, Promotable a, Promotable b, bool division);

// In which type a reduction is computed and given: below 32 bits, floats max and min in f32, and
// ints as 32 bits of their sign (for max and min: as i32).
Scalar promote_reduced(Op op, Scalar scalar);

}  // namespace mytriton
