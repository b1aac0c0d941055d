// Tracing of what changes shapes: movement, reductions along an axis, and blocks that stretch.
#include <algorithm>

#include "front/checked.h"
#include "front/promote.h"
#include "front/trace.h"
#include "ir/movement.h"

namespace mytriton {

namespace {

[[noreturn]] void fail(const std::string& message, const Loc& loc) {
    throw CompileError(message, loc);
}

}  // namespace

// A pointer is its base and offsets: these are moved where they are blocks.
NodeId Trace::move_pointer(NodeId pointer, const std::function<NodeId(NodeId)>& move,
                           const Loc& loc) {
    std::vector<NodeId> offsets;
    NodeId base = pointer;
    while (graph_.nodes[base].kind == NodeKind::op && graph_.nodes[base].op == Op::addptr) {
        offsets.insert(offsets.begin(), graph_.nodes[base].operands[1]);
        base = graph_.nodes[base].operands[0];
    }
    if (type(base).is_block())
        base = cast_to_pointer(move(cast_to_address(base, loc)), type(base).scalar(), loc);
    for (NodeId offset : offsets)
        base = apply(Op::add, {base, type(offset).is_block() ? move(offset) : offset}, loc);
    return base;
}

NodeId Trace::reshape(NodeId value, const std::vector<int64_t>& shape, const Loc& loc) {
    checked("reshape", loc, [&] { check_reshape(type(value), shape); });
    if (type(value).shape() == shape) return value;
    if (type(value).is_pointer())
        return move_pointer(value, [&](NodeId each) { return reshape(each, shape, loc); }, loc);
    return add_op(Op::reshape, {value}, type(value).with_shape(shape), loc);
}

NodeId Trace::broadcast_to(NodeId value, const std::vector<int64_t>& shape, const Loc& loc) {
    if (type(value).shape() == shape) return value;
    if (!type(value).is_block() && !type(value).is_pointer()) return splat(value, shape, loc);
    if (!type(value).is_block()) {  // a block of the same pointer
        NodeId zero = constant_as(int_constant(0), Scalar::i32, loc);
        return apply(Op::add, {value, splat(zero, shape, loc)}, loc);
    }
    checked("broadcast_to", loc, [&] { check_broadcast(type(value), shape); });
    // Axes count from the last: what is missing before them is of size 1.
    std::vector<int64_t> padded = type(value).shape();
    padded.insert(padded.begin(), shape.size() - padded.size(), 1);
    value = reshape(value, padded, loc);
    if (padded == shape) return value;
    if (type(value).is_pointer())
        return move_pointer(
            value, [&](NodeId each) { return broadcast_to(each, shape, loc); }, loc);
    return add_op(Op::broadcast, {value}, type(value).with_shape(shape), loc);
}

NodeId Trace::permute(NodeId value, const std::vector<int64_t>& order, const Loc& loc) {
    Type result = checked("permute", loc, [&] { return permuted_type(type(value), order); });
    // Where axes of size 1 move past others, lanes stay.
    std::vector<int64_t> long_axes;
    std::ranges::copy_if(order, std::back_inserter(long_axes),
                         [&](int64_t axis) { return type(value).shape()[axis] > 1; });
    if (std::ranges::is_sorted(long_axes)) return reshape(value, result.shape(), loc);
    if (type(value).is_pointer())
        return move_pointer(value, [&](NodeId each) { return permute(each, order, loc); }, loc);
    return add_op(Op::permute, {value}, result, loc, {{AttrKey::order, pack_order(order)}});
}

NodeId Trace::combine_blocks(Op op, NodeId a, NodeId b, const Loc& loc) {
    std::string name(info(op).name);
    if (type(a).is_pointer() || type(b).is_pointer())
        fail(name + " requires numbers, got " + type(a).str() + " and " + type(b).str(), loc);
    return checked(name, loc, [&] {
        Scalar common = common_scalar(Op::select, {a, b}, false, loc);
        NodeId x = convert(a, common, loc), y = convert(b, common, loc);
        if (op == Op::cat) return add_op(op, {x, y}, concatenated_type(type(x), type(y)), loc);
        // Scalars join to a block of two.
        if (!type(x).is_block() && !type(y).is_block()) {
            x = splat(x, {1}, loc);
            y = splat(y, {1}, loc);
            NodeId two = add_op(op, {x, y}, joined_type(type(x), type(y)), loc);
            return reshape(two, {2}, loc);
        }
        std::vector<int64_t> shape = stretched_shape({type(x), type(y)});
        x = broadcast_to(x, shape, loc);
        y = broadcast_to(y, shape, loc);
        return add_op(op, {x, y}, joined_type(type(x), type(y)), loc);
    });
}

std::vector<NodeId> Trace::split(NodeId value, const Loc& loc) {
    if (type(value).is_pointer()) fail("split requires numbers, got " + type(value).str(), loc);
    Type result = checked("split", loc, [&] { return half_type(type(value)); });
    std::vector<NodeId> halves;
    for (int64_t index : {0, 1})
        halves.push_back(add_op(Op::half, {value}, result, loc, {{AttrKey::index, index}}));
    return halves;
}

NodeId Trace::reduce(Op op, NodeId value, std::optional<int64_t> axis, bool keep_dims,
                     const Loc& loc) {
    std::string name(info(op).name);
    std::vector<int64_t> shape = type(value).shape();
    int64_t rank = static_cast<int64_t>(shape.size());
    if (rank == 0) fail(name + " requires a block, got " + type(value).str(), loc);
    if (axis && (*axis < -rank || *axis >= rank))
        fail(name + ": axis must be " + std::to_string(-rank) + " to " + std::to_string(rank - 1) +
                 " for " + type(value).str() + ", got " + std::to_string(*axis),
             loc);
    std::vector<int64_t> kept(shape.size(), 1);
    if (axis) {
        kept = shape;
        kept[(*axis + rank) % rank] = 1;
    }
    return checked("", loc, [&] {
        NodeId operand = value;
        if (rank > 1 && !axis) operand = reshape(operand, {type(operand).lanes()}, loc);
        Scalar common = promote_reduced(op, common_scalar(op, {operand}, false, loc));
        operand = convert(operand, common, loc);
        std::vector<Attr> attrs;
        if (rank > 1 && axis) attrs.push_back({AttrKey::axis, (*axis + rank) % rank});
        Type result = reduced_type(op, type(operand),
                                   attrs.empty() ? std::nullopt : std::optional(attrs[0].value));
        NodeId reduced = add_op(op, {operand}, result, loc, attrs);
        if (!keep_dims) return reduced;
        return result.is_block() ? reshape(reduced, kept, loc) : splat(reduced, kept, loc);
    });
}

// A block in a shape that it stretches to; where it does not, as it is, for a type rule to refuse.
NodeId Trace::stretched_to(NodeId value, const std::vector<int64_t>& shape, const Loc& loc) {
    if (value == kNoNode || !type(value).is_block() || shape.empty()) return value;
    std::vector<int64_t> own = type(value).shape();
    if (own.size() > shape.size()) return value;
    for (size_t i = 0; i < own.size(); ++i) {
        int64_t size = own[own.size() - 1 - i];
        if (size != 1 && size != shape[shape.size() - 1 - i]) return value;
    }
    return broadcast_to(value, shape, loc);
}

// Blocks of several shapes that are combined lane by lane take one.
void Trace::stretch(std::vector<NodeId>& operands, const Loc& loc) {
    std::vector<Type> types;
    bool differ = false;
    for (NodeId each : operands) {
        types.push_back(type_or_none(each));
        for (const Type& other : types)
            differ |= !other.none() && !types.back().none() && other.is_block() &&
                      types.back().is_block() && other.shape() != types.back().shape();
    }
    if (!differ) return;
    std::vector<int64_t> shape = stretched_shape(types);
    for (NodeId& each : operands)
        if (each != kNoNode && type(each).is_block()) each = broadcast_to(each, shape, loc);
}

}  // namespace mytriton
