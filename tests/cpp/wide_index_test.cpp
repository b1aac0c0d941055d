// Indices of 64 bits and of other int types: what is known of them, and that both engines agree
// near the ends of their range, and where an i32 that an i64 is made of wraps.
#include "both_engines.h"
#include "plan/facts.h"

namespace mytriton {
namespace {

class WideIndex : public BothEngines, public HandBuilt {
  protected:
    Value i64(int64_t value) { return kernel.constant(Type::scalar(Scalar::i64), bits_of(value)); }
    Value wide(Value value) { return cast(value, Scalar::i64); }
    Value wide_arange(int64_t start, int64_t end) { return wide(arange(start, end)); }
    std::vector<Arg> run(const std::vector<Arg>& args, Grid grid = {1, 1, 1}) {
        return run_both(kernel, args, grid);
    }
    StripPlan plan() { return plan_strips(legalise(kernel)); }
};

// --- facts ---------------------------------------------------------------------------------------

TEST_F(WideIndex, StridesOfI64) {
    Value lanes = wide_arange(0, 8);
    Value start = op(Op::mul, {wide(program_id()), i64(int64_t{1} << 40)});
    Value moved = op(Op::add, {start, lanes});
    Value tripled = op(Op::mul, {lanes, i64(3)});
    Value far = op(Op::mul, {lanes, i64(int64_t{1} << 32)});
    Value gone = op(Op::mul, {far, i64(int64_t{1} << 32)});
    Value narrow_stride = wide(op(Op::mul, {arange(0, 8), i32(2)}));
    Value of_unsigned = wide(cast(arange(0, 8), Scalar::u32));
    Value narrowed = cast(lanes, Scalar::i32);
    Value scalar = wide(op(Op::add, {param("n", Scalar::i32), i32(1)}));
    Value same = wide(op(Op::mul, {arange(0, 8), i32(0)}));
    Facts facts(kernel);
    EXPECT_EQ(facts.stride(lanes), 1);
    EXPECT_EQ(facts.stride(moved), 1);
    EXPECT_EQ(facts.stride(tripled), 3);
    EXPECT_EQ(facts.stride(far), int64_t{1} << 32);
    EXPECT_EQ(facts.stride(gone), 0) << "i64 wraps, and so do strides";
    EXPECT_EQ(facts.stride(narrow_stride), std::nullopt) << "it may wrap at any lane";
    EXPECT_EQ(facts.stride(of_unsigned), std::nullopt);
    EXPECT_EQ(facts.stride(narrowed), std::nullopt);
    EXPECT_EQ(facts.stride(scalar), 0);
    EXPECT_EQ(facts.stride(same), 0);
}

TEST_F(WideIndex, WhatMustNotWrapForAStrideToHold) {
    Value narrow = op(Op::add, {arange(0, 8), param("n", Scalar::i32)});
    Value lanes = wide(narrow);
    Value index = op(Op::add, {lanes, i64(5)});
    Facts facts(kernel);
    EXPECT_EQ(facts.may_wrap(index), (std::vector<Value>{index, narrow}));
    EXPECT_EQ(facts.may_wrap(narrow), (std::vector<Value>{narrow}));
}

// Axes of size 1 move lanes nowhere; what is broadcast along a row is equal in all of its lanes.
TEST_F(WideIndex, WhatMustNotWrapBehindMovedAxes) {
    auto shaped = [](const std::vector<int64_t>& shape) {
        return Type::scalar(Scalar::i64).with_shape(shape);
    };
    Value narrow = op(Op::add, {arange(0, 8), param("n", Scalar::i32)});
    Value row = emit(Op::reshape, {wide(narrow)}, shaped({1, 1, 8}));
    Value moved =
        emit(Op::permute, {row}, shaped({1, 1, 8}), {{AttrKey::order, pack_order({1, 0, 2})}});
    Value first = emit(Op::reshape, {wide_arange(0, 1)}, shaped({1, 1, 1}));
    Value repeated = emit(Op::broadcast, {first}, shaped({1, 1, 8}));
    Value index = op(Op::add, {moved, repeated});
    Value turned =
        emit(Op::permute, {row}, shaped({8, 1, 1}), {{AttrKey::order, pack_order({2, 1, 0})}});
    Value rows = emit(Op::broadcast, {row}, shaped({1, 3, 8}));
    Facts facts(kernel);
    EXPECT_EQ(facts.stride(index), 1);
    EXPECT_EQ(facts.may_wrap(index), (std::vector<Value>{index, narrow}));
    EXPECT_EQ(facts.stride(turned), std::nullopt);
    EXPECT_EQ(facts.row_stride(turned), 0) << "of rows of one lane";
    EXPECT_EQ(facts.stride(rows), std::nullopt);
    EXPECT_EQ(facts.row_stride(rows), 1);
}

TEST_F(WideIndex, AddressesOfI64) {
    Value x = pointer("x"), lanes = wide_arange(0, 8);
    auto address = [&](Value offset) { return at(x, offset); };
    Value consecutive = address(lanes), strided = address(op(Op::mul, {lanes, i64(-4095)}));
    Value far = address(op(Op::mul, {lanes, i64(4096)}));
    Value least = address(op(Op::mul, {lanes, i64(INT64_MIN)}));
    Value of_unsigned = address(cast(arange(0, 8), Scalar::u64));
    Facts facts(kernel);
    EXPECT_TRUE(facts.is_contiguous(facts.address(consecutive)));
    EXPECT_TRUE(facts.is_injective(facts.address(strided)));
    EXPECT_FALSE(facts.is_contiguous(facts.address(strided)));
    EXPECT_FALSE(facts.is_injective(facts.address(far)));
    EXPECT_FALSE(facts.is_injective(facts.address(least))) << "every second lane meets";
    EXPECT_FALSE(facts.is_contiguous(facts.address(of_unsigned)));
    EXPECT_FALSE(facts.is_injective(facts.address(of_unsigned)));
}

TEST_F(WideIndex, PrefixTestsOfI64AndNoOtherWideInt) {
    Value lanes = wide_arange(0, 8), n = param("n", Scalar::i64);
    Value narrow = arange(0, 8), m = param("m", Scalar::i32);
    Value below = op(Op::cmp_lt, {lanes, n}), at_most = op(Op::cmp_ge, {n, lanes});
    Value both = op(Op::bit_and, {below, op(Op::cmp_lt, {narrow, m})});
    Value u = param("u", Scalar::u32);
    Value of_unsigned = op(Op::cmp_lt, {cast(narrow, Scalar::u32), u});
    Value tripled = op(Op::cmp_lt, {op(Op::mul, {lanes, i64(3)}), n});
    Value of_floats = op(Op::cmp_lt, {cast(narrow, Scalar::f32), param("f", Scalar::f32)});
    Facts facts(kernel);
    ASSERT_EQ(facts.prefix_tests(below).size(), 1u);
    EXPECT_FALSE(facts.prefix_tests(below)[0].inclusive);
    ASSERT_EQ(facts.prefix_tests(at_most).size(), 1u);
    EXPECT_TRUE(facts.prefix_tests(at_most)[0].inclusive);
    EXPECT_EQ(facts.prefix_tests(at_most)[0].index, lanes);
    EXPECT_EQ(facts.prefix_tests(both).size(), 2u);
    for (Value mask : {of_unsigned, tripled, of_floats})
        EXPECT_TRUE(facts.prefix_tests(mask).empty());
}

// --- plans ---------------------------------------------------------------------------------------

TEST_F(WideIndex, AnI64KernelStopsAtItsBoundAndWatchesItsI32) {
    Value x = pointer("x"), n = param("n", Scalar::i64);
    Value narrow = offsets(100), lanes = wide(narrow);
    Value mask = op(Op::cmp_lt, {lanes, n});
    store(at(x, lanes), op(Op::neg, {load(at(x, lanes), mask)}), mask);
    StripPlan made = plan();
    ASSERT_EQ(made.stages.size(), 1u);
    EXPECT_TRUE(made.stages[0].stops_at_bound);
    EXPECT_EQ(made.stages[0].contiguous, (std::vector<Value>{lanes}));
    EXPECT_EQ(made.stages[0].may_wrap, (std::vector<Value>{lanes, narrow}));
    EXPECT_FALSE(made.computes_f64);
}

TEST_F(WideIndex, AKernelThatHoldsF64InABlockComputesF64) {
    Value x = pointer("x", Scalar::f64), lanes = arange(0, 8);
    EXPECT_FALSE(plan().computes_f64);
    store(x, op(Op::add, {load(x), load(x)}));
    EXPECT_FALSE(plan().computes_f64) << "scalars need no vectors";
    store(at(x, lanes), load(at(x, lanes)));
    EXPECT_TRUE(plan().computes_f64);
}

TEST_F(WideIndex, ScratchHoldsAStripOfWholeElements) {
    std::vector<std::pair<Scalar, int64_t>> sizes = {{Scalar::i8, 112},  {Scalar::f16, 224},
                                                     {Scalar::u32, 448}, {Scalar::f64, 896},
                                                     {Scalar::u64, 896}, {Scalar::boolean, 448}};
    for (auto [scalar, bytes] : sizes) {
        HandBuilt b;
        Value x = b.pointer("x", scalar), lanes = b.arange(0, 100);
        Value value = b.load(b.at(x, b.op(Op::sub, {b.i32(99), lanes})));
        b.store(b.at(x, lanes), value);
        EXPECT_EQ(plan_strips(legalise(b.kernel)).scratch_bytes, bytes) << info(scalar).name;
    }
}

// --- runs ----------------------------------------------------------------------------------------

// Bounds from the least to the largest i64; offsets of x are lanes + start, so that lane 0 stands
// at element 0 whatever the start.
TEST_F(WideIndex, BoundsNearTheEndsOfI64) {
    Value under = pointer("under"), up_to = pointer("up_to");
    Value n = param("n", Scalar::i64), start = param("start", Scalar::i64);
    Value back = op(Op::neg, {start});
    Value index = op(Op::add, {wide_arange(0, 40), start});
    store(at(at(under, back), index), f32(1), op(Op::cmp_lt, {index, n}));
    store(at(at(up_to, back), index), f32(1), op(Op::cmp_ge, {n, index}));
    for (int64_t first :
         {int64_t{0}, INT64_MIN, INT64_MIN + 5, int64_t{-20}, INT64_MAX - 39, INT64_MAX - 38,
          INT64_MAX - 20, INT64_MAX - 15, INT64_MAX, int64_t{1} << 40, int64_t{INT32_MAX} - 20})
        for (int64_t bound :
             {INT64_MIN, INT64_MIN + 20, int64_t{-1}, int64_t{0}, int64_t{17}, INT64_MAX - 20,
              INT64_MAX - 1, INT64_MAX, int64_t{INT32_MAX}, (int64_t{1} << 40) + 33}) {
            std::vector<Arg> after =
                run({Arg(Scalar::f32, 40), Arg(Scalar::f32, 40), bits_of(bound), bits_of(first)});
            for (int i = 0; i < 40; ++i) {
                auto place = static_cast<int64_t>(static_cast<uint64_t>(first) + i);
                ASSERT_EQ(after[0].values<float>()[i], place < bound) << first << ' ' << bound;
                ASSERT_EQ(after[1].values<float>()[i], place <= bound) << first << ' ' << bound;
            }
        }
}

// The i32 passes its largest value at lane 20, and stands 2**32 elements earlier then.
TEST_F(WideIndex, AnI32ThatWrapsIsExtendedLaneByLane) {
    Value x = pointer("x", Scalar::i32), start = param("start", Scalar::i32),
          n = param("n", Scalar::i64);
    Value narrow = op(Op::add, {arange(0, 64), start});
    Value index = wide(narrow);
    Value folded = op(Op::bit_and, {index, i64(63)});  // stays in the array
    store(at(x, folded), arange(0, 64), op(Op::cmp_lt, {index, n}));
    // Contiguous by its stride, with the wrapped lanes off.
    Value base = op(Op::neg, {wide(start)});
    Value on = op(Op::bit_and, {op(Op::cmp_ge, {index, i64(0)}), op(Op::cmp_lt, {index, n})});
    Value y = pointer("y", Scalar::i32);
    store(at(at(y, base), index), arange(0, 64), on);
    for (int32_t first : {0, 100, INT32_MAX - 19, INT32_MAX - 63, INT32_MAX - 62, INT32_MIN})
        for (int64_t bound : {INT64_MIN, int64_t{INT32_MIN} + 10, int64_t{0}, int64_t{130},
                              int64_t{INT32_MAX}, int64_t{INT32_MAX} + 1, INT64_MAX}) {
            std::vector<Arg> after = run({Arg::ints(std::vector<int32_t>(64, -1)), bits_of(first),
                                          bits_of(bound), Arg::ints(std::vector<int32_t>(64, -1))});
            for (int i = 0; i < 64; ++i) {
                int64_t at_lane = static_cast<int32_t>(static_cast<uint32_t>(first) + i);
                ASSERT_EQ(after[0].values<int32_t>()[at_lane & 63], at_lane < bound ? i : -1);
                ASSERT_EQ(after[3].values<int32_t>()[i], at_lane >= 0 && at_lane < bound ? i : -1);
            }
        }
}

TEST_F(WideIndex, AContiguousLoadFollowsAnI32ThatWraps) {
    Value x = pointer("x", Scalar::i32), y = pointer("y", Scalar::i32),
          start = param("start", Scalar::i32);
    Value index = wide(op(Op::add, {arange(0, 64), start}));
    // The wrapped lanes read behind the array's middle: 2**32 elements lower, and as much higher.
    Value low = load(at(at(x, i64(-(int64_t{INT32_MAX} - 19))), index),
                     op(Op::cmp_gt, {index, i64(0)}), i32(-7));
    Value high =
        load(at(at(x, i64(int64_t{1} << 31)), index), op(Op::cmp_lt, {index, i64(0)}), i32(-8));
    store(at(y, arange(0, 64)), op(Op::add, {op(Op::mul, {low, i32(1000)}), high}));
    std::vector<int32_t> values(64);
    for (int i = 0; i < 64; ++i) values[i] = i;
    std::vector<Arg> after =
        run({Arg::ints(values), Arg(Scalar::i32, 64), bits_of(INT32_MAX - 19)});
    for (int i = 0; i < 64; ++i)
        EXPECT_EQ(after[1].values<int32_t>()[i], i < 20 ? i * 1000 - 8 : -7000 + i - 20) << i;
}

TEST_F(WideIndex, LanesThatAllMeetAreNotTakenToBeApart) {
    // Bytes times 4 wrap to 0: all lanes add to one element, and all read it before any writes.
    Value x = pointer("x");
    Value all = at(x, op(Op::mul, {wide_arange(0, 64), i64(INT64_MIN)}));
    store(all, op(Op::add, {load(all), f32(1)}));
    EXPECT_EQ(run({Arg::floats({5})})[0].values<float>()[0], 6);
}

TEST_F(WideIndex, OffsetsOfEveryIntTypeAndTwoOfThem) {
    std::vector<Value> arrays;
    std::vector<Arg> args;
    int32_t lanes_stored = 0;
    for (int i = 0; i < scalar_count(); ++i) {
        Scalar scalar = static_cast<Scalar>(i);
        if (!info(scalar).is_int()) continue;
        std::string name(info(scalar).name);
        Value to = pointer("to_" + name, Scalar::i32), shift = param("by_" + name, scalar);
        args.push_back(Arg(Scalar::i32, 200));
        args.push_back(bits_of(int64_t{100}));
        auto as = [&](Value value) { return scalar == Scalar::i32 ? value : cast(value, scalar); };
        Value lanes = arange(0, 20), offset = as(lanes);
        store(at(to, offset), op(Op::add, {lanes, i32(1)}));
        store(at(at(to, shift), offset), op(Op::add, {lanes, i32(50)}));
        store(at(at(to, as(op(Op::mul, {lanes, i32(2)}))), as(i32(40))), lanes);
        if (!info(scalar).is_unsigned())
            store(at(at(to, shift), op(Op::neg, {op(Op::add, {offset, as(i32(1))})})),
                  op(Op::add, {lanes, i32(70)}));
        store(at(to, as(i32(120))), i32(7));
        store(at(at(to, shift), as(i32(21))), i32(8));
        ++lanes_stored;
    }
    ASSERT_EQ(lanes_stored, 8);
    std::vector<Arg> after = run(args);
    for (size_t i = 0; i < after.size(); i += 2) {
        std::vector<int32_t> got = after[i].values<int32_t>();
        EXPECT_EQ(got[0], 1);
        EXPECT_EQ(got[19], 20);
        EXPECT_EQ(got[100], 50);
        EXPECT_EQ(got[119], 69);
        EXPECT_EQ(got[78], 19);
        EXPECT_EQ(got[120], 7);
        EXPECT_EQ(got[121], 8);
    }
}

}  // namespace
}  // namespace mytriton
