// How far the MATH rows are off, in ulp of f32, against the C library's functions of double.
//
// By default every 4,001st float is tried. `make accuracy` sets MYTRITON_ULP_STRIDE=17 and prints a
// table; it takes minutes. An ulp is the distance of floats at the correctly rounded result.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "ir/apply.h"
#include "ir/literal.h"

namespace mytriton {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

// The series of an argument raised to 25, and the reflection formula.
double digamma(double a) {
    constexpr long double kPi = 3.14159265358979323846264338327950288L;
    if (a < 0 && a == std::rint(a)) return std::numeric_limits<double>::quiet_NaN();
    long double y = a < 0 ? 1.0L - a : a, sum = 0;
    for (; y < 25; ++y) sum += 1 / y;
    const long double z = 1 / (y * y);
    long double series = 0;
    for (long double divisor : {12.0L, -32760.0L / 691, 132.0L, -240.0L, 252.0L, -120.0L, 12.0L})
        series = z * (1 / divisor + series);
    const long double result = std::log(y) - 1 / (2 * y) - series - sum;
    return static_cast<double>(a < 0 ? result - kPi / std::tan(kPi * (a - std::rint(a))) : result);
}

const std::map<std::string, Unary> kUnary = {
    {"exp", std::exp},
    {"exp2", std::exp2},
    {"expm1", std::expm1},
    {"log", std::log},
    {"log2", std::log2},
    {"log10", std::log10},
    {"log1p", std::log1p},
    {"sin", std::sin},
    {"cos", std::cos},
    {"tan", std::tan},
    {"asin", std::asin},
    {"acos", std::acos},
    {"atan", std::atan},
    {"sinh", std::sinh},
    {"cosh", std::cosh},
    {"tanh", std::tanh},
    {"erf", std::erf},
    {"erfc", std::erfc},
    {"lgamma", std::lgamma},
    {"digamma", digamma},
    {"rsqrt", [](double a) { return 1 / std::sqrt(a); }},
    {"sigmoid", [](double a) { return 1 / (1 + std::exp(-a)); }},
};
const std::map<std::string, Binary> kBinary = {{"pow", std::pow}, {"atan2", std::atan2}};

// The distance to the next float away from zero; the one of denormals below the least normal.
double spacing(float value) {
    int exponent = 0;
    std::frexp(std::max(std::fabs(value), 0x1p-126f), &exponent);
    return std::ldexp(1.0, exponent - 24);
}

// 0 where both are NaN, or the same infinity, or zeros of one sign; a large number where only one
// of them is special.
double ulp_off(float got, double exact) {
    constexpr double kWrong = 1e9;
    float rounded = static_cast<float>(exact);
    if (std::isnan(exact) || std::isnan(got))
        return std::isnan(exact) == std::isnan(got) ? 0 : kWrong;
    if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : kWrong;
    if (got == 0 && exact == 0) return std::signbit(got) == std::signbit(exact) ? 0 : kWrong;
    return std::fabs(got - exact) / spacing(rounded);
}

uint64_t stride() {
    const char* chosen = std::getenv("MYTRITON_ULP_STRIDE");
    return chosen ? std::strtoull(chosen, nullptr, 10) : 4001;
}

struct Worst {
    double ulp = 0;
    float a = 0, b = 0;
    void add(double off, float x, float y = 0) {
        if (off > ulp) *this = {off, x, y};
    }
};

void report(const std::string& name, const Worst& worst, double documented) {
    if (std::getenv("MYTRITON_ULP_STRIDE"))
        std::printf("%-8s %.3f ulp at %a, %a\n", name.c_str(), worst.ulp, worst.a, worst.b);
    EXPECT_LE(worst.ulp, documented) << name << " at " << worst.a << ", " << worst.b;
}

class MathRow : public ::testing::TestWithParam<Op> {};

std::vector<Op> math_rows() {
    std::vector<Op> rows;
    for (int i = 0; i < op_count(); ++i)
        if (info(static_cast<Op>(i)).accuracy.cpu > 0) rows.push_back(static_cast<Op>(i));
    return rows;
}

TEST_P(MathRow, IsAsAccurateAsItSays) {
    constexpr int kBatch = 4096;
    const OpInfo& row = info(GetParam());
    std::string name(row.name);
    std::vector<uint64_t> a(kBatch), b(kBatch), out(kBatch);
    std::mt19937_64 random(1);
    Worst worst;
    bool unary = kUnary.contains(name);
    ASSERT_TRUE(unary || kBinary.contains(name)) << "no exact function is named for " << name;
    uint64_t total = (uint64_t{1} << 32) / stride();
    for (uint64_t done = 0; done < total; done += kBatch) {
        for (int i = 0; i < kBatch; ++i) {
            a[i] = unary ? (done + i) * stride() & 0xffffffff : random() & 0xffffffff;
            // Of two random floats most are too far apart for the result to be interesting.
            uint64_t near = (a[i] & 0x7fffffff) + (random() >> 38) - (uint64_t{1} << 25);
            b[i] = random() % 2 ? near & 0xffffffff : random() & 0xffffffff;
            if (name == "pow" && i % 2) {
                float x = static_cast<float>(
                    std::exp2(from_bits<float>(a[i]) == 0
                                  ? 0
                                  : (static_cast<double>(random() >> 40) / (1 << 20) - 8)));
                float y = static_cast<float>(150 * std::cos(static_cast<double>(random() >> 40)) /
                                             std::fabs(std::log2(x) + 1e-9));
                a[i] = bits_of(x), b[i] = bits_of(y);
            }
        }
        apply_row(row.op, Scalar::f32, kBatch, {a.data(), 1}, {b.data(), 1}, {b.data(), 1},
                  out.data());
        for (int i = 0; i < kBatch; ++i) {
            float x = from_bits<float>(a[i]), y = from_bits<float>(b[i]);
            double exact = unary ? kUnary.at(name)(x) : kBinary.at(name)(x, y);
            worst.add(ulp_off(from_bits<float>(out[i]), exact), x, unary ? 0 : y);
        }
    }
    report(name, worst, row.accuracy.cpu);
}

std::string row_name(const ::testing::TestParamInfo<Op>& row) {
    return std::string(info(row.param).name);
}

INSTANTIATE_TEST_SUITE_P(Rows, MathRow, ::testing::ValuesIn(math_rows()), row_name);

}  // namespace
}  // namespace mytriton
