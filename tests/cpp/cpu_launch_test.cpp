// Launches on the CPU: parts of a grid, the choice between compiled code and the evaluator.
#include "cpu/launch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hand_built.h"
#include "no_disk_cache.h"

namespace mytriton {
namespace {

// Sets environment variables for as long as it lives; null takes one away.
class Environment {
  public:
    Environment(std::initializer_list<std::pair<const char*, const char*>> values) {
        for (auto [name, value] : values) {
            const char* old = std::getenv(name);
            old_.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
            value ? setenv(name, value, 1) : unsetenv(name);
        }
    }
    ~Environment() {
        for (const auto& [name, value] : old_)
            value ? setenv(name, value->c_str(), 1) : unsetenv(name);
    }
    Environment(const Environment&) = delete;

  private:
    std::vector<std::pair<const char*, std::optional<std::string>>> old_;
};

// A kernel that adds 1 to each of 1000 * 64 ints, launched by a CpuKernel.
class Launches : public testing::Test, public HandBuilt {
  protected:
    Launches() {
        Value x = pointer("x", Scalar::i32);
        auto size = [&](int64_t axis) {
            return emit(Op::num_programs, {}, kI32, {{AttrKey::axis, axis}});
        };
        Value row = op(Op::add, {op(Op::mul, {program_id(2), size(1)}), program_id(1)});
        Value program = op(Op::add, {op(Op::mul, {row, size(0)}), program_id(0)});
        Value index = op(Op::add, {op(Op::mul, {program, i32(64)}), arange(0, 64)});
        store(at(x, index), op(Op::add, {load(at(x, index)), i32(1)}));
    }

    void launch(const int64_t (&grid)[3]) {
        CpuKernel cpu(kernel);
        int64_t args[1] = {reinterpret_cast<int64_t>(values.data())};
        auto backwards = [&](int64_t count, int64_t grain, const auto& body) {
            for (int64_t end = count; end > 0; end -= std::min(end, grain), ++parts)
                body(std::max<int64_t>(0, end - grain), end);
        };
        cpu.launch(args, grid, backwards,
                   [&](const std::string& text) { warnings.push_back(text); });
    }

    std::vector<int32_t> values = std::vector<int32_t>(64'000, 5);
    int parts = 0;
    std::vector<std::string> warnings;
};

TEST_F(Launches, AGridIsSharedOutInParts) {
    launch({10, 50, 2});
    EXPECT_EQ(values, std::vector<int32_t>(64'000, 6));
    EXPECT_GT(parts, 1);
}

TEST_F(Launches, AnEmptyGridRunsNothing) {
    launch({10, 0, 2});
    EXPECT_EQ(values, std::vector<int32_t>(64'000, 5));
    EXPECT_EQ(parts, 0);
}

TEST_F(Launches, AskedToEvaluateItNeedsNoCompiler) {
    Environment environment{{"PATH", "/nowhere"},
                            {"CXX", nullptr},
                            {"MYTRITON_REQUIRE_COMPILER", "1"},
                            {"MYTRITON_EVALUATE", "1"}};
    launch({10, 50, 2});
    EXPECT_EQ(values, std::vector<int32_t>(64'000, 6));
    EXPECT_GT(parts, 1);
}

TEST_F(Launches, WithoutACompilerItWarnsOnceAndEvaluatesUnlessOneIsRequired) {
    Environment environment{{"PATH", "/nowhere"},
                            {"CXX", nullptr},
                            {"MYTRITON_REQUIRE_COMPILER", nullptr},
                            {"MYTRITON_EVALUATE", nullptr}};
    for (int i = 0; i < 2; ++i) launch({10, 50, 2});
    EXPECT_EQ(values, std::vector<int32_t>(64'000, 7));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("no C++ compiler found"), std::string::npos) << warnings[0];
    Environment required{{"MYTRITON_REQUIRE_COMPILER", "1"}};
    EXPECT_EQ(message_of<RuntimeError>([&] { launch({10, 50, 2}); }),
              "no C++ compiler found ($CXX, c++, g++, clang++)");
}

}  // namespace
}  // namespace mytriton
