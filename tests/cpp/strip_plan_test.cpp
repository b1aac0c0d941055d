// The CPU plan: which instructions share a stage, what goes through buffers, where stages end.
#include <gtest/gtest.h>

#include <algorithm>

#include "hand_built.h"
#include "ir/print.h"
#include "plan/legalise.h"
#include "plan/strips.h"

namespace mytriton {
namespace {

class StripPlanTest : public testing::Test, public HandBuilt {
  protected:
    Value x = pointer("x"), out = pointer("out"), n = param("n", Scalar::i32);
    Value lanes, mask;  // of blocks of 100 lanes

    // Starts with offsets and mask, as most kernels do.
    void begin() {
        lanes = offsets(100);
        mask = op(Op::cmp_lt, {lanes, n});
    }
    StripPlan plan() {
        legal_ = legalise(kernel);
        return plan_strips(legal_);
    }
    std::string text() {
        StripPlan made = plan();
        return print_plan(legal_, made);
    }
    // The ops of a stage that touch memory or combine lanes, and its buffers.
    std::string effects(const StripPlan& plan, size_t stage) const {
        std::string out;
        for (Value value : plan.stages[stage].from_buffer)
            out += "get " + print_value(legal_, value) + " ";
        for (InstId id : plan.stages[stage].body) {
            const OpInfo& row = info(legal_.inst(id).op);
            if (row.kind == OpKind::reduce || row.has(kReads) || row.has(kWrites))
                out += std::string(row.name) + " ";
        }
        for (Value value : plan.stages[stage].to_buffer)
            out += "put " + print_value(legal_, value) + " ";
        return out;
    }

    Kernel legal_{"none"};
};

TEST_F(StripPlanTest, ElementwiseKernelIsOneStageThatStopsAtItsBound) {
    begin();
    Value value = load(at(x, lanes), mask, f32(0));
    store(at(out, lanes), op(Op::mul, {value, f32(2)}), mask);
    EXPECT_EQ(text(),
              "strips of 16 lanes, 0 bytes of scratch\n"
              "%0 = program_id {axis=0} : i32\n"
              "%1 = mul %0, 100 : i32\n"
              "lane 0 of %2\n"
              "lane 0 of %3\n"
              "stage of 100 lanes, interior while %3 < n, then stop\n"
              "    contiguous: %3\n"
              "    %2 = arange {start=0, end=100} : vector<100 x i32>\n"
              "    %3 = add %1, %2 : vector<100 x i32>\n"
              "    %4 = cmp_lt %3, n : vector<100 x bool>\n"
              "    %5 = addptr x, %3 : vector<100 x ptr<f32>>\n"
              "    %6 = load %5, %4, 0.0 : vector<100 x f32>\n"
              "    %7 = mul %6, 2.0 : vector<100 x f32>\n"
              "    %8 = addptr out, %3 : vector<100 x ptr<f32>>\n"
              "    store %8, %7, %4\n");
    EXPECT_EQ(plan().stages[0].all_true.size(), 1u);
}

TEST_F(StripPlanTest, AllPartsOfAConjoinedMaskAreTrueInTheInterior) {
    begin();
    Value both = op(Op::bit_and, {mask, op(Op::cmp_ge, {param("m", Scalar::i32), lanes})});
    store(at(out, lanes), i32(1), both);
    StripPlan made = plan();
    EXPECT_EQ(made.stages[0].bound.size(), 2u);
    EXPECT_EQ(made.stages[0].all_true.size(), 3u);
    EXPECT_NE(text().find(", interior while %3 < n and %3 <= m, then stop\n"), std::string::npos);
}

TEST_F(StripPlanTest, AStoreUnderAnotherMaskGoesOnPastTheBound) {
    begin();
    store(at(x, lanes), i32(1), mask);
    store(at(out, lanes), i32(2));
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 1u);
    EXPECT_EQ(made.stages[0].bound.size(), 1u);
    EXPECT_FALSE(made.stages[0].stops_at_bound);
}

TEST_F(StripPlanTest, AMaskThatIsNoPrefixGivesNoBound) {
    begin();
    store(at(out, lanes), i32(1), op(Op::cmp_ne, {lanes, n}));
    StripPlan made = plan();
    EXPECT_TRUE(made.stages[0].bound.empty());
    EXPECT_TRUE(made.stages[0].all_true.empty());
    EXPECT_FALSE(made.stages[0].stops_at_bound);
}

TEST_F(StripPlanTest, OnlyConsecutiveAccessesAreContiguous) {
    begin();
    Value twice = op(Op::mul, {lanes, i32(2)});
    Value value = load(at(at(x, n), twice));
    store(at(at(out, n), lanes), value);
    EXPECT_EQ(plan().stages[0].contiguous, (std::vector<Value>{lanes}));
}

TEST_F(StripPlanTest, InPlaceReverseReadsAllBeforeItWrites) {
    begin();
    Value value = load(at(x, op(Op::sub, {i32(99), lanes})));
    store(at(x, lanes), value);
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 2u);
    EXPECT_EQ(effects(made, 0), "load put %7 ");
    EXPECT_EQ(effects(made, 1), "get %7 store ");
    EXPECT_EQ(made.scratch_bytes, 112 * 4) << "whole strips";
}

