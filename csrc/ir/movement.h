// Ops that only move lanes: which types they take, and from where each lane of the result comes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/attr.h"
#include "ir/op.h"
#include "ir/type.h"

namespace mytriton {

bool is_movement(Op op);  // reshape, broadcast, permute, join, half, cat
bool moves_lanes(Op op);  // of these all but reshape, whose lanes stay where they are

// The shape of blocks that are combined lane by lane: axes count from the last, and a size of 1
// stretches. TypingError: "incompatible shapes: vector<128 x f32>, vector<256 x f32>".
std::vector<int64_t> stretched_shape(const std::vector<Type>& operands);

// The result types, where operands and attributes tell. TypingError where they do not fit.
Type permuted_type(Type operand, const std::vector<int64_t>& order);
Type joined_type(Type a, Type b);
Type half_type(Type operand);
Type concatenated_type(Type a, Type b);

// TypingError unless a block may have the shape; unless it has as many lanes as the operand; unless
// the operand's sizes stretch to it, axes counting from the last.
void check_shape(const std::vector<int64_t>& shape);
void check_reshape(Type operand, const std::vector<int64_t>& shape);
void check_broadcast(Type operand, const std::vector<int64_t>& shape);

// Lane i of the result is lane offset + the sum of (i / divide % modulo) * times over the terms, of
// the operand; of a join and a cat, see there. Modulo 0: no remainder is taken.
struct LaneMap {
    struct Term {
        int64_t divide, modulo, times;
        friend bool operator==(const Term&, const Term&) = default;
    };
    std::vector<Term> terms;
    int64_t offset = 0;

    int64_t source(int64_t lane) const;
    // Whether `count` lanes from any multiple of `count` on come from one lane, or from consecutive
    // ones.
    bool is_uniform(int64_t count) const;
    bool is_consecutive(int64_t count) const;
    // How far apart the sources of neighbours are, where that is the same in any such lanes.
    std::optional<int64_t> step(int64_t count) const;
};

// Of an op with one operand.
LaneMap lane_map(Op op, const std::vector<Attr>& attrs, Type operand, Type result);

}  // namespace mytriton
