// Shapes of ops that move lanes, and their lane maps.
#include "ir/movement.h"

#include <algorithm>

#include "ir/error.h"
#include "ir/typing.h"

namespace mytriton {

namespace {

[[noreturn]] void fail(const std::string& message) {
    throw TypingError(message);
}

int64_t product(const std::vector<int64_t>& shape) {
    int64_t lanes = 1;
    for (int64_t size : shape) lanes *= size;
    return lanes;
}

// How many lanes lie between neighbours along each axis.
std::vector<int64_t> steps_of(const std::vector<int64_t>& shape) {
    std::vector<int64_t> steps(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) steps[i - 1] = steps[i] * shape[i];
    return steps;
}

std::string text_of(const std::vector<int64_t>& shape) {
    std::string out;
    for (int64_t size : shape) out += (out.empty() ? "" : ", ") + std::to_string(size);
    return "(" + out + ")";
}

// One term for each axis of the result, its steps in the operand being given; neighbouring axes
// that lie in the operand as they do in the result become one.
LaneMap map_of(const std::vector<int64_t>& shape, const std::vector<int64_t>& steps_in) {
    std::vector<int64_t> steps = steps_of(shape);
    LaneMap map;
    for (size_t i = 0; i < shape.size();) {
        size_t last = i;
        int64_t size = shape[i];
        while (last + 1 < shape.size() && steps_in[last] == steps_in[last + 1] * shape[last + 1])
            size *= shape[++last];
        if (steps_in[last] != 0 && size > 1)
            map.terms.push_back({steps[last], i == 0 ? 0 : size, steps_in[last]});
        i = last + 1;
    }
    return map;
}

}  // namespace

bool is_movement(Op op) {
    return op == Op::reshape || op == Op::broadcast || op == Op::permute || op == Op::join ||
           op == Op::half || op == Op::cat;
}

bool moves_lanes(Op op) {
    return is_movement(op) && op != Op::reshape;
}

std::vector<int64_t> stretched_shape(const std::vector<Type>& operands) {
    size_t rank = 0;
    for (Type type : operands)
        if (!type.none()) rank = std::max(rank, type.shape().size());
    std::vector<int64_t> shape(rank, 1);
    bool fits = true;
    for (Type type : operands) {
        if (type.none()) continue;
        size_t missing = rank - type.shape().size();
        for (size_t i = 0; i < type.shape().size(); ++i) {
            int64_t size = type.shape()[i], &common = shape[missing + i];
            fits &= size == common || size == 1 || common == 1;
            common = std::max(common, size);
        }
    }
    if (fits) return shape;
    std::string rendered;
    for (Type each : operands)
        if (!each.none()) rendered += (rendered.empty() ? "" : ", ") + each.str();
    fail("incompatible shapes: " + rendered);
}

Type permuted_type(Type operand, const std::vector<int64_t>& order) {
    std::vector<int64_t> sorted = order, shape;
    std::ranges::sort(sorted);
    bool fits = operand.is_block() && order.size() == operand.shape().size();
    for (size_t i = 0; fits && i < sorted.size(); ++i) fits = sorted[i] == static_cast<int64_t>(i);
    if (!fits)
        fail("cannot permute " + operand.str() + " by " + text_of(order) +
             ": expected each axis once");
    for (int64_t axis : order) shape.push_back(operand.shape()[axis]);
    return operand.with_shape(shape);
}

Type joined_type(Type a, Type b) {
    if (!a.is_block() || a != b)
        fail("expected two blocks of one type, got " + a.str() + " and " + b.str());
    std::vector<int64_t> shape = a.shape();
    shape.push_back(2);
    check_shape(shape);
    return a.with_shape(shape);
}

Type half_type(Type operand) {
    if (operand.shape().size() < 2 || operand.shape().back() != 2)
        fail("expected a block of two or more axes whose last has size 2, got " + operand.str());
    std::vector<int64_t> shape = operand.shape();
    shape.pop_back();
    return operand.with_shape(shape);
}

Type concatenated_type(Type a, Type b) {
    if (a.shape().size() != 1 || b.shape().size() != 1 || a.element() != b.element())
        fail("expected two blocks of rank 1 and one type, got " + a.str() + " and " + b.str());
    std::vector<int64_t> shape = {a.shape()[0] + b.shape()[0]};
    check_shape(shape);
    return a.with_shape(shape);
}

void check_shape(const std::vector<int64_t>& shape) {
    if (shape.size() > kMaxRank)
        fail("a block has at most " + std::to_string(kMaxRank) + " axes, got " + text_of(shape));
    int64_t lanes = 1;
    for (int64_t size : shape) {
        if (size < 1) fail("a block's sizes are at least 1, got " + text_of(shape));
        lanes *= std::min(size, kMaxLanes + 1);
        if (lanes > kMaxLanes)
            fail("a block has at most " + std::to_string(kMaxLanes) + " lanes, got " +
                 text_of(shape));
    }
}

void check_reshape(Type operand, const std::vector<int64_t>& shape) {
    check_shape(shape);
    if (shape.empty() || !operand.is_block() || product(shape) != operand.lanes())
        fail("cannot reshape " + operand.str() + " to " + text_of(shape) +
             ": expected a block of as many lanes");
}

void check_broadcast(Type operand, const std::vector<int64_t>& shape) {
    check_shape(shape);
    const std::vector<int64_t>& from = operand.shape();
    bool fits = !from.empty() && from.size() <= shape.size();
    for (size_t i = 0; fits && i < from.size(); ++i) {
        int64_t to = shape[shape.size() - from.size() + i];
        fits = from[i] == to || from[i] == 1;
    }
    if (!fits)
        fail("cannot broadcast " + operand.str() + " to " + text_of(shape) +
             ": expected sizes that are equal, or 1");
}

int64_t LaneMap::source(int64_t lane) const {
    int64_t from = offset;
    for (const Term& term : terms) {
        int64_t index = lane / term.divide;
        from += (term.modulo ? index % term.modulo : index) * term.times;
    }
    return from;
}

bool LaneMap::is_uniform(int64_t count) const {
    return std::ranges::all_of(terms, [&](const Term& term) { return term.divide % count == 0; });
}

bool LaneMap::is_consecutive(int64_t count) const {
    return step(count) == 1;
}

std::optional<int64_t> LaneMap::step(int64_t count) const {
    if (terms.empty() || terms.back().divide != 1) return std::nullopt;
    if (terms.back().modulo % count != 0) return std::nullopt;
    bool others_stay = std::all_of(terms.begin(), terms.end() - 1,
                                   [&](const Term& term) { return term.divide % count == 0; });
    return others_stay ? std::optional(terms.back().times) : std::nullopt;
}

LaneMap lane_map(Op op, const std::vector<Attr>& attrs, Type operand, Type result) {
    std::vector<int64_t> steps = steps_of(operand.shape());
    if (op == Op::reshape) return {{{1, 0, 1}}};
    auto attr = [&](AttrKey key) {
        auto found = std::ranges::find(attrs, key, &Attr::key);
        if (found == attrs.end()) throw InternalError("lane_map", "an attribute is missing");
        return found->value;
    };
    if (op == Op::half) return {{{1, 0, 2}}, attr(AttrKey::index)};
    if (op == Op::broadcast) {
        for (size_t i = 0; i < steps.size(); ++i)
            if (operand.shape()[i] == 1) steps[i] = 0;
        return map_of(result.shape(), steps);
    }
    if (op == Op::permute) {
        std::vector<int64_t> moved;
        for (int64_t axis : unpack_order(attr(AttrKey::order))) moved.push_back(steps[axis]);
        return map_of(result.shape(), moved);
    }
    throw InternalError("lane_map", std::string(info(op).name) + " has two operands");
}

}  // namespace mytriton
