// Loops and branches on both engines: what they compute, and that blocks get in and out of them.
#include <cmath>

#include "both_engines.h"
#include "ir/parse.h"
#include "passes/passes.h"

namespace mytriton {
namespace {

class ControlTest : public BothEngines {
  protected:
    // As written, and after the passes.
    std::vector<Arg> run(const std::string& text, const std::vector<Arg>& args,
                         Grid grid = {1, 1, 1}) {
        Kernel kernel = parse_kernel(text, "control_test.cpp");
        std::vector<Arg> as_written = run_both(kernel, args, grid);
        std::vector<Arg> optimised = run_both(run_passes(kernel), args, grid);
        for (size_t i = 0; i < args.size(); ++i)
            EXPECT_FALSE(optimised[i].difference(as_written[i])) << "passes change argument " << i;
        return as_written;
    }
    std::vector<int32_t> ints(const std::string& text, std::vector<Arg> args, size_t count) {
        args.insert(args.begin(), Arg(Scalar::i32, count));
        return run(text, args)[0].values<int32_t>();
    }
};

// Writes the number of rounds and the last index, or 77.
std::string counting(const std::string& type, const std::string& seven) {
    return "kernel k(out: ptr<i32>, a: " + type + ", b: " + type + ", s: " + type + R"() {
        %5, %6 = for %0 in range(a, b, s) iter_args(%1 = 0, %2 = )" +
           seven + R"() : i32, )" + type + R"( {
            %3 = add %1, 1 : i32
            yield %3, %0
        }
        store out, %5, none
        %7 = addptr out, 1 : ptr<i32>
        %8 = cast %6 : i64
        %9 = cast %8 : i32
        store %7, %9, none
    })";
}

TEST_F(ControlTest, ForCountsAsPythonsRange) {
    struct Case {
        int32_t start, stop, step, rounds, last;
    };
    constexpr int32_t kMax = INT32_MAX, kMin = INT32_MIN;
    const Case cases[] = {
        {0, 10, 3, 4, 9},
        {0, 9, 3, 3, 6},
        {5, 5, 1, 0, 77},
        {5, 0, 1, 0, 77},
        {5, 0, -2, 3, 1},
        {0, 5, -1, 0, 77},
        {0, 5, 0, 0, 77},
        {kMax - 5, kMax, 4, 2, kMax - 1},
        {kMin + 5, kMin, -4, 2, kMin + 1},
        {kMin, kMax, kMax, 3, kMax - 1},
        {-3, 3, 2, 3, 1},
    };
    std::string narrow = counting("i32", "77");
    std::string wide = R"(kernel k(out: ptr<i32>, a: i32, b: i32, s: i32) {
        %10 = cast a : i64
        %11 = cast b : i64
        %12 = cast s : i64
        %5, %6 = for %0 in range(%10, %11, %12) iter_args(%1 = 0, %2 = 77_i64) : i32, i64 {
            %3 = add %1, 1 : i32
            yield %3, %0
        }
        store out, %5, none
        %7 = addptr out, 1 : ptr<i32>
        %8 = cast %6 : i32
        store %7, %8, none
    })";
    for (const Case& each : cases) {
        std::vector<Arg> args = {bits_of(each.start), bits_of(each.stop), bits_of(each.step)};
        std::vector<int32_t> expected = {each.rounds, each.last};
        EXPECT_EQ(ints(narrow, args, 2), expected) << each.start << " " << each.stop;
        EXPECT_EQ(ints(wide, args, 2), expected) << each.start << " " << each.stop;
        // The step as a constant, which the texts treat apart.
        std::string constant = narrow;
        constant.replace(constant.find("b, s) iter"), 4, "b, " + std::to_string(each.step));
        EXPECT_EQ(ints(constant, args, 2), expected) << constant;
    }
}

TEST_F(ControlTest, UnsignedRangesReachTheirLargestValue) {
    std::string text = counting("u32", "77_u32");
    std::vector<Arg> args = {bits_of(UINT32_MAX - 5), bits_of(UINT32_MAX), bits_of(4u)};
    EXPECT_EQ(ints(text, args, 2), (std::vector<int32_t>{2, -2}));
    std::vector<Arg> none = {bits_of(5u), bits_of(2u), bits_of(UINT32_MAX)};
    EXPECT_EQ(ints(text, none, 2), (std::vector<int32_t>{0, 77}));
}

