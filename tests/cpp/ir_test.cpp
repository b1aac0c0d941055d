// The IR's data: types, constants and their spelling, the table of ops, names for emitted text.
#include "ir/ir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>

#include "hand_built.h"
#include "ir/names.h"
#include "ir/print.h"

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

// --- types ---------------------------------------------------------------------------------------

TEST(Type, EqualTypesAreOneType) {
    EXPECT_EQ(Type::scalar(Scalar::f32), kF32);
    EXPECT_EQ(Type::pointer(Scalar::i32), Type::pointer(Scalar::i32));
    EXPECT_EQ(kF32.with_shape({16, 32}), kF32.with_shape({16}).with_shape({16, 32}));
    EXPECT_NE(kF32, kI32);
    EXPECT_NE(kF32, Type::pointer(Scalar::f32));
    EXPECT_NE(kF32, kF32.with_shape({1}));
    EXPECT_NE(kF32.with_shape({16, 32}), kF32.with_shape({32, 16}));
    EXPECT_NE(kF32, Type());
}

TEST(Type, PrintsAsInTheContract) {
    EXPECT_EQ(kI32.str(), "i32");
    EXPECT_EQ(kBool.str(), "bool");
    EXPECT_EQ(Type::pointer(Scalar::f32).str(), "ptr<f32>");
    EXPECT_EQ(vec(Scalar::f32, 256).str(), "vector<256 x f32>");
    EXPECT_EQ(kF32.with_shape({16, 32}).str(), "block<16x32 x f32>");
    EXPECT_EQ(kBool.with_shape({2, 3, 4}).str(), "block<2x3x4 x bool>");
    EXPECT_EQ(Type::pointer(Scalar::f32).with_shape({256}).str(), "vector<256 x ptr<f32>>");
    EXPECT_EQ(Type().str(), "none");
}

TEST(Type, PartsOfABlock) {
    Type type = Type::pointer(Scalar::i32).with_shape({16, 32});
    EXPECT_TRUE(type.is_pointer());
    EXPECT_TRUE(type.is_block());
    EXPECT_FALSE(type.is(Scalar::i32)) << "a pointer to i32 is no i32";
    EXPECT_EQ(type.lanes(), 512);
    EXPECT_EQ(type.element(), Type::pointer(Scalar::i32));
    EXPECT_EQ(type.with_scalar(Scalar::boolean), kBool.with_shape({16, 32}));
    EXPECT_EQ(kF32.lanes(), 1);
}

TEST(Type, ScalarsAreFoundByTheirNames) {
    for (int i = 0; i < scalar_count(); ++i) {
        const ScalarInfo& row = info(static_cast<Scalar>(i));
        EXPECT_EQ(find_scalar(row.name), row.scalar);
    }
    EXPECT_EQ(find_scalar("f33"), std::nullopt);
}

// --- constants -----------------------------------------------------------------------------------

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

// --- the table of ops ----------------------------------------------------------------------------

std::vector<Op> all_ops() {
    std::vector<Op> ops;
    for (int i = 0; i < op_count(); ++i) ops.push_back(static_cast<Op>(i));
    return ops;
}

TEST(OpTable, EveryRowIsFoundByItsUniqueName) {
    std::set<std::string_view> names;
    for (Op op : all_ops()) {
        EXPECT_EQ(info(op).op, op);
        EXPECT_TRUE(names.insert(info(op).name).second) << info(op).name;
        EXPECT_EQ(find_op(info(op).name), op);
        EXPECT_FALSE(info(op).doc.empty()) << info(op).name;
    }
    EXPECT_EQ(find_op("no_such_op"), std::nullopt);
}

TEST(OpTable, PureRowsHaveAnExpressionThatNamesTheirOperands) {
    for (Op op : all_ops()) {
        const OpInfo& row = info(op);
        if (row.kind != OpKind::pure) continue;
        int defined = 0;
        for (TypeClass type_class : {TypeClass::Float, TypeClass::Int, TypeClass::Bool}) {
            std::string_view text = expression(op, type_class);
            if (text.empty()) continue;
            ++defined;
            std::string used = substitute(text, "<1>", "<2>", "<3>");
            for (int i = 1; i <= 3; ++i)
                EXPECT_EQ(used.find("<" + std::to_string(i) + ">") != used.npos, i <= row.operands)
                    << row.name << ": " << text;
        }
        EXPECT_GT(defined, 0) << row.name;
        EXPECT_EQ(row.results, 1) << row.name;
        EXPECT_TRUE(row.has(kPure) && !row.has(kReads) && !row.has(kWrites)) << row.name;
    }
}

