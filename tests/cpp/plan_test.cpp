// Facts of values, the memory rule, and the plan of the lane layout.
#include <gtest/gtest.h>

#include "hand_built.h"
#include "ir/print.h"
#include "plan/lanes.h"
#include "plan/legalise.h"
#include "plan/memory.h"

namespace mytriton {
namespace {

// A kernel with two arrays and an int, and the usual ways to index them.
class Example : public HandBuilt {
  public:
    Value x = pointer("x"), out = pointer("out"), n = param("n", Scalar::i32);

    Value reversed(Value lanes, int32_t width) { return op(Op::sub, {i32(width - 1), lanes}); }
    Value shifted(Value lanes, int32_t by) { return op(Op::add, {lanes, i32(by)}); }

    std::string lanes_text() const {
        Kernel legal = legalise(kernel);
        return print_plan(legal, plan_lanes(legal));
    }
    int barriers() const {
        int count = 0;
        for (const LaneStep& step : plan_lanes(legalise(kernel)).steps)
            count += step.barrier_before;
        return count;
    }
};

// --- facts ---------------------------------------------------------------------------------------

TEST(Facts, StrideOfIndexArithmetic) {
    Example b;
    Value lanes = b.arange(5, 13), offsets = b.offsets(8);
    Value tripled = b.op(Op::mul, {lanes, b.i32(3)});
    Value down = b.op(Op::neg, {b.op(Op::mul, {b.i32(2), lanes})});
    Value difference = b.op(Op::sub, {tripled, lanes});
    Value minus = b.op(Op::sub, {b.n, lanes});
    Value far = b.op(Op::mul, {b.op(Op::mul, {lanes, b.i32(65536)}), b.i32(65536)});
    Facts facts(b.kernel);
    EXPECT_EQ(facts.stride(lanes), 1);
    EXPECT_EQ(facts.stride(offsets), 1);
    EXPECT_EQ(facts.stride(tripled), 3);
    EXPECT_EQ(facts.stride(down), -2);
    EXPECT_EQ(facts.stride(difference), 2);
    EXPECT_EQ(facts.stride(minus), -1);
    EXPECT_EQ(facts.stride(far), 0) << "i32 wraps, and so do strides";
    EXPECT_EQ(facts.stride(b.n), 0) << "a scalar is the same for all lanes";
}

TEST(Facts, NoStrideIsClaimedForAnythingElse) {
    Example b;
    Value lanes = b.arange(0, 8);
    std::vector<Value> others = {
        b.op(Op::mul, {lanes, b.n}),  // constant over the lanes, but not known
        b.op(Op::mul, {lanes, lanes}),        b.op(Op::rem, {lanes, b.i32(4)}),
        b.op(Op::maximum, {lanes, b.i32(4)}), b.op(Op::cmp_lt, {lanes, b.n}),
        b.cast(lanes, Scalar::f32),           b.load(b.at(b.pointer("i", Scalar::i32), lanes)),
    };
    Facts facts(b.kernel);
    for (Value value : others)
        EXPECT_EQ(facts.stride(value), std::nullopt)
            << print_inst(b.kernel, definition(b.kernel, value));
}

TEST(Facts, IndicesHaveOnlyProgramIdsRangesAndConstantsAsLeaves) {
    Example b;
    Value index = b.op(Op::neg, {b.op(Op::sub, {b.offsets(8), b.i32(7)})});
    Value with_param = b.op(Op::add, {b.arange(0, 8), b.n});
    Value grid = b.emit(Op::num_programs, {}, kI32, {{AttrKey::axis, 0}});
    Value scaled = b.op(Op::mul, {grid, b.i32(2)});
    Value as_float = b.op(Op::add, {b.cast(b.arange(0, 8), Scalar::f32), b.f32(1)});
    Facts facts(b.kernel);
    EXPECT_TRUE(facts.is_index(index));
    EXPECT_TRUE(facts.is_index(b.i32(3)));
    for (Value value : {with_param, grid, scaled, as_float, b.n})
        EXPECT_FALSE(facts.is_index(value));
}

TEST(Facts, IndicesServeOnlyAsIndices) {
    Example b;
    Value addressed = b.op(Op::mul, {b.arange(0, 8), b.i32(3)});
    b.at(b.x, addressed);
    b.op(Op::cmp_lt, {addressed, b.n});
    Value stored = b.op(Op::mul, {b.arange(8, 16), b.i32(3)});
    Value below_stored = b.op(Op::add, {stored, b.i32(1)});
    b.op(Op::div, {below_stored, b.i32(2)});
    Facts facts(b.kernel);
    EXPECT_TRUE(facts.is_index(addressed));
    EXPECT_FALSE(facts.is_index(below_stored));
    EXPECT_FALSE(facts.is_index(stored)) << "it reaches data through the sum";
}

TEST(Facts, AddressIsTheParameterAndTheOffsetsInOrder) {
    Example b;
    Value lanes = b.arange(0, 8), one = b.i32(1);
    Value pointer = b.at(b.at(b.at(b.x, one), lanes), b.n);
    Facts facts(b.kernel);
    Address address = facts.address(pointer);
    EXPECT_EQ(address.base, b.x);
    EXPECT_EQ(address.offsets, (std::vector<Value>{one, lanes, b.n}));
    EXPECT_EQ(address.lane_offsets, (std::vector<Value>{lanes}));
    EXPECT_TRUE(facts.address(b.x).offsets.empty());
}

TEST(Facts, APointerFromElsewhereIsOurOwnError) {
    Example b;
    Value pointer = b.emit(Op::select, {b.boolean(true), b.x, b.out}, Type::pointer(Scalar::f32));
    Facts facts(b.kernel);
    EXPECT_EQ(message_of<InternalError>([&] { facts.address(pointer); }),
              "mytriton internal error in Facts::address: a pointer comes from select");
}

TEST(Facts, ContiguousAndInjectiveAddresses) {
    struct Case {
        const char* what;
        bool contiguous, injective;
    };
    Example b;
    Value lanes = b.arange(0, 8);
    auto times = [&](int32_t k) { return b.op(Op::mul, {lanes, b.i32(k)}); };
    std::vector<std::pair<Case, Value>> cases = {
        {{"consecutive", true, true}, b.at(b.x, lanes)},
        {{"consecutive, moved", true, true}, b.at(b.at(b.x, b.n), b.shifted(lanes, 3))},
        {{"backwards", false, true}, b.at(b.x, b.op(Op::neg, {lanes}))},
        {{"strided", false, true}, b.at(b.x, times(4095))},
        {{"so far apart that i32 may wrap to the same", false, false}, b.at(b.x, times(4096))},
        {{"all the same", false, false}, b.at(b.x, times(0))},
        {{"two lane offsets", false, false}, b.at(b.at(b.x, lanes), lanes)},
        {{"unknown", false, false}, b.at(b.x, b.op(Op::rem, {lanes, b.i32(3)}))},
        {{"a scalar", false, false}, b.at(b.x, b.n)},
    };
    Facts facts(b.kernel);
    for (const auto& [expected, pointer] : cases) {
        Address address = facts.address(pointer);
        EXPECT_EQ(facts.is_contiguous(address), expected.contiguous) << expected.what;
        EXPECT_EQ(facts.is_injective(address), expected.injective) << expected.what;
    }
}

TEST(Facts, PrefixTestsOfMasks) {
    Example b;
    Value lanes = b.offsets(8), m = b.param("m", Scalar::i32);
    Value lt = b.op(Op::cmp_lt, {lanes, b.n}), le = b.op(Op::cmp_le, {lanes, b.n});
    Value gt = b.op(Op::cmp_gt, {m, lanes}), ge = b.op(Op::cmp_ge, {m, lanes});
    Value all = b.op(Op::bit_and, {b.op(Op::bit_and, {lt, ge}), lt});
    Facts facts(b.kernel);
    auto text = [&](Value mask) {
        std::string out;
        for (const PrefixTest& test : facts.prefix_tests(mask))
            out += print_value(b.kernel, test.index) + (test.inclusive ? "<=" : "<") +
                   print_value(b.kernel, test.bound) + " ";
        return out;
    };
    EXPECT_EQ(text(lt), "%3<n ");
    EXPECT_EQ(text(le), "%3<=n ");
    EXPECT_EQ(text(gt), "%3<m ") << "turned around";
    EXPECT_EQ(text(ge), "%3<=m ");
    EXPECT_EQ(text(all), "%3<n %3<=m ") << "each part once";
}

TEST(Facts, MasksThatNeedNotHoldForLeadingLanes) {
    Example b;
    Value lanes = b.arange(0, 8), lt = b.op(Op::cmp_lt, {lanes, b.n});
    Value twice = b.op(Op::mul, {lanes, b.i32(2)});
    Value floats = b.cast(lanes, Scalar::f32);
    std::vector<Value> masks = {
        b.op(Op::cmp_ne, {lanes, b.n}),
        b.op(Op::cmp_gt, {lanes, b.n}),  // trailing lanes
        b.op(Op::cmp_lt, {twice, b.n}),  // may wrap on the way
        b.op(Op::cmp_lt, {floats, b.f32(3)}),
        b.op(Op::cmp_lt, {lanes, twice}),
        b.op(Op::bit_or, {lt, lt}),
        b.op(Op::bit_not, {lt}),
        b.op(Op::bit_and, {lt, b.op(Op::cmp_ne, {lanes, b.n})}),
        b.op(Op::cmp_lt, {b.n, b.i32(3)}),  // no block at all
        b.param("on", Scalar::boolean),
        b.boolean(true),
        Value(),
    };
    Facts facts(b.kernel);
    for (size_t i = 0; i < masks.size(); ++i)
        EXPECT_TRUE(facts.prefix_tests(masks[i]).empty()) << "mask " << i;
}

// --- the memory rule -----------------------------------------------------------------------------

TEST(MemoryRule, WhichAccessesMustWaitForWhich) {
    Example b;
    Value lanes = b.arange(0, 8);
    Value same = b.at(b.x, lanes), next = b.at(b.x, b.shifted(lanes, 1));
    Value other_base = b.at(b.out, lanes), backwards = b.at(b.x, b.reversed(lanes, 8));
    Value one_for_all = b.at(b.x, b.op(Op::mul, {lanes, b.i32(0)}));
    Value scalar = b.at(b.x, b.n);
    Facts facts(b.kernel);
    auto waits = [&](Value earlier, bool writes, Value later, bool later_writes) {
        return must_wait(facts, Access{facts.address(earlier), writes},
                         Access{facts.address(later), later_writes});
    };
    constexpr bool kRead = false, kWrite = true;
    EXPECT_FALSE(waits(same, kRead, next, kRead));
    EXPECT_FALSE(waits(same, kWrite, other_base, kRead)) << "bases do not overlap";
    EXPECT_FALSE(waits(same, kRead, same, kWrite)) << "each lane meets only itself";
    EXPECT_FALSE(waits(same, kWrite, same, kRead));
    EXPECT_FALSE(waits(same, kWrite, same, kWrite));
    EXPECT_FALSE(waits(backwards, kWrite, backwards, kRead));
    EXPECT_TRUE(waits(next, kRead, same, kWrite));
    EXPECT_TRUE(waits(same, kWrite, next, kRead));
    EXPECT_TRUE(waits(same, kWrite, next, kWrite)) << "the later store wins";
    EXPECT_TRUE(waits(backwards, kRead, same, kWrite));
    EXPECT_TRUE(waits(one_for_all, kWrite, one_for_all, kRead)) << "lanes meet each other";
    EXPECT_TRUE(waits(scalar, kRead, scalar, kWrite)) << "other threads may not have read yet";
    EXPECT_TRUE(waits(scalar, kWrite, same, kRead));
    EXPECT_TRUE(waits(same, kWrite, scalar, kRead));
}

// --- lanes ---------------------------------------------------------------------------------------

TEST(LanePlan, InPlaceReverseHasABarrier) {
    Example b;
    Value lanes = b.arange(0, 64);
    Value value = b.load(b.at(b.x, b.reversed(lanes, 64)));
    b.store(b.at(b.x, lanes), value);
    EXPECT_EQ(b.lanes_text(),
              "lane layout: 64 threads, one lane each\n"
              "%0 = arange {start=0, end=64} : vector<64 x i32>\n"
              "%1 = sub 63, %0 : vector<64 x i32>\n"
              "%2 = addptr x, %1 : vector<64 x ptr<f32>>\n"
              "%3 = load %2, none, none : vector<64 x f32>\n"
              "%4 = addptr x, %0 : vector<64 x ptr<f32>>\n"
              "barrier\n"
              "store %4, %3, none\n");
}

TEST(LanePlan, ShiftedCopyHasABarrierAndInPlaceArithmeticHasNone) {
    Example shifted, in_place;
    Value lanes = shifted.arange(0, 64);
    shifted.store(shifted.at(shifted.x, lanes),
                  shifted.load(shifted.at(shifted.x, shifted.shifted(lanes, 1))));
    EXPECT_EQ(shifted.barriers(), 1);

    Value pointers = in_place.at(in_place.x, in_place.arange(0, 64));
    in_place.store(pointers, in_place.op(Op::exp, {in_place.load(pointers)}));
    EXPECT_EQ(in_place.barriers(), 0);
}

TEST(LanePlan, OneBarrierServesAllThatCameBefore) {
    Example b;
    Value lanes = b.arange(0, 64), here = b.at(b.x, lanes), there = b.at(b.out, lanes);
    Value sum = b.op(Op::add, {b.load(b.at(b.x, b.shifted(lanes, 1))),
                               b.load(b.at(b.out, b.shifted(lanes, 1)))});
    b.store(here, sum);                        // waits for both loads
    b.store(there, sum);                       // has been waited for
    b.load(b.at(b.x, b.reversed(lanes, 64)));  // waits for the first store
    EXPECT_EQ(b.barriers(), 2);
}

TEST(LanePlan, OneThreadDoesAScalarStoreAndReadersOfItWait) {
    Example b;
    Value lanes = b.arange(0, 64);
    b.store(b.out, b.n);
    Value value = b.load(b.out);
    b.store(b.at(b.x, lanes), value);
    EXPECT_EQ(b.lanes_text(),
              "lane layout: 64 threads, one lane each\n"
              "%0 = arange {start=0, end=64} : vector<64 x i32>\n"
              "%3 = cast n : f32\n"
              "store out, %3, none  ; thread 0 only\n"
              "barrier\n"
              "%1 = load out, none, none : f32\n"
              "%2 = addptr x, %0 : vector<64 x ptr<f32>>\n"
              "store %2, %1, none\n");
}

TEST(LanePlan, AScalarKernelHasOneThreadAndNeedsNoCare) {
    Example b;
    b.store(b.x, b.load(b.x));
    b.store(b.x, b.load(b.x));
    LanePlan plan = plan_lanes(b.kernel);
    EXPECT_EQ(plan.threads, 1);
    for (const LaneStep& step : plan.steps) EXPECT_FALSE(step.barrier_before || step.one_thread);
}

TEST(LanePlan, EveryReductionHasSharedMemoryOfItsOwn) {
    Example b;
    Value lanes = b.arange(0, 100);
    Value floats = b.load(b.at(b.x, lanes));
    b.store(b.out, b.op(Op::add, {b.op(Op::sum, {floats}), b.op(Op::max, {lanes})}));
    LanePlan plan = plan_lanes(legalise(b.kernel));
    EXPECT_EQ(plan.shared, (std::vector<Scalar>{Scalar::f32, Scalar::i32}));
    EXPECT_EQ(plan.warps(), 4);
    std::string text = b.lanes_text();
    EXPECT_NE(text.find("shared 0: 4 x f32\nshared 1: 4 x i32\n"), text.npos) << text;
    EXPECT_NE(text.find("max %0 : i32  ; shared 1\n"), text.npos) << text;
}

TEST(LanePlan, WidthsMustBeOneAndAtMost1024) {
    Example mixed, wide, widest, scalar;
    mixed.arange(0, 256);
    mixed.arange(0, 128);
    EXPECT_EQ(message_of<ValueError>([&] { plan_lanes(mixed.kernel); }),
              "CUDA lowering requires one vector width, got: 128, 256");
    wide.arange(0, 1025);
    EXPECT_EQ(message_of<ValueError>([&] { lane_width(wide.kernel); }),
              "CUDA lowering requires a vector width of 1 to 1024, got: 1025");
    widest.arange(1, 1025);
    EXPECT_EQ(lane_width(widest.kernel), 1024);
    scalar.program_id();
    EXPECT_EQ(lane_width(scalar.kernel), 1);
}

}  // namespace
}  // namespace mytriton
