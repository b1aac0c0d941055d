// Tracing: promotion and the explicit casts that typed SSA then carries.
#include "front/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "front/promote.h"
#include "ir/conversion.h"
#include "ir/literal.h"
#include "ir/movement.h"
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
    bool anywhere = node.kind == NodeKind::param || node.kind == NodeKind::constant;
    node.region = anywhere ? 0 : open_.back();
    graph_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(graph_.nodes.size() - 1);
}

NodeId Trace::add_op(Op op, std::vector<NodeId> operands, Type type, const Loc& loc,
                     std::vector<Attr> attrs) {
    check_visible(operands, loc);
    Node node{.kind = NodeKind::op, .type = type, .op = op};
    node.operands = std::move(operands);
    node.attrs = std::move(attrs);
    node.loc = loc;
    NodeId id = add(std::move(node));
    if (!info(op).has(kPure)) graph_.regions[open_.back()].statements.push_back(id);
    return id;
}

NodeId Trace::param(const std::string& name, Type type) {
    Node node{.kind = NodeKind::param, .type = type};
    node.position = static_cast<uint32_t>(graph_.params.size());
    graph_.params.push_back({name, type});
    return add(std::move(node));
}

NodeId Trace::weak_constant(Scalar scalar, uint64_t bits) {
    Node node{.kind = NodeKind::constant, .type = Type::scalar(scalar)};
    node.bits = bits;
    node.weak = true;
    return add(std::move(node));
}

NodeId Trace::bool_constant(bool value) {
    return weak_constant(Scalar::boolean, bits_of(value));
}

NodeId Trace::int_constant(int64_t value) {
    if (value >= INT32_MIN && value <= INT32_MAX)
        return weak_constant(Scalar::i32, bits_of(static_cast<int32_t>(value)));
    if (value >= 0 && value <= UINT32_MAX)
        return weak_constant(Scalar::u32, bits_of(static_cast<uint32_t>(value)));
    return weak_constant(Scalar::i64, bits_of(value));
}

NodeId Trace::uint_constant(uint64_t value) {
    return weak_constant(Scalar::u64, value);
}

