// Every row of ops.def and every conversion: vectors agree to the bit with scalars. Included by the
// vector tests, which name their SUITE first.
#include "vector_prelude.h"

// Of (!a & b), on vectors of bools.
#pragma GCC diagnostic ignored "-Wparentheses"

namespace mytriton::rows {
namespace {

struct NotDefined {};

// Lanes of a result, compared with the row's scalar result.
template <class T, class V, class Scalar>
bool agrees(V got, int lane, Scalar expected) {
    if constexpr (std::is_same_v<Scalar, bool>)
        return got[lane] == -int(expected);  // a mask
    else if constexpr (std::is_same_v<V, VectorOfType<T>>)
        return same(T(got[lane]), T(expected));
    else
        return got[lane] == expected;  // a count
}

// Triples of values: all pairs of special values first, then at random.
template <class T>
struct Triples {
    std::vector<T> a, b, c;
};

template <class T>
const Triples<T>& triples() {
    static const Triples<T> made = [] {
        Triples<T> out;
        const std::vector<T> special = special_values<T>(), values = values_of<T>(300);
        std::mt19937_64 random(7);
        const size_t pairs = special.size() * special.size();
        for (size_t i = 0; i < (pairs + 4000) / kLanes * kLanes; ++i) {
            const bool pair = i < pairs;
            out.a.push_back(pair ? special[i / special.size()] : values[random() % values.size()]);
            out.b.push_back(pair ? special[i % special.size()] : values[random() % values.size()]);
            out.c.push_back(values[random() % values.size()]);
        }
        return out;
    }();
    return made;
}

// The functions that are not inlined keep hundreds of rows from being compiled once a lane.
template <class T, class Row>
[[gnu::noinline]] auto of_scalars(Row row, T a, T b, T c) {
    return row(a, b, c);
}

template <class T>
[[gnu::noinline]] void report(const char* name, T a, T b, T c) {
    FAIL() << name << " of " << 8 * sizeof(T) << " bits: " << +a << ", " << +b << ", " << +c;
}

template <class T, bool select, class Row>
void check_row(const char* name, Row row) {
    using V = VectorOfType<T>;
    const Triples<T>& all = triples<T>();
    for (size_t at = 0; at < all.a.size(); at += kLanes) {
        const T *as = &all.a[at], *bs = &all.b[at], *cs = &all.c[at];
        const V a = load<V>(as), b = load<V>(bs), c = load<V>(cs);
        if constexpr (select) {
            const i32v on = (iota() * int(at / kLanes % 64 * 2 + 1) & 2) != 0;
            const V got = row(mask_of<V>(on), b, c);
            for (int k = 0; k < kLanes; ++k)
                if (!same(Element<V>(got[k]), T(row(on[k] != 0, bs[k], cs[k]))))
                    return report(name, T(on[k]), bs[k], cs[k]);
        } else {
            const auto got = row(a, b, c);
            for (int k = 0; k < kLanes; ++k)
                if (!agrees<T>(got, k, of_scalars(row, as[k], bs[k], cs[k])))
                    return report(name, as[k], bs[k], cs[k]);
        }
    }
}

// The column of a type class, where there is one.
template <class T, bool select, bool wide, class Row>
void check_column(const char* name, Row row) {
    if constexpr (!std::is_same_v<decltype(row(T{}, T{}, T{})), NotDefined>)
        if constexpr (!wide || sizeof(T) >= 4) check_row<T, select>(name, row);
}

// A bool in a vector is 0 or -1.
template <class Row>
void check_bools(const char* name, Row row) {
    if constexpr (!std::is_same_v<decltype(row(true, true, true)), NotDefined>)
        for (int bits = 0; bits < 8; ++bits) {
            const bool a = bits & 1, b = bits & 2, c = bits & 4;
            const i32v got = row(splat_bool(a), splat_bool(b), splat_bool(c));
            for (int k = 0; k < kLanes; ++k)
                ASSERT_EQ(got[k], -int(bool(row(a, b, c)))) << name << bits;
        }
}

constexpr unsigned kExact = 0, kWraps = 0, kCostly = 0, kWide = 1;

#define NA \
    NotDefined {}
#define ROW(expression)                                                             \
    []([[maybe_unused]] auto a, [[maybe_unused]] auto b, [[maybe_unused]] auto c) { \
        return expression;                                                          \
    }
#define IS_Unary false
#define IS_Binary false
#define IS_Ternary false
#define IS_Select true
#define MATH(...)
#define PURE(name, form, result, traits, python, torch, doc, f, i, b_)                         \
    for_each_float([]<class T>() { check_column<T, IS_##form, false>(#name, ROW(f)); });       \
    for_each_int([]<class T>() { check_column<T, IS_##form, (traits) != 0>(#name, ROW(i)); }); \
    check_bools(#name, ROW(b_));
#define REDUCE(...)
#define SCAN(...)
#define STRUCTURAL(...)

TEST(SUITE, ExactRowsAgreeWithScalars) {
#include "ir/ops.def"
}

#define MATH(name, form, python, torch, doc, f, ...) \
    for_each_float([]<class T>() { check_row<T, false>(#name, ROW(f)); });
#define PURE(...)
#define REDUCE(...)
#define SCAN(...)
#define STRUCTURAL(...)

TEST(SUITE, RowsOfMathAgreeWithScalars) {
#include "ir/ops.def"
}
#undef NA

TEST(SUITE, ExpfAgreesWithScalarsEverywhere) {
    int different = 0;
    std::uint64_t bits = 0;
    while (bits < (std::uint64_t{1} << 32)) {
        f32v x = {};
        for (int k = 0; k < kLanes; ++k, bits += 1009) x[k] = float_of(int(std::uint32_t(bits)));
        f32v got = expf(x);
        for (int k = 0; k < kLanes; ++k) different += !same(float(got[k]), expf(float(x[k])));
    }
    EXPECT_EQ(different, 0);
}

// --- conversions ---------------------------------------------------------------------------------

template <class To, class From>
[[gnu::noinline]] To converted(From value) {
    return convert<To>(value);
}

template <class From, class To>
[[gnu::noinline]] void report_conversion(From value, To got) {
    FAIL() << +value << " gives " << +got << ", not " << +convert<To>(value);
}

template <class From, class To>
void check_conversion(const std::vector<From>& values) {
    for (size_t at = 0; at < values.size(); at += kLanes) {
        const auto v = vector_at(values, at);
        const auto got = convert<VectorOfType<To>>(v);
        for (int k = 0; k < kLanes; ++k)
            if (!same(To(got[k]), converted<To>(From(v[k]))))
                return report_conversion(From(v[k]), To(got[k]));
    }
}

TEST(SUITE, ConversionsAgreeWithScalars) {
    for_each_type([]<class From>() {
        const std::vector<From> many = values_of<From>(2000), values = values_of<From>(500);
        for_each_type([&]<class To>() { check_conversion<From, To>(many); });
        for (size_t at = 0; at < values.size(); at += kLanes) {
            const auto v = vector_at(values, at);
            const i32v got = to_bool(v);
            for (int k = 0; k < kLanes; ++k) ASSERT_EQ(got[k], -int(to_bool(From(v[k]))));
        }
        for (bool value : {false, true}) {
            const auto got = from_bool<VectorOfType<From>>(splat_bool(value));
            for (int k = 0; k < kLanes; ++k) ASSERT_EQ(got[k], from_bool<From>(value));
        }
        const i32v odd = (iota() & 1) != 0;
        const auto mask = mask_of<VectorOfType<From>>(odd);
        for (int k = 0; k < kLanes; ++k) ASSERT_EQ(mask[k], -(k % 2));
        const i32v back = to_mask(mask);
        for (int k = 0; k < kLanes; ++k) ASSERT_EQ(back[k], odd[k]);
    });
}

TEST(SUITE, ResizedIntsAreExtendedByTheirOwnSign) {
    for_each_int([]<class From>() {
        const std::vector<From> values = values_of<From>(500);
        for_each_int([&]<class To>() {
            int different = 0;
            for (size_t at = 0; at < values.size(); at += kLanes) {
                const auto v = vector_at(values, at);
                const auto got = resize<VectorOfType<To>>(v);
                for (int k = 0; k < kLanes; ++k) different += To(got[k]) != To(From(v[k]));
            }
            EXPECT_EQ(different, 0) << 8 * sizeof(From) << " bits to " << 8 * sizeof(To);
        });
    });
}

bool same_half(u16v got, int lane, unsigned short expected, unsigned short infinity) {
    bool both_nan = (got[lane] & 0x7fff) > infinity && (expected & 0x7fff) > infinity;
    return got[lane] == expected || both_nan;
}

TEST(SUITE, EveryHalfWidensAsScalarsDo) {
    for (int bits = 0; bits < 0x10000; bits += kLanes) {
        const u16v halves = resize<u16v>(iota() + bits);
        const f32v from_f16 = f16_to_f32(halves), from_bf16 = bf16_to_f32(halves);
        for (int k = 0; k < kLanes; ++k) {
            ASSERT_TRUE(same(float(from_f16[k]), f16_to_f32(halves[k]))) << halves[k];
            ASSERT_TRUE(same(float(from_bf16[k]), bf16_to_f32(halves[k]))) << halves[k];
        }
    }
}

TEST(SUITE, FloatsNarrowAsScalarsDo) {
    // Every f16 and bf16, and what lies around them: ties, and both sides of ties.
    std::vector<float> values = values_of<float>(50'000);
    for (int bits = 0; bits < 0x10000; ++bits)
        for (int beside : {-1, 0, 1, 0x1000, 0x1001, 0xfff}) {
            values.push_back(float_of(bits_of(f16_to_f32(f16(bits))) + beside));
            if (bits % 16 == 0)
                values.push_back(float_of((bits << 16) + (beside & 0xf) + (beside >> 12 << 15)));
        }
    for (size_t at = 0; at < values.size(); at += kLanes) {
        const f32v v = vector_at(values, at);
        const u16v nearest = f32_to_f16(v), truncated = f32_to_f16_rtz(v);
        const u16v brief = f32_to_bf16(v), brief_truncated = f32_to_bf16_rtz(v);
        for (int k = 0; k < kLanes; ++k) {
            const float x = v[k];
            ASSERT_TRUE(same_half(nearest, k, f32_to_f16(x), 0x7c00)) << x;
            ASSERT_TRUE(same_half(truncated, k, f32_to_f16_rtz(x), 0x7c00)) << x;
            ASSERT_TRUE(same_half(brief, k, f32_to_bf16(x), 0x7f80)) << x;
            ASSERT_TRUE(same_half(brief_truncated, k, f32_to_bf16_rtz(x), 0x7f80)) << x;
        }
    }
}

TEST(SUITE, DoublesNarrowAsScalarsDo) {
    std::vector<double> values = values_of<double>(10'000);
    for (float beside : values_of<float>(10'000))
        for (int step : {-1, 0, 1, 1 << 28, (1 << 28) + 1})
            values.push_back(float_of(bits_of(double(beside)) + step));
    for (size_t at = 0; at < values.size(); at += kLanes) {
        const f64v v = vector_at(values, at);
        const f32v truncated = f64_to_f32_rtz(v), odd = f64_to_f32_odd(v);
        for (int k = 0; k < kLanes; ++k) {
            const double x = v[k];
            ASSERT_TRUE(same(float(truncated[k]), f64_to_f32_rtz(x))) << x;
            ASSERT_TRUE(same(float(odd[k]), f64_to_f32_odd(x))) << x;
        }
    }
}

// --- what the templates of math are made of ------------------------------------------------------

TEST(SUITE, ConstantsFillAllLanes) {
    for_each_type([]<class T>() {
        for (T value : special_values<T>()) {
            const auto v = splat<VectorOfType<T>>(value);
            for (int k = 0; k < kLanes; ++k) ASSERT_TRUE(same(T(v[k]), value));
        }
    });
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(iota()[k], k);
    EXPECT_TRUE(std::signbit(fill<f32v>(-0.0f)[kLanes - 1]));
    EXPECT_EQ(fill_ints<f64v>(-7)[kLanes - 1], -7);
}

TEST(SUITE, BoundsKeepNan) {
    for (float x : special_values<float>()) {
        const f32v got = bounded(splat<f32v>(x), splat<f32v>(-1.5f), splat<f32v>(100.0f));
        EXPECT_TRUE(same(float(got[kLanes - 1]), bounded(x, -1.5f, 100.0f))) << x;
    }
}

TEST(SUITE, AnyMeetsEveryLane) {
    EXPECT_FALSE(any(i32v{}));
    for (int k = 0; k < kLanes; ++k) EXPECT_TRUE(any(iota() == k)) << k;
}

}  // namespace
}  // namespace mytriton::rows
