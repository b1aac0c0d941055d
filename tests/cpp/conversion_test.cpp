// Conversions of scalars, against answers found by other means: the halves' values by definition,
// rounding by search among neighbours, ints by arithmetic of 128 bits.
#include "ir/conversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "ir/error.h"
#include "ir/literal.h"
#include "ir/scalar.h"

namespace mytriton {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A format of 16 bits, by its definition.
struct Format {
    Scalar scalar;
    int mantissa_bits;
    int bias;

    int infinity() const { return 0x7fff >> mantissa_bits << mantissa_bits; }
    bool is_nan(uint64_t bits) const { return int(bits & 0x7fff) > infinity(); }
    double value(int bits) const {
        int exponent = (bits & 0x7fff) >> mantissa_bits;
        int mantissa = bits & ((1 << mantissa_bits) - 1);
        double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                         : std::ldexp(mantissa + (1 << mantissa_bits),
                                                      exponent - bias - mantissa_bits);
        if ((bits & 0x7fff) == infinity()) magnitude = kInf;
        if (is_nan(bits)) magnitude = kNan;
        return bits & 0x8000 ? -magnitude : magnitude;
    }

    // The largest magnitude's bits that are not above |x|.
    int truncated(double x) const {
        if (std::isinf(x)) return infinity();
        int low = 0, high = infinity();
        while (high - low > 1) {
            int middle = (low + high) / 2;
            (value(middle) <= std::fabs(x) ? low : high) = middle;
        }
        return low;
    }
    // Nearest, ties to even. All sums and differences here are exact in long double.
    int nearest(double x) const {
        int low = truncated(x);
        if (low == infinity()) return low;
        long double beyond = low + 1 == infinity()
                                 ? std::ldexp(2.0L, infinity() / (1 << mantissa_bits) - 1 - bias)
                                 : (long double)(value(low + 1));
        long double below = std::fabs((long double)(x)) - value(low),
                    above = beyond - std::fabs((long double)(x));
        return below < above || (below == above && low % 2 == 0) ? low : low + 1;
    }
};
const Format kFormats[] = {{Scalar::f16, 10, 15}, {Scalar::bf16, 7, 127}};

std::vector<double> doubles() {
    std::vector<double> out = {0.0,   5e-324, 1e-310, 1e-45, 1e-40, 65504, 65519.999,
                               65520, 65536,  3.4e38, 1e39,  1e300, kInf};
    std::mt19937_64 random(3);
    for (const Format& format : kFormats)
        for (int bits = 0; bits < format.infinity(); ++bits) {
            double value = format.value(bits);
            double middle = (value + format.value(bits + 1)) / 2;
            if (std::isinf(middle))
                middle = value * (1 + std::ldexp(1.0, -format.mantissa_bits - 2));
            for (double x :
                 {value, middle, std::nextafter(middle, 0), std::nextafter(middle, kInf)})
                if (bits < 300 || bits > format.infinity() - 300 || random() % 8 == 0)
                    out.push_back(x);
        }
    for (int n = 0; n < 20'000; ++n) {
        double x = from_bits<double>(random());
        if (!std::isnan(x)) out.push_back(std::fabs(x));
        out.push_back(std::ldexp(1.0 + double(random() >> 12) * 0x1p-52, int(random() % 60) - 30));
    }
    size_t count = out.size();
    for (size_t i = 0; i < count; ++i) out.push_back(-out[i]);
    return out;
}

uint64_t with_sign(int magnitude, double x) {
    return static_cast<uint64_t>(magnitude | (std::signbit(x) ? 0x8000 : 0));
}

// --- halves --------------------------------------------------------------------------------------

TEST(Conversion, EveryHalfHasItsValueAndReturns) {
    for (const Format& format : kFormats)
        for (int bits = 0; bits < 0x10000; ++bits)
            for (Scalar wide : {Scalar::f32, Scalar::f64}) {
                uint64_t widened = apply_conversion(format.scalar, wide, bits);
                double value =
                    wide == Scalar::f32 ? from_bits<float>(widened) : from_bits<double>(widened);
                uint64_t back = apply_conversion(wide, format.scalar, widened);
                if (format.is_nan(bits)) {
                    ASSERT_TRUE(std::isnan(value)) << bits;
                    ASSERT_TRUE(format.is_nan(back)) << bits;
                    ASSERT_EQ(back & 0x8000, uint64_t(bits & 0x8000)) << bits;
                } else {
                    ASSERT_EQ(bits_of(value), bits_of(format.value(bits))) << bits;
                    ASSERT_EQ(back, uint64_t(bits));
                }
            }
}

TEST(Conversion, DoublesRoundOnceToTheNearestHalf) {
    for (const Format& format : kFormats)
        for (double x : doubles())
            ASSERT_EQ(apply_conversion(Scalar::f64, format.scalar, bits_of(x)),
                      with_sign(format.nearest(x), x))
                << std::hexfloat << x << " to " << info(format.scalar).name;
}

TEST(Conversion, FloatsRoundToTheNearestHalf) {
    for (const Format& format : kFormats)
        for (double each : doubles()) {
            float x = static_cast<float>(each);
            ASSERT_EQ(apply_conversion(Scalar::f32, format.scalar, bits_of(x)),
                      with_sign(format.nearest(x), x))
                << std::hexfloat << x << " to " << info(format.scalar).name;
        }
}

TEST(Conversion, TiesGoToEvenAndInfinityBeginsHalfAStepAfterTheLargest) {
    auto f16 = [](float x) { return apply_conversion(Scalar::f32, Scalar::f16, bits_of(x)); };
    EXPECT_EQ(f16(1 + 0x1p-11f), 0x3c00u);
    EXPECT_EQ(f16(1 + 0x1.8p-10f), 0x3c02u);
    EXPECT_EQ(f16(65519.99f), 0x7bffu);
    EXPECT_EQ(f16(65520.0f), 0x7c00u);
    EXPECT_EQ(f16(0x1p-25f), 0u);
    EXPECT_EQ(f16(0x1.000002p-25f), 1u);
    EXPECT_EQ(f16(-0x1p-26f), 0x8000u);
    auto bf16 = [](float x) { return apply_conversion(Scalar::f32, Scalar::bf16, bits_of(x)); };
    EXPECT_EQ(bf16(1 + 0x1p-8f), 0x3f80u);
    EXPECT_EQ(bf16(1 + 0x1.8p-7f), 0x3f82u);
    EXPECT_EQ(bf16(std::numeric_limits<float>::max()), 0x7f80u);
    EXPECT_EQ(bf16(0x1p-149f), 0u);
    // 1 + 2^-11 + 2^-40: f32 would make it a tie, and the tie 1.
    EXPECT_EQ(apply_conversion(Scalar::f64, Scalar::f16, bits_of(1 + 0x1p-11 + 0x1p-40)), 0x3c01u);
}

TEST(Conversion, TowardsZeroNeverRisesInMagnitude) {
    for (double x : doubles()) {
        for (const Format& format : kFormats) {
            ASSERT_EQ(apply_conversion_rtz(Scalar::f64, format.scalar, bits_of(x)),
                      with_sign(format.truncated(x), x))
                << std::hexfloat << x << " to " << info(format.scalar).name;
            float narrow = static_cast<float>(x);
            ASSERT_EQ(apply_conversion_rtz(Scalar::f32, format.scalar, bits_of(narrow)),
                      with_sign(format.truncated(narrow), narrow))
                << std::hexfloat << narrow << " to " << info(format.scalar).name;
        }
        float nearest = static_cast<float>(x), down = nearest;
        if (std::fabs(double{nearest}) > std::fabs(x)) down = std::nextafter(nearest, 0.0f);
        ASSERT_EQ(apply_conversion_rtz(Scalar::f64, Scalar::f32, bits_of(x)), bits_of(down)) << x;
    }
}

TEST(Conversion, NanStaysNanWhateverItsPayload) {
    std::vector<uint64_t> nans = {0x7ff0000000000001, 0xfff0000000000001, 0x7ff8000000000000,
                                  0x7ff0000020000000, 0x7fffffffffffffff};
    for (uint64_t bits : nans) {
        for (Scalar to : {Scalar::f16, Scalar::bf16, Scalar::f32}) {
            EXPECT_EQ(spell(to, canonical(to, apply_conversion(Scalar::f64, to, bits))),
                      spell(to, canonical(to, ~uint64_t{0} >> (64 - info(to).bits()))));
            EXPECT_EQ(canonical(to, apply_conversion_rtz(Scalar::f64, to, bits)),
                      canonical(to, ~uint64_t{0} >> (64 - info(to).bits())));
        }
    }
    for (uint64_t bits : {0x7f800001, 0x7f802000, 0x7fc00000, 0x7fffffff})
        for (const Format& format : kFormats) {
            EXPECT_TRUE(format.is_nan(apply_conversion(Scalar::f32, format.scalar, bits))) << bits;
            EXPECT_TRUE(format.is_nan(apply_conversion_rtz(Scalar::f32, format.scalar, bits)))
                << bits;
        }
}

void expect_odd_neighbour(float odd, double x) {
    EXPECT_EQ(rows::bits_of(odd) & 1, 1) << std::hexfloat << x;
    double magnitude = std::fabs(x);
    EXPECT_LT(std::nextafter(std::fabs(odd), 0.0f), magnitude) << std::hexfloat << x;
    EXPECT_GT(std::nextafter(std::fabs(odd), INFINITY), magnitude) << std::hexfloat << x;
}

TEST(Conversion, RoundingToOddMarksWhatIsInexact) {
    for (double x : doubles()) {
        float odd = rows::f64_to_f32_odd(x);
        if (double{static_cast<float>(x)} == x)
            ASSERT_EQ(odd, static_cast<float>(x));
        else
            expect_odd_neighbour(odd, x);
        ASSERT_EQ(std::signbit(odd), std::signbit(x)) << x;
    }
}

// --- ints ----------------------------------------------------------------------------------------

std::vector<Scalar> scalars_of(bool (*chosen)(const ScalarInfo&)) {
    std::vector<Scalar> out;
    for (int i = 0; i < scalar_count(); ++i)
        if (chosen(info(static_cast<Scalar>(i)))) out.push_back(static_cast<Scalar>(i));
    return out;
}
std::vector<Scalar> ints() {
    return scalars_of([](const ScalarInfo& row) { return row.is_int(); });
}
std::vector<Scalar> floats() {
    return scalars_of([](const ScalarInfo& row) { return row.is_float(); });
}

// The value of an int's bits.
__int128 int_value(Scalar scalar, uint64_t bits) {
    return info(scalar).is_unsigned() ? static_cast<__int128>(bits) : signed_value(scalar, bits);
}
uint64_t bits_in(Scalar scalar, __int128 value) {
    return static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - info(scalar).bits()));
}

