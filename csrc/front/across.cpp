// Tracing of ops across lanes: scans, sort, gather, histogram.
#include "ir/across.h"

#include "front/checked.h"
#include "front/promote.h"
#include "front/trace.h"

namespace mytriton {

namespace {

// An axis that may count from the last, as one that counts from the first.
int64_t axis_of(const std::string& function, int64_t axis, Type block, const Loc& loc) {
    int64_t rank = static_cast<int64_t>(block.shape().size());
    if (rank == 0) throw CompileError(function + " requires a block, got " + block.str(), loc);
    if (axis < -rank || axis >= rank)
        throw CompileError(function + ": axis must be " + std::to_string(-rank) + " to " +
                               std::to_string(rank - 1) + " for " + block.str() + ", got " +
                               std::to_string(axis),
                           loc);
    return (axis + rank) % rank;
}

std::vector<Attr> with_flag(std::vector<Attr> attrs, AttrKey key, bool set) {
    if (set) attrs.push_back({key, 1});
    return attrs;
}

}  // namespace

NodeId Trace::scan(Op op, NodeId value, int64_t axis, bool reverse, const Loc& loc) {
    axis = axis_of(std::string(info(op).name), axis, type(value), loc);
    return checked("", loc, [&] {
        Scalar common = promote_reduced(op, common_scalar(op, {value}, false, loc));
        NodeId operand = convert(value, common, loc);
        Type result = scanned_type(op, type(operand), axis);
        return add_op(op, {operand}, result, loc,
                      with_flag({{AttrKey::axis, axis}}, AttrKey::reverse, reverse));
    });
}

NodeId Trace::sort(NodeId value, bool descending, const Loc& loc) {
    Type result = checked("", loc, [&] { return sorted_type(type(value)); });
    return add_op(Op::sort, {value}, result, loc, with_flag({}, AttrKey::descending, descending));
}

NodeId Trace::gather(NodeId src, NodeId index, int64_t axis, const Loc& loc) {
    axis = axis_of("gather", axis, type(src), loc);
    Type result =
        checked("gather", loc, [&] { return gathered_type(type(src), type(index), axis); });
    return add_op(Op::gather, {src, index}, result, loc, {{AttrKey::axis, axis}});
}

NodeId Trace::histogram(NodeId input, int64_t bins, NodeId mask, const Loc& loc) {
    mask = mask_of("histogram", mask, loc);
    return checked("histogram", loc, [&] {
        if (mask != kNoNode && !type(mask).is_block())
            mask = broadcast_to(mask, type(input).shape(), loc);
        mask = stretched_to(mask, type(input).shape(), loc);
        Type result = histogram_type(type(input), type_or_none(mask), bins);
        return add_op(Op::histogram, {input, mask}, result, loc, {{AttrKey::bins, bins}});
    });
}

}  // namespace mytriton
