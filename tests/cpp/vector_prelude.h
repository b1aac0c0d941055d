// What emitted host kernels begin with, and values to try it on. Each vector test includes it, with
// and without MYTRITON_F64, and is compiled with the flags of emitted kernels.
#pragma once

// clang-format off: in the order in which the build embeds them
#include "ir/scalar.h"
#include "cpu/vector.h"
#include "cpu/vector_int.h"
#include "cpu/vector_convert.h"
#include "ir/math_exact.h"
#include "ir/math_exp.h"
#include "ir/math_log.h"
#include "ir/math_trig.h"
#include "ir/math_atan.h"
#include "ir/math_tanh.h"
#include "ir/math_erf.h"
#include "ir/math_gamma.h"
#include "ir/math_f64.h"
#include "ir/math_digamma.h"
#include "cpu/vector_memory.h"
// clang-format on

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace mytriton::rows {
namespace {

// The vector of an element type.
template <class T>
struct VectorFor;
#define MYTRITON_VECTOR_FOR(T, V) \
    template <>                   \
    struct VectorFor<T> {         \
        using type = V;           \
    };
MYTRITON_VECTOR_FOR(float, f32v)
MYTRITON_VECTOR_FOR(double, f64v)
MYTRITON_VECTOR_FOR(signed char, i8v)
MYTRITON_VECTOR_FOR(short, i16v)
MYTRITON_VECTOR_FOR(int, i32v)
MYTRITON_VECTOR_FOR(long long, i64v)
MYTRITON_VECTOR_FOR(unsigned char, u8v)
MYTRITON_VECTOR_FOR(unsigned short, u16v)
MYTRITON_VECTOR_FOR(unsigned, u32v)
MYTRITON_VECTOR_FOR(unsigned long long, u64v)
#undef MYTRITON_VECTOR_FOR
template <class T>
using VectorOfType = typename VectorFor<T>::type;

// Calls check.operator()<T>() for every element type, or every int type.
template <class Check>
void for_each_int(Check check) {
    check.template operator()<signed char>();
    check.template operator()<short>();
    check.template operator()<int>();
    check.template operator()<long long>();
    check.template operator()<unsigned char>();
    check.template operator()<unsigned short>();
    check.template operator()<unsigned>();
    check.template operator()<unsigned long long>();
}
template <class Check>
void for_each_float(Check check) {
    check.template operator()<float>();
    check.template operator()<double>();
}
template <class Check>
void for_each_type(Check check) {
    for_each_int(check);
    for_each_float(check);
}

// Equal bits; NaNs are all alike.
template <class T>
bool same(T a, T b) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

// Values at which something may go wrong. Of floats also those beside the ends of the int types.
template <class T>
std::vector<T> special_values() {
    std::vector<T> values;
    if constexpr (kIsFloat<T>) {
        using Limits = std::numeric_limits<T>;
        for (T value : {T(0), T(0.25), T(0.5), T(0x1.fffffep-2), T(1), T(1.5), T(2.5), T(2.9),
                        T(88.7), T(103.9), T(1e30), Limits::min(), Limits::denorm_min(),
                        Limits::max(), Limits::infinity(), Limits::quiet_NaN()})
            for (T signed_value : {value, -value}) values.push_back(signed_value);
        for (int exponent : {7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64})
            for (T signed_value : {std::ldexp(T(1), exponent), -std::ldexp(T(1), exponent)})
                for (T towards : {-Limits::infinity(), signed_value, Limits::infinity()})
                    values.push_back(std::nextafter(signed_value, towards));
    } else {
        constexpr T kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
        constexpr int kBits = 8 * sizeof(T);
        for (int value : {0, 1, 2, 3, 7, 100, kBits - 1, kBits, kBits + 1})
            for (int signed_value : {value, -value}) values.push_back(T(signed_value));
        for (T value : {kMin, T(kMin + 1), T(kMin / 2), kMax, T(kMax - 1), T(kMax / 2)})
            values.push_back(value);
    }
    return values;
}

template <class T>
T random_value(std::mt19937_64& random) {
    std::uint64_t bits = random();
    if constexpr (!kIsFloat<T>) {
        return T(bits >> random() % (8 * sizeof(T)));  // of every magnitude
    } else {
        if (random() % 2) return T(double(std::int64_t(bits)) * 0x1p-56);  // ordinary, to 128
        T value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
}

// Special values and others.
template <class T>
[[gnu::noinline]] std::vector<T> values_of(size_t others) {
    std::mt19937_64 random(sizeof(T) + others);
    std::vector<T> values = special_values<T>();
    for (size_t i = 0; i < others; ++i) values.push_back(random_value<T>(random));
    return values;
}

// A vector of values from `at` on, which start again at the end.
template <class T>
[[gnu::noinline]] VectorOfType<T> vector_at(const std::vector<T>& values, size_t at) {
    VectorOfType<T> v;
    for (int k = 0; k < kLanes; ++k) v[k] = values[(at + k) % values.size()];
    return v;
}

}  // namespace
}  // namespace mytriton::rows
