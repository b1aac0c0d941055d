// From trace to SSA: the order of lowering, and expressions far deeper than any call stack.
#include "front/lower.h"

#include <gtest/gtest.h>

#include <ctime>

#include "cpu/emit.h"
#include "cuda/emit.h"
#include "front/trace.h"
#include "hand_built.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "plan/lanes.h"
#include "plan/legalise.h"
#include "plan/strips.h"

namespace mytriton {
namespace {

// A trace with shorter names for what these tests use.
class Traced : public Trace {
  public:
    Traced() : Trace("k") {}
    NodeId x = param("x", Type::pointer(Scalar::f32));
    NodeId out = param("out", Type::pointer(Scalar::f32));
    NodeId n = param("n", kI32);

    NodeId op(Op op, NodeId a, NodeId b) { return apply(op, {a, b}, {}); }
    NodeId op(Op op, NodeId a) { return apply(op, {a}, {}); }
    NodeId i32(int64_t value) { return int_constant(value); }
    NodeId lanes(int64_t width) { return arange(0, width, {}); }
    NodeId read(NodeId pointer, NodeId mask = kNoNode, NodeId other = kNoNode) {
        return load(pointer, mask, other, {}, {});
    }
    void write(NodeId pointer, NodeId value, NodeId mask = kNoNode) {
        store(pointer, value, mask, {}, {});
    }
    std::string lowered() const {
        Kernel kernel = lower(graph());
        verify(kernel);
        return print_body(kernel);
    }
};

// --- order ---------------------------------------------------------------------------------------

TEST(Lower, AddKernelAsInTheContract) {
    Trace t("add_kernel");
    NodeId x = t.param("x", Type::pointer(Scalar::f32)),
           y = t.param("y", Type::pointer(Scalar::f32));
    NodeId out = t.param("out", Type::pointer(Scalar::f32)), n = t.param("n", kI32);
    NodeId start = t.apply(Op::mul, {t.program_id(0, {}), t.int_constant(256)}, {});
    NodeId offsets = t.apply(Op::add, {start, t.arange(0, 256, {})}, {});
    NodeId mask = t.apply(Op::cmp_lt, {offsets, n}, {});
    NodeId zero = t.float_constant(0.0);
    NodeId x_values = t.load(t.apply(Op::add, {x, offsets}, {}), mask, zero, {}, {});
    NodeId y_values = t.load(t.apply(Op::add, {y, offsets}, {}), mask, zero, {}, {});
    NodeId sum = t.apply(Op::add, {x_values, y_values}, {});
    t.store(t.apply(Op::add, {out, offsets}, {}), sum, mask, {}, {});

    Kernel kernel = lower(t.graph());
    EXPECT_EQ(print_kernel(kernel),
              R"(kernel add_kernel(x: ptr<f32>, y: ptr<f32>, out: ptr<f32>, n: i32) {
    %0 = program_id {axis=0} : i32
    %1 = mul %0, 256 : i32
    %2 = arange {start=0, end=256} : vector<256 x i32>
    %3 = add %1, %2 : vector<256 x i32>
    %4 = addptr x, %3 : vector<256 x ptr<f32>>
    %5 = cmp_lt %3, n : vector<256 x bool>
    %6 = load %4, %5, 0.0 : vector<256 x f32>
    %7 = addptr y, %3 : vector<256 x ptr<f32>>
    %8 = load %7, %5, 0.0 : vector<256 x f32>
    %9 = add %6, %8 : vector<256 x f32>
    %10 = addptr out, %3 : vector<256 x ptr<f32>>
    store %10, %9, %5
})");
    EXPECT_EQ(print_body(run_passes(kernel)), print_body(kernel)) << "nothing to improve";
}

TEST(Lower, ALoadLowersPointerThenMaskThenFallback) {
    Traced t;
    NodeId other = t.op(Op::exp, t.float_constant(1));
    NodeId mask = t.op(Op::cmp_lt, t.n, t.i32(5));
    NodeId pointer = t.op(Op::add, t.x, t.n);
    t.read(pointer, mask, other);
    EXPECT_EQ(t.lowered(),
              "%0 = addptr x, n : ptr<f32>\n"
              "%1 = cmp_lt n, 5 : bool\n"
              "%2 = exp 1.0 : f32\n"
              "%3 = load %0, %1, %2 : f32");
}

TEST(Lower, AStoreLowersValueThenPointerThenMask) {
    Traced t;
    NodeId mask = t.op(Op::cmp_lt, t.n, t.i32(5));
    NodeId pointer = t.op(Op::add, t.out, t.n);
    t.write(pointer, t.op(Op::exp, t.float_constant(1)), mask);
    EXPECT_EQ(t.lowered(),
              "%0 = exp 1.0 : f32\n"
              "%1 = addptr out, n : ptr<f32>\n"
              "%2 = cmp_lt n, 5 : bool\n"
              "store %1, %0, %2");
}

TEST(Lower, OperandsAreLoweredFromTheLeftWhateverTheTraceOrder) {
    Traced t;
    NodeId right = t.op(Op::neg, t.n);
    NodeId left = t.op(Op::mul, t.n, t.i32(2));
    t.write(t.out, t.op(Op::sub, left, right));
    EXPECT_EQ(t.lowered(),
              "%0 = mul n, 2 : i32\n%1 = neg n : i32\n%2 = sub %0, %1 : i32\nstore out, %2, none");
}

TEST(Lower, LoadsAndStoresKeepProgramOrder) {
    Traced t;
    NodeId before = t.read(t.x);
    t.write(t.x, t.float_constant(1));
    NodeId after = t.read(t.x);
    t.read(t.out);  // unused, but a statement
    t.write(t.out, t.op(Op::sub, after, before));
    EXPECT_EQ(t.lowered(),
              "%0 = load x, none, none : f32\n"
              "store x, 1.0, none\n"
              "%1 = load x, none, none : f32\n"
              "%2 = load out, none, none : f32\n"
              "%3 = sub %1, %0 : f32\n"
              "store out, %3, none");
}

TEST(Lower, UnusedExpressionsAreNeverLowered) {
    Traced t;
    t.op(Op::exp, t.float_constant(1));
    t.write(t.out, t.n);
    EXPECT_EQ(t.lowered(), "store out, n, none");
}

TEST(Lower, InstructionsKeepTheirSourceLocation) {
    Traced t;
    t.store(t.out, t.apply(Op::neg, {t.n}, {"kernel.py", 3, 3, 8, 10}), kNoNode, {},
            {"kernel.py", 4, 4, 0, 20});
    Kernel kernel = lower(t.graph());
    std::vector<int> lines;
    for (InstId id : kernel.body()) lines.push_back(kernel.locs()[kernel.inst(id).loc].line);
    EXPECT_EQ(lines, (std::vector<int>{3, 4}));
}

// --- depth ---------------------------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSeconds = 20;
#else
constexpr double kSeconds = 2;
#endif
constexpr int kDeep = 10'000;

// Sends a trace through every stage; all of it together has kSeconds of the processor.
class Deep : public testing::Test {
  protected:
    Traced t;