std::vector<uint64_t> int_bits(Scalar scalar) {
    std::vector<uint64_t> out;
    for (__int128 value : {0, 1, -1, 2, 127, 128, 255, 256}) out.push_back(bits_in(scalar, value));
    for (uint64_t bits : {largest_int(scalar), largest_int(scalar) - 1, least_int(scalar)})
        out.push_back(bits);
    std::mt19937_64 random(9);
    for (int n = 0; n < 1000; ++n)
        out.push_back(bits_in(scalar, static_cast<__int128>(random() >> random() % 64)));
    return out;
}

TEST(Conversion, IntsKeepTheirLowBitsAndAreExtendedByTheirOwnSign) {
    for (Scalar from : ints())
        for (Scalar to : ints())
            for (uint64_t bits : int_bits(from))
                ASSERT_EQ(apply_conversion(from, to, bits), bits_in(to, int_value(from, bits)))
                    << spell(from, bits) << " to " << info(to).name;
}

TEST(Conversion, IntsRoundToTheNearestFloat) {
    for (Scalar from : ints())
        for (uint64_t bits : int_bits(from)) {
            // 64 bits fit a long double, from which C rounds once.
            auto exact = static_cast<long double>(int_value(from, bits));
            EXPECT_EQ(apply_conversion(from, Scalar::f64, bits),
                      bits_of(static_cast<double>(exact)));
            EXPECT_EQ(apply_conversion(from, Scalar::f32, bits),
                      bits_of(static_cast<float>(exact)));
            for (const Format& format : kFormats) {
                double through = static_cast<float>(exact);
                EXPECT_EQ(apply_conversion(from, format.scalar, bits),
                          with_sign(format.nearest(through), through));
            }
        }
}

