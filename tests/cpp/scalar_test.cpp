// ir/scalar.h: accuracy of expf, and the corners where C++ would trap or be undefined, for ints of
// every width.
#include "ir/scalar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "ir/math.h"

namespace mytriton {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
constexpr T kMin = std::numeric_limits<T>::min();
template <class T>
constexpr T kMax = std::numeric_limits<T>::max();
template <class T>
constexpr int kBits = 8 * sizeof(T);

// What an int's bits are worth, with room to compute in.
using Wide = __int128;

// --- floats --------------------------------------------------------------------------------------

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
    EXPECT_TRUE(rows::isinf(-kInf));
    EXPECT_FALSE(rows::isinf(kNan));
    EXPECT_FALSE(rows::isinf(0x1.fffffep127f));
    EXPECT_FALSE(rows::isfinite(kNan));
    EXPECT_TRUE(rows::isfinite(-0x1.fffffffffffffp1023));
    EXPECT_TRUE(rows::isinf(-double(kInf)));
    EXPECT_EQ(rows::sqrtf(2.0f), std::sqrt(2.0f));
    EXPECT_TRUE(std::isnan(rows::sqrtf(-1.0f)));
    // The product alone would round to 1.
    EXPECT_EQ(rows::fma(1 + 0x1p-12f, 1 - 0x1p-12f, -1.0f), -0x1p-24f);
    EXPECT_EQ(rows::fma(1 + 0x1p-27, 1 - 0x1p-27, -1.0), -0x1p-54);
    EXPECT_EQ(rows::bounded(3.0f, -1.0f, 2.0f), 2.0f);
    EXPECT_EQ(rows::bounded(-3.0f, -1.0f, 2.0f), -1.0f);
    EXPECT_TRUE(std::isnan(rows::bounded(kNan, -1.0f, 2.0f)));
    EXPECT_TRUE(std::signbit(rows::fill<float>(-0.0f)));
}

TEST(Scalar, RoundingToWholeNumbersIsTheLibrarys) {
    std::mt19937_64 random(1);
    auto check = []<class T>(T x) {
        auto same = [](T a, T b) {
            return rows::bits_of(a) == rows::bits_of(b) || (a != a && b != b);
        };
        EXPECT_TRUE(same(rows::floorf(x), std::floor(x))) << x;
        EXPECT_TRUE(same(rows::ceilf(x), std::ceil(x))) << x;
        EXPECT_TRUE(same(rows::truncf(x), std::trunc(x))) << x;
        EXPECT_TRUE(same(rows::rintf(x), std::nearbyint(x))) << x;
        EXPECT_TRUE(same(rows::roundf(x), std::round(x))) << x;
        EXPECT_TRUE(same(rows::fabsf(x), std::fabs(x))) << x;
        EXPECT_TRUE(same(rows::copysignf(T(3), x), std::copysign(T(3), x))) << x;
    };
    for (float x : {0.0f, 0.5f, 0x1.fffffep-2f, 1.5f, 2.5f, 0x1p23f, 0x1.000002p23f, kInf, kNan})
        for (float signed_x : {x, -x}) check(signed_x), check(double(signed_x));
    check(0x1.fffffffffffffp-2), check(-0x1.fffffffffffffp-2), check(0x1p52 + 1);
    for (int n = 0; n < 20'000; ++n) {
        check(rows::float_of(int(random())));
        check(rows::float_of((long long)(random())));
        check(float(int(random()) % 64) / 4);
    }
}

TEST(Scalar, BitCasts) {
    EXPECT_EQ(rows::bits_of(1.0f), 0x3f800000);
    EXPECT_EQ(rows::bits_of(-0.0f), kMin<int>);
    EXPECT_EQ(rows::float_of(0x40490fdb), 0x1.921fb6p1f);
    EXPECT_EQ(rows::__int_as_float(0x7f800000), kInf);
    EXPECT_EQ(rows::bits_of(-0.0), kMin<long long>);
    EXPECT_EQ(rows::__longlong_as_double(0x7ff0000000000000), double(kInf));
}

// --- ints of every width -------------------------------------------------------------------------