    // The instructions that are left.
    size_t compile() {
        Kernel kernel = run_passes(lower(t.graph()));
        print_body(kernel);
        print_graph(t.graph());
        Kernel legal = legalise(kernel);
        LanePlan lanes = plan_lanes(legal);
        StripPlan strips = plan_strips(legal);
        print_plan(legal, lanes);
        print_plan(legal, strips);
        emit_cuda(legal, lanes);
        emit_cpu(legal, strips);
        return kernel.body().size();
    }

    ~Deep() override {
        double taken = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
        EXPECT_LT(taken, kSeconds) << "some stage is far from linear";
    }

  private:
    std::clock_t start_ = std::clock();
};

TEST_F(Deep, ChainOfBlocks) {
    NodeId offsets = t.lanes(64);
    NodeId value = t.read(t.op(Op::add, t.x, offsets));
    for (int i = 0; i < kDeep; ++i) value = t.op(i % 2 ? Op::mul : Op::add, value, value);
    t.write(t.op(Op::add, t.out, offsets), value);
    EXPECT_GT(compile(), size_t{kDeep});
}

TEST_F(Deep, ChainWithADifferentConstantInEveryLink) {
    NodeId offsets = t.lanes(64);
    NodeId value = t.read(t.op(Op::add, t.x, offsets));
    for (int i = 0; i < kDeep; ++i) value = t.op(Op::add, value, t.float_constant(i + 0.5));
    t.write(t.op(Op::add, t.out, offsets), value);
    EXPECT_GT(compile(), size_t{kDeep});
}

TEST_F(Deep, ChainOfIndices) {
    NodeId offsets = t.lanes(64);
    for (int i = 0; i < kDeep; ++i) offsets = t.op(Op::add, offsets, t.n);
    t.write(t.op(Op::add, t.out, offsets), t.read(t.op(Op::add, t.x, offsets)));
    EXPECT_GT(compile(), size_t{kDeep});
}

TEST_F(Deep, ChainOfMasks) {
    NodeId offsets = t.lanes(64), mask = t.op(Op::cmp_lt, offsets, t.n);
    for (int i = 0; i < kDeep; ++i)
        mask = t.op(Op::bit_and, mask, t.op(Op::cmp_lt, t.op(Op::add, offsets, t.i32(i)), t.n));
    t.write(t.op(Op::add, t.out, offsets), t.read(t.op(Op::add, t.x, offsets), mask), mask);
    EXPECT_GT(compile(), size_t{kDeep});
}

TEST_F(Deep, MaskConjoinedWithItself) {
    NodeId offsets = t.lanes(64), mask = t.op(Op::cmp_lt, offsets, t.n);
    for (int i = 0; i < 100; ++i) mask = t.op(Op::bit_and, mask, mask);  // 2 ** 100 paths
    t.write(t.op(Op::add, t.out, offsets), t.n, mask);
    EXPECT_GT(compile(), 100u);
}

TEST_F(Deep, ChainOfPointers) {
    NodeId pointer = t.op(Op::add, t.x, t.lanes(64));
    for (int i = 0; i < kDeep; ++i) pointer = t.op(Op::add, pointer, t.n);
    t.write(t.op(Op::add, t.out, t.lanes(64)), t.read(pointer));
    EXPECT_GT(compile(), size_t{kDeep});
}

TEST_F(Deep, ChainOfScalars) {
    NodeId value = t.read(t.x);
    for (int i = 0; i < kDeep; ++i) value = t.op(Op::exp, value);
    t.write(t.out, value);
    EXPECT_GT(compile(), size_t{kDeep});
}

TEST_F(Deep, ManyLoadsAndStoresOfOneBase) {
    NodeId offsets = t.lanes(64);
    for (int i = 0; i < kDeep / 2; ++i) {
        NodeId pointer = t.op(Op::add, t.x, t.op(Op::add, offsets, t.i32(64 * i)));
        t.write(pointer, t.op(Op::neg, t.read(pointer)));
    }
    EXPECT_GT(compile(), size_t{kDeep});
}

TEST_F(Deep, ManyReductionsInARow) {
    NodeId offsets = t.lanes(64);
    NodeId value = t.read(t.op(Op::add, t.x, offsets));
    for (int i = 0; i < kDeep / 10; ++i) value = t.op(Op::sub, value, t.op(Op::sum, value));
    t.write(t.op(Op::add, t.out, offsets), value);
    EXPECT_GT(compile(), size_t{kDeep / 10});
}

TEST_F(Deep, ConstantsThatFoldToOne) {
    NodeId value = t.i32(1);
    for (int i = 0; i < kDeep; ++i) value = t.op(Op::add, value, t.i32(1));
    t.write(t.out, value);
    EXPECT_EQ(compile(), 1u);
}

}  // namespace
}  // namespace mytriton