TEST(Conversion, FloatsTruncateAndSaturateToEveryInt) {
    std::vector<double> values = doubles();
    for (int exponent : {7, 8, 15, 16, 31, 32, 63, 64})
        for (double base : {std::ldexp(1.0, exponent), -std::ldexp(1.0, exponent)})
            for (double x : {base, base - 1, base + 1, base - 0.5, base + 0.5,
                             std::nextafter(base, kInf), std::nextafter(base, -kInf)})
                values.push_back(x);
    for (Scalar from : floats())
        for (double x : values) {
            uint64_t bits = apply_conversion(Scalar::f64, from, bits_of(x));
            double value = from_bits<double>(apply_conversion(from, Scalar::f64, bits));
            for (Scalar to : ints()) {
                __int128 least = int_value(to, least_int(to)),
                         most = int_value(to, largest_int(to));
                __int128 expected = value >= 0x1p70    ? most
                                    : value <= -0x1p70 ? least
                                                       : static_cast<__int128>(value);
                expected = expected < least ? least : expected > most ? most : expected;
                ASSERT_EQ(apply_conversion(from, to, bits), bits_in(to, expected))
                    << std::hexfloat << value << ", a " << info(from).name << ", to "
                    << info(to).name;
            }
        }
    for (Scalar from : floats())
        for (Scalar to : ints())
            for (double sign : {1.0, -1.0}) {
                uint64_t nan =
                    apply_conversion(Scalar::f64, from, bits_of(std::copysign(kNan, sign)));
                EXPECT_EQ(apply_conversion(from, to, nan), 0u);
            }
}

