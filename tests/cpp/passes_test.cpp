// The passes, each on its own and in the pipeline: what they rewrite and what they must not touch.
#include "passes/passes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "hand_built.h"
#include "ir/print.h"
#include "ir/rewrite.h"
#include "ir/verify.h"

namespace mytriton {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A kernel with a parameter of every kind, and the printed body after a pass. Passes get only what
// the verifier accepts and must give back the same.
class Example : public HandBuilt {
  public:
    Value out = pointer("out"), ints = pointer("ints", Scalar::i32),
          bools = pointer("bools", Scalar::boolean);
    Value x = param("x", Scalar::f32), n = param("n", Scalar::i32),
          on = param("on", Scalar::boolean);

    std::string after(const std::function<Kernel(const Kernel&)>& pass) const {
        verify(kernel);
        Kernel result = pass(kernel);
        verify(result);
        return print_body(result);
    }

    // The operand that a fold puts in the place of the value.
    std::string folded(Value value) {
        bool is_float = kernel.type(value).is(Scalar::f32);
        store(is_float ? out : kernel.type(value).is(Scalar::i32) ? ints : bools, value);
        std::string text = after(constant_fold);
        text = text.substr(text.rfind("store "));
        return text.substr(text.find(", ") + 2, text.rfind(", none") - text.find(", ") - 2);
    }
    void expect_no_fold(Value value) {
        if (kernel.type(value).is_block()) {
            store(at(kernel.type(value).is(Scalar::f32) ? out : ints, arange(0, 8)), value);
        } else {
            store(kernel.type(value).is(Scalar::f32) ? out : ints, value);
        }
        EXPECT_EQ(after(constant_fold), print_body(kernel));
    }
};

std::string fold_of(const std::function<Value(Example&)>& build) {
    Example b;
    return b.folded(build(b));
}
std::string fold_of(Op op, float a, float b) {
    return fold_of([&](Example& e) { return e.op(op, {e.f32(a), e.f32(b)}); });
}
std::string fold_of(Op op, int32_t a, int32_t b) {
    return fold_of([&](Example& e) { return e.op(op, {e.i32(a), e.i32(b)}); });
}

// --- fold ----------------------------------------------------------------------------------------

TEST(Fold, SelectOfAConstantCondition) {
    Example b;
    b.store(b.out, b.op(Op::select, {b.boolean(true), b.x, b.f32(0)}));
    EXPECT_EQ(print_body(b.kernel), "%0 = select true, x, 0.0 : f32\nstore out, %0, none");
    EXPECT_EQ(b.after(constant_fold), "store out, x, none");
    EXPECT_EQ(
        fold_of([](Example& e) { return e.op(Op::select, {e.boolean(false), e.x, e.f32(0)}); }),
        "0.0");
}

TEST(Fold, SelectBetweenTwoOfTheSame) {
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::select, {e.on, e.x, e.x}); }), "x");
    Example b;
    b.expect_no_fold(b.op(Op::select, {b.on, b.f32(0.0f), b.f32(-0.0f)}));
}

TEST(Fold, AddingZeroIsNothingForIntsOnly) {
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::add, {e.n, e.i32(0)}); }), "n");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::add, {e.i32(0), e.n}); }), "n");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::sub, {e.n, e.i32(0)}); }), "n");
    for (float zero : {0.0f, -0.0f})
        for (Op op : {Op::add, Op::sub}) {
            Example b;
            b.expect_no_fold(b.op(op, {b.x, b.f32(zero)}));
        }
    Example negated;
    negated.expect_no_fold(negated.op(Op::sub, {negated.i32(0), negated.n}));
}

TEST(Fold, MultiplyingAndDividingByOneIsNothing) {
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::mul, {e.n, e.i32(1)}); }), "n");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::div, {e.n, e.i32(1)}); }), "n");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::mul, {e.x, e.f32(1)}); }), "x");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::mul, {e.f32(1), e.x}); }), "x");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::div, {e.x, e.f32(1)}); }), "x");
    Example a, b, c;
    a.expect_no_fold(a.op(Op::div, {a.f32(1), a.x}));
    b.expect_no_fold(b.op(Op::div, {b.i32(1), b.n}));
    c.expect_no_fold(c.op(Op::mul, {c.x, c.f32(0)}));
}