TEST_F(StripPlanTest, InPlaceArithmeticNeedsNoBuffer) {
    begin();
    Value pointers = at(x, lanes);
    store(pointers, op(Op::neg, {load(pointers, mask)}), mask);
    store(pointers, op(Op::exp, {load(pointers, mask)}), mask);
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 1u);
    EXPECT_EQ(effects(made, 0), "load store load store ");
    EXPECT_EQ(made.scratch_bytes, 0);
}

TEST_F(StripPlanTest, SoftmaxIsThreeStages) {
    begin();
    Value pointers = at(x, lanes);
    Value value = load(pointers, mask, f32(-1e30f));
    Value shifted = op(Op::sub, {value, op(Op::max, {value})});
    Value powers = op(Op::exp, {shifted});
    Value total = op(Op::sum, {powers});
    store(at(out, lanes), op(Op::div, {powers, total}), mask);
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 3u);
    std::string e = print_value(kernel, powers);
    EXPECT_EQ(effects(made, 0), "load max ");
    EXPECT_EQ(effects(made, 1), "load sum put " + e + " ") << "a row is loaded again";
    EXPECT_EQ(effects(made, 2), "get " + e + " store ");
    EXPECT_EQ(made.buffers.size(), 1u);
    EXPECT_FALSE(made.stages[0].stops_at_bound) << "lanes past the bound count in the maximum";
    EXPECT_TRUE(made.stages[2].stops_at_bound);
}

TEST_F(StripPlanTest, ARowIsLoadedAgainOnlyWhereNothingWasWrittenSince) {
    begin();
    Value value = load(at(x, lanes), mask);
    Value total = op(Op::sum, {value});
    Value centred = op(Op::sub, {value, total});
    Value squares = op(Op::sum, {op(Op::mul, {centred, centred})});
    store(at(out, lanes), squares, mask);
    store(at(out, lanes), centred, mask);
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 3u);
    std::string v = print_value(kernel, centred);
    EXPECT_EQ(effects(made, 0), "load sum ");
    EXPECT_EQ(effects(made, 1), "load sum put " + v + " ");
    EXPECT_EQ(effects(made, 2), "get " + v + " store store ") << "out may be x itself";
}

TEST_F(StripPlanTest, ARowIsNotLoadedAgainBesideAWriteThatItPrecedes) {
    begin();
    Value value = load(at(x, lanes));
    store(at(x, op(Op::sub, {n, lanes})), value);
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 2u);
    EXPECT_EQ(effects(made, 1), "get " + print_value(kernel, value) + " store ");
}

