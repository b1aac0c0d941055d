// Constants: their spelling in the IR, which reads back to the same bits, and in emitted C++.
#include "ir/literal.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

#include "hand_built.h"
#include "ir/conversion.h"

namespace mytriton {
namespace {

std::string f32_text(float value) {
    return spell(Scalar::f32, bits_of(value));
}
std::string f32_cxx(float value) {
    return spell_cxx(Scalar::f32, bits_of(value));
}
std::string i32_cxx(int32_t value) {
    return spell_cxx(Scalar::i32, bits_of(value));
}

TEST(Literal, FloatsAreTheShortestDigitsInPythonsLayout) {
    EXPECT_EQ(f32_text(0.0f), "0.0");
    EXPECT_EQ(f32_text(1.0f), "1.0");
    EXPECT_EQ(f32_text(-256.0f), "-256.0");
    EXPECT_EQ(f32_text(0.1f), "0.1");
    EXPECT_EQ(f32_text(0.01f), "0.01");
    EXPECT_EQ(f32_text(-12.375f), "-12.375");
    EXPECT_EQ(f32_text(1.0f / 3), "0.33333334");
    EXPECT_EQ(f32_text(1e-4f), "0.0001");
    EXPECT_EQ(f32_text(1e-5f), "1e-05");
    EXPECT_EQ(f32_text(-1.5e-7f), "-1.5e-07");
    EXPECT_EQ(f32_text(1e30f), "1e+30");
    EXPECT_EQ(f32_text(16777216.0f), "16777216.0");
    EXPECT_EQ(f32_text(1e11f), "100000000000.0") << "not all digits of its value, 99999997952";
    EXPECT_EQ(f32_text(1e15f), "1000000000000000.0");
    EXPECT_EQ(f32_text(1e16f), "1e+16") << "never 1e16, which is not how Python prints it";
    EXPECT_EQ(f32_cxx(1e16f), "1e+16f");
}

TEST(Literal, FloatsAtTheEndsOfTheRange) {
    EXPECT_EQ(f32_text(FLT_MAX), "3.4028235e+38");
    EXPECT_EQ(f32_text(FLT_MIN), "1.1754944e-38");
    EXPECT_EQ(f32_text(std::numeric_limits<float>::denorm_min()), "1e-45");
    EXPECT_EQ(f32_text(from_bits<float>(0x007fffff)), "1.1754942e-38");
    EXPECT_EQ(f32_text(-0.0f), "-0.0");
    EXPECT_EQ(f32_text(INFINITY), "inf");
    EXPECT_EQ(f32_text(-INFINITY), "-inf");
    EXPECT_EQ(spell(Scalar::f32, 0x7fc00000), "nan");
    EXPECT_EQ(spell(Scalar::f32, 0xffc00000), "nan_0xffc00000") << "its bits are kept";
}

TEST(Literal, CxxTextOfWhatHasNoLiteral) {
    EXPECT_EQ(f32_cxx(INFINITY), "__int_as_float(0x7f800000)");
    EXPECT_EQ(f32_cxx(-INFINITY), "(-__int_as_float(0x7f800000))");
    EXPECT_EQ(spell_cxx(Scalar::f32, 0x7fc00000), "__int_as_float(0x7fc00000)");
    EXPECT_EQ(spell_cxx(Scalar::f32, 0xffc00001), "__int_as_float((int)0xffc00001u)");
    EXPECT_EQ(f32_cxx(-0.0f), "-0.0f");
}

TEST(Literal, IntsAndBools) {
    EXPECT_EQ(spell(Scalar::i32, bits_of(-7)), "-7");
    EXPECT_EQ(spell(Scalar::i32, bits_of(INT32_MIN)), "-2147483648");
    EXPECT_EQ(i32_cxx(INT32_MIN), "(-2147483647 - 1)") << "2147483648 does not fit an int";
    EXPECT_EQ(i32_cxx(INT32_MIN + 1), "-2147483647");
    EXPECT_EQ(i32_cxx(INT32_MAX), "2147483647");
    EXPECT_EQ(spell(Scalar::boolean, 1), "true");
    EXPECT_EQ(spell_cxx(Scalar::boolean, 0), "false");
}

// As many digits as the shortest %.*e that reads back has, or fewer.
void expect_shortest(float value, const std::string& text) {
    std::string digits;
    for (char c : text.substr(0, text.find('e')))
        if (std::isdigit(static_cast<unsigned char>(c))) digits += c;
    digits.erase(0, digits.find_first_not_of('0'));
    digits.erase(digits.find_last_not_of('0') + 1);
    char buffer[64];
    size_t needed = 1;
    for (;; ++needed) {
        std::snprintf(buffer, sizeof buffer, "%.*e", static_cast<int>(needed) - 1, value);
        if (std::strtof(buffer, nullptr) == value) break;
    }
    EXPECT_LE(digits.size(), needed) << text;
}

void expect_reads_back(float value) {
    std::string text = f32_text(value);
    EXPECT_EQ(bits_of(std::strtof(text.c_str(), nullptr)), bits_of(value)) << text;
    // Python reads a double first.
    EXPECT_EQ(bits_of(static_cast<float>(std::strtod(text.c_str(), nullptr))), bits_of(value));
    EXPECT_NE(text.find_first_of(".e"), text.npos) << text << " is an int in Python";
    EXPECT_EQ(parse_constant(text).value().bits, bits_of(value)) << text;
    EXPECT_EQ(f32_cxx(value), text + "f");
    if (value != 0) expect_shortest(value, text);
}

TEST(Literal, RandomFloatsReadBackAndAreShortest) {
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        float value = from_bits<float>(random());
        if (std::isfinite(value)) expect_reads_back(value);
    }
}

TEST(Literal, FloatsBesideMidpointsAndPowersOfTwoReadBack) {
    std::mt19937 random(2);
    for (int i = 0; i < 5'000; ++i) {
        // The double halfway to the next float: whichever it rounds to must read back.
        float below = from_bits<float>(random() % 0x7f000000);
        double middle = (double{below} + double{std::nextafter(below, INFINITY)}) / 2;
        expect_reads_back(static_cast<float>(middle));
    }
    for (int exponent = -149; exponent <= 127; ++exponent)
        for (float value :
             {std::ldexp(1.0f, exponent), std::nextafter(std::ldexp(1.0f, exponent), 0.0f)})
            expect_reads_back(value);
}

TEST(Literal, SpelledConstantsParseToTheirBitsAndNothingElseDoes) {
    for (uint32_t bits : {0x7fc00000u, 0xffc00001u, 0x7f800000u, 0xff800000u, 0x80000000u, 1u}) {
        std::optional<Constant> parsed = parse_constant(spell(Scalar::f32, bits));
        ASSERT_TRUE(parsed.has_value()) << bits;
        EXPECT_EQ(parsed->scalar, Scalar::f32);
        EXPECT_EQ(parsed->bits, bits);
    }
    EXPECT_EQ(parse_constant("-2147483648").value().bits, bits_of(INT32_MIN));
    EXPECT_EQ(parse_constant("true").value().scalar, Scalar::boolean);
    for (const char* text :
         {"", "2147483648", "1.0f", "1e39", "0x10", "nan_0x3f800000", "nan(1)", "True", "+1", "1 "})
        EXPECT_FALSE(parse_constant(text).has_value()) << text;
}

TEST(Literal, EqualConstantsOfAKernelAreOneValueAndZerosDiffer) {
    HandBuilt b;
    EXPECT_EQ(b.f32(0.5f), b.f32(0.5f));
    EXPECT_NE(b.f32(0.0f), b.f32(-0.0f));
    EXPECT_NE(b.f32(0.0f), b.i32(0)) << "same bits, other type";
    EXPECT_NE(b.i32(1), b.boolean(true));
}

// --- every type ----------------------------------------------------------------------------------

std::vector<Scalar> all_scalars() {
    std::vector<Scalar> out;
    for (int i = 0; i < scalar_count(); ++i) out.push_back(static_cast<Scalar>(i));
    return out;
}

void expect_round_trip(Scalar scalar, uint64_t bits) {
    std::string text = spell(scalar, bits);
    std::optional<Constant> parsed = parse_constant(text);
    ASSERT_TRUE(parsed.has_value()) << text;
    ASSERT_EQ(parsed->scalar, scalar) << text;
    ASSERT_EQ(parsed->bits, bits) << text;
}

TEST(Literal, BitsOfEveryTypeReadBack) {
    std::mt19937_64 random(4);
    for (Scalar scalar : all_scalars()) {
        int bits = info(scalar).bits();
        uint64_t all = ~uint64_t{0} >> (64 - bits);
        for (uint64_t each : {uint64_t{0}, uint64_t{1}, all, all >> 1, (all >> 1) + 1, all - 1})
            expect_round_trip(scalar, each & all);
        for (int i = 0; i < 20'000; ++i) expect_round_trip(scalar, random() & all);
        if (bits == 16)
            for (uint64_t each = 0; each <= all; ++each) expect_round_trip(scalar, each);
    }
}

TEST(Literal, NanPayloadsOfEveryWidthAreKept) {
    EXPECT_EQ(spell(Scalar::f16, 0x7e00), "nan_f16");
    EXPECT_EQ(spell(Scalar::f16, 0xfe01), "nan_0xfe01_f16");
    EXPECT_EQ(spell(Scalar::bf16, 0x7fc0), "nan_bf16");
    EXPECT_EQ(spell(Scalar::bf16, 0x7f81), "nan_0x7f81_bf16");
    EXPECT_EQ(spell(Scalar::f64, 0x7ff8000000000000), "nan_f64");
    EXPECT_EQ(spell(Scalar::f64, 0xfff0000000000001), "nan_0xfff0000000000001_f64");
    std::mt19937_64 random(5);
    for (Scalar scalar : {Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64}) {
        uint64_t infinity = apply_conversion(Scalar::f64, scalar, bits_of(double{INFINITY}));
        uint64_t sign = uint64_t{1} << (info(scalar).bits() - 1);
        for (int i = 0; i < 2000; ++i) {
            uint64_t payload = random() & (sign - 1) & ~infinity;
            expect_round_trip(scalar, infinity | (payload ? payload : 1) | (random() & sign));
        }
        EXPECT_EQ(canonical(scalar, infinity | 1 | sign),
                  parse_constant(spell(scalar, canonical(scalar, infinity + 1)))->bits);
        EXPECT_EQ(canonical(scalar, infinity), infinity);
    }
}

TEST(Literal, TypesShowInTheSpelling) {
    EXPECT_EQ(spell(Scalar::i64, 256), "256_i64");
    EXPECT_EQ(spell(Scalar::i8, 0x80), "-128_i8");
    EXPECT_EQ(spell(Scalar::u8, 0x80), "128_u8");
    EXPECT_EQ(spell(Scalar::i16, 0xffff), "-1_i16");
    EXPECT_EQ(spell(Scalar::u64, ~uint64_t{0}), "18446744073709551615_u64");
    EXPECT_EQ(spell(Scalar::f16, 0x3800), "0.5_f16");
    EXPECT_EQ(spell(Scalar::f16, 0x2e66), "0.099975586_f16") << "the shortest of that f32";
    EXPECT_EQ(spell(Scalar::bf16, 0xff80), "-inf_bf16");
    EXPECT_EQ(spell(Scalar::f64, bits_of(0.1)), "0.1_f64");
    EXPECT_EQ(spell(Scalar::f64, bits_of(5e-324)), "5e-324_f64");
    EXPECT_EQ(spell(Scalar::f64, bits_of(DBL_MAX)), "1.7976931348623157e+308_f64");
}

TEST(Literal, WhatDoesNotFitItsTypeIsNoConstant) {
    for (const char* text : {"300_u8",
                             "256_u8",
                             "-1_u8",
                             "128_i8",
                             "-129_i8",
                             "32768_i16",
                             "65536_u16",
                             "-1_u64",
                             "4294967296_u32",
                             "9223372036854775808_i64",
                             "18446744073709551616_u64",
                             "1_bool",
                             "true_bool",
                             "1_f16",
                             "1_f64",
                             "1.0_i32",
                             "0.5_u8",
                             "1e400_f64",
                             "1.0_f8",
                             "1.0_",
                             "_i32",
                             "nan_i32",
                             "inf_i64",
                             "-nan",
                             "-nan_f16",
                             "nan_0x7c00_f16",
                             "nan_0x17e00_f16",
                             "nan_0x3c00_f16",
                             "nan_0x7f80_bf16",
                             "nan_0x7fc00000_bf16",
                             "nan_0x7f800000_f32",
                             "nan_0x7ff0000000000000_f64",
                             "nan_0x17ff8000000000000_f64",
                             "nan_0x_f16",
                             "nan_0x",
                             "nan_0x-7e00_f16",
                             "infinity",
                             "infinity_f64",
                             "1.0f_f64",
                             " 1.0_f64",
                             "1.0 _f64"})
        EXPECT_FALSE(parse_constant(text).has_value()) << text;
    EXPECT_EQ(parse_constant("255_u8")->bits, 255u);
    EXPECT_EQ(parse_constant("-128_i8")->bits, 0x80u) << "zero-extended";
    EXPECT_EQ(parse_constant("7_i32")->bits, 7u) << "may say what it is anyway";
    EXPECT_EQ(parse_constant("1.5_f32")->bits, bits_of(1.5f));
    EXPECT_EQ(parse_constant("1e39_f64")->bits, bits_of(1e39));
}

TEST(Literal, EndsOfTheIntTypes) {
    EXPECT_EQ(largest_int(Scalar::u8), 255u);
    EXPECT_EQ(least_int(Scalar::u8), 0u);
    EXPECT_EQ(largest_int(Scalar::i64), 0x7fffffffffffffffu);
    EXPECT_EQ(least_int(Scalar::i64), 0x8000000000000000u);
    EXPECT_EQ(least_int(Scalar::i16), 0x8000u);
    EXPECT_EQ(signed_value(Scalar::i16, 0x8000), -32768);
    EXPECT_EQ(signed_value(Scalar::i64, ~uint64_t{0}), -1);
    EXPECT_EQ(spell(Scalar::f16, identity_bits(Identity::zero, Scalar::f16)), "-0.0_f16");
    EXPECT_EQ(spell(Scalar::f64, identity_bits(Identity::lowest, Scalar::f64)), "-inf_f64");
    EXPECT_EQ(spell(Scalar::i8, identity_bits(Identity::lowest, Scalar::i8)), "-128_i8");
    EXPECT_EQ(spell(Scalar::u16, identity_bits(Identity::highest, Scalar::u16)), "65535_u16");
}

// --- in emitted C++ ------------------------------------------------------------------------------

TEST(Literal, CxxTextHasTheTypeOfTheConstant) {
    EXPECT_EQ(spell_cxx(Scalar::i64, 5), "5ll");
    EXPECT_EQ(spell_cxx(Scalar::i64, bits_of(INT64_MIN)), "(-9223372036854775807ll - 1)");
    EXPECT_EQ(spell_cxx(Scalar::i64, bits_of(INT64_MIN + 1)), "-9223372036854775807ll");
    EXPECT_EQ(spell_cxx(Scalar::u64, ~uint64_t{0}), "18446744073709551615ull");
    EXPECT_EQ(spell_cxx(Scalar::u32, 0xffffffff), "4294967295u");
    EXPECT_EQ(spell_cxx(Scalar::i8, 0x80), "(signed char)-128");
    EXPECT_EQ(spell_cxx(Scalar::u16, 0xffff), "(unsigned short)65535");
    EXPECT_EQ(spell_cxx(Scalar::f16, 0x3c00), "0x3c00");
    EXPECT_EQ(spell_cxx(Scalar::bf16, 1), "0x0001");
    EXPECT_EQ(spell_cxx(Scalar::f64, bits_of(0.1)), "0.1");
    EXPECT_EQ(spell_cxx(Scalar::f64, bits_of(1e16)), "1e+16");
    EXPECT_EQ(spell_cxx(Scalar::f64, bits_of(-0.0)), "-0.0");
    EXPECT_EQ(spell_cxx(Scalar::f64, bits_of(double{INFINITY})),
              "__longlong_as_double(0x7ff0000000000000ll)");
    EXPECT_EQ(spell_cxx(Scalar::f64, bits_of(-double{INFINITY})),
              "(-__longlong_as_double(0x7ff0000000000000ll))");
    EXPECT_EQ(spell_cxx(Scalar::f64, 0xfff8000000000001),
              "__longlong_as_double((long long)0xfff8000000000001ull)");
}

}  // namespace
}  // namespace mytriton
