// The blocked layout of CUDA: vectors, what is exchanged and where it lies, and barriers.
#include <gtest/gtest.h>

#include "cuda/emit.h"
#include "hand_built.h"
#include "plan/blocked.h"
#include "plan/cuda_plan.h"
#include "plan/legalise.h"

namespace mytriton {
namespace {

class BlockedPlanTest : public testing::Test, public HandBuilt {
  protected:
    Value x = pointer("x"), out = pointer("out"), n = param("n", Scalar::i32);

    BlockedPlan plan(int num_warps = 0) {
        kernel.set_options({.num_warps = num_warps});
        legal_ = legalise(kernel);
        return plan_blocked(legal_);
    }
    Value transposed(Value square, int64_t size) {
        Type type = kernel.type(square).with_shape({size, size});
        Value block = emit(Op::reshape, {square}, type);
        Value turned = emit(Op::permute, {block}, type, {{AttrKey::order, pack_order({1, 0})}});
        return emit(Op::reshape, {turned}, kernel.type(square));
    }
    static int64_t barriers(const Steps& steps) {
        int64_t count = 0;
        for (const Step& step : steps) {
            count += step.barrier_before;
            for (const Steps& block : step.blocks) count += barriers(block);
        }
        return count;
    }

    Kernel legal_{"none"};
};

TEST_F(BlockedPlanTest, VectorsFill16BytesAndServeAllThreads) {
    Value lanes = offsets(1024);
    store(at(out, lanes), load(at(x, lanes)));
    for (auto [warps, vector] : {std::pair(1, 4), {4, 4}, {8, 4}, {16, 2}, {32, 1}}) {
        BlockedPlan made = plan(warps);
        EXPECT_EQ(made.threads, 32 * warps);
        EXPECT_EQ(made.vector(1024), vector) << warps;
        EXPECT_EQ(made.lanes_each(1024), 1024 / made.threads);
        EXPECT_EQ(made.vector_accesses.size(), vector == 1 ? 0u : 2u);
    }
}

TEST_F(BlockedPlanTest, TheNarrowestElementDecidesAndOddWidthsHalve) {
    Value bytes = pointer("bytes", Scalar::i8);
    Value lanes = arange(0, 2048), few = arange(0, 300);
    store(at(bytes, lanes), cast(load(at(x, lanes)), Scalar::i8));
    store(at(out, few), f32(1));
    EXPECT_EQ(plan(4).vector(2048), 16);
    EXPECT_EQ(plan(4).vector(300), 2);  // 300 / 128 threads
    EXPECT_EQ(plan(1).vector(300), 4);
    EXPECT_EQ(plan(1).rounds(300), 3);
}

TEST_F(BlockedPlanTest, OneWidthOf256IsLanesUnlessAsked) {
    Value lanes = offsets(256);
    store(at(out, lanes), load(at(x, lanes)));
    EXPECT_TRUE(std::holds_alternative<LanePlan>(plan_cuda(legalise(kernel))));
    kernel.set_options({.num_warps = 2});
    EXPECT_EQ(threads_of(plan_cuda(legalise(kernel))), 64);
    EXPECT_TRUE(std::holds_alternative<BlockedPlan>(plan_cuda(legalise(kernel))));
}

TEST_F(BlockedPlanTest, IndexArithmeticIsComputedAgainAndDataExchanged) {
    Value lanes = arange(0, 1024);
    Value turned = transposed(lanes, 32);
    store(at(out, turned), load(at(x, lanes)));
    BlockedPlan indices = plan();
    EXPECT_TRUE(indices.shared.empty());
    EXPECT_EQ(barriers(indices.strips.steps), 0);

    store(at(out, lanes), transposed(load(at(x, lanes)), 32));
    BlockedPlan data = plan();
    EXPECT_EQ(data.shared.size(), 1u);
    EXPECT_EQ(data.shared_bytes, 4096);
    EXPECT_EQ(data.dynamic_bytes(), 0);
    EXPECT_EQ(barriers(data.strips.steps), 1) << "serves the buffer and out, which both write";
}

TEST_F(BlockedPlanTest, BuffersOfDifferentTimesShareTheirPlace) {
    Value lanes = arange(0, 1024);
    Value value = load(at(x, lanes));
    for (int i = 0; i < 4; ++i) value = op(Op::exp, {transposed(value, 32)});
    store(at(out, lanes), value);
    BlockedPlan made = plan();
    EXPECT_EQ(made.shared.size(), 4u);
    EXPECT_EQ(made.shared_bytes, 2 * 4096);
    EXPECT_GE(barriers(made.strips.steps), 4);
}

TEST_F(BlockedPlanTest, WhatALoopNeedsFromOutsideKeepsItsPlace) {
    Value lanes = arange(0, 1024);
    Value before = op(Op::exp, {load(at(x, lanes))});
    Value outside = transposed(before, 32);
    store(at(out, lanes), outside);
    Inst loop{.op = Op::for_, .operands = {i32(0), n, i32(1)}};
    RegionId region = kernel.add_region();
    loop.regions = {region};
    kernel.append(0, loop);
    kernel.add_arg(region, kI32, kernel.next_number());
    target = region;
    Value inner = op(Op::exp, {load(at(x, lanes))});
    store(at(out, lanes), op(Op::add, {transposed(before, 32), transposed(inner, 32)}));
    kernel.append(region, Inst{.op = Op::yield});
    BlockedPlan made = plan();
    ASSERT_EQ(made.shared.size(), 2u);
    EXPECT_EQ(made.shared_bytes, 2 * 4096) << "the first is read in every round";
}

TEST_F(BlockedPlanTest, ReductionsOfAStageHaveOneWordAWarpEach) {
    Value lanes = arange(0, 1024);
    Value value = load(at(x, lanes));
    Value sum = op(Op::sum, {value}), most = op(Op::max, {value});
    store(out, op(Op::add, {sum, most}));
    BlockedPlan made = plan(2);
    EXPECT_EQ(made.words.size(), 2u);
    EXPECT_EQ(made.warps(), 2);
    std::string text = emit_blocked(legal_, made).text;
    EXPECT_EQ(text.find("__syncthreads", text.find("__syncthreads") + 1), std::string::npos)
        << "one barrier for both\n"
        << text;
    EXPECT_NE(text.find("if (threadIdx.x == 0) {\n        out[0] = "), std::string::npos) << text;
}

TEST_F(BlockedPlanTest, MoreThanThereIsNamesTheBlocks) {
    Value lanes = arange(0, 1 << 16);
    store(at(out, lanes), transposed(load(at(x, lanes)), 256));
    EXPECT_EQ(message_of<CompileError>([&] { plan(); }),
              "CUDA lowering needs 262144 bytes of shared memory for blocks whose lanes change "
              "places, and there are 229376: vector<65536 x f32>; use smaller blocks");
    HandBuilt wide;
    Value y = wide.pointer("y");
    Value all = wide.arange(0, 1 << 20);
    Value value = wide.load(wide.at(y, all));
    wide.store(wide.at(y, all), wide.op(Op::div, {value, wide.op(Op::sum, {value})}));
    wide.kernel.set_options({.num_warps = 1});
    EXPECT_EQ(message_of<CompileError>([&] { plan_blocked(legalise(wide.kernel)); }),
              "CUDA lowering needs 131072 bytes for the blocks that each of 32 threads keeps a "
              "share of, and there are 65536: vector<1048576 x f32>; use smaller blocks or more "
              "num_warps");
}

TEST_F(BlockedPlanTest, SharedMemoryAbove44KilobytesIsAskedForAtTheLaunch) {
    Value lanes = arange(0, 1 << 14);
    store(at(out, lanes), transposed(load(at(x, lanes)), 128));
    EXPECT_EQ(dynamic_bytes_of(plan_cuda(legalise(kernel))), 65536);
    EXPECT_EQ(dynamic_bytes_of(CudaPlan(LanePlan{})), 0);
}

}  // namespace
}  // namespace mytriton