TEST_F(StripPlanTest, StripsPastTheBoundRepeatWhereTheyAreAlike) {
    lanes = offsets(128);
    mask = op(Op::cmp_lt, {lanes, n});
    Value value = load(at(x, lanes), mask, f32(1));
    Value powers = op(Op::exp, {op(Op::sub, {value, op(Op::max, {value})})});
    store(at(out, lanes), op(Op::div, {powers, op(Op::sum, {powers})}), mask);
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 3u);
    EXPECT_TRUE(made.stages[0].repeats_past_bound);
    EXPECT_TRUE(made.stages[1].repeats_past_bound) << "its buffer is read up to the bound";
    EXPECT_FALSE(made.stages[2].repeats_past_bound);
    EXPECT_TRUE(made.stages[2].stops_at_bound);
}

TEST_F(StripPlanTest, StripsPastTheBoundDoNotRepeatWhereTheyDiffer) {
    lanes = offsets(128);
    mask = op(Op::cmp_lt, {lanes, n});
    Value value = load(at(x, lanes), mask);
    Value indices = op(Op::add, {value, cast(lanes, Scalar::f32)});
    store(out, op(Op::max, {indices}));
    EXPECT_FALSE(plan().stages[0].repeats_past_bound);
}

TEST_F(StripPlanTest, StripsPastTheBoundDoNotRepeatWhereTheWholeBufferIsRead) {
    lanes = offsets(128);
    mask = op(Op::cmp_lt, {lanes, n});
    Value powers = op(Op::exp, {load(at(x, lanes), mask)});
    Value total = op(Op::sum, {powers});
    store(at(out, lanes), op(Op::div, {powers, total}));
    EXPECT_FALSE(plan().stages[0].repeats_past_bound);
}

class TilePlanTest : public StripPlanTest {
  protected:
    // Of a scalar for each row, or of a block for each column.
    Value spread(Value block, std::vector<int64_t> shape) {
        Type type = kernel.type(block);
        Value shaped = emit(Op::reshape, {block}, type.with_shape(shape));
        return emit(Op::broadcast, {shaped}, type.with_shape({kRows, kColumns}));
    }
    // Row m begins m * n elements after the first.
    Value tile_at(Value base) {
        Value rows = spread(op(Op::mul, {arange(0, kRows), n}), {kRows, 1});
        return at(at(base, rows), spread(arange(0, kColumns), {1, kColumns}));
    }
    static constexpr int64_t kRows = 8, kColumns = 48;
};

TEST_F(TilePlanTest, TilesGoRowByRow) {
    Value columns = op(Op::cmp_lt, {arange(0, kColumns), n});
    Value rows = op(Op::cmp_lt, {arange(0, kRows), param("m", Scalar::i32)});
    Value both = op(Op::bit_and, {spread(rows, {kRows, 1}), spread(columns, {1, kColumns})});
    store(tile_at(out), load(tile_at(x), both), both);
    StripPlan made = plan();
    const Stage& tile = made.stages.back();
    EXPECT_EQ(tile.row, kColumns);
    EXPECT_EQ(tile.bound.size(), 1u);
    EXPECT_EQ(tile.row_masks.size(), 1u);
    EXPECT_EQ(tile.row_accesses.size(), 2u);
    EXPECT_TRUE(tile.stops_at_bound);
    EXPECT_TRUE(std::ranges::find(tile.all_true, both) != tile.all_true.end());
}

TEST_F(TilePlanTest, TransposedAccessesHaveNoRows) {
    Value rows = spread(arange(0, kRows), {kRows, 1});
    Value columns = spread(op(Op::mul, {arange(0, kColumns), n}), {1, kColumns});
    store(at(at(out, rows), columns), f32(1));
    EXPECT_EQ(plan().stages.back().row, 0);
}