// --- bools ---------------------------------------------------------------------------------------

TEST(Conversion, BoolsAreWhatIsNotZeroAndGiveZeroAndOne) {
    for (Scalar scalar : scalars_of([](const ScalarInfo& row) { return !row.is_float(); })) {
        EXPECT_EQ(apply_conversion(Scalar::boolean, scalar, 1), 1u);
        EXPECT_EQ(apply_conversion(scalar, Scalar::boolean, 0), 0u);
        EXPECT_EQ(apply_conversion(scalar, Scalar::boolean, least_int(scalar) | 1), 1u);
    }
    for (Scalar scalar : floats()) {
        EXPECT_EQ(
            spell(Scalar::f64, apply_conversion(scalar, Scalar::f64,
                                                apply_conversion(Scalar::boolean, scalar, 1))),
            "1.0_f64");
        uint64_t sign = uint64_t{1} << (info(scalar).bits() - 1);
        EXPECT_EQ(apply_conversion(scalar, Scalar::boolean, 0), 0u);
        EXPECT_EQ(apply_conversion(scalar, Scalar::boolean, sign), 0u) << "-0.0";
        EXPECT_EQ(apply_conversion(scalar, Scalar::boolean, 1), 1u) << "the least denormal";
        EXPECT_EQ(apply_conversion(scalar, Scalar::boolean, sign - 1), 1u) << "a NaN";
    }
}

TEST(Conversion, HalvesGoThroughF32ExceptFromF64) {
    EXPECT_EQ(conversion_step(Scalar::f16, Scalar::bf16), Scalar::f32);
    EXPECT_EQ(conversion_step(Scalar::i64, Scalar::f16), Scalar::f32);
    EXPECT_EQ(conversion_step(Scalar::f16, Scalar::f64), Scalar::f32);
    EXPECT_EQ(conversion_step(Scalar::boolean, Scalar::bf16), Scalar::f32);
    EXPECT_EQ(conversion_step(Scalar::f64, Scalar::f16), std::nullopt);
    EXPECT_EQ(conversion_step(Scalar::f16, Scalar::f16), std::nullopt);
    EXPECT_EQ(conversion_step(Scalar::f16, Scalar::f32), std::nullopt);
    EXPECT_EQ(conversion_step(Scalar::i8, Scalar::f64), std::nullopt);
    EXPECT_THROW(apply_conversion_rtz(Scalar::f16, Scalar::bf16, 0), InternalError);
}

}  // namespace
}  // namespace mytriton
