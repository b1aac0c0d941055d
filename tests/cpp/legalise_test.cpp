// Legal SSA: the conversions that SSA leaves implicit become casts, once each.
#include "plan/legalise.h"

#include <gtest/gtest.h>

#include "hand_built.h"
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

}  // namespace
}  // namespace mytriton
