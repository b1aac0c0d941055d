// Constants: their bits, and how they are spelled in the IR and in emitted C++.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include "ir/op.h"
#include "ir/type.h"

namespace mytriton {

// A constant's bits: those of its type, zero-extended to 64; a bool is 0 or 1.
inline uint64_t bits_of(bool value) {
    return value ? 1 : 0;
}
inline uint64_t bits_of(float value) {
    return std::bit_cast<uint32_t>(value);
}
inline uint64_t bits_of(double value) {
    return std::bit_cast<uint64_t>(value);
}
template <std::integral T>
uint64_t bits_of(T value) {
    return static_cast<std::make_unsigned_t<T>>(value);
}

template <class T>
T from_bits(uint64_t bits) {
    if constexpr (std::is_same_v<T, bool>)
        return bits != 0;
    else if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<uint32_t>(bits));
    else if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<double>(bits);
    else
        return static_cast<T>(bits);
}

// The value of an int type's bits, in the widest int of its sign.
inline int64_t signed_value(Scalar scalar, uint64_t bits) {
    int unused = 64 - 8 * info(scalar).bytes;
    return static_cast<int64_t>(bits << unused) >> unused;
}

// The largest bits of an int type are (~0 of its width) for unsigned, half of that for signed ones.
uint64_t largest_int(Scalar scalar);
uint64_t least_int(Scalar scalar);  // its bits

// The bits that a reduction or a scan starts from.
uint64_t identity_bits(Identity identity, Scalar scalar);

// Every NaN as the one whose payload is empty: which NaN an operation gives is not part of it.
uint64_t canonical(Scalar scalar, uint64_t bits);

// In the IR: true, 256, 0.1, 1e-05, inf, nan. Bare numbers are i32 and f32; others end in their
// type: 256_i64, 0.1_f64, inf_f16. Floats are the shortest form that reads back to the same f32
// (for f64, to the same f64); a NaN with a payload is nan_0x7fc00001.
std::string spell(Scalar scalar, uint64_t bits);

struct Constant {
    Scalar scalar;
    uint64_t bits;
};

// Reads what spell() writes; nothing where the text is no constant, or does not fit its type.
std::optional<Constant> parse_constant(const std::string& text);

// In emitted C++, for both backends: true, 256, 5ll, 0.1f, 0.1, __int_as_float(0x7f800000). f16 and
// bf16 are their bits.
std::string spell_cxx(Scalar scalar, uint64_t bits);

}  // namespace mytriton