TEST(Fold, BitsThatDoNothing) {
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::bit_and, {e.n, e.i32(-1)}); }), "n");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::bit_and, {e.boolean(true), e.on}); }), "on");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::bit_or, {e.on, e.boolean(false)}); }), "on");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::bit_xor, {e.i32(0), e.n}); }), "n");
    Example b;
    b.expect_no_fold(b.op(Op::bit_and, {b.n, b.i32(1)}));
}

TEST(Fold, AFoldNeverDropsAPromotion) {
    // i32 * 1.0 is f32: the factor does nothing but convert.
    Example b, c, d;
    b.expect_no_fold(b.op(Op::mul, {b.arange(0, 8), b.f32(1)}));
    c.expect_no_fold(c.op(Op::div, {c.n, c.f32(1)}));
    d.expect_no_fold(d.op(Op::select, {d.boolean(true), d.n, d.x}));
}

TEST(Fold, AFoldNeverTurnsABlockIntoAScalar) {
    Example b, c, d;
    Value block = b.load(b.at(b.out, b.arange(0, 8)));
    b.expect_no_fold(b.op(Op::select, {b.boolean(true), b.x, block}));
    Value mask = c.op(Op::cmp_lt, {c.arange(0, 8), c.n});
    c.expect_no_fold(c.op(Op::select, {mask, c.x, c.x}));
    Value lanes = d.arange(0, 8);
    d.expect_no_fold(d.op(Op::select, {d.boolean(false), lanes, d.n}));
}

TEST(Fold, BlocksFoldWhereTypesAgree) {
    Example b;
    Value pointers = b.at(b.out, b.arange(0, 8));
    Value block = b.load(pointers);
    b.store(pointers, b.op(Op::mul, {b.op(Op::div, {block, b.f32(1)}), b.f32(1)}));
    EXPECT_EQ(b.after(constant_fold),
              "%0 = arange {start=0, end=8} : vector<8 x i32>\n"
              "%1 = addptr out, %0 : vector<8 x ptr<f32>>\n"
              "%2 = load %1, none, none : vector<8 x f32>\n"
              "store %1, %2, none");
}

TEST(Fold, ExtremaOfConstantsKeepNanAndTheSignOfZero) {
    EXPECT_EQ(fold_of(Op::maximum, 0.0f, -0.0f), "-0.0") << "ties take the right operand";
    EXPECT_EQ(fold_of(Op::maximum, -0.0f, 0.0f), "0.0");
    EXPECT_EQ(fold_of(Op::minimum, 0.0f, -0.0f), "-0.0");
    EXPECT_EQ(fold_of(Op::minimum, -0.0f, 0.0f), "0.0");
    for (Op op : {Op::maximum, Op::minimum}) {
        EXPECT_EQ(fold_of(op, kNan, 1.0f), "nan");
        EXPECT_EQ(fold_of(op, 1.0f, kNan), "nan");
        EXPECT_EQ(fold_of(op, -kNan, kNan), "nan") << "payloads are no part of it";
    }
    EXPECT_EQ(fold_of(Op::maximum, -kInf, 2.0f), "2.0");
    EXPECT_EQ(fold_of(Op::minimum, 3, -4), "-4");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::maximum, {e.i32(2), e.f32(1.5f)}); }),
              "2.0");
}

