// The compiled side of ops.def. Built with -fwrapv and without contraction, as emitted text is.
#include "ir/apply.h"

#include "ir/error.h"
#include "ir/literal.h"
#include "ir/scalar.h"

namespace mytriton {

namespace rows {

// Stands where a row has no expression; converts to anything, so that the table compiles.
struct NotDefined {
    template <class T>
    operator T() const {
        throw InternalError("apply_row", "the row has no expression for this type class");
    }
};

using LaneFn = void (*)(int64_t, Lanes, Lanes, Lanes, uint64_t*);

// mytriton::bits_of is literal.h's; the one of scalar.h is for floats only.
#define LANES(declare_operands, R, expression)                                        \
    [](int64_t count, [[maybe_unused]] Lanes lanes_a, [[maybe_unused]] Lanes lanes_b, \
       [[maybe_unused]] Lanes lanes_c, uint64_t* out) {                               \
        for (int64_t i = 0; i < count; ++i) {                                         \
            declare_operands out[i] = mytriton::bits_of(static_cast<R>(expression));  \
        }                                                                             \
    }
#define IDENTITY(expression) \
    [](int64_t, Lanes, Lanes, Lanes, uint64_t* out) { *out = mytriton::bits_of(expression); }
#define OPERAND(T, name) [[maybe_unused]] T name = from_bits<T>(lanes_##name[i]);
#define OPERANDS_Unary(T) OPERAND(T, a)
#define OPERANDS_Binary(T) OPERAND(T, a) OPERAND(T, b)
#define OPERANDS_Select(T) OPERAND(bool, a) OPERAND(T, b) OPERAND(T, c)
#define RESULT_Same(T) T
#define RESULT_Bool(T) bool

constexpr LaneFn kRows[][3] = {
#define NA \
    NotDefined {}
#define PURE(name, form, result, traits, python, doc, f, i_, b_)    \
    {LANES(OPERANDS_##form(float), RESULT_##result(float), f),      \
     LANES(OPERANDS_##form(int32_t), RESULT_##result(int32_t), i_), \
     LANES(OPERANDS_##form(bool), RESULT_##result(bool), b_)},
#define REDUCE(name, combine, f, i, doc) {IDENTITY(f), IDENTITY(i)},
#define CONVERT(...)
#define STRUCTURAL(...) {},
#include "ir/ops.def"
#undef NA
};

struct ConversionFn {
    std::string_view from, to;
    LaneFn apply;
};

using CxxType_i32 = int32_t;
using CxxType_f32 = float;
using CxxType_bool = bool;

constexpr ConversionFn kConversions[] = {
#define NA
#define PURE(...)
#define REDUCE(...)
#define CONVERT(from, to, host, cuda) \
    {#from, #to, LANES(OPERANDS_Unary(CxxType_##from), CxxType_##to, host)},
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
};

}  // namespace rows

void apply_row(Op op, TypeClass type_class, int64_t count, Lanes a, Lanes b, Lanes c,
               uint64_t* out) {
    rows::kRows[static_cast<int>(op)][static_cast<int>(type_class)](count, a, b, c, out);
}

void apply_conversion(Scalar from, Scalar to, int64_t count, Lanes a, uint64_t* out) {
    if (from == to) {
        for (int64_t i = 0; i < count; ++i) out[i] = a[i];
        return;
    }
    for (const rows::ConversionFn& row : rows::kConversions)
        if (row.from == info(from).name && row.to == info(to).name)
            return row.apply(count, a, a, a, out);
    throw InternalError("apply_conversion", "no such conversion");
}

uint64_t apply_row(Op op, TypeClass type_class, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t out = 0;
    apply_row(op, type_class, 1, {&a, 0}, {&b, 0}, {&c, 0}, &out);
    return out;
}

uint64_t identity_of(Op op, TypeClass type_class) {
    return apply_row(op, type_class, 0);
}

uint64_t apply_conversion(Scalar from, Scalar to, uint64_t a) {
    uint64_t out = 0;
    apply_conversion(from, to, 1, {&a, 0}, &out);
    return out;
}

}  // namespace mytriton
