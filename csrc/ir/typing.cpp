// Promotion, broadcasting and the result type of each op.
#include "ir/typing.h"

#include <algorithm>

#include "ir/error.h"

namespace mytriton {

namespace {

[[noreturn]] void fail(const std::string& message) {
    throw TypingError(message);
}

void require_number(Op op, Type type) {
    if (type.is_pointer())
        fail(std::string(info(op).name) + " requires " + accepted_types(op) + ", got " +
             type.str());
}

// Names the first operand of that element type, which for a promoted one need not be the last.
void require_accepted(Op op, Scalar scalar, const std::vector<Type>& operands) {
    if (accepts(op, scalar)) return;
    auto got = std::ranges::find_if(operands, [&](Type type) { return type.is(scalar); });
    fail(std::string(info(op).name) + " requires " + accepted_types(op) + ", got " + got->str());
}

Type pure_type(Op op, const std::vector<Type>& operands) {
    const OpInfo& row = info(op);
    if (row.form == OpForm::Select && !operands[0].is(Scalar::boolean))
        fail("condition must be bool, got " + operands[0].str());
    std::vector<Type> values(operands.begin() + row.first_value(), operands.end());
    for (Type value : values) require_number(op, value);
    Scalar element = values[0].scalar();
    for (Type value : values) {
        std::optional<Scalar> common = promote(element, value.scalar());
        if (!common)
            fail(std::string(row.name) + " cannot combine " + values[0].str() + " and " +
                 value.str());
        element = *common;
    }
    require_accepted(op, element, operands);
    return Type::scalar(result_scalar(op, element)).with_shape(common_shape(operands));
}

void check_mask(Type mask) {
    if (!mask.none() && !mask.is(Scalar::boolean)) fail("mask must be bool, got " + mask.str());
}

Type load_type(Type pointer, Type mask, Type other) {
    if (!pointer.is_pointer()) fail("expected pointer, got " + pointer.str());
    check_mask(mask);
    Scalar element = pointer.scalar();
    if (!other.none() && (other.is_pointer() || !is_storable(other.scalar(), element)))
        fail("load fallback must be convertible to " + std::string(info(element).name) + ", got " +
             other.str());
    return Type::scalar(element).with_shape(common_shape({pointer, mask, other}));
}

// The value stands in the type that the pointer points to.
Type atomic_result(Type pointer, Type value, Type mask) {
    if (!pointer.is_pointer()) fail("expected pointer, got " + pointer.str());
    check_mask(mask);
    if (!value.is(pointer.scalar()))
        fail("expected a value of " + std::string(info(pointer.scalar()).name) + ", got " +
             value.str());
    std::vector<int64_t> shape = common_shape({pointer, value, mask});
    if (!pointer.is_block() && !shape.empty())
        fail("a scalar pointer takes a scalar value and mask, got " + value.str());
    return Type::scalar(pointer.scalar()).with_shape(shape);
}

Type cas_type(Type pointer, Type compare, Type value) {
    atomic_result(pointer, compare, Type());
    Type result = atomic_result(pointer, value, Type());
    common_shape({pointer, compare, value});
    if (info(pointer.scalar()).bytes < 2)
        fail("atomic_cas requires a type of 16, 32 or 64 bits, got " + pointer.str());
    return result;
}

}  // namespace

Type reduced_type(Op op, Type operand, std::optional<int64_t> axis) {
    require_number(op, operand);
    std::vector<int64_t> shape = operand.shape();
    if (!axis && shape.size() != 1)
        fail(std::string(info(op).name) +
             (shape.empty() ? " requires a block, got " : " requires an axis of ") + operand.str());
    if (axis && (*axis < 0 || *axis >= static_cast<int64_t>(shape.size()) || shape.size() < 2))
        fail("axis " + std::to_string(*axis) + " is none of " + operand.str());
    require_accepted(op, operand.scalar(), {operand});
    shape.erase(shape.begin() + axis.value_or(0));
    return operand.with_shape(shape);
}

Type atomic_type(Rmw rmw, Type pointer, Type value, Type mask) {
    Type result = atomic_result(pointer, value, mask);
    const ScalarInfo& element = info(pointer.scalar());
    bool wide = element.bytes >= 4;
    bool bits = rmw == Rmw::bit_and || rmw == Rmw::bit_or || rmw == Rmw::bit_xor;
    bool taken = bits              ? wide && element.is_int()
                 : rmw == Rmw::add ? wide || element.is_half()
                                   : wide;
    if (!taken)
        fail("atomic " + attr_value({AttrKey::rmw, static_cast<int64_t>(rmw)}) + " requires " +
             (bits              ? "an int of 32 or 64 bits"
              : rmw == Rmw::add ? "a float, or an int of 32 or 64 bits"
                                : "a type of 32 or 64 bits") +
             ", got " + pointer.str());
    return result;
}

bool is_pointer_cast(Type from, Type to) {
    bool known =
        (from.is_pointer() || from.is(Scalar::i64)) && (to.is_pointer() || to.is(Scalar::i64));
    return known && (from.is_pointer() || to.is_pointer()) && from.shape() == to.shape() &&
           from != to;
}

std::optional<Scalar> promote(Scalar a, Scalar b) {
    if (a == b) return a;
    return is_storable(a, b) || is_storable(b, a) ? std::optional(Scalar::f32) : std::nullopt;
}

std::vector<int64_t> common_shape(const std::vector<Type>& operands) {
    std::vector<int64_t> shape;
    for (Type type : operands) {
        if (type.none() || !type.is_block() || type.shape() == shape) continue;
        if (shape.empty()) {
            shape = type.shape();
            continue;
        }
        std::string rendered;
        for (Type each : operands)
            if (!each.none()) rendered += (rendered.empty() ? "" : ", ") + each.str();
        fail("incompatible shapes: " + rendered);
    }
    return shape;
}

bool is_storable(Scalar from, Scalar to) {
    return from == to || (from == Scalar::i32 && to == Scalar::f32);
}

Type result_type(Op op, const std::vector<Type>& operands) {
    if (info(op).kind == OpKind::pure) return pure_type(op, operands);
    if (info(op).kind == OpKind::reduce) return reduced_type(op, operands[0], {});
    if (op == Op::load) return load_type(operands[0], operands[1], operands[2]);
    if (op == Op::atomic_cas) return cas_type(operands[0], operands[1], operands[2]);
    if (op == Op::addptr) {
        if (!operands[0].is_pointer()) fail("expected pointer, got " + operands[0].str());
        if (operands[1].is_pointer() || !info(operands[1].scalar()).is_int())
            fail("pointer offset must be an int, got " + operands[1].str());
        return operands[0].with_shape(common_shape(operands));
    }
    throw InternalError("result_type", std::string(info(op).name) + " has no inferred type");
}

bool is_castable(Op op, Type from, Type to) {
    if (from.is_pointer() || to.is_pointer() || from.shape() != to.shape() || from == to)
        return false;
    const ScalarInfo &source = info(from.scalar()), &target = info(to.scalar());
    if (op == Op::cast_rtz)
        return source.is_float() && target.is_float() && target.bytes < source.bytes;
    if (op == Op::bitcast) return source.bits() == target.bits();
    return true;
}

void check_store(Type pointer, Type value, Type mask) {
    if (!pointer.is_pointer()) fail("expected pointer, got " + pointer.str());
    check_mask(mask);
    std::string_view element = info(pointer.scalar()).name;
    if (value.is_pointer() || !is_storable(value.scalar(), pointer.scalar()))
        fail("stored value must be convertible to " + std::string(element) + ", got " +
             value.str());
    common_shape({pointer, value, mask});
    if (!pointer.is_block() && (value.is_block() || (!mask.none() && mask.is_block())))
        fail("a scalar pointer stores a scalar, got value " + value.str() +
             (mask.none() ? "" : " and mask " + mask.str()));
}

}  // namespace mytriton