TEST(Fold, ArithmeticOnConstants) {
    EXPECT_EQ(fold_of(Op::add, 1, 2), "3");
    EXPECT_EQ(fold_of(Op::add, INT32_MAX, 1), "-2147483648") << "integers wrap";
    EXPECT_EQ(fold_of(Op::div, -7, 2), "-3") << "truncates";
    EXPECT_EQ(fold_of(Op::div, 7, 0), "-1") << "defined and does not trap";
    EXPECT_EQ(fold_of(Op::div, INT32_MIN, -1), "-2147483648");
    EXPECT_EQ(fold_of(Op::rem, 7, 0), "7");
    EXPECT_EQ(fold_of(Op::div, 1.0f, 0.0f), "inf");
    EXPECT_EQ(fold_of(Op::add, 0.1f, 0.2f), "0.3") << "in f32, not in double";
    EXPECT_EQ(fold_of(Op::cmp_lt, 1.0f, kNan), "false");
    EXPECT_EQ(fold_of(Op::cmp_ne, kNan, kNan), "true");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::add, {e.i32(1), e.f32(0.5f)}); }), "1.5");
    EXPECT_EQ(fold_of([](Example& e) { return e.op(Op::bit_not, {e.boolean(true)}); }), "false");
    EXPECT_EQ(fold_of([](Example& e) { return e.cast(e.f32(-2.9f), Scalar::i32); }), "-2");
    EXPECT_EQ(
        fold_of([](Example& e) { return e.op(Op::select, {e.boolean(true), e.i32(2), e.f32(0)}); }),
        "2.0");
}

TEST(Fold, FoldedValuesFoldOn) {
    EXPECT_EQ(fold_of([](Example& e) {
                  Value three = e.op(Op::add, {e.i32(1), e.i32(2)});
                  Value on = e.op(Op::cmp_eq, {three, e.i32(3)});
                  return e.op(Op::select, {on, e.op(Op::mul, {e.x, e.f32(1)}), e.f32(0)});
              }),
              "x");
}

TEST(Fold, WhatTargetsComputeDifferentlyIsNotFolded) {
    Example b;
    b.expect_no_fold(b.op(Op::exp, {b.f32(1)}));
}

// --- cse -----------------------------------------------------------------------------------------

TEST(Cse, ASecondEqualOpIsTheFirst) {
    Example b;
    b.op(Op::add, {b.i32(1), b.i32(2)});
    b.store(b.ints, b.op(Op::add, {b.i32(1), b.i32(2)}));
    EXPECT_EQ(b.after(eliminate_common_subexpressions),
              "%0 = add 1, 2 : i32\nstore ints, %0, none");
    EXPECT_EQ(b.after([](const Kernel& k) { return run_passes(k); }), "store ints, 3, none");
}

TEST(Cse, SharingReachesWhatIsBuiltOnIt) {
    Example b;
    for (int i = 0; i < 2; ++i) {
        Value pointers = b.at(b.out, b.offsets(8));
        b.store(pointers, b.op(Op::sum, {b.arange(0, 8)}));
    }
    std::string shared =
        "%0 = program_id {axis=0} : i32\n"
        "%1 = mul %0, 8 : i32\n"
        "%2 = arange {start=0, end=8} : vector<8 x i32>\n"
        "%3 = add %1, %2 : vector<8 x i32>\n"
        "%4 = addptr out, %3 : vector<8 x ptr<f32>>\n"
        "%6 = sum %2 : i32\n"
        "store %4, %6, none\n"
        "store %4, %6, none";
    EXPECT_EQ(b.after(eliminate_common_subexpressions), shared);
}

TEST(Cse, ZerosOfDifferentSignStayApart) {
    Example b;
    b.store(b.out, b.op(Op::div, {b.x, b.f32(0.0f)}));
    b.store(b.out, b.op(Op::div, {b.x, b.f32(-0.0f)}));
    EXPECT_EQ(b.after(eliminate_common_subexpressions), print_body(b.kernel));
}

TEST(Cse, AttributesTypesAndOperandOrderTellOpsApart) {
    Example b;
    b.program_id(0);
    b.program_id(1);
    b.arange(0, 8);
    b.arange(8, 16);
    b.op(Op::sub, {b.n, b.i32(1)});
    b.op(Op::sub, {b.i32(1), b.n});
    b.cast(b.n, Scalar::f32);
    b.cast(b.n, Scalar::boolean);
    b.op(Op::add, {b.x, b.i32(0)});
    b.op(Op::add, {b.x, b.f32(0)});
    EXPECT_EQ(b.after(eliminate_common_subexpressions), print_body(b.kernel));
}