NodeId Trace::float_constant(double value) {
    // Beyond the normal numbers of f32 it is an f64 by itself.
    double magnitude = std::fabs(value);
    bool fits = value == 0 || !std::isfinite(value) ||
                (magnitude >= std::numeric_limits<float>::min() &&
                 magnitude <= std::numeric_limits<float>::max());
    Scalar scalar = fits ? Scalar::f32 : Scalar::f64;
    uint64_t bits = fits ? bits_of(static_cast<float>(value)) : bits_of(value);
    NodeId id = weak_constant(scalar, canonical(scalar, bits));
    graph_.nodes[id].exact = bits_of(value);
    return id;
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

NodeId Trace::constant_as(NodeId constant, Scalar to, const Loc& loc) {
    Node node = graph_.nodes[constant];
    Scalar from = node.type.scalar();
    if (node.weak && info(from).is_float()) {
        node.bits = canonical(to, apply_conversion(Scalar::f64, to, node.exact));
    } else {
        uint64_t bits = apply_conversion(from, to, node.bits);
        if (node.weak && info(from).is_int() && info(to).is_int()) check_fits(node, to, loc);
        node.bits = canonical(to, bits);
    }
    node.type = Type::scalar(to);
    node.weak = false;
    return add(std::move(node));
}

// A literal that takes an int type has to be one of its values.
void Trace::check_fits(const Node& literal, Scalar to, const Loc& loc) const {
    Scalar from = literal.type.scalar();
    uint64_t bits = apply_conversion(from, to, literal.bits);
    auto is_negative = [](Scalar scalar, uint64_t value) {
        return !info(scalar).is_unsigned() && signed_value(scalar, value) < 0;
    };
    bool same = apply_conversion(to, from, bits) == literal.bits &&
                is_negative(from, literal.bits) == is_negative(to, bits);
    std::string number = spell(from, literal.bits);
    if (!same)
        fail(number.substr(0, number.find('_')) + " is out of range for " +
                 std::string(info(to).name),
             loc);
}

NodeId Trace::convert(NodeId value, Scalar to, const Loc& loc) {
    const Node& node = graph_.nodes[value];
    if (node.kind == NodeKind::constant && (node.weak || !node.type.is(to)))
        return constant_as(value, to, loc);
    if (type(value).is(to)) return value;
    return add_op(Op::cast, {value}, type(value).with_scalar(to), loc);
}

NodeId Trace::cast(NodeId value, Scalar to, bool towards_zero, const Loc& loc) {
    if (type(value).is_pointer())
        fail("cannot cast " + type(value).str() + " to " + std::string(info(to).name), loc);
    Type target = type(value).with_scalar(to);
    if (!towards_zero) {
        // An explicit cast wraps a literal, as it does any other int.
        if (graph_.nodes[value].weak && info(type(value).scalar()).is_int())
            value = constant_as(value, type(value).scalar(), loc);
        return convert(value, to, loc);
    }
    if (!is_castable(Op::cast_rtz, type(value), target))
        fail("fp_downcast_rounding is for casts of a float to a narrower float, got " +
                 type(value).str() + " to " + std::string(info(to).name),
             loc);
    return add_op(Op::cast_rtz, {value}, target, loc);
}

NodeId Trace::bitcast(NodeId value, Scalar to, const Loc& loc) {
    Type target = type(value).with_scalar(to);
    if (type(value) == target) return value;
    if (!is_castable(Op::bitcast, type(value), target))
        fail("cannot bitcast " + type(value).str() + " to " + std::string(info(to).name) +
                 ", of another width",
             loc);
    value = convert(value, type(value).scalar(), loc);
    return add_op(Op::bitcast, {value}, target, loc);
}

NodeId Trace::cast_to_pointer(NodeId value, Scalar pointee, const Loc& loc) {
    Type from = type(value);
    Type to = Type::pointer(pointee).with_shape(from.shape());
    if (from == to) return value;
    if (!from.is_pointer()) {
        if (!info(from.scalar()).is_int()) fail("cannot cast " + from.str() + " to a pointer", loc);
        value = convert(value, Scalar::i64, loc);
    }
    return add_op(Op::ptr_cast, {value}, to, loc);
}

NodeId Trace::cast_to_address(NodeId pointer, const Loc& loc) {
    return add_op(Op::ptr_cast, {pointer}, type(pointer).with_scalar(Scalar::i64), loc);
}

NodeId Trace::splat(NodeId value, const std::vector<int64_t>& shape, const Loc& loc) {
    if (type(value).is_block() || type(value).is_pointer())
        fail("expected a scalar, got " + type(value).str(), loc);
    try {
        check_shape(shape);
    } catch (const TypingError& error) {
        fail(error.what(), loc);
    }
    value = convert(value, type(value).scalar(), loc);
    return shape.empty() ? value : add_op(Op::splat, {value}, type(value).with_shape(shape), loc);
}

// The type in which the operands are computed; pointers have none.
Scalar Trace::common_scalar(Op op, const std::vector<NodeId>& operands, bool division,
                            const Loc& loc) const {
    auto promotable = [&](NodeId id) {
        return Promotable{type(id).scalar(), graph_.nodes[id].weak};
    };
    for (NodeId operand : operands) {
        if (!type(operand).is_pointer()) continue;
        std::string got;
        for (NodeId each : operands) got += (got.empty() ? "" : " and ") + type(each).str();
        fail(std::string(info(op).name) + " requires " + accepted_types(op) + ", got " + got, loc);
    }
    // Numbers come last: each meets what all other operands agree on.
    std::vector<NodeId> order = operands;
    std::stable_partition(order.begin(), order.end(),
                          [&](NodeId id) { return !graph_.nodes[id].weak; });
    Promotable common = promotable(order[0]);
    for (size_t i = 1; i < order.size(); ++i)
        common =
            promote_operands(std::string(info(op).name), common, promotable(order[i]), division);
    return common.scalar;
}

NodeId Trace::apply_pointer(Op op, NodeId a, NodeId b, const Loc& loc) {
    bool a_is_pointer = type(a).is_pointer();
    if ((op != Op::add && op != Op::sub) || (a_is_pointer == type(b).is_pointer()) ||
        (op == Op::sub && !a_is_pointer))
        fail(std::string(info(op).name) + " cannot combine " + type(a).str() + " and " +
                 type(b).str() + "; a pointer takes + or - an int offset",
             loc);
    NodeId pointer = a_is_pointer ? a : b;
    NodeId offset = a_is_pointer ? b : a;
    if (type(offset).is(Scalar::boolean)) offset = convert(offset, Scalar::i32, loc);
    try {
        std::vector<NodeId> both = {pointer, offset};
        stretch(both, loc);
        pointer = both[0];
        offset = both[1];
        Type moved = result_type(Op::addptr, {type(pointer), type(offset)});
        // An offset moves down by the negative of its value, which an unsigned type cannot hold.
        if (op == Op::sub && info(type(offset).scalar()).is_unsigned())
            offset = convert(offset, Scalar::i64, loc);
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
    size_t first = row.first_value();
    std::vector<NodeId> numbers(operands.begin() + first, operands.end());
    try {
        Scalar common = common_scalar(op, numbers, op == Op::div || op == Op::rem, loc);
        if (row.kind == OpKind::reduce) common = promote_reduced(op, common);
        std::vector<Type> types;
        for (size_t i = 0; i < operands.size(); ++i) {
            if (i >= first) operands[i] = convert(operands[i], common, loc);
        }
        stretch(operands, loc);
        for (NodeId operand : operands) types.push_back(type(operand));
        return add_op(op, operands, result_type(op, types), loc);
    } catch (const TypingError& error) {
        fail(error.what(), loc);
    }
}

NodeId Trace::true_divide(NodeId a, NodeId b, const Loc& loc) {
    try {
        Scalar common = common_scalar(Op::div, {a, b}, true, loc);
        if (!info(common).is_float()) common = Scalar::f32;
        return apply(Op::div, {convert(a, common, loc), convert(b, common, loc)}, loc);
    } catch (const TypingError& error) {
        fail(error.what(), loc);
    }
}

NodeId Trace::mask_of(const char* function, NodeId mask, const Loc& loc) {
    if (mask == kNoNode) return mask;
    if (!type(mask).is(Scalar::boolean))
        fail(std::string(function) + ": mask must be bool, got " + type(mask).str(), loc);
    return convert(mask, Scalar::boolean, loc);
}

void Trace::require_pointer(const char* function, NodeId pointer, const Loc& loc) const {
    if (!type(pointer).is_pointer())
        fail(std::string(function) + ": expected a pointer, got " + type(pointer).str(), loc);
}

NodeId Trace::load(NodeId pointer, NodeId mask, NodeId other, const std::vector<Attr>& attrs,
                   const Loc& loc) {
    require_pointer("load", pointer, loc);
    mask = mask_of("load", mask, loc);
    if (other != kNoNode) {
        if (mask == kNoNode) fail("load: other is given without a mask", loc);
        if (type(other).is_pointer())
            fail("load: other must be a number, got " + type(other).str(), loc);
        other = cast(other, type(pointer).scalar(), false, loc);
    }
    try {
        mask = stretched_to(mask, type(pointer).shape(), loc);
        other = stretched_to(other, type(pointer).shape(), loc);
        Type loaded =
            result_type(Op::load, {type(pointer), type_or_none(mask), type_or_none(other)});
        return add_op(Op::load, {pointer, mask, other}, loaded, loc, attrs);
    } catch (const TypingError& error) {
        fail(std::string("load: ") + error.what(), loc);
    }
}

void Trace::store(NodeId pointer, NodeId value, NodeId mask, const std::vector<Attr>& attrs,
                  const Loc& loc) {
    require_pointer("store", pointer, loc);
    mask = mask_of("store", mask, loc);
    if (type(value).is_pointer())
        fail("store: the value must be a number, got " + type(value).str(), loc);
    Scalar element = type(pointer).scalar();
    bool constant = graph_.nodes[value].kind == NodeKind::constant;
    if (constant)
        value = cast(value, element, false, loc);
    else if (!is_storable(type(value).scalar(), element))
        value = convert(value, element, loc);
    try {
        value = stretched_to(value, type(pointer).shape(), loc);
        mask = stretched_to(mask, type(pointer).shape(), loc);
        check_store(type(pointer), type(value), type_or_none(mask));
    } catch (const TypingError& error) {
        fail(std::string("store: ") + error.what(), loc);
    }
    add_op(Op::store, {pointer, value, mask}, Type(), loc, attrs);
}

NodeId Trace::atomic_rmw(NodeId pointer, NodeId value, NodeId mask, const std::vector<Attr>& attrs,
                         const Loc& loc) {
    std::string name = "atomic_" + attr_value(attrs.front());
    require_pointer(name.c_str(), pointer, loc);
    mask = mask_of(name.c_str(), mask, loc);
    if (type(value).is_pointer())
        fail(name + ": the value must be a number, got " + type(value).str(), loc);
    value = cast(value, type(pointer).scalar(), false, loc);
    try {
        value = stretched_to(value, type(pointer).shape(), loc);
        mask = stretched_to(mask, type(pointer).shape(), loc);
        Rmw rmw = static_cast<Rmw>(attrs.front().value);
        Type old = atomic_type(rmw, type(pointer), type(value), type_or_none(mask));
        return add_op(Op::atomic_rmw, {pointer, value, mask}, old, loc, attrs);
    } catch (const TypingError& error) {
        fail(name + ": " + error.what(), loc);
    }
}

NodeId Trace::atomic_cas(NodeId pointer, NodeId compare, NodeId value,
                         const std::vector<Attr>& attrs, const Loc& loc) {
    require_pointer("atomic_cas", pointer, loc);
    for (NodeId* each : {&compare, &value}) {
        if (type(*each).is_pointer())
            fail("atomic_cas: expected numbers, got " + type(*each).str(), loc);
        *each = cast(*each, type(pointer).scalar(), false, loc);
    }
    try {
        compare = stretched_to(compare, type(pointer).shape(), loc);
        value = stretched_to(value, type(pointer).shape(), loc);
        Type old = result_type(Op::atomic_cas, {type(pointer), type(compare), type(value)});
        return add_op(Op::atomic_cas, {pointer, compare, value}, old, loc, attrs);
    } catch (const TypingError& error) {
        fail(std::string("atomic_cas: ") + error.what(), loc);
    }
}

void Trace::print(const std::string& text, std::vector<NodeId> values, bool hex, const Loc& loc) {
    std::vector<Type> types;
    for (NodeId& value : values) {
        if (type(value).is_pointer())
            fail("device_print: expected numbers, got " + type(value).str(), loc);
        value = convert(value, type(value).scalar(), loc);
        types.push_back(type(value));
    }
    try {
        common_shape(types);
    } catch (const TypingError& error) {
        fail(std::string("device_print: ") + error.what(), loc);
    }
    std::vector<Attr> attrs;
    if (hex) attrs.push_back({AttrKey::hex, 1});
    NodeId id = add_op(Op::print, std::move(values), Type(), loc, std::move(attrs));
    graph_.nodes[id].text = text;
}

void Trace::device_assert(NodeId condition, const std::string& text, const Loc& loc) {
    if (type(condition).is_pointer())
        fail("device_assert: expected a condition, got " + type(condition).str(), loc);
    NodeId id = add_op(Op::device_assert, {convert(condition, Scalar::boolean, loc)}, Type(), loc);
    graph_.nodes[id].text = text;
}

}  // namespace mytriton