TEST_F(ControlTest, WhileGivesWhatItHadWhenItsConditionFailed) {
    std::string collatz = R"(kernel k(out: ptr<i32>, n: i32) {
        %1, %2 = while iter_args(%3 = n, %4 = 0) : i32, i32 {
            %5 = cmp_ne %3, 1 : bool
            condition %5
            %6 = bit_and %3, 1 : i32
            %7 = cmp_eq %6, 0 : bool
            %8 = if %7 : i32 {
                %9 = shr %3, 1 : i32
                yield %9
            } else {
                %10 = mul %3, 3 : i32
                %11 = add %10, 1 : i32
                yield %11
            }
            %12 = add %4, 1 : i32
            yield %8, %12
        }
        store out, %2, none
        %13 = addptr out, 1 : ptr<i32>
        store %13, %1, none
    })";
    EXPECT_EQ(ints(collatz, {bits_of(27)}, 2), (std::vector<int32_t>{111, 1}));
    EXPECT_EQ(ints(collatz, {bits_of(1)}, 2), (std::vector<int32_t>{0, 1}));
}

TEST_F(ControlTest, EndlessLoopsStopAtTheBudget) {
    Kernel kernel = parse_kernel(R"(kernel k(out: ptr<i32>) {
        while {
            condition true
            store out, 1, none
        }
    })",
                                 "endless.mt");
    ASSERT_EQ(setenv("MYTRITON_MAX_STEPS", "1000", 1), 0);
    std::string message =
        message_of<RuntimeError>([&] { evaluated(kernel, {Arg(Scalar::i32, 1)}, {1, 1, 1}); });
    unsetenv("MYTRITON_MAX_STEPS");
    EXPECT_NE(message.find("stopped after 1000 steps (MYTRITON_MAX_STEPS) at endless.mt:"),
              std::string::npos)
        << message;
}

// Blocks of a width that stays in registers, of one that does not, and of no whole strips.
class ControlBlocks : public ControlTest, public testing::WithParamInterface<int> {
  protected:
    // Replaces W by the width.
    std::string text(std::string body) const {
        std::string width = std::to_string(GetParam());
        for (size_t at; (at = body.find('W')) != std::string::npos;) body.replace(at, 1, width);
        return body;
    }
    std::vector<Arg> floats(size_t count) const {
        std::vector<float> values;
        for (size_t i = 0; i < count; ++i) values.push_back(0.25f * static_cast<float>(i % 37) - 3);
        return {Arg::floats(values)};
    }
};

TEST_P(ControlBlocks, SumsOfRowsOfAnyLength) {
    std::string sums = text(R"(kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
        %0 = arange {start=0, end=W} : vector<W x i32>
        %1 = splat 0.0 : vector<W x f32>
        %2 = for %3 in range(0, n, W) iter_args(%4 = %1) : vector<W x f32> {
            %5 = add %3, %0 : vector<W x i32>
            %6 = cmp_lt %5, n : vector<W x bool>
            %7 = addptr x, %5 : vector<W x ptr<f32>>
            %8 = load %7, %6, 0.0 : vector<W x f32>
            %9 = add %4, %8 : vector<W x f32>
            yield %9
        }
        %10 = sum %2 : f32
        store out, %10, none
    })");
    for (int n : {0, 1, 15, 64, 100, 257, 1000}) {
        std::vector<Arg> args = floats(1000);
        args.push_back(Arg(Scalar::f32, 1));
        args.push_back(bits_of(n));
        float expected = 0;
        for (int i = 0; i < n; ++i) expected += args[0].values<float>()[i];
        EXPECT_EQ(run(sums, args)[1].values<float>()[0], expected) << n;
    }
}

TEST_P(ControlBlocks, SwappedBlocksAndBranches) {
    std::string fibonacci = text(R"(kernel k(out: ptr<i32>, n: i32) {
        %0 = arange {start=0, end=W} : vector<W x i32>
        %1 = splat 1 : vector<W x i32>
        %2, %3 = for %4 in range(0, n, 1) iter_args(%5 = %0, %6 = %1) : vector<W x i32>, vector<W x i32> {
            %7 = bit_and %4, 1 : i32
            %8 = cmp_eq %7, 0 : bool
            %9 = if %8 : vector<W x i32> {
                %10 = add %5, %6 : vector<W x i32>
                yield %10
            } else {
                yield %5
            }
            yield %6, %9
        }
        %11 = addptr out, %0 : vector<W x ptr<i32>>
        store %11, %2, none
        %12 = add %0, W : vector<W x i32>
        %13 = addptr out, %12 : vector<W x ptr<i32>>
        store %13, %3, none
    })");
    int width = GetParam();
    for (int n : {0, 1, 2, 7}) {
        std::vector<int32_t> got = ints(fibonacci, {bits_of(n)}, 2 * width);
        for (int lane : {0, 1, width - 1}) {
            int a = lane, b = 1;
            for (int i = 0; i < n; ++i) {
                int next = i % 2 == 0 ? a + b : a;
                a = b;
                b = next;
            }
            EXPECT_EQ(got[lane], a) << "lane " << lane << ", n " << n;
            EXPECT_EQ(got[width + lane], b) << "lane " << lane << ", n " << n;
        }
    }
}

