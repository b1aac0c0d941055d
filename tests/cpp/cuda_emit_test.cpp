// The CUDA text of what whole-kernel tests do not reach: addresses, literals, overflow, names,
// barriers, reductions.
#include "cuda/emit.h"

#include <gtest/gtest.h>

#include <limits>

#include "hand_built.h"
#include "ir/parse.h"
#include "plan/legalise.h"

namespace mytriton {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::string cuda(const Kernel& kernel) {
    Kernel legal = legalise(kernel);
    return emit_cuda(legal, plan_lanes(legal)).text;
}

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

class CudaEmit : public testing::Test, public HandBuilt {
  protected:
    Value x = pointer("x"), out = pointer("out"), n = param("n", Scalar::i32);

    std::string text() const { return cuda(kernel); }
    std::string body() const {
        std::string all = text();
        size_t from = all.find(") {\n", all.find("extern \"C\"")) + 4;
        return all.substr(from, all.size() - 1 - from);
    }
};

// --- addresses -----------------------------------------------------------------------------------

TEST_F(CudaEmit, NestedConstantOffsetsAreSummedInPlace) {
    store(at(at(out, i32(1)), i32(2)), f32(1));
    store(at(at(at(out, i32(1)), i32(-2)), i32(3)), f32(1));
    EXPECT_EQ(body(), "    out[(1 + 2)] = 1.0f;\n    out[((1 + -2) + 3)] = 1.0f;\n");
}

TEST_F(CudaEmit, ScalarLoadAndStoreOfTheParameterItself) {
    store(out, load(x));
    EXPECT_EQ(text(),
              "extern \"C\" __global__\n"
              "void k(float* x, float* out, int n) {\n"
              "    float v0 = (true ? x[0] : 0.0f);\n"
              "    out[0] = v0;\n"
              "}");
}

TEST_F(CudaEmit, RunTimeOffsetsAreSummedIn64Bits) {
    Value lanes = arange(0, 32);
    store(at(at(out, n), lanes), f32(1));
    store(at(at(out, i32(5)), lanes), f32(2));
    store(at(out, lanes), f32(3));
    EXPECT_EQ(body(),
              "    int v0 = threadIdx.x;\n"
              "    out[((long long)n + v0)] = 1.0f;\n"
              "    __syncthreads();\n"
              "    out[((long long)5 + v0)] = 2.0f;\n"
              "    __syncthreads();\n"
              "    out[v0] = 3.0f;\n");
}

TEST_F(CudaEmit, ConstantOffsetsThatPassAnIntAreSummedIn64Bits) {
    store(at(at(out, i32(INT32_MAX)), i32(1)), f32(1));
    // The end fits again, the way there does not.
    store(at(at(at(out, i32(INT32_MAX)), i32(1)), i32(-1)), f32(1));
    store(at(at(out, i32(INT32_MAX)), i32(INT32_MIN)), f32(1));
    EXPECT_EQ(body(),
              "    out[((long long)2147483647 + 1)] = 1.0f;\n"
              "    out[(((long long)2147483647 + 1) + -1)] = 1.0f;\n"
              "    out[(2147483647 + (-2147483647 - 1))] = 1.0f;\n");
}

// --- leaves --------------------------------------------------------------------------------------

TEST_F(CudaEmit, RangesThatDoNotStartAtZero) {
    store(at(out, arange(4, 8)), f32(1));
    EXPECT_EQ(body(), "    int v0 = (4 + threadIdx.x);\n    out[v0] = 1.0f;\n");
    HandBuilt b;
    b.store(b.at(b.pointer("p"), b.arange(-3, 8)), b.f32(1));
    EXPECT_EQ(count(cuda(b.kernel), "int v0 = (-3 + threadIdx.x);"), 1);
}

TEST_F(CudaEmit, GridAxes) {
    Value y = program_id(1), z = program_id(2);
    Value columns = emit(Op::num_programs, {}, kI32, {{AttrKey::axis, 0}});
    store(at(at(at(out, y), z), columns), f32(1));
    EXPECT_EQ(body(),
              "    int v0 = blockIdx.y;\n"
              "    int v1 = blockIdx.z;\n"
              "    int v2 = gridDim.x;\n"
              "    out[(((long long)v0 + v1) + v2)] = 1.0f;\n");
}

TEST_F(CudaEmit, FloatsWithoutALiteral) {
    store(out, f32(kInf));
    store(out, f32(-kInf));
    store(out, kernel.constant(kF32, 0x7fc00000));
    store(out, f32(1e-5f));
    EXPECT_EQ(body(),
              "    out[0] = __int_as_float(0x7f800000);\n"
              "    out[0] = (-__int_as_float(0x7f800000));\n"
              "    out[0] = __int_as_float(0x7fc00000);\n"
              "    out[0] = 1e-05f;\n");
}

TEST_F(CudaEmit, BoolsAreBytesInMemory) {
    Value flags = pointer("flags", Scalar::boolean), on = param("on", Scalar::boolean);
    Value flag = load(flags, on);
    store(flags, op(Op::bit_and, {flag, on}), flag);
    EXPECT_EQ(text(),
              "extern \"C\" __global__\n"
              "void k(float* x, float* out, int n, unsigned char* flags, bool on) {\n"
              "    bool v0 = (on ? (flags[0] != 0) : false);\n"
              "    bool v1 = (v0 & on);\n"
              "    if (v0) {\n"
              "        flags[0] = v1;\n"
              "    }\n"
              "}");
}

TEST_F(CudaEmit, Conversions) {
    Value whole = cast(load(x), Scalar::i32);
    Value on = cast(whole, Scalar::boolean);
    store(out, op(Op::select, {on, whole, n}));
    EXPECT_EQ(body(),
              "    float v0 = (true ? x[0] : 0.0f);\n"
              "    int v1 = __float2int_rz(v0);\n"
              "    bool v2 = ((v1) != 0);\n"
              "    int v3 = (v2 ? v1 : n);\n"
              "    float v4 = (float)(v3);\n"
              "    out[0] = v4;\n");
}

// --- overflow ------------------------------------------------------------------------------------

TEST_F(CudaEmit, IndexArithmeticIsPrintedPlainly) {
    Value index = op(Op::sub, {op(Op::neg, {offsets(64)}), i32(1)});
    store(at(out, index), f32(1));
    EXPECT_EQ(body(),
              "    int v0 = blockIdx.x;\n"
              "    int v1 = (v0 * 64);\n"
              "    int v2 = threadIdx.x;\n"
              "    int v3 = (v1 + v2);\n"
              "    int v4 = -(v3);\n"
              "    int v5 = (v4 - 1);\n"
              "    out[v5] = 1.0f;\n");
}

TEST_F(CudaEmit, OtherIntegersWrapThroughUnsigned) {
    Value up = op(Op::add, {n, i32(1)});
    Value product = op(Op::mul, {up, program_id()});
    Value negated = op(Op::neg, {op(Op::sub, {product, i32(INT32_MIN)})});
    store(out, op(Op::select, {op(Op::cmp_gt, {up, n}), negated, n}));
    std::string lines = body();
    EXPECT_EQ(lines.substr(0, lines.find("    float")),
              "    int v0 = (int)((unsigned)n + (unsigned)1);\n"
              "    int v1 = blockIdx.x;\n"
              "    int v2 = (int)((unsigned)v0 * (unsigned)v1);\n"
              "    int v3 = (int)((unsigned)v2 - (unsigned)(-2147483647 - 1));\n"
              "    int v4 = (int)-((unsigned)v3);\n"
              "    bool v5 = (v0 > n);\n"
              "    int v6 = (v5 ? v4 : n);\n");
}

TEST_F(CudaEmit, FloatsAndBitsNeverGoThroughUnsigned) {
    store(out, op(Op::neg, {op(Op::add, {load(x), f32(1)})}));
    store(out, op(Op::bit_xor, {n, op(Op::bit_not, {n})}));
    EXPECT_EQ(count(text(), "unsigned"), 0) << text();
    EXPECT_EQ(count(text(), "float v2 = -(v1);"), 1);
}

TEST_F(CudaEmit, DivisionThatCannotTrapBringsItsHelperOnce) {
    store(out, op(Op::div, {op(Op::div, {n, i32(3)}), n}));
    EXPECT_EQ(count(text(), "static __device__ int idiv(int a, int b) {"), 1);
    EXPECT_EQ(count(text(), "irem"), 0);
    EXPECT_EQ(count(text(), "int v0 = idiv(n, 3);"), 1);
    HandBuilt floats;
    floats.store(floats.pointer("p"),
                 floats.op(Op::div, {floats.param("a", Scalar::f32), floats.f32(3)}));
    EXPECT_EQ(count(cuda(floats.kernel), "idiv"), 0);
}

// --- names ---------------------------------------------------------------------------------------

TEST(CudaNames, NamesThatWouldNotCompileAreChangedEverywhere) {
    HandBuilt b;
    b.kernel = Kernel("größe");
    Value in = b.pointer("register"), out = b.pointer("v0"), n = b.param("threadIdx", Scalar::i32);
    b.store(out, b.op(Op::add, {b.load(in), n}));
    EXPECT_EQ(cuda(b.kernel),
              "extern \"C\" __global__\n"
              "void gr_c3_b6_c3_9fe(float* p_register, float* p_v0, int p_threadIdx) {\n"
              "    float v0 = (true ? p_register[0] : 0.0f);\n"
              "    float v2 = (float)(p_threadIdx);\n"
              "    float v1 = (v0 + v2);\n"
              "    p_v0[0] = v1;\n"
              "}");
    EXPECT_EQ(cuda_entry(b.kernel), "gr_c3_b6_c3_9fe");
}

TEST(CudaNames, AKernelOverloadsNoFunctionOfCudaAndParametersMayHideThem) {
    for (std::string name : {"norm", "normf", "hypot", "dim3", "expf", "int"}) {
        HandBuilt b;
        b.kernel = Kernel(name);
        Value to = b.pointer("y1");
        b.store(to, b.param("norm", Scalar::f32));
        EXPECT_EQ(cuda_entry(b.kernel), "p_" + name);
        EXPECT_EQ(count(cuda(b.kernel), "void p_" + name + "(float* y1, float norm) {"), 1);
    }
    EXPECT_EQ(cuda_entry(Kernel("norm_kernel")), "norm_kernel");
}

// --- memory order --------------------------------------------------------------------------------

TEST_F(CudaEmit, OneThreadStoresAScalarUnderItsMask) {
    Value total = op(Op::sum, {load(at(x, arange(0, 64)))});
    store(out, total);
    store(at(out, i32(1)), total, op(Op::cmp_lt, {n, i32(5)}));
    std::string lines = body();
    EXPECT_EQ(count(lines, "    if (threadIdx.x == 0) {\n        out[0] = v3;\n    }\n"), 1)
        << lines;
    EXPECT_EQ(count(lines, "    if (threadIdx.x == 0 && v4) {\n        out[1] = v3;\n    }\n"), 1)
        << lines;
}

TEST_F(CudaEmit, BarriersStandWhereThePlanHasThem) {
    Value lanes = arange(0, 64);
    Value value = load(at(x, op(Op::sub, {i32(63), lanes})));
    store(at(x, lanes), value);
    EXPECT_EQ(body(),
              "    int v0 = threadIdx.x;\n"
              "    int v1 = (63 - v0);\n"
              "    float v3 = (true ? x[v1] : 0.0f);\n"
              "    __syncthreads();\n"
              "    x[v0] = v3;\n");
}

// --- reductions ----------------------------------------------------------------------------------

TEST_F(CudaEmit, EachKindOfReductionHasOneHelperAndEachOneItsWords) {
    Value lanes = arange(0, 100);
    Value values = load(at(x, lanes));
    Value first = op(Op::sum, {values}), second = op(Op::sum, {op(Op::mul, {values, values})});
    Value largest = op(Op::max, {lanes});
    store(out, op(Op::add, {op(Op::add, {first, second}), largest}));
    std::string all = text();
    EXPECT_EQ(count(all, "static __device__ float mt_sum_f32(float value, float* warps) {"), 1);
    EXPECT_EQ(count(all, "static __device__ int mt_max_i32(int value, int* warps) {"), 1);
    EXPECT_EQ(count(all, "static __device__"), 2);
    EXPECT_EQ(count(all,
                    "    __shared__ float mt_warps0[4];\n"
                    "    __shared__ float mt_warps1[4];\n"
                    "    __shared__ int mt_warps2[4];\n"),
              1);
    EXPECT_EQ(count(all, " = mt_sum_f32(v2, mt_warps0);"), 1) << all;
    EXPECT_EQ(count(all, " = mt_sum_f32(v4, mt_warps1);"), 1) << all;
    EXPECT_EQ(count(all, " = mt_max_i32(v0, mt_warps2);"), 1) << all;
    // The last warp has 100 - 96 = 4 lanes, which the helper computes from the block's size.
    EXPECT_EQ(count(all, "const int width = 100 - warp * 32 < 32 ? 100 - warp * 32 : 32;"), 2);
    EXPECT_EQ(count(all, "for (int i = 1; i < 4; ++i) {"), 2);
}

TEST_F(CudaEmit, ReductionsCombineAsTheirRowSays) {
    Value lanes = arange(0, 32);
    store(out, op(Op::sum, {lanes}));
    store(out, op(Op::min, {load(at(x, lanes))}));
    EXPECT_EQ(count(text(), "value = (int)((unsigned)value + (unsigned)other);"), 2);
    EXPECT_EQ(count(text(),
                    "value = (isnan(value) ? (value) : (isnan(other) ? (other) : "
                    "((value) < (other) ? (value) : (other))));"),
              2)
        << "within a warp and across warps";
}

// --- regions -------------------------------------------------------------------------------------

TEST(CudaRegions, EachLineComesFromThePlaceOfItsOp) {
    Kernel kernel = parse_kernel(
        "kernel k(x: ptr<f32>, n: i32) {\n"
        "    %1 = for %0 in range(0, n, 2) iter_args(%2 = 0.0) : f32 loc(\"k.py\":1:1:1:2) {\n"
        "        %3 = add %2, 1.0 : f32 loc(\"k.py\":2:1:2:2)\n"
        "        yield %3 loc(\"k.py\":3:1:3:2)\n"
        "    }\n"
        "    store x, %1, none loc(\"k.py\":4:1:4:2)\n"
        "}\n",
        "k.mt");
    SourceText out = emit_cuda(kernel, plan_lanes(kernel));
    std::vector<int> lines;
    for (LocId loc : out.locs) lines.push_back(kernel.locs()[loc].line);
    EXPECT_EQ(lines, (std::vector<int>{0, 0, 1, 1, 1, 1, 2, 3, 1, 4, 0})) << out.text;
}

}  // namespace
}  // namespace mytriton
