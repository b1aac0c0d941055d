// ir/scalar.h: accuracy of expf, and the corners where C++ would trap or be undefined.
#include "ir/scalar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mytriton {
namespace {

constexpr int kMin = std::numeric_limits<int>::min();
constexpr int kMax = std::numeric_limits<int>::max();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Distance from the exact value, in units of the last place of an f32 of its size.
double ulps(float got, double exact) {
    int exponent = std::max(std::ilogb(exact), -126);
    return std::abs(double(got) - exact) / std::ldexp(1.0, exponent - 23);
}

TEST(Scalar, ExpfIsAccurateEverywhere) {
    double worst = 0;
    float worst_at = 0;
    int wrong_infinities = 0;
    // A prime stride meets every exponent, both signs and denormal arguments.
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 1009) {
        float x = rows::float_of(int(std::uint32_t(bits)));
        if (!std::isfinite(x)) continue;
        float got = rows::expf(x);
        double exact = std::exp(double(x));
        if (std::isinf(float(exact)) || std::isinf(got)) {
            wrong_infinities += std::isinf(float(exact)) != std::isinf(got);
        } else if (double error = exact == 0 ? std::abs(got) : ulps(got, exact); error > worst) {
            worst = error;
            worst_at = x;
        }
    }
    EXPECT_EQ(wrong_infinities, 0);
    EXPECT_LE(worst, 2.0) << "at " << worst_at;
}

TEST(Scalar, ExpfOfDenormalResultsIsAccurate) {
    double worst = 0;
    for (float x = -104.5f; x < -87.0f; x += 0x1p-10f) {
        worst = std::max(worst, ulps(rows::expf(x), std::exp(double(x))));
    }
    EXPECT_LE(worst, 2.0);
    EXPECT_EQ(rows::expf(-103.9f), std::numeric_limits<float>::denorm_min());
}

TEST(Scalar, ExpfOfSpecials) {
    EXPECT_EQ(rows::expf(0.0f), 1.0f);
    EXPECT_EQ(rows::expf(-0.0f), 1.0f);
    EXPECT_EQ(rows::expf(kInf), kInf);
    EXPECT_EQ(rows::bits_of(rows::expf(-kInf)), 0);
    EXPECT_TRUE(std::isfinite(rows::expf(0x1.62e42ep6f)));  // the last below ln(FLT_MAX)
    EXPECT_EQ(rows::expf(0x1.62e430p6f), kInf);
    EXPECT_EQ(rows::expf(std::numeric_limits<float>::max()), kInf);
    EXPECT_EQ(rows::bits_of(rows::expf(std::numeric_limits<float>::lowest())), 0);
    EXPECT_TRUE(std::isnan(rows::expf(kNan)));
    EXPECT_TRUE(std::isnan(rows::expf(-kNan)));
    EXPECT_TRUE(std::isnan(rows::expf(rows::float_of(0x7f800001))));
    EXPECT_TRUE(std::isnan(rows::expf(rows::float_of(-1))));
}

TEST(Scalar, FloatMath) {
    EXPECT_TRUE(rows::isnan(kNan));
    EXPECT_FALSE(rows::isnan(kInf));
    EXPECT_EQ(rows::sqrtf(2.0f), std::sqrt(2.0f));
    EXPECT_TRUE(std::isnan(rows::sqrtf(-1.0f)));
    // The product alone would round to 1.
    EXPECT_EQ(rows::fma(1 + 0x1p-12f, 1 - 0x1p-12f, -1.0f), -0x1p-24f);
    EXPECT_EQ(rows::bounded(3.0f, -1.0f, 2.0f), 2.0f);
    EXPECT_EQ(rows::bounded(-3.0f, -1.0f, 2.0f), -1.0f);
    EXPECT_TRUE(std::isnan(rows::bounded(kNan, -1.0f, 2.0f)));
    EXPECT_TRUE(std::signbit(rows::fill<float>(-0.0f)));
}

TEST(Scalar, BitCasts) {
    EXPECT_EQ(rows::bits_of(1.0f), 0x3f800000);
    EXPECT_EQ(rows::bits_of(-0.0f), kMin);
    EXPECT_EQ(rows::float_of(0x40490fdb), 0x1.921fb6p1f);
    EXPECT_EQ(rows::__int_as_float(0x7f800000), kInf);
}

TEST(Scalar, DivisionTruncatesAndNeverTraps) {
    EXPECT_EQ(rows::idiv(7, 2), 3);
    EXPECT_EQ(rows::idiv(-7, 2), -3);
    EXPECT_EQ(rows::idiv(7, -2), -3);
    EXPECT_EQ(rows::idiv(7, -1), -7);
    EXPECT_EQ(rows::idiv(7, 0), -1);
    EXPECT_EQ(rows::idiv(0, 0), -1);
    EXPECT_EQ(rows::idiv(kMin, 0), -1);
    EXPECT_EQ(rows::idiv(kMin, -1), kMin);
    EXPECT_EQ(rows::idiv(kMin, kMin), 1);
    EXPECT_EQ(rows::idiv(kMax, kMin), 0);
}

TEST(Scalar, RemainderHasTheSignOfTheDividend) {
    EXPECT_EQ(rows::irem(7, 2), 1);
    EXPECT_EQ(rows::irem(-7, 2), -1);
    EXPECT_EQ(rows::irem(7, -2), 1);
    EXPECT_EQ(rows::irem(7, 0), 7);
    EXPECT_EQ(rows::irem(kMin, 0), kMin);
    EXPECT_EQ(rows::irem(kMin, -1), 0);
    EXPECT_EQ(rows::irem(7, -1), 0);
    EXPECT_EQ(rows::irem(kMax, kMin), kMax);
}

TEST(Scalar, FloatToIntTruncatesAndSaturates) {
    EXPECT_EQ(rows::f32_to_i32(2.9f), 2);
    EXPECT_EQ(rows::f32_to_i32(-2.9f), -2);
    EXPECT_EQ(rows::f32_to_i32(-0.0f), 0);
    EXPECT_EQ(rows::f32_to_i32(0x1.fffffep30f), 0x7fffff80);
    EXPECT_EQ(rows::f32_to_i32(0x1p31f), kMax);
    EXPECT_EQ(rows::f32_to_i32(-0x1p31f), kMin);
    EXPECT_EQ(rows::f32_to_i32(-0x1.000002p31f), kMin);
    EXPECT_EQ(rows::f32_to_i32(kInf), kMax);
    EXPECT_EQ(rows::f32_to_i32(-kInf), kMin);
    EXPECT_EQ(rows::f32_to_i32(kNan), 0);
}

TEST(Scalar, OtherConversions) {
    EXPECT_EQ(rows::i32_to_f32(kMax), 0x1p31f);
    EXPECT_EQ(rows::i32_to_f32(16777217), 16777216.0f);
    EXPECT_EQ(rows::bool_to_f32(true), 1.0f);
    EXPECT_EQ(rows::bool_to_f32(false), 0.0f);
    EXPECT_EQ(rows::bool_to_i32(true), 1);
    EXPECT_EQ(rows::bool_to_i32(false), 0);
    EXPECT_TRUE(rows::f32_to_bool(kNan));
    EXPECT_TRUE(rows::f32_to_bool(rows::float_of(1)));
    EXPECT_FALSE(rows::f32_to_bool(-0.0f));
    EXPECT_TRUE(rows::i32_to_bool(kMin));
    EXPECT_FALSE(rows::i32_to_bool(0));
}

}  // namespace
}  // namespace mytriton
