// Ops across lanes: the order of sort, and hand-written kernels on both engines, with types that no
// Python kernel scans in.
#include "ir/across.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "both_engines.h"
#include "ir/conversion.h"
#include "ir/parse.h"

namespace mytriton {
namespace {

float float_of_half(Scalar half, uint64_t bits) {
    return from_bits<float>(apply_conversion(half, Scalar::f32, bits));
}

TEST(SortKey, OrdersEveryHalf) {
    for (Scalar half : {Scalar::f16, Scalar::bf16}) {
        std::vector<uint64_t> all(1 << 16);
        for (size_t i = 0; i < all.size(); ++i) all[i] = i;
        std::ranges::sort(all, {}, [&](uint64_t bits) { return sort_key(half, bits); });
        auto first_nan = std::ranges::find_if(
            all, [&](uint64_t bits) { return std::isnan(float_of_half(half, bits)); });
        auto is_before = [&](uint64_t a, uint64_t b) {
            float x = float_of_half(half, a), y = float_of_half(half, b);
            return x < y || (x == y && std::signbit(x) && !std::signbit(y));
        };
        EXPECT_TRUE(std::is_sorted(first_nan, all.end()));
        for (auto at = all.begin(); at + 1 != first_nan; ++at)
            ASSERT_TRUE(is_before(at[0], at[1])) << at[0] << ' ' << at[1];
        for (auto at = first_nan; at != all.end(); ++at)
            ASSERT_TRUE(std::isnan(float_of_half(half, *at)));
    }
}

TEST(SortKey, TellsApartWhatIsAtTheEnds) {
    for (auto [scalar, sign, infinity] :
         {std::tuple(Scalar::f32, uint64_t{1} << 31, uint64_t{0xff} << 23),
          std::tuple(Scalar::f64, uint64_t{1} << 63, uint64_t{0x7ff} << 52)}) {
        uint64_t ordered[] = {sign | infinity,
                              sign | (infinity - 1),
                              sign | 1,
                              sign,
                              0,
                              1,
                              infinity - 1,
                              infinity,
                              infinity + 1,
                              sign - 1,
                              sign | (infinity + 1),
                              sign | (sign - 1)};
        for (size_t i = 0; i + 1 < std::size(ordered); ++i)
            EXPECT_LT(sort_key(scalar, ordered[i]), sort_key(scalar, ordered[i + 1])) << i;
    }
    EXPECT_LT(sort_key(Scalar::i8, 0x80), sort_key(Scalar::i8, 0xff));
    EXPECT_LT(sort_key(Scalar::i8, 0xff), sort_key(Scalar::i8, 0));
    EXPECT_LT(sort_key(Scalar::u8, 0x7f), sort_key(Scalar::u8, 0x80));
    EXPECT_LT(sort_key(Scalar::boolean, 0), sort_key(Scalar::boolean, 1));
}

TEST(Runs, OfEachAxis) {
    Type block = Type::scalar(Scalar::f32).with_shape({2, 3, 5});
    for (auto [axis, outer, count, inner] :
         {std::tuple(0, 1, 2, 15), std::tuple(1, 2, 3, 5), std::tuple(2, 6, 5, 1)}) {
        Runs runs = runs_along(block, axis);
        EXPECT_EQ(runs.outer, outer);
        EXPECT_EQ(runs.count, count);
        EXPECT_EQ(runs.inner, inner);
    }
    EXPECT_EQ(last_axis(block), 2);
}

std::vector<Arg> on_both(const std::string& text, const std::vector<Arg>& args) {
    Kernel kernel = parse_kernel(text, "across_test.cpp");
    verify(kernel);
    std::vector<Arg> expected = evaluated(kernel, args, {1, 1, 1});
    std::vector<Arg> got = compiled(kernel, args, {1, 1, 1});
    for (size_t i = 0; i < args.size(); ++i) {
        EXPECT_TRUE(got[i].guards_stay());
        EXPECT_EQ(got[i].difference(expected[i]), std::nullopt) << "argument " << i;
    }
    return got;
}

// Sums of bool are modulo 2, products are and; along rows and along columns, and as masks.
TEST(AcrossOnBothEngines, BoolsStayTruthValues) {
    std::vector<unsigned char> bools;
    for (int i = 0; i < 60; ++i) bools.push_back(i * i % 7 < 4);
    std::vector<Arg> after = on_both(R"(kernel k(b: ptr<bool>, out: ptr<i32>) {
    %0 = arange {start=0, end=60} : vector<60 x i32>
    %1 = reshape %0 : block<3x20 x i32>
    %2 = addptr b, %1 : block<3x20 x ptr<bool>>
    %3 = load %2, none, none : block<3x20 x bool>
    %4 = cumsum %3 {axis=1} : block<3x20 x bool>
    %5 = cumsum %3 {axis=0, reverse=1} : block<3x20 x bool>
    %6 = cumprod %3 {axis=1, reverse=1} : block<3x20 x bool>
    %7 = sum %3 {axis=1} : vector<3 x bool>
    %8 = sum %3 {axis=0} : vector<20 x bool>
    %9 = select %4, 10, 20 : block<3x20 x i32>
    %10 = select %5, 100, 200 : block<3x20 x i32>
    %11 = select %6, 1000, 2000 : block<3x20 x i32>
    %12 = add %9, %10 : block<3x20 x i32>
    %13 = add %12, %11 : block<3x20 x i32>
    %14 = addptr out, %1 : block<3x20 x ptr<i32>>
    store %14, %13, none
    %15 = arange {start=60, end=63} : vector<3 x i32>
    %16 = addptr out, %15 : vector<3 x ptr<i32>>
    %17 = select %7, 1, 2 : vector<3 x i32>
    store %16, %17, none
    %18 = arange {start=63, end=83} : vector<20 x i32>
    %19 = addptr out, %18 : vector<20 x ptr<i32>>
    %20 = select %8, 1, 2 : vector<20 x i32>
    store %19, %20, none
}
)",
                                     {Arg::bools(bools), Arg(Scalar::i32, 83)});
    std::vector<int32_t> out = after[1].values<int32_t>();
    for (int row = 0; row < 3; ++row) {
        bool sum = false;
        for (int i = 0; i < 20; ++i) {
            sum ^= bools[20 * row + i] != 0;
            EXPECT_EQ(out[20 * row + i] % 100, sum ? 10 : 20);
        }
        EXPECT_EQ(out[60 + row], sum ? 1 : 2);
    }
}