TEST(OpTable, FactsThatStagesRelyOn) {
    EXPECT_EQ(expression(Op::add, TypeClass::Int), "(a + b)");
    EXPECT_EQ(expression(Op::neg, TypeClass::Float), "-(a)");
    EXPECT_EQ(expression(Op::exp, TypeClass::Float), "expf(a)");
    EXPECT_EQ(expression(Op::exp, TypeClass::Int), "") << "NA is no text";
    EXPECT_EQ(info(Op::sum).combine, Op::add);
    EXPECT_EQ(info(Op::max).combine, Op::maximum);
    EXPECT_EQ(info(Op::min).combine, Op::minimum);
    EXPECT_FALSE(info(Op::exp).has(kExact)) << "targets differ within 2 ulp";
    EXPECT_TRUE(info(Op::load).has(kReads));
    EXPECT_TRUE(info(Op::store).has(kWrites));
    for (Op op : all_ops())
        EXPECT_EQ(info(op).has(kPure), op != Op::load && op != Op::store) << info(op).name;
}

TEST(OpTable, EveryTwoElementTypesConvert) {
    for (Scalar from : {Scalar::boolean, Scalar::i32, Scalar::f32})
        for (Scalar to : {Scalar::boolean, Scalar::i32, Scalar::f32}) {
            if (from == to) continue;
            EXPECT_NE(substitute(conversion(from, to), "<1>").find("<1>"), std::string::npos);
            EXPECT_NE(substitute(cuda_conversion(from, to), "<1>").find("<1>"), std::string::npos);
        }
    EXPECT_THROW(conversion(Scalar::f32, Scalar::f32), InternalError);
}

TEST(OpTable, SubstituteReplacesOnlyLettersThatStandAlone) {
    EXPECT_EQ(substitute("(a + b)", "v1", "v2"), "(v1 + v2)");
    EXPECT_EQ(substitute("(a ? b : c)", "x", "y", "z"), "(x ? y : z)");
    EXPECT_EQ(substitute("isnan(a) + abc(a) + a1 + _b + b_c", "x", "y", "z"),
              "isnan(x) + abc(x) + a1 + _b + b_c");
    EXPECT_EQ(substitute("(a - b)", "b", "a"), "(b - a)") << "what is put in stays";
    EXPECT_EQ(substitute("", "x"), "");
    EXPECT_EQ(substitute(expression(Op::maximum, TypeClass::Float), "v6", "0.0f"),
              "(isnan(v6) ? (v6) : (isnan(0.0f) ? (0.0f) : ((v6) > (0.0f) ? (v6) : (0.0f))))");
}

TEST(OpTable, AcceptedTypesForMessages) {
    EXPECT_EQ(accepted_types(Op::exp), "f32");
    EXPECT_EQ(accepted_types(Op::rem), "i32");
    EXPECT_EQ(accepted_types(Op::div), "f32 or i32");
    EXPECT_EQ(accepted_types(Op::bit_not), "i32 or bool");
    EXPECT_EQ(accepted_types(Op::select), "f32 or i32 or bool");
    EXPECT_EQ(accepted_types(Op::sum), "f32 or i32");
}

// --- names ---------------------------------------------------------------------------------------

TEST(Names, GoodNamesStay) {
    for (const char* name : {"x", "out", "add_kernel", "vx", "v", "values", "x1", "_mask", "Value"})
        EXPECT_EQ(cxx_name(name), name);
}

TEST(Names, WordsOfCxxAndOfEmittedTextGetAPrefix) {
    for (std::string name : {"int", "register", "and_eq", "xor", "v0", "v17", "v3_0", "mt_x", "__x",
                             "threadIdx", "isnan", "expf", "idiv", "min", "sum", "main"})
        EXPECT_EQ(cxx_name(name), "p_" + name);
}

TEST(Names, OtherCharactersBecomeTheirCodes) {
    EXPECT_EQ(cxx_name("größe"), "gr_c3_b6_c3_9fe");
    EXPECT_EQ(cxx_name("<lambda>"), "_3clambda_3e");
    EXPECT_EQ(cxx_name("2x"), "k2x");
    EXPECT_EQ(cxx_name(""), "k");
}

TEST(Names, NamesOfOneScopeStayDistinct) {
    EXPECT_EQ(cxx_names({"x", "int", "p_int"}), (std::vector<std::string>{"x", "p_int_", "p_int"}));
    EXPECT_EQ(cxx_names({"p_int", "int", "p_int_"}),
              (std::vector<std::string>{"p_int", "p_int__", "p_int_"}));
    EXPECT_EQ(cxx_names({"é", "_c3_a9"}), (std::vector<std::string>{"_c3_a9_", "_c3_a9"}));
    std::vector<std::string> names = cxx_names({"v0", "p_v0", "p_v0_", "mt_", "p_mt_", "a", "b"});
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

}  // namespace
}  // namespace mytriton
