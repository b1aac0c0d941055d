// Legal SSA: the conversions that SSA leaves implicit become casts, once each.
#include "plan/legalise.h"

#include <gtest/gtest.h>

#include "hand_built.h"
#include "ir/conversion.h"
#include "ir/print.h"

namespace mytriton {
namespace {

class Legalise : public testing::Test, public HandBuilt {
  protected:
    Value x = pointer("x"), n = param("n", Scalar::i32), a = param("a", Scalar::f32),
          on = param("on", Scalar::boolean);
    std::string legal() const { return print_body(legalise(kernel)); }
};

TEST_F(Legalise, AnIntBesideAFloatIsCastAndAConstantConverted) {
    Value sum = op(Op::add, {n, a});
    op(Op::cmp_lt, {sum, i32(2)});
    EXPECT_EQ(legal(),
              "%2 = cast n : f32\n"
              "%0 = add %2, a : f32\n"
              "%1 = cmp_lt %0, 2.0 : bool");
}

TEST_F(Legalise, SelectCastsItsArmsAndNotItsCondition) {
    op(Op::select, {on, n, a});
    op(Op::select, {on, i32(1), f32(0.5f)});
    EXPECT_EQ(legal(),
              "%2 = cast n : f32\n"
              "%0 = select on, %2, a : f32\n"
              "%1 = select on, 1.0, 0.5 : f32");
}

TEST_F(Legalise, FallbacksAndStoredValuesTakeTheElementType) {
    load(x, on, n);
    load(x, on, i32(7));
    store(x, n, on);
    store(x, i32(-1));
    EXPECT_EQ(legal(),
              "%2 = cast n : f32\n"
              "%0 = load x, on, %2 : f32\n"
              "%1 = load x, on, 7.0 : f32\n"
              "store x, %2, on\n"
              "store x, -1.0, none");
}

TEST_F(Legalise, AValueIsCastOnceAndKeepsItsShape) {
    Value lanes = arange(0, 8);
    Value scaled = op(Op::mul, {lanes, a});
    store(at(x, lanes), op(Op::add, {scaled, lanes}));
    EXPECT_EQ(legal(),
              "%0 = arange {start=0, end=8} : vector<8 x i32>\n"
              "%4 = cast %0 : vector<8 x f32>\n"
              "%1 = mul %4, a : vector<8 x f32>\n"
              "%2 = add %1, %4 : vector<8 x f32>\n"
              "%3 = addptr x, %0 : vector<8 x ptr<f32>>\n"
              "store %3, %2, none");
}

TEST_F(Legalise, WhatIsLegalStays) {
    Value lanes = arange(0, 8);
    Value mask = op(Op::cmp_lt, {lanes, n});
    store(at(x, lanes), op(Op::add, {load(at(x, lanes), mask, f32(0)), a}), mask);
    store(at(x, n), op(Op::sum, {op(Op::select, {mask, a, f32(1)})}));
    EXPECT_EQ(legal(), print_body(kernel));
}

// --- halves --------------------------------------------------------------------------------------

TEST_F(Legalise, HalvesAreComputedInF32AndRoundedAfterEveryOp) {
    Value h = param("h", Scalar::f16);
    Value square = op(Op::mul, {h, h});
    op(Op::add, {square, kernel.constant(Type::scalar(Scalar::f16), 0x3c00)});
    EXPECT_EQ(legal(),
              "%2 = cast h : f32\n"
              "%3 = mul %2, %2 : f32\n"
              "%0 = cast %3 : f16\n"
              "%4 = cast %0 : f32\n"
              "%5 = add %4, 1.0 : f32\n"
              "%1 = cast %5 : f16");
}

TEST_F(Legalise, ComparisonsOfHalvesGiveABoolAndNoCast) {
    Value h = param("h", Scalar::bf16);
    op(Op::cmp_lt, {h, h});
    op(Op::isnan, {h});
    EXPECT_EQ(legal(),
              "%2 = cast h : f32\n"
              "%0 = cmp_lt %2, %2 : bool\n"
              "%1 = isnan %2 : bool");
}

TEST_F(Legalise, ASelectOnlyMovesHalves) {
    Value h = param("h", Scalar::f16), other = param("g", Scalar::f16);
    op(Op::select, {on, h, other});
    op(Op::select, {on, h, kernel.constant(Type::scalar(Scalar::f16), 0x7e01)});
    EXPECT_EQ(legal(), print_body(kernel));
}

TEST_F(Legalise, ReductionsOfHalvesAreOfF32) {
    Value halves = load(at(pointer("h", Scalar::bf16), arange(0, 8)));
    op(Op::sum, {halves});
    op(Op::max, {halves});
    EXPECT_EQ(legal(),
              "%0 = arange {start=0, end=8} : vector<8 x i32>\n"
              "%1 = addptr h, %0 : vector<8 x ptr<bf16>>\n"
              "%2 = load %1, none, none : vector<8 x bf16>\n"
              "%5 = cast %2 : vector<8 x f32>\n"
              "%6 = sum %5 : f32\n"
              "%3 = cast %6 : bf16\n"
              "%7 = max %5 : f32\n"
              "%4 = cast %7 : bf16");
}

TEST_F(Legalise, EveryLegalOpOnHalvesIsACastOrMovesThem) {
    for (Scalar half : {Scalar::f16, Scalar::bf16})
        for (int i = 0; i < op_count(); ++i) {
            const OpInfo& row = info(static_cast<Op>(i));
            if (row.kind != OpKind::pure || !accepts(row.op, half)) continue;
            HandBuilt b;
            Value h = b.param("h", half);
            std::vector<Value> operands(row.operands, h);
            if (row.form == OpForm::Select) operands[0] = b.param("on", Scalar::boolean);
            b.op(row.op, operands);
            Kernel legal = legalise(b.kernel);
            for (InstId id : legal.body()) {
                const Inst& inst = legal.inst(id);
                if (info(inst.op).kind != OpKind::pure || inst.op == Op::select) continue;
                for (Value operand : inst.operands)
                    EXPECT_TRUE(legal.type(operand).is(Scalar::f32)) << print_body(legal);
            }
            EXPECT_EQ(legal.type(legal.inst(legal.body().back()).result()),
                      b.kernel.type(b.kernel.inst(b.kernel.body().back()).result()))
                << row.name;
        }
}

// --- conversions ---------------------------------------------------------------------------------

TEST_F(Legalise, ConversionsOfHalvesGoThroughF32ExceptFromF64) {
    Value h = param("h", Scalar::f16), wide = param("d", Scalar::f64);
    cast(h, Scalar::bf16);
    cast(h, Scalar::i8);
    cast(n, Scalar::f16);
    cast(wide, Scalar::f16);
    cast(h, Scalar::f32);
    cast(h, Scalar::f64);
    EXPECT_EQ(legal(),
              "%6 = cast h : f32\n"
              "%0 = cast %6 : bf16\n"
              "%1 = cast %6 : i8\n"
              "%7 = cast n : f32\n"
              "%2 = cast %7 : f16\n"
              "%3 = cast d : f16\n"
              "%4 = cast h : f32\n"
              "%5 = cast %6 : f64");
}

TEST_F(Legalise, EveryTwoTypesConvertBySingleSteps) {
    for (int i = 0; i < scalar_count(); ++i)
        for (int j = 0; j < scalar_count(); ++j) {
            if (i == j) continue;
            HandBuilt b;
            Scalar from = static_cast<Scalar>(i), to = static_cast<Scalar>(j);
            b.cast(b.param("a", from), to);
            Kernel legal = legalise(b.kernel);
            EXPECT_EQ(legal.body().size(), conversion_step(from, to) ? 2u : 1u);
            for (InstId id : legal.body()) {
                const Inst& inst = legal.inst(id);
                EXPECT_EQ(conversion_step(legal.type(inst.operands[0]).scalar(),
                                          legal.type(inst.result()).scalar()),
                          std::nullopt)
                    << print_body(legal);
            }
        }
}

TEST_F(Legalise, RoundingTowardsZeroAndBitsStayOneStep) {
    Value h = param("h", Scalar::f16), wide = param("d", Scalar::f64);
    emit(Op::cast_rtz, {wide}, Type::scalar(Scalar::f16));
    emit(Op::cast_rtz, {a}, Type::scalar(Scalar::bf16));
    emit(Op::bitcast, {h}, Type::scalar(Scalar::i16));
    emit(Op::bitcast, {h}, Type::scalar(Scalar::bf16));
    EXPECT_EQ(legal(), print_body(kernel));
}

TEST_F(Legalise, TypesThatDoNotMixAreNeverCastByItself) {
    EXPECT_EQ(promote(Scalar::i32, Scalar::f32), Scalar::f32);
    EXPECT_EQ(promote(Scalar::f32, Scalar::i32), Scalar::f32);
    for (int i = 0; i < scalar_count(); ++i)
        for (int j = 0; j < scalar_count(); ++j) {
            Scalar from = static_cast<Scalar>(i), to = static_cast<Scalar>(j);
            bool int_as_float = from == Scalar::i32 && to == Scalar::f32;
            EXPECT_EQ(is_storable(from, to), from == to || int_as_float);
        }
}

}  // namespace
}  // namespace mytriton