// In the type itself, as no kernel of Python does it: ints wrap at 8 and 16 bits.
TEST(AcrossOnBothEngines, NarrowIntsWrap) {
    std::vector<int32_t> numbers;
    for (int i = 0; i < 72; ++i) numbers.push_back(i * 37 % 101 - 50);
    std::vector<Arg> after =
        on_both(R"(kernel k(x: ptr<i32>, out: ptr<i8>, wide: ptr<u16>) {
    %0 = arange {start=0, end=72} : vector<72 x i32>
    %1 = reshape %0 : block<3x24 x i32>
    %2 = addptr x, %1 : block<3x24 x ptr<i32>>
    %3 = load %2, none, none : block<3x24 x i32>
    %4 = cast %3 : block<3x24 x i8>
    %5 = cast %3 : block<3x24 x u16>
    %6 = cumsum %4 {axis=1} : block<3x24 x i8>
    %7 = cumprod %5 {axis=0} : block<3x24 x u16>
    %8 = addptr out, %1 : block<3x24 x ptr<i8>>
    store %8, %6, none
    %9 = addptr wide, %1 : block<3x24 x ptr<u16>>
    store %9, %7, none
}
)",
                {Arg::ints(numbers), Arg(Scalar::i8, 72), Arg(Scalar::u16, 72)});
    int8_t sum = 0;
    for (int i = 0; i < 24; ++i)
        EXPECT_EQ(after[1].values<int8_t>()[i], sum = static_cast<int8_t>(sum + numbers[i]));
    for (int i = 0; i < 24; ++i)
        EXPECT_EQ(after[2].values<uint16_t>()[48 + i],
                  static_cast<uint16_t>(numbers[i] * numbers[24 + i] * numbers[48 + i]));
}

// A result is read from its buffer wherever it is needed: as a lane 0, in a loop, after a branch.
TEST(AcrossOnBothEngines, ResultsAreTakenFromTheirBuffers) {
    std::vector<int32_t> numbers;
    for (int i = 0; i < 40; ++i) numbers.push_back(i * 17 % 40);
    on_both(R"(kernel k(x: ptr<i32>, out: ptr<i32>) {
    %0 = arange {start=0, end=40} : vector<40 x i32>
    %1 = addptr x, %0 : vector<40 x ptr<i32>>
    %2 = load %1, none, none : vector<40 x i32>
    %3 = sort %2 {descending=1} : vector<40 x i32>
    %9 = for %4 in range(0, 3, 1) iter_args(%5 = %3) : vector<40 x i32> {
        %6 = gather %5, %2 {axis=0} : vector<40 x i32>
        %7 = cumsum %6 {axis=0} : vector<40 x i32>
        %8 = add %7, %3 : vector<40 x i32>
        yield %8
    }
    %10 = addptr out, %0 : vector<40 x ptr<i32>>
    store %10, %9, none
    %11 = cmp_lt 39, 40 : bool
    %14 = if %11 : vector<40 x i32> {
        %12 = histogram %2, none {bins=40} : vector<40 x i32>
        yield %12
    } else {
        %13 = sort %9 : vector<40 x i32>
        yield %13
    }
    %15 = addptr %10, 40 : vector<40 x ptr<i32>>
    store %15, %14, none
    %16 = arange {start=0, end=1} : vector<1 x i32>
    %17 = cumsum %16 {axis=0} : vector<1 x i32>
    %18 = reshape %17 : block<1x1 x i32>
    %19 = reshape %16 : block<1x1 x i32>
    %20 = add %18, %19 : block<1x1 x i32>
    %21 = addptr out, %20 : block<1x1 x ptr<i32>>
    %22 = addptr %21, 80 : block<1x1 x ptr<i32>>
    store %22, 7, none
}
)",
            {Arg::ints(numbers), Arg(Scalar::i32, 81)});
}

}  // namespace
}  // namespace mytriton