TEST(Cse, LoadsAndStoresAreNeverMerged) {
    Example b;
    b.store(b.ints, b.n);
    b.store(b.ints, b.n);
    Value first = b.load(b.out);
    Value second = b.load(b.out);
    b.store(b.out, b.op(Op::sub, {first, second}));
    EXPECT_EQ(b.after(eliminate_common_subexpressions), print_body(b.kernel));
}

// --- dce -----------------------------------------------------------------------------------------

TEST(Dce, DropsUnusedLoadsKeepsStoresAndIdsKeepGaps) {
    Example b;
    Value lanes = b.arange(0, 8);
    b.load(b.at(b.out, lanes));  // nobody looks at it
    Value used = b.load(b.ints);
    b.op(Op::exp, {b.op(Op::neg, {b.x})});
    b.store(b.ints, b.op(Op::add, {used, b.n}), b.on);
    b.store(b.out, b.x);
    EXPECT_EQ(b.after(eliminate_dead_code),
              "%3 = load ints, none, none : i32\n"
              "%6 = add %3, n : i32\n"
              "store ints, %6, on\n"
              "store out, x, none");
}

TEST(Dce, AKernelThatStoresNothingBecomesEmpty) {
    Example b;
    b.load(b.at(b.out, b.arange(0, 8)));
    EXPECT_EQ(b.after(eliminate_dead_code), "");
}

// --- the pipeline --------------------------------------------------------------------------------

// Puts an exp of an i32 into the kernel.
Kernel broken(const Kernel& kernel) {
    Rewriter rewriter(kernel);
    Value one = rewriter.constant(kI32, bits_of(1));
    rewriter.fresh().append(0, Inst{.op = Op::exp, .operands = {one}}, {kI32});
    return rewriter.finish();
}

TEST(Pipeline, FoldsThenSharesThenDropsAndNewNumbersTakeNoOldOne) {
    std::vector<std::string> names, straight;
    for (const Pass& pass : default_passes()) {
        names.push_back(pass.name);
        if (!pass.for_regions) straight.push_back(pass.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"fold", "unroll", "cse", "dce", "fold", "narrow",
                                               "hoist", "cse", "dce"}));
    EXPECT_EQ(straight, (std::vector<std::string>{"fold", "cse", "dce"}));

    Example b;
    b.op(Op::neg, {b.n});
    b.store(b.ints, b.op(Op::neg, {b.op(Op::add, {b.n, b.i32(0)})}));
    Kernel result = run_passes(b.kernel);
    EXPECT_EQ(print_body(result), "%0 = neg n : i32\nstore ints, %0, none");
    EXPECT_EQ(result.next_number(), b.kernel.next_number());
}

TEST(Pipeline, APassThatBreaksTheKernelIsNamedAndTheNextDoesNotRun) {
    Example b;
    b.store(b.ints, b.n);
    bool ran = false;
    std::vector<Pass> passes = {
        {"harmless", [](const Kernel& kernel) { return kernel; }},
        {"broken", broken},
        {"next", [&](const Kernel& kernel) { return ran = true, kernel; }},
    };
    EXPECT_EQ(message_of<CompileError>([&] { run_passes(b.kernel, passes); }),
              "after pass broken: ssa-verifier: op #0 'exp': exp requires float, got i32");
    EXPECT_FALSE(ran);
}

TEST(Pipeline, WhatWasBrokenBeforeIsNotBlamedOnAPass) {
    Example b;
    b.emit(Op::exp, {b.n}, kI32);
    EXPECT_EQ(message_of<CompileError>([&] { run_passes(b.kernel); }),
              "ssa-verifier: op #0 'exp': exp requires float, got i32");
}

TEST(Pipeline, RebuildingBeforeADefinitionIsOurOwnError) {
    Example b;
    Value value = b.op(Op::neg, {b.n});
    Rewriter rewriter(b.kernel);
    EXPECT_EQ(message_of<InternalError>([&] { rewriter.map(value); }),
              "mytriton internal error in Rewriter::map: a value is used before it is rebuilt");
}

}  // namespace
}  // namespace mytriton
