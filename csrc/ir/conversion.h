// Conversions between element types: what `cast`, `cast_rtz` and `bitcast` mean.
//
// To bool is != 0, so that a NaN is true; from bool gives 0 and 1. Float to int truncates and
// saturates, and a NaN gives 0. Ints keep their low bits; a wider one is extended by its own sign,
// unsigned types by zeros. Floats round to nearest even, `cast_rtz` towards zero; NaN stays NaN.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/type.h"

namespace mytriton {

// A run of lanes as constant bits (literal.h); step 0 repeats one scalar for every lane.
struct Lanes {
    const uint64_t* bits;
    int64_t step;
    uint64_t operator[](int64_t lane) const { return bits[lane * step]; }
};

// f16 and bf16 convert through f32, except from f64. Answers f32 for such a pair, else nothing:
// then the conversion is a single one.
std::optional<Scalar> conversion_step(Scalar from, Scalar to);

// out[i] = the conversion of a[i]; equal types copy.
void apply_conversion(Scalar from, Scalar to, int64_t count, Lanes a, uint64_t* out);
uint64_t apply_conversion(Scalar from, Scalar to, uint64_t a);

// The same towards zero, from a float to a narrower one.
uint64_t apply_conversion_rtz(Scalar from, Scalar to, uint64_t a);

}  // namespace mytriton
