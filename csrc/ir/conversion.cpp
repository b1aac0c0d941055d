// The table of single conversions, made of scalar.h's functions for every pair of types.
#include "ir/conversion.h"

#include "ir/error.h"
#include "ir/literal.h"
#include "ir/scalar.h"

namespace mytriton {

namespace {

using LanesFn = void (*)(int64_t, Lanes, uint64_t*);

// The C++ type that holds a value; f16 and bf16 have functions of their own.
template <Scalar scalar>
struct CxxType;
#define DTYPE(name, text, type_class, bytes, cxx, ...) \
    template <>                                        \
    struct CxxType<Scalar::name> {                     \
        using type = cxx;                              \
    };
using f16 = uint16_t;
using bf16 = uint16_t;
#include "ir/dtypes.def"

constexpr bool is_half(Scalar scalar) {
    return scalar == Scalar::f16 || scalar == Scalar::bf16;
}

template <Scalar from, Scalar to>
uint64_t convert_bits(uint64_t bits) {
    using From = typename CxxType<from>::type;
    using To = typename CxxType<to>::type;
    auto a = from_bits<From>(bits);
    if constexpr (from == Scalar::f16)
        return bits_of(rows::f16_to_f32(a));
    else if constexpr (from == Scalar::bf16)
        return bits_of(rows::bf16_to_f32(a));
    else if constexpr (is_half(to)) {
        float narrow = 0;
        if constexpr (from == Scalar::f64)
            narrow = rows::f64_to_f32_odd(a);
        else
            narrow = static_cast<float>(a);
        return to == Scalar::f16 ? rows::f32_to_f16(narrow) : rows::f32_to_bf16(narrow);
    } else if constexpr (to == Scalar::boolean)
        return bits_of(rows::to_bool(a));
    else if constexpr (from == Scalar::boolean)
        return bits_of(rows::from_bool<To>(a));
    else
        return bits_of(rows::convert<To>(a));
}

template <Scalar from, Scalar to>
void convert_lanes(int64_t count, Lanes a, uint64_t* out) {
    for (int64_t i = 0; i < count; ++i) out[i] = convert_bits<from, to>(a[i]);
}

template <Scalar from>
LanesFn function_to(Scalar to) {
    switch (to) {
#define DTYPE(name, ...) \
    case Scalar::name:   \
        return convert_lanes<from, Scalar::name>;
#include "ir/dtypes.def"
    }
    throw InternalError("conversion", "unknown type");
}

LanesFn function(Scalar from, Scalar to) {
    switch (from) {
#define DTYPE(name, ...) \
    case Scalar::name:   \
        return function_to<Scalar::name>(to);
#include "ir/dtypes.def"
    }
    throw InternalError("conversion", "unknown type");
}

}  // namespace

std::optional<Scalar> conversion_step(Scalar from, Scalar to) {
    bool from_half = info(from).is_half() && to != Scalar::f32;
    bool to_half = info(to).is_half() && from != Scalar::f32 && from != Scalar::f64;
    return from != to && (from_half || to_half) ? std::optional(Scalar::f32) : std::nullopt;
}

void apply_conversion(Scalar from, Scalar to, int64_t count, Lanes a, uint64_t* out) {
    if (from == to) {
        for (int64_t i = 0; i < count; ++i) out[i] = a[i];
    } else if (std::optional<Scalar> step = conversion_step(from, to)) {
        function(from, *step)(count, a, out);
        apply_conversion(*step, to, count, {out, 1}, out);
    } else {
        function(from, to)(count, a, out);
    }
}

uint64_t apply_conversion(Scalar from, Scalar to, uint64_t a) {
    uint64_t out = 0;
    apply_conversion(from, to, 1, {&a, 0}, &out);
    return out;
}

uint64_t apply_conversion_rtz(Scalar from, Scalar to, uint64_t a) {
    if (from != Scalar::f64 && from != Scalar::f32)
        throw InternalError("conversion",
                            "nothing is narrower than " + std::string(info(from).name));
    float narrow =
        from == Scalar::f64 ? rows::f64_to_f32_rtz(from_bits<double>(a)) : from_bits<float>(a);
    if (to == Scalar::f16) return rows::f32_to_f16_rtz(narrow);
    if (to == Scalar::bf16) return rows::f32_to_bf16_rtz(narrow);
    return bits_of(narrow);
}

}  // namespace mytriton