TEST_P(ControlBlocks, CarriedIndicesAndMasks) {
    // An index block that moves on, a bool block that collects, halves that are carried as they
    // are.
    std::string text_ = text(R"(kernel k(x: ptr<f32>, out: ptr<i32>, n: i32, h: ptr<f16>) {
        %0 = arange {start=0, end=W} : vector<W x i32>
        %1 = splat false : vector<W x bool>
        %2 = splat 0.5_f16 : vector<W x f16>
        %3, %4, %5 = for %6 in range(0, n, 1) iter_args(%7 = %0, %8 = %1, %9 = %2) : vector<W x i32>, vector<W x bool>, vector<W x f16> {
            %10 = cmp_lt %7, 900 : vector<W x bool>
            %11 = addptr x, %7 : vector<W x ptr<f32>>
            %12 = load %11, %10, -1.0 : vector<W x f32>
            %13 = cmp_gt %12, 5.5 : vector<W x bool>
            %14 = bit_or %8, %13 : vector<W x bool>
            %15 = add %7, W : vector<W x i32>
            %16 = add %9, 0.25_f16 : vector<W x f16>
            yield %15, %14, %16
        }
        %17 = addptr out, %0 : vector<W x ptr<i32>>
        %18 = cast %4 : vector<W x i32>
        %19 = add %18, %3 : vector<W x i32>
        store %17, %19, none
        %20 = addptr h, %0 : vector<W x ptr<f16>>
        store %20, %5, none
    })");
    int width = GetParam();
    std::vector<Arg> args = floats(900);
    args.push_back(Arg(Scalar::i32, width));
    args.push_back(bits_of(3));
    args.push_back(Arg(Scalar::f16, width));
    std::vector<float> x = args[0].values<float>();
    std::vector<Arg> got = run(text_, args);
    for (int lane = 0; lane < width; ++lane) {
        bool any = false;
        for (int i = 0; i < 3; ++i)
            if (lane + i * width < 900) any |= x[lane + i * width] > 5.5f;
        EXPECT_EQ(got[1].values<int32_t>()[lane], lane + 3 * width + any) << lane;
        EXPECT_EQ(got[3].values<uint16_t>()[lane], 0x3d00) << lane;  // 1.25
    }
}

TEST_P(ControlBlocks, ReductionsDecideLoops) {
    // Newton's method until all lanes agree: a block, a reduction and a condition in each round.
    std::string root = text(R"(kernel k(x: ptr<f32>, out: ptr<f32>, rounds: ptr<i32>) {
        %0 = arange {start=0, end=W} : vector<W x i32>
        %1 = addptr x, %0 : vector<W x ptr<f32>>
        %2 = load %1, none, none : vector<W x f32>
        %3, %4 = while iter_args(%5 = %2, %6 = 0) : vector<W x f32>, i32 {
            %7 = mul %5, %5 : vector<W x f32>
            %8 = sub %7, %2 : vector<W x f32>
            %9 = abs %8 : vector<W x f32>
            %10 = max %9 : f32
            %11 = cmp_gt %10, 0.001 : bool
            condition %11
            %12 = div %2, %5 : vector<W x f32>
            %13 = add %5, %12 : vector<W x f32>
            %14 = mul %13, 0.5 : vector<W x f32>
            %15 = add %6, 1 : i32
            yield %14, %15
        }
        %16 = addptr out, %0 : vector<W x ptr<f32>>
        store %16, %3, none
        store rounds, %4, none
    })");
    std::vector<float> values;
    for (int i = 0; i < GetParam(); ++i) values.push_back(1.0f + static_cast<float>(i));
    std::vector<Arg> got =
        run(root, {Arg::floats(values), Arg(Scalar::f32, values.size()), Arg(Scalar::i32, 1)});
    for (size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(got[1].values<float>()[i], std::sqrt(values[i]), 1e-3);
    EXPECT_GT(got[2].values<int32_t>()[0], 2);
}

