// The compiled side of ops.def. Built with -fwrapv and without contraction, as emitted text is.
#include "ir/apply.h"

#include <vector>

#include "ir/error.h"
#include "ir/literal.h"
#include "ir/math.h"
#include "ir/scalar.h"

namespace mytriton {

namespace rows {

// Stands where a row has no expression; converts to anything, so that the table compiles.
struct NotDefined {
    template <class T>
    operator T() const {
        throw InternalError("apply_row", "the row has no expression for this type");
    }
};

using LaneFn = void (*)(int64_t, Lanes, Lanes, Lanes, uint64_t*);

// mytriton::bits_of is literal.h's; those of scalar.h give ints.
#define LANES(declare_operands, R, expression)                                        \
    [](int64_t count, [[maybe_unused]] Lanes lanes_a, [[maybe_unused]] Lanes lanes_b, \
       [[maybe_unused]] Lanes lanes_c, uint64_t* out) {                               \
        for (int64_t i = 0; i < count; ++i) {                                         \
            declare_operands out[i] = mytriton::bits_of(static_cast<R>(expression));  \
        }                                                                             \
    }
#define OPERAND(T, name) [[maybe_unused]] T name = from_bits<T>(lanes_##name[i]);
#define OPERANDS_Unary(T) OPERAND(T, a)
#define OPERANDS_Binary(T) OPERAND(T, a) OPERAND(T, b)
#define OPERANDS_Ternary(T) OPERAND(T, a) OPERAND(T, b) OPERAND(T, c)
#define OPERANDS_Select(T) OPERAND(bool, a) OPERAND(T, b) OPERAND(T, c)
#define RESULT_Same(T) T
#define RESULT_Bool(T) bool
#define RESULT_Count(T) int
#define ROW(form, result, T, expression) LANES(OPERANDS_##form(T), RESULT_##result(T), expression)

// By op, then by type in the order of Scalar; a half is done in f32.
constexpr LaneFn kRows[][13] = {
#define NA \
    NotDefined {}
#define PURE(name, form, result, traits, python, torch, doc, f, i_, b_) \
    {ROW(form, result, bool, b_),                                       \
     ROW(form, result, signed char, i_),                                \
     ROW(form, result, short, i_),                                      \
     ROW(form, result, int, i_),                                        \
     ROW(form, result, long long, i_),                                  \
     ROW(form, result, unsigned char, i_),                              \
     ROW(form, result, unsigned short, i_),                             \
     ROW(form, result, unsigned, i_),                                   \
     ROW(form, result, unsigned long long, i_),                         \
     nullptr,                                                           \
     nullptr,                                                           \
     ROW(form, result, float, f),                                       \
     ROW(form, result, double, f)},
#define REDUCE(...)
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
};

}  // namespace rows

void apply_row(Op op, Scalar scalar, int64_t count, Lanes a, Lanes b, Lanes c, uint64_t* out) {
    if (info(op).kind != OpKind::pure) throw InternalError("apply_row", "not an elementwise op");
    const rows::LaneFn* row = rows::kRows[static_cast<int>(op)];
    if (!info(scalar).is_half()) return row[static_cast<int>(scalar)](count, a, b, c, out);
    if (op == Op::select) return row[static_cast<int>(Scalar::u16)](count, a, b, c, out);
    std::vector<uint64_t> wide[3];
    Lanes operands[3] = {a, b, c};
    for (int i = 0; i < info(op).operands; ++i) {
        wide[i].resize(count);
        apply_conversion(scalar, Scalar::f32, count, operands[i], wide[i].data());
        operands[i] = {wide[i].data(), 1};
    }
    row[static_cast<int>(Scalar::f32)](count, operands[0], operands[1], operands[2], out);
    if (result_scalar(op, scalar) == scalar)
        apply_conversion(Scalar::f32, scalar, count, {out, 1}, out);
}

uint64_t apply_row(Op op, Scalar scalar, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t out = 0;
    apply_row(op, scalar, 1, {&a, 0}, {&b, 0}, {&c, 0}, &out);
    return out;
}

}  // namespace mytriton