TEST_F(TilePlanTest, RowsAreReducedWhereTheyAreComputed) {
    Type sums = kernel.type(x).element().with_scalar(Scalar::f32).with_shape({kRows});
    Value tile = load(tile_at(x));
    Value total = emit(Op::sum, {tile}, sums, {{AttrKey::axis, 1}});
    store(at(out, arange(0, kRows)), total);
    StripPlan made = plan();
    for (const Step& step : made.steps) EXPECT_NE(step.kind, Step::Kind::memory);
    EXPECT_EQ(made.stages[made.stages.size() - 2].row, kColumns);
    EXPECT_TRUE(made.stages[made.stages.size() - 2].reduces);
    EXPECT_EQ(made.stages.back().from_buffer, std::vector<Value>{total});
}

TEST_F(TilePlanTest, ColumnsAreReducedFromABuffer) {
    Type sums = kernel.type(x).element().with_scalar(Scalar::f32).with_shape({kColumns});
    Value total = emit(Op::sum, {load(tile_at(x))}, sums, {{AttrKey::axis, 0}});
    store(at(out, arange(0, kColumns)), total);
    StripPlan made = plan();
    EXPECT_EQ(std::ranges::count(made.steps, Step::Kind::memory, &Step::kind), 1);
}

TEST_F(StripPlanTest, IndependentReductionsShareAStage) {
    begin();
    Value value = load(at(x, lanes), mask);
    Value first = op(Op::sum, {value});
    Value second = op(Op::sum, {op(Op::mul, {value, value})});
    Value third = op(Op::max, {lanes});
    store(out, op(Op::add, {op(Op::add, {first, second}), third}));
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 1u);
    EXPECT_EQ(effects(made, 0), "load sum sum max ");
    EXPECT_TRUE(made.stages[0].reduces);
    ASSERT_FALSE(made.steps.empty());
    EXPECT_EQ(made.steps.back().kind, Step::Kind::scalar) << "the store comes after";
}

TEST_F(StripPlanTest, CheapIndicesAreComputedAgainAndCostlyValuesKept) {
    begin();
    Value floats = op(Op::exp, {cast(lanes, Scalar::f32)});
    Value total = op(Op::sum, {floats});
    store(at(out, lanes), op(Op::div, {op(Op::mul, {floats, lanes}), total}));
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 2u);
    EXPECT_EQ(made.stages[1].from_buffer, (std::vector<Value>{floats}));
}

TEST_F(StripPlanTest, BlocksOfDifferentWidthsAreDifferentStages) {
    Value narrow = arange(0, 16), wide = arange(0, 256);
    store(at(x, narrow), i32(1));
    store(at(out, wide), i32(2));
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 2u);
    EXPECT_EQ(made.stages[0].width, 16);
    EXPECT_EQ(made.stages[1].width, 256);
}

TEST_F(StripPlanTest, ScalarAccessesKeepTheirPlaceAmongStages) {
    begin();
    store(at(x, lanes), i32(1));
    Value one = load(at(x, n));  // must see the stage before
    store(at(out, lanes), one);  // reads what the scalar load gave
    store(at(out, n), f32(3));   // must come last
    StripPlan made = plan();
    std::string order;
    for (const Step& step : made.steps) {
        if (step.kind == Step::Kind::stage) order += "stage ";
        if (step.kind != Step::Kind::scalar) continue;
        const OpInfo& row = info(legal_.inst(step.inst).op);
        if (row.has(kReads) || row.has(kWrites)) order += std::string(row.name) + " ";
    }
    EXPECT_EQ(order, "stage load stage store ");
}

TEST_F(StripPlanTest, WorkIsCountedInLightOpsOfOneLane) {
    begin();
    store(at(out, lanes), op(Op::exp, {cast(lanes, Scalar::f32)}));
    // arange, add, cast, addptr and store weigh 1, exp 8; 1 for the program itself.
    EXPECT_EQ(plan().cost_per_program, 1 + 100 * (5 + 8));
}

}  // namespace
}  // namespace mytriton
