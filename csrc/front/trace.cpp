// Tracing: promotion and the explicit casts that typed SSA then carries.
#include "front/trace.h"

#include <algorithm>

#include "ir/apply.h"
#include "ir/literal.h"
#include "ir/typing.h"

namespace mytriton {

namespace {

Type kI32() {
    return Type::scalar(Scalar::i32);
}

[[noreturn]] void fail(const std::string& message, const Loc& loc) {
    throw CompileError(message, loc);
}

}  // namespace

NodeId Trace::add(Node node) {
    graph_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(graph_.nodes.size() - 1);
}

NodeId Trace::add_op(Op op, std::vector<NodeId> operands, Type type, const Loc& loc,
                     std::vector<Attr> attrs) {
    Node node{.kind = NodeKind::op, .type = type, .op = op};
    node.operands = std::move(operands);
    node.attrs = std::move(attrs);
    node.loc = loc;
    NodeId id = add(std::move(node));
    if (info(op).has(kReads) || info(op).has(kWrites)) graph_.statements.push_back(id);
    return id;
}

NodeId Trace::param(const std::string& name, Type type) {
    Node node{.kind = NodeKind::param, .type = type};
    node.position = static_cast<uint32_t>(graph_.params.size());
    graph_.params.push_back({name, type});
    return add(std::move(node));
}

NodeId Trace::bool_constant(bool value) {
    Node node{.kind = NodeKind::constant, .type = Type::scalar(Scalar::boolean)};
    node.bits = bits_of(value);
    return add(std::move(node));
}

NodeId Trace::int_constant(int64_t value, const Loc& loc) {
    if (value < INT32_MIN || value > INT32_MAX)
        fail("an int in a kernel must fit in 32 bits, got " + std::to_string(value), loc);
    Node node{.kind = NodeKind::constant, .type = kI32()};
    node.bits = bits_of(static_cast<int32_t>(value));
    return add(std::move(node));
}

NodeId Trace::float_constant(double value) {
    Node node{.kind = NodeKind::constant, .type = Type::scalar(Scalar::f32)};
    node.bits = canonical(Scalar::f32, bits_of(static_cast<float>(value)));
    return add(std::move(node));
}

NodeId Trace::program_id(int64_t axis, const Loc& loc) {
    if (axis < 0 || axis > 2)
        fail("program_id: axis must be 0, 1 or 2, got " + std::to_string(axis), loc);
    return add_op(Op::program_id, {}, kI32(), loc, {{AttrKey::axis, axis}});
}

NodeId Trace::num_programs(int64_t axis, const Loc& loc) {
    if (axis < 0 || axis > 2)
        fail("num_programs: axis must be 0, 1 or 2, got " + std::to_string(axis), loc);
    return add_op(Op::num_programs, {}, kI32(), loc, {{AttrKey::axis, axis}});
}

NodeId Trace::arange(int64_t start, int64_t end, const Loc& loc) {
    std::string got = "arange(" + std::to_string(start) + ", " + std::to_string(end) + ")";
    if (start < INT32_MIN || end > INT32_MAX) fail(got + ": the bounds must fit in 32 bits", loc);
    if (end <= start) fail(got + ": expected end > start", loc);
    if (end - start > kMaxLanes)
        fail(got + ": a block has at most " + std::to_string(kMaxLanes) + " lanes", loc);
    return add_op(Op::arange, {}, kI32().with_shape({end - start}), loc,
                  {{AttrKey::start, start}, {AttrKey::end, end}});
}

NodeId Trace::constant_as(NodeId constant, Scalar to) {
    Node node = graph_.nodes[constant];
    node.bits = apply_conversion(node.type.scalar(), to, node.bits);
    node.type = Type::scalar(to);
    return add(std::move(node));
}

NodeId Trace::convert(NodeId value, Scalar to, const Loc& loc) {
    if (type(value).is(to)) return value;
    if (graph_.nodes[value].kind == NodeKind::constant) return constant_as(value, to);
    return add_op(Op::cast, {value}, type(value).with_scalar(to), loc);
}

NodeId Trace::cast(NodeId value, Scalar to, const Loc& loc) {
    if (type(value).is_pointer())
        fail("cannot cast " + type(value).str() + " to " + std::string(info(to).name), loc);
    return convert(value, to, loc);
}

// f32 wins over i32 wins over bool, for values and Python numbers alike.
Scalar Trace::common_scalar(Op op, const std::vector<NodeId>& operands, const Loc& loc) const {
    Scalar common = Scalar::boolean;
    for (NodeId operand : operands) {
        if (type(operand).is_pointer()) {
            std::string got;
            for (NodeId each : operands) got += (got.empty() ? "" : " and ") + type(each).str();
            fail(std::string(info(op).name) + " requires " + accepted_types(op) + ", got " + got,
                 loc);
        }
        common = std::max(common, type(operand).scalar());
    }
    return common;
}

NodeId Trace::apply_pointer(Op op, NodeId a, NodeId b, const Loc& loc) {
    bool a_is_pointer = type(a).is_pointer();
    if ((op != Op::add && op != Op::sub) || (a_is_pointer == type(b).is_pointer()) ||
        (op == Op::sub && !a_is_pointer))
        fail(std::string(info(op).name) + " cannot combine " + type(a).str() + " and " +
                 type(b).str() + "; a pointer takes + or - an i32 offset",
             loc);
    NodeId pointer = a_is_pointer ? a : b;
    NodeId offset = a_is_pointer ? b : a;
    if (type(offset).is(Scalar::boolean)) offset = convert(offset, Scalar::i32, loc);
    try {
        Type moved = result_type(Op::addptr, {type(pointer), type(offset)});
        if (op == Op::sub) offset = apply(Op::neg, {offset}, loc);
        return add_op(Op::addptr, {pointer, offset}, moved, loc);
    } catch (const TypingError& error) {
        fail(error.what(), loc);
    }
}

NodeId Trace::apply(Op op, std::vector<NodeId> operands, const Loc& loc) {
    const OpInfo& row = info(op);
    if (static_cast<int>(operands.size()) != row.operands)
        throw InternalError("Trace::apply", std::string(row.name) + " got a wrong operand count");
    if (row.kind == OpKind::pure && row.form == OpForm::Binary &&
        (type(operands[0]).is_pointer() || type(operands[1]).is_pointer()) &&
        row.result == OpResult::Same && (op == Op::add || op == Op::sub))
        return apply_pointer(op, operands[0], operands[1], loc);
    size_t first = row.kind == OpKind::pure && row.form == OpForm::Select ? 1 : 0;
    std::vector<NodeId> numbers(operands.begin() + first, operands.end());
    Scalar common = common_scalar(op, numbers, loc);
    // Counting and ordering truth values happens in i32, as in Triton.
    if (row.kind == OpKind::reduce && common == Scalar::boolean) common = Scalar::i32;
    std::vector<Type> types;
    for (size_t i = 0; i < operands.size(); ++i) {
        if (i >= first) operands[i] = convert(operands[i], common, loc);
        types.push_back(type(operands[i]));
    }
    try {
        return add_op(op, operands, result_type(op, types), loc);
    } catch (const TypingError& error) {
        fail(error.what(), loc);
    }
}

NodeId Trace::true_divide(NodeId a, NodeId b, const Loc& loc) {
    common_scalar(Op::div, {a, b}, loc);
    return apply(Op::div, {convert(a, Scalar::f32, loc), convert(b, Scalar::f32, loc)}, loc);
}

void Trace::check_mask(const char* function, NodeId mask, const Loc& loc) const {
    if (mask != kNoNode && !type(mask).is(Scalar::boolean))
        fail(std::string(function) + ": mask must be bool, got " + type(mask).str(), loc);
}

NodeId Trace::load(NodeId pointer, NodeId mask, NodeId other, const Loc& loc) {
    if (!type(pointer).is_pointer())
        fail("load: expected a pointer, got " + type(pointer).str(), loc);
    check_mask("load", mask, loc);
    if (other != kNoNode) {
        if (mask == kNoNode) fail("load: other is given without a mask", loc);
        if (type(other).is_pointer())
            fail("load: other must be a number, got " + type(other).str(), loc);
        other = convert(other, type(pointer).scalar(), loc);
    }
    auto type_of = [&](NodeId node) { return node == kNoNode ? Type() : type(node); };
    try {
        Type loaded = result_type(Op::load, {type(pointer), type_of(mask), type_of(other)});
        return add_op(Op::load, {pointer, mask, other}, loaded, loc);
    } catch (const TypingError& error) {
        fail(std::string("load: ") + error.what(), loc);
    }
}

void Trace::store(NodeId pointer, NodeId value, NodeId mask, const Loc& loc) {
    if (!type(pointer).is_pointer())
        fail("store: expected a pointer, got " + type(pointer).str(), loc);
    check_mask("store", mask, loc);
    if (type(value).is_pointer())
        fail("store: the value must be a number, got " + type(value).str(), loc);
    Scalar element = type(pointer).scalar();
    bool constant = graph_.nodes[value].kind == NodeKind::constant;
    if (constant || !is_storable(type(value).scalar(), element))
        value = convert(value, element, loc);
    try {
        check_store(type(pointer), type(value), mask == kNoNode ? Type() : type(mask));
    } catch (const TypingError& error) {
        fail(std::string("store: ") + error.what(), loc);
    }
    add_op(Op::store, {pointer, value, mask}, Type(), loc);
}

}  // namespace mytriton
