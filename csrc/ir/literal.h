// Constants: their bits, and how they are spelled in the IR and in emitted C++.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "ir/type.h"

namespace mytriton {

// A constant's bits: bool 0 or 1; i32 its 32 bits, zero-extended; f32 the IEEE bits, zero-extended.
inline uint64_t bits_of(bool value) {
    return value ? 1 : 0;
}
inline uint64_t bits_of(int32_t value) {
    return static_cast<uint32_t>(value);
}
inline uint64_t bits_of(float value) {
    return std::bit_cast<uint32_t>(value);
}

template <class T>
T from_bits(uint64_t bits) {
    if constexpr (std::is_same_v<T, bool>) return bits != 0;
    if constexpr (std::is_same_v<T, int32_t>) return static_cast<int32_t>(bits);
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

// Every NaN as the one whose payload is empty: which NaN an operation gives is not part of it.
uint64_t canonical(Scalar scalar, uint64_t bits);

// In the IR: true, 256, 0.1, 1e-05, inf, nan. Floats are the shortest form that reads back to the
// same f32; a NaN with a payload is nan_0x7fc00001.
std::string spell(Scalar scalar, uint64_t bits);

struct Constant {
    Scalar scalar;
    uint64_t bits;
};

// Reads what spell() writes; nothing where the text is no constant, or does not fit its type.
std::optional<Constant> parse_constant(const std::string& text);

// In emitted C++, for both backends: true, 256, 0.1f, 1e-05f, __int_as_float(0x7f800000).
std::string spell_cxx(Scalar scalar, uint64_t bits);

}  // namespace mytriton