template <class T>
class ScalarInts : public testing::Test {
  public:
    // Ends of the type, small ones, and random ones of every magnitude; all pairs of i8 are met.
    static std::vector<T> values() {
        std::vector<T> out;
        for (int value : {0, 1, 2, 3, 7, kBits<T> - 1, kBits<T>, kBits<T> + 1})
            for (int signed_value : {value, -value}) out.push_back(T(signed_value));
        for (T value : {kMin<T>, T(kMin<T> + 1), T(kMin<T> / 2), kMax<T>, T(kMax<T> - 1)})
            out.push_back(value);
        std::mt19937_64 random(sizeof(T));
        for (int n = 0; n < 300; ++n) out.push_back(T(random() >> random() % kBits<T>));
        if (sizeof(T) == 1)
            for (int value = 0; value < 256; ++value) out.push_back(T(value));
        return out;
    }
};
using IntTypes = testing::Types<signed char, short, int, long long, unsigned char, unsigned short,
                                unsigned, unsigned long long>;
TYPED_TEST_SUITE(ScalarInts, IntTypes);

TYPED_TEST(ScalarInts, DivisionTruncatesAndNeverTraps) {
    using T = TypeParam;
    EXPECT_EQ(rows::idiv(T(7), T(2)), T(3));
    EXPECT_EQ(rows::idiv(T(7), T(0)), T(-1)) << "all bits set";
    EXPECT_EQ(rows::irem(T(7), T(0)), T(7));
    EXPECT_EQ(rows::irem(kMin<T>, T(0)), kMin<T>);
    if (T(-1) < 0) {
        EXPECT_EQ(rows::idiv(T(-7), T(2)), T(-3));
        EXPECT_EQ(rows::irem(T(-7), T(2)), T(-1));
        EXPECT_EQ(rows::irem(T(7), T(-2)), T(1));
        EXPECT_EQ(rows::idiv(kMin<T>, T(-1)), kMin<T>);
        EXPECT_EQ(rows::irem(kMin<T>, T(-1)), T(0));
    } else {
        EXPECT_EQ(rows::idiv(kMax<T>, T(-1)), T(1)) << "the largest value";
    }
    std::vector<T> values = this->values();
    for (T a : values)
        for (T b : values) {
            ASSERT_EQ(rows::idiv(a, b), b == 0 ? T(-1) : T(Wide(a) / Wide(b))) << +a << ' ' << +b;
            ASSERT_EQ(rows::irem(a, b), b == 0 ? a : T(Wide(a) % Wide(b))) << +a << ' ' << +b;
        }
}

TYPED_TEST(ScalarInts, ShiftsTakeAnyCountAsUnsigned) {
    using T = TypeParam;
    using Bits = std::make_unsigned_t<T>;
    std::vector<T> values = this->values();
    for (T a : values)
        for (T b : values) {
            bool over = Bits(b) >= unsigned(kBits<T>);
            Wide left = over ? 0 : Wide(a) * (Wide(1) << int(b));
            Wide right = over ? (a < 0 ? -1 : 0) : Wide(a) >> int(b);
            ASSERT_EQ(rows::shl(a, b), T(left)) << +a << ' ' << +b;
            ASSERT_EQ(rows::shr(a, b), T(right)) << +a << ' ' << +b;
        }
}

TYPED_TEST(ScalarInts, AbsoluteValuesWrapAtTheLeast) {
    using T = TypeParam;
    for (T a : this->values()) ASSERT_EQ(rows::iabs(a), T(Wide(a) < 0 ? -Wide(a) : Wide(a))) << +a;
    EXPECT_EQ(rows::iabs(kMin<T>), kMin<T>);
}

TYPED_TEST(ScalarInts, BitsAreCounted) {
    using T = TypeParam;
    using Bits = std::make_unsigned_t<T>;
    for (T a : this->values()) {
        ASSERT_EQ(rows::popc(a), std::popcount(Bits(a))) << +a;
        ASSERT_EQ(rows::clz(a), std::countl_zero(Bits(a))) << +a;
    }
    EXPECT_EQ(rows::clz(T(0)), kBits<T>);
    EXPECT_EQ(rows::clz(T(-1)), 0);
    EXPECT_EQ(rows::popc(T(-1)), kBits<T>);
}

TYPED_TEST(ScalarInts, HighHalvesOfProductsAreUnsigned) {
    using T = TypeParam;
    using Bits = std::make_unsigned_t<T>;
    if (sizeof(T) < 4) return;  // the row takes ints of 32 and 64 bits
    std::vector<T> values = this->values();
    for (T a : values)
        for (T b : values) {
            unsigned __int128 product = (unsigned __int128)(Bits(a)) * Bits(b);
            ASSERT_EQ(rows::umulhi(a, b), T(product >> kBits<T>)) << +a << ' ' << +b;
        }
}

}  // namespace
}  // namespace mytriton
