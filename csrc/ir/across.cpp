// Types of ops across lanes, and the order of sort.
#include "ir/across.h"

#include "ir/literal.h"
#include "ir/typing.h"

namespace mytriton {

namespace {

[[noreturn]] void fail(const std::string& message) {
    throw TypingError(message);
}

void require_block(Op op, Type type) {
    if (!type.is_block() || type.is_pointer())
        fail(std::string(info(op).name) + " requires a block of numbers, got " + type.str());
}

void require_axis(Type type, int64_t axis) {
    if (axis < 0 || axis >= static_cast<int64_t>(type.shape().size()))
        fail("axis " + std::to_string(axis) + " is none of " + type.str());
}

}  // namespace

bool is_across(const Inst& inst) {
    OpKind kind = info(inst.op).kind;
    if (kind == OpKind::reduce) return inst.find_attr(AttrKey::axis).has_value();
    return kind == OpKind::scan || inst.op == Op::sort || inst.op == Op::gather ||
           inst.op == Op::histogram;
}

Runs runs_along(Type block, int64_t axis) {
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(axis) + 1; i < block.shape().size(); ++i)
        inner *= block.shape()[i];
    int64_t count = block.shape()[axis];
    return {block.lanes() / count / inner, count, inner};
}

int64_t last_axis(Type block) {
    return static_cast<int64_t>(block.shape().size()) - 1;
}

Type scanned_type(Op op, Type operand, int64_t axis) {
    require_block(op, operand);
    require_axis(operand, axis);
    if (!accepts(op, operand.scalar()))
        fail(std::string(info(op).name) + " requires " + accepted_types(op) + ", got " +
             operand.str());
    return operand;
}

Type sorted_type(Type operand) {
    require_block(Op::sort, operand);
    return operand;
}

Type gathered_type(Type src, Type index, int64_t axis) {
    require_block(Op::gather, src);
    if (!index.is_block() || index.is_pointer() || !info(index.scalar()).is_int())
        fail("index must be a block of ints, got " + index.str());
    require_axis(src, axis);
    bool fits = src.shape().size() == index.shape().size();
    for (size_t i = 0; fits && i < src.shape().size(); ++i)
        fits = static_cast<int64_t>(i) == axis || src.shape()[i] == index.shape()[i];
    if (!fits)
        fail("index must have the sizes of src, but for axis " + std::to_string(axis) + "; got " +
             src.str() + " and " + index.str());
    return src.with_shape(index.shape());
}

Type histogram_type(Type input, Type mask, int64_t bins) {
    if (!input.is_block() || input.is_pointer() || !info(input.scalar()).is_int())
        fail("histogram requires a block of ints, got " + input.str());
    if (!mask.none() && (!mask.is(Scalar::boolean) || mask.shape() != input.shape()))
        fail("mask must be bool and of the shape of the input, got " + input.str() + " and " +
             mask.str());
    if (bins < 1 || bins > kMaxLanes)
        fail("bins must be 1 to " + std::to_string(kMaxLanes) + ", got " + std::to_string(bins));
    return Type::scalar(Scalar::i32).with_shape({bins});
}

uint64_t sort_key(Scalar scalar, uint64_t bits) {
    const ScalarInfo& type = info(scalar);
    if (scalar == Scalar::boolean || type.is_unsigned()) return bits;
    uint64_t sign = uint64_t{1} << (type.bits() - 1), all = sign | (sign - 1);
    if (type.is_int()) return bits ^ sign;
    // Numbers below 0 are counted from -inf, which becomes 0; then those from 0.0 to inf and NaNs
    // follow, and NaNs with a sign have their own bits as the largest keys.
    uint64_t infinity = identity_bits(Identity::highest, scalar);
    if (bits > (sign | infinity)) return bits;
    uint64_t below_infinity = sign - 1 - infinity;
    return ((bits & sign ? ~bits : bits | sign) - below_infinity) & all;
}

}  // namespace mytriton