TEST_P(ControlBlocks, WhatIsComputedOutsideIsThereInsideAndAfter) {
    // exp is worth keeping: it is computed before the branch, used in one arm and behind it.
    std::string text_ = text(R"(kernel k(x: ptr<f32>, out: ptr<f32>, n: i32) {
        %0 = arange {start=0, end=W} : vector<W x i32>
        %1 = addptr x, %0 : vector<W x ptr<f32>>
        %2 = load %1, none, none : vector<W x f32>
        %3 = exp %2 : vector<W x f32>
        %4 = mul %2, 2.0 : vector<W x f32>
        %5 = cmp_gt n, 1 : bool
        %6 = if %5 : vector<W x f32> {
            %7 = for %8 in range(0, n, 1) iter_args(%9 = %4) : vector<W x f32> {
                %10 = add %9, %3 : vector<W x f32>
                yield %10
            }
            yield %7
        } else {
            %16 = addptr out, %0 : vector<W x ptr<f32>>
            store %16, 9.0, none
            yield %2
        }
        %11 = add %6, %3 : vector<W x f32>
        %12 = add %0, W : vector<W x i32>
        %13 = addptr out, %12 : vector<W x ptr<f32>>
        store %13, %11, none
    })");
    size_t width = GetParam();
    for (int n : {0, 3}) {
        std::vector<Arg> args = {Arg::floats(std::vector<float>(width, 0.0f)),
                                 Arg(Scalar::f32, 2 * width), bits_of(n)};
        std::vector<float> got = run(text_, args)[1].values<float>();
        EXPECT_EQ(got[0], n ? 0.0f : 9.0f);
        EXPECT_EQ(got[width], n ? 4.0f : 1.0f);
        EXPECT_EQ(got[2 * width - 1], n ? 4.0f : 1.0f);
    }
}

INSTANTIATE_TEST_SUITE_P(Widths, ControlBlocks, testing::Values(8, 16, 64, 100, 256));

TEST_F(ControlTest, NestedLoopsBranchesAndStores) {
    // out[i] = the sum of j * i for even i, of -j for odd; nothing where i is 3.
    std::string text = R"(kernel k(out: ptr<i32>, n: i32) {
        for %0 in range(0, n, 1) {
            %1 = cmp_eq %0, 3 : bool
            if %1 {
            } else {
                %2 = bit_and %0, 1 : i32
                %3 = cmp_eq %2, 0 : bool
                %4 = for %5 in range(n, 0, -1) iter_args(%6 = 0) : i32 {
                    %7 = if %3 : i32 {
                        %8 = mul %0, %5 : i32
                        %9 = add %6, %8 : i32
                        yield %9
                    } else {
                        %10 = sub %6, %5 : i32
                        yield %10
                    }
                    yield %7
                }
                %11 = addptr out, %0 : ptr<i32>
                store %11, %4, none
            }
        }
    })";
    EXPECT_EQ(ints(text, {bits_of(5)}, 5), (std::vector<int32_t>{0, -15, 30, 0, 60}));
}

TEST_F(ControlTest, LoopsSeeWhatTheyStoredBefore) {
    // x[k + 1 + lanes] = x[k + lanes] + 1, one block after the other, in place.
    std::string text = R"(kernel k(x: ptr<i32>, n: i32) {
        %0 = arange {start=0, end=32} : vector<32 x i32>
        for %1 in range(0, n, 1) {
            %2 = add %1, %0 : vector<32 x i32>
            %3 = addptr x, %2 : vector<32 x ptr<i32>>
            %4 = load %3, none, none : vector<32 x i32>
            %5 = add %4, 1 : vector<32 x i32>
            %6 = addptr %3, 1 : vector<32 x ptr<i32>>
            store %6, %5, none
        }
    })";
    std::vector<int32_t> x(64, 0), expected(64, 0);
    for (int k = 0; k < 5; ++k) {
        std::vector<int32_t> read(expected.begin() + k, expected.begin() + k + 32);
        for (int i = 0; i < 32; ++i) expected[k + 1 + i] = read[i] + 1;
    }
    EXPECT_EQ(run(text, {Arg::ints(x), bits_of(5)})[0].values<int32_t>(), expected);
}

}  // namespace
}  // namespace mytriton
