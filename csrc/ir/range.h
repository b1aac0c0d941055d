// The indices of a for: start, start + step, ... as long as they lie before stop, as Python's
// range.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "ir/ir.h"
#include "ir/literal.h"

namespace mytriton {

// How many there are, for bounds of an int type as bits; of step 0, none. Nothing wraps.
inline uint64_t trip_count(Scalar scalar, uint64_t start, uint64_t stop, uint64_t step) {
    bool is_unsigned = info(scalar).is_unsigned();
    int64_t by = signed_value(scalar, step);
    bool down = !is_unsigned && by < 0;
    uint64_t size = down ? 0 - static_cast<uint64_t>(by) : is_unsigned ? step : by;
    uint64_t first = is_unsigned ? start : signed_value(scalar, start);
    uint64_t last = is_unsigned ? stop : signed_value(scalar, stop);
    if (down) std::swap(first, last);
    bool any =
        is_unsigned ? first < last : static_cast<int64_t>(first) < static_cast<int64_t>(last);
    return any && size != 0 ? (last - first - 1) / size + 1 : 0;
}

// Of a for whose bounds are constants.
inline std::optional<uint64_t> constant_trip_count(const Kernel& kernel, const Inst& loop) {
    uint64_t bounds[kForInits];
    for (size_t i = 0; i < kForInits; ++i) {
        if (!kernel.is_constant(loop.operands[i])) return std::nullopt;
        bounds[i] = kernel.data(loop.operands[i]).bits;
    }
    Scalar scalar = kernel.type(loop.operands[0]).scalar();
    return trip_count(scalar, bounds[0], bounds[1], bounds[2]);
}

// The index after this one; it wraps where it is the last.
inline uint64_t next_index(Scalar scalar, uint64_t index, uint64_t step) {
    return (index + step) & (~uint64_t{0} >> (64 - info(scalar).bits()));
}

}  // namespace mytriton
