// The IR's data: types, the table of ops, names for emitted text.
#include "ir/ir.h"

#include <gtest/gtest.h>

#include <set>

#include "hand_built.h"
#include "ir/names.h"
#include "ir/print.h"

namespace mytriton {
namespace {

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
        for (Scalar scalar : {Scalar::f32, Scalar::i32, Scalar::boolean}) {
            std::string_view text = expression(op, scalar);
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
    EXPECT_EQ(expression(Op::add, Scalar::i32), "(a + b)");
    EXPECT_EQ(expression(Op::neg, Scalar::f32), "-(a)");
    EXPECT_EQ(expression(Op::exp, Scalar::f32), "expf(a)");
    EXPECT_EQ(expression(Op::exp, Scalar::i32), "") << "NA is no text";
    EXPECT_EQ(info(Op::sum).combine, Op::add);
    EXPECT_EQ(info(Op::max).combine, Op::maximum);
    EXPECT_EQ(info(Op::min).combine, Op::minimum);
    EXPECT_FALSE(info(Op::exp).has(kExact)) << "targets differ within 2 ulp";
    EXPECT_TRUE(info(Op::load).has(kReads));
    EXPECT_TRUE(info(Op::store).has(kWrites));
    const std::set<Op> effects = {Op::load,   Op::store,         Op::atomic_rmw, Op::atomic_cas,
                                  Op::print,  Op::device_assert, Op::for_,       Op::if_,
                                  Op::while_, Op::condition,     Op::yield};
    for (Op op : all_ops()) EXPECT_EQ(info(op).has(kPure), !effects.contains(op)) << info(op).name;
}

TEST(OpTable, SubstituteReplacesOnlyLettersThatStandAlone) {
    EXPECT_EQ(substitute("(a + b)", "v1", "v2"), "(v1 + v2)");
    EXPECT_EQ(substitute("(a ? b : c)", "x", "y", "z"), "(x ? y : z)");
    EXPECT_EQ(substitute("isnan(a) + abc(a) + a1 + _b + b_c", "x", "y", "z"),
              "isnan(x) + abc(x) + a1 + _b + b_c");
    EXPECT_EQ(substitute("(a - b)", "b", "a"), "(b - a)") << "what is put in stays";
    EXPECT_EQ(substitute("", "x"), "");
    EXPECT_EQ(substitute(expression(Op::maximum, Scalar::f32), "v6", "0.0f"),
              "(isnan(v6) ? (v6) : (isnan(0.0f) ? (0.0f) : ((v6) > (0.0f) ? (v6) : (0.0f))))");
}

TEST(OpTable, AcceptedTypesForMessages) {
    EXPECT_EQ(accepted_types(Op::exp), "float");
    EXPECT_EQ(accepted_types(Op::shl), "int");
    EXPECT_EQ(accepted_types(Op::div), "float or int");
    EXPECT_EQ(accepted_types(Op::bit_not), "int or bool");
    EXPECT_EQ(accepted_types(Op::select), "float or int or bool");
    EXPECT_EQ(accepted_types(Op::popc), "int of 32 or 64 bits");
    EXPECT_EQ(accepted_types(Op::max), "float or int");
}

TEST(OpTable, RowsTakeWhatTheirColumnsAndTraitsSay) {
    for (Op op : all_ops())
        for (int i = 0; i < scalar_count(); ++i) {
            const ScalarInfo& type = info(static_cast<Scalar>(i));
            if (info(op).kind != OpKind::pure) continue;
            bool narrow = type.is_int() && type.bytes < 4 && info(op).has(kWide);
            EXPECT_EQ(accepts(op, type.scalar), !narrow && !expression(op, type.scalar).empty())
                << info(op).name << " of " << type.name;
        }
    EXPECT_FALSE(accepts(Op::umulhi, Scalar::u16));
    EXPECT_TRUE(accepts(Op::umulhi, Scalar::u32));
    EXPECT_TRUE(accepts(Op::exp, Scalar::bf16));
    EXPECT_TRUE(accepts(Op::sum, Scalar::u8)) << "a reduction takes what its row takes";
    EXPECT_FALSE(accepts(Op::max, Scalar::boolean));
}

TEST(OpTable, ResultTypesOfRows) {
    EXPECT_EQ(result_scalar(Op::add, Scalar::f16), Scalar::f16);
    EXPECT_EQ(result_scalar(Op::cmp_lt, Scalar::u64), Scalar::boolean);
    EXPECT_EQ(result_scalar(Op::isnan, Scalar::bf16), Scalar::boolean);
    EXPECT_EQ(result_scalar(Op::clz, Scalar::u64), Scalar::i32);
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
