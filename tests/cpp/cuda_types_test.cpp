// CUDA text of types other than i32, f32 and bool: device functions, names of f64, wrapping,
// conversions and addresses.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "cuda/device.h"
#include "cuda/emit.h"
#include "hand_built.h"
#include "ir/conversion.h"
#include "ir/print.h"
#include "plan/legalise.h"

namespace mytriton {
namespace {

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

class CudaTypes : public testing::Test, public HandBuilt {
  protected:
    std::string text() const {
        Kernel legal = legalise(kernel);
        return emit_cuda(legal, plan_lanes(legal)).text;
    }
    // The text from the kernel's head on, and what stands above it.
    std::string body() const {
        std::string all = text();
        return all.substr(all.find(") {\n", all.find("extern \"C\"")) + 4);
    }
    std::string above() const {
        std::string all = text();
        return all.substr(0, all.find("extern \"C\""));
    }
    // Stores the value where its type allows it.
    void keep(Value value) {
        std::string name = "out" + std::to_string(kernel.params().size());
        store(pointer(name, kernel.type(value).scalar()), value);
    }
};

// An elementwise row on parameters x, y and z, and the device functions it needs.
std::string row(Op op, Scalar scalar, DeviceFunctions& functions, bool may_overflow = true) {
    return device_expression(op, scalar, may_overflow, {"x", "y", "z"}, functions);
}
std::string row(Op op, Scalar scalar, bool may_overflow = true) {
    DeviceFunctions functions;
    return row(op, scalar, functions, may_overflow);
}
std::string conversion(Op op, Scalar from, Scalar to) {
    DeviceFunctions functions;
    return device_conversion(op, from, to, "x", functions);
}

// --- halves --------------------------------------------------------------------------------------

TEST_F(CudaTypes, HalvesAreTheirBits) {
    Value in = pointer("in", Scalar::f16), h = param("h", Scalar::f16);
    store(in, op(Op::add, {load(in), h}));
    store(in, kernel.constant(Type::scalar(Scalar::f16), 0xfc00));
    std::string all = text();
    EXPECT_TRUE(all.starts_with("// The bits of a float.\ntypedef unsigned short f16;\n")) << all;
    EXPECT_EQ(count(all, "typedef"), 1);
    EXPECT_EQ(count(all, "static __device__ float f16_to_f32(f16 a) {"), 1);
    EXPECT_EQ(count(all, "static __device__ f16 f32_to_f16(float a) {"), 1);
    EXPECT_EQ(count(all, "void k(f16* in, f16 h) {"), 1);
    EXPECT_EQ(body(),
              "    f16 v0 = (true ? in[0] : 0x0000);\n"
              "    float v2 = f16_to_f32(v0);\n"
              "    float v3 = f16_to_f32(h);\n"
              "    float v4 = (v2 + v3);\n"
              "    f16 v1 = f32_to_f16(v4);\n"
              "    in[0] = v1;\n"
              "    in[0] = 0xfc00;\n"
              "}");
}

TEST_F(CudaTypes, BothHalvesAreDefinedWhereBothOccur) {
    keep(cast(param("h", Scalar::f16), Scalar::bf16));
    std::string all = above();
    for (const char* part : {"typedef unsigned short f16;", "typedef unsigned short bf16;",
                             "float f16_to_f32(f16 a)", "bf16 f32_to_bf16(float a)"})
        EXPECT_EQ(count(all, part), 1) << part;
    size_t first_function = all.find("static __device__");
    EXPECT_LT(all.rfind("typedef"), first_function) << "types before what uses them";
}

TEST_F(CudaTypes, ASelectOfHalvesNeedsNoFunction) {
    Value h = param("h", Scalar::bf16);
    keep(op(Op::select, {param("on", Scalar::boolean), h, h}));
    EXPECT_EQ(count(text(), "__device__"), 0);
    EXPECT_EQ(count(text(), "bf16 v0 = (on ? h : h);"), 1);
}

// --- names of f64 --------------------------------------------------------------------------------

TEST(CudaRows, FunctionsOfF64HaveNoFBehindTheirName) {
    EXPECT_EQ(row(Op::exp, Scalar::f32), "expf(x)");
    EXPECT_EQ(row(Op::exp, Scalar::f64), "exp(x)");
    EXPECT_EQ(row(Op::pow, Scalar::f64), "pow(x, y)");
    EXPECT_EQ(row(Op::abs, Scalar::f64), "fabs(x)");
    EXPECT_EQ(row(Op::fma, Scalar::f64), "fma(x, y, z)");
    EXPECT_EQ(row(Op::fmod, Scalar::f64), "fmod(x, y)");
    EXPECT_EQ(row(Op::isinf, Scalar::f64), "isinf(x)") << "an f that belongs to the name";
    EXPECT_EQ(row(Op::erf, Scalar::f64), "erf(x)");
    EXPECT_EQ(row(Op::isfinited, Scalar::f64), "isfinite(x)");
    EXPECT_EQ(row(Op::sigmoid, Scalar::f64), "sigmoid(x)");
    EXPECT_EQ(row(Op::add, Scalar::f64), "(x + y)");
    const std::regex call_with_f("[a-z0-9]f\\(");
    for (int i = 0; i < op_count(); ++i) {
        Op op = static_cast<Op>(i);
        if (info(op).kind != OpKind::pure || !accepts(op, Scalar::f64) || op == Op::isinf ||
            op == Op::erf)
            continue;
        DeviceFunctions functions;
        std::string all = row(op, Scalar::f64, functions);
        EXPECT_FALSE(std::regex_search(all, call_with_f)) << all;
        for (const std::string& function : functions) {
            EXPECT_FALSE(std::regex_search(function, call_with_f)) << function;
            EXPECT_EQ(count(function, "float"), 0) << function;
        }
    }
}

// --- ints ----------------------------------------------------------------------------------------

TEST(CudaRows, ArithmeticThatMayOverflowGoesThroughUnsigned) {
    EXPECT_EQ(row(Op::add, Scalar::i32), "(int)((unsigned)x + (unsigned)y)");
    EXPECT_EQ(row(Op::add, Scalar::i64),
              "(long long)((unsigned long long)x + (unsigned long long)y)");
    EXPECT_EQ(row(Op::neg, Scalar::i64), "(long long)-((unsigned long long)x)");
    EXPECT_EQ(row(Op::mul, Scalar::u32), "(x * y)") << "wraps by itself";
    EXPECT_EQ(row(Op::mul, Scalar::u64), "(x * y)");
    EXPECT_EQ(row(Op::mul, Scalar::u16), "((unsigned)x * (unsigned)y)") << "int is too small";
    EXPECT_EQ(row(Op::mul, Scalar::i16), "(x * y)") << "int holds every product";
    EXPECT_EQ(row(Op::mul, Scalar::u8), "(x * y)");
    EXPECT_EQ(row(Op::add, Scalar::i32, false), "(x + y)");
    EXPECT_EQ(row(Op::add, Scalar::f64), "(x + y)");
    EXPECT_EQ(row(Op::add, Scalar::boolean), "(x != y)");
    EXPECT_EQ(row(Op::bit_and, Scalar::i64), "(x & y)");
}

TEST(CudaRows, EveryIntTypeHasItsOwnDeviceFunctions) {
    for (Op op : {Op::div, Op::rem, Op::abs, Op::shl, Op::shr, Op::umulhi, Op::popc, Op::clz}) {
        std::set<std::string> seen;
        for (int i = 0; i < scalar_count(); ++i) {
            const ScalarInfo& type = info(static_cast<Scalar>(i));
            if (!type.is_int() || !accepts(op, type.scalar)) continue;
            DeviceFunctions functions;
            row(op, type.scalar, functions);
            ASSERT_EQ(functions.size(), 1u) << info(op).name << " of " << type.name;
            const std::string& text = *functions.begin();
            EXPECT_NE(text.find("(" + std::string(type.cxx) + " a"), text.npos) << text;
            EXPECT_EQ(text.find('$'), text.npos) << text;
            EXPECT_TRUE(seen.insert(text).second) << text;
            EXPECT_TRUE(!type.is_unsigned() || count(text, "b == -1") == 0) << text;
        }
    }
    DeviceFunctions functions;
    row(Op::umulhi, Scalar::i64, functions);
    EXPECT_EQ(count(*functions.begin(), "__umul64hi(a, b)"), 1);
}

TEST_F(CudaTypes, FunctionsOfTwoTypesStandSideBySide) {
    Value a = param("a", Scalar::i8), b = param("b", Scalar::u64);
    keep(op(Op::div, {a, a}));
    keep(op(Op::div, {b, b}));
    keep(op(Op::div, {b, kernel.constant(Type::scalar(Scalar::u64), 7)}));
    EXPECT_EQ(count(above(), "signed char idiv(signed char a, signed char b) {"), 1);
    EXPECT_EQ(count(above(), "unsigned long long idiv(unsigned long long a, "), 1);
    EXPECT_EQ(count(body(), "= idiv(b, 7ull);"), 1);
}

TEST_F(CudaTypes, ConstantsAndParametersHaveTheirTypes) {
    Value n = param("n", Scalar::i64), b = param("b", Scalar::u8);
    keep(op(Op::add, {n, kernel.constant(Type::scalar(Scalar::i64), bits_of(INT64_MIN))}));
    keep(op(Op::maximum, {b, kernel.constant(Type::scalar(Scalar::u8), 200)}));
    EXPECT_EQ(count(text(),
                    "void k(long long n, unsigned char b, long long* out2, "
                    "unsigned char* out3) {"),
              1)
        << text();
    EXPECT_EQ(count(body(),
                    "long long v0 = (long long)((unsigned long long)n + "
                    "(unsigned long long)(-9223372036854775807ll - 1));"),
              1);
    EXPECT_EQ(count(body(),
                    "unsigned char v1 = ((b) > ((unsigned char)200) ? (b) : "
                    "((unsigned char)200));"),
              1);
}

// --- conversions ---------------------------------------------------------------------------------

TEST(CudaConversions, FloatsBecomeIntsBySaturation) {
    EXPECT_EQ(conversion(Op::cast, Scalar::f32, Scalar::i32), "__float2int_rz(x)");
    EXPECT_EQ(conversion(Op::cast, Scalar::f32, Scalar::u32), "__float2uint_rz(x)");
    std::vector<std::tuple<Scalar, Scalar, std::string, std::string>> cases = {
        {Scalar::f32, Scalar::i64, "f32_to_i64(x)", "isnan(a) ? 0 : __float2ll_rz(a)"},
        {Scalar::f64, Scalar::i32, "f64_to_i32(x)", "isnan(a) ? 0 : __double2int_rz(a)"},
        {Scalar::f64, Scalar::u64, "f64_to_u64(x)", "isnan(a) ? 0 : __double2ull_rz(a)"},
        {Scalar::f32, Scalar::u8, "f32_to_u8(x)", "whole < 0 ? 0 : whole > 255 ? 255 : whole"},
        {Scalar::f64, Scalar::i16, "f64_to_i16(x)",
         "whole < -32768 ? -32768 : whole > 32767 ? 32767 : whole"},
    };
    for (const auto& [from, to, call, part] : cases) {
        DeviceFunctions functions;
        EXPECT_EQ(device_conversion(Op::cast, from, to, "x", functions), call);
        ASSERT_EQ(functions.size(), 1u);
        EXPECT_EQ(count(*functions.begin(), part), 1) << *functions.begin();
        EXPECT_EQ(count(*functions.begin(), "$"), 0) << *functions.begin();
    }
}

TEST(CudaConversions, EverySingleConversionHasAText) {
    for (int i = 0; i < scalar_count(); ++i)
        for (int j = 0; j < scalar_count(); ++j) {
            Scalar from = static_cast<Scalar>(i), to = static_cast<Scalar>(j);
            for (Op op : {Op::cast, Op::cast_rtz, Op::bitcast}) {
                if (!is_castable(op, Type::scalar(from), Type::scalar(to))) continue;
                if (op == Op::cast && conversion_step(from, to)) continue;
                DeviceFunctions functions;
                std::string text = device_conversion(op, from, to, "x", functions);
                EXPECT_NE(text.find('x'), text.npos);
                for (const std::string& function : functions)
                    EXPECT_EQ(function.find('$'), function.npos) << function;
            }
        }
}

TEST(CudaConversions, OfOtherKinds) {
    EXPECT_EQ(conversion(Op::cast, Scalar::f64, Scalar::f16), "f32_to_f16(f64_to_f32_odd(x))");
    EXPECT_EQ(conversion(Op::cast, Scalar::f64, Scalar::f32), "(float)(x)");
    EXPECT_EQ(conversion(Op::cast_rtz, Scalar::f64, Scalar::f32), "__double2float_rz(x)");
    EXPECT_EQ(conversion(Op::cast_rtz, Scalar::f64, Scalar::bf16),
              "f32_to_bf16_rtz(__double2float_rz(x))");
    EXPECT_EQ(conversion(Op::cast, Scalar::f64, Scalar::boolean), "((x) != 0.0)");
    EXPECT_EQ(conversion(Op::cast, Scalar::i64, Scalar::u8), "(unsigned char)(x)");
    EXPECT_EQ(conversion(Op::cast, Scalar::boolean, Scalar::f64), "(double)(x)");
    EXPECT_EQ(conversion(Op::bitcast, Scalar::f32, Scalar::i32), "__float_as_int(x)");
    EXPECT_EQ(conversion(Op::bitcast, Scalar::f32, Scalar::u32), "(unsigned)__float_as_int(x)");
    EXPECT_EQ(conversion(Op::bitcast, Scalar::u32, Scalar::f32), "__int_as_float((int)x)");
    EXPECT_EQ(conversion(Op::bitcast, Scalar::u64, Scalar::f64),
              "__longlong_as_double((long long)x)");
    EXPECT_EQ(conversion(Op::bitcast, Scalar::f64, Scalar::i64), "__double_as_longlong(x)");
    EXPECT_EQ(conversion(Op::bitcast, Scalar::f16, Scalar::i16), "(short)(x)");
    EXPECT_EQ(conversion(Op::bitcast, Scalar::f16, Scalar::bf16), "(bf16)(x)");
}

// --- addresses and reductions --------------------------------------------------------------------

TEST_F(CudaTypes, OffsetsOfOtherIntsAreUsedAsTheyAre) {
    Value x = pointer("x"), u = param("u", Scalar::u32), w = param("w", Scalar::i64);
    store(at(x, u), f32(1));
    store(at(at(x, u), w), f32(2));
    store(at(x, kernel.constant(Type::scalar(Scalar::i64), bits_of(int64_t{1} << 40))), f32(3));
    store(at(at(x, kernel.constant(Type::scalar(Scalar::u8), 200)), i32(INT32_MAX)), f32(4));
    EXPECT_EQ(body(),
              "    x[u] = 1.0f;\n"
              "    x[((long long)u + w)] = 2.0f;\n"
              "    x[1099511627776ll] = 3.0f;\n"
              "    x[((long long)(unsigned char)200 + 2147483647)] = 4.0f;\n"
              "}");
}

TEST_F(CudaTypes, ReductionsOfEachTypeHaveTheirOwnHelper) {
    for (Scalar scalar : {Scalar::i64, Scalar::u32, Scalar::f64, Scalar::i8})
        keep(op(Op::sum,
                {load(at(pointer("p" + std::string(info(scalar).name), scalar), arange(0, 64)))}));
    std::string all = text();
    EXPECT_EQ(count(all, "long long mt_sum_i64(long long value, long long* warps) {"), 1);
    EXPECT_EQ(count(all, "unsigned mt_sum_u32(unsigned value, unsigned* warps) {"), 1);
    EXPECT_EQ(count(all, "double mt_sum_f64(double value, double* warps) {"), 1);
    EXPECT_EQ(count(all, "signed char mt_sum_i8(signed char value, signed char* warps) {"), 1);
    EXPECT_EQ(count(all, "__shared__ double mt_warps"), 1);
    EXPECT_EQ(count(all,
                    "value = (long long)((unsigned long long)value + "
                    "(unsigned long long)other);"),
              2);
}

TEST_F(CudaTypes, ReductionsOfHalvesAreOfF32) {
    keep(op(Op::max, {load(at(pointer("p", Scalar::f16), arange(0, 64)))}));
    EXPECT_EQ(count(text(), "float mt_max_f32(float value, float* warps) {"), 1);
    EXPECT_EQ(count(text(), "mt_max_f16"), 0);
}

}  // namespace
}  // namespace mytriton
