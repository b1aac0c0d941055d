// What threads share in the core, used by sixteen of them at once; `make tsan` looks for races.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "cache/artifact.h"
#include "front/trace.h"

namespace mytriton {
namespace {

namespace fs = std::filesystem;

constexpr int kThreads = 16;
constexpr int kLanes = 64;
constexpr int64_t kPrograms = 4;

// work(0), work(1), ..., each in a thread of its own, begun at one moment.
void in_threads(const std::function<void(int)>& work) {
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            work(i);
        });
    for (std::thread& each : threads) each.join();
}

// def kernel(x, out): out[at] = x[at] * factor
Graph scaled_graph(double factor) {
    Trace trace("kernel");
    NodeId x = trace.param("x", Type::pointer(Scalar::f32));
    NodeId out = trace.param("out", Type::pointer(Scalar::f32));
    NodeId program = trace.program_id(0, {});
    NodeId first = trace.apply(Op::mul, {program, trace.int_constant(kLanes)}, {});
    NodeId at = trace.apply(Op::add, {first, trace.arange(0, kLanes, {})}, {});
    NodeId loaded = trace.load(trace.apply(Op::add, {x, at}, {}), kNoNode, kNoNode, {}, {});
    NodeId value = trace.apply(Op::mul, {loaded, trace.float_constant(factor)}, {});
    trace.store(trace.apply(Op::add, {out, at}, {}), value, kNoNode, {}, {});
    return trace.graph();
}

// Parts of the grid in threads of their own, as a launch of many programs has it.
void each_program(int64_t count, int64_t, const std::function<void(int64_t, int64_t)>& body) {
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < count; ++i) threads.emplace_back([&, i] { body(i, i + 1); });
    for (std::thread& each : threads) each.join();
}

void expect_scaled(CpuKernel& kernel, double factor) {
    std::vector<float> x(kPrograms * kLanes), out(x.size());
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    int64_t args[2] = {reinterpret_cast<int64_t>(x.data()), reinterpret_cast<int64_t>(out.data())};
    kernel.launch(args, {kPrograms, 1, 1}, each_program, [](const std::string&) {});
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], x[i] * static_cast<float>(factor)) << i;
}

class Threads : public testing::Test {
  protected:
    Threads() {
        std::string pattern = (fs::temp_directory_path() / "threads-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        if (const char* given = std::getenv("CXX")) compiler_ = given;
    }
    ~Threads() override {
        compiler_.empty() ? unsetenv("CXX") : setenv("CXX", compiler_.c_str(), 1);
        unsetenv("MYTRITON_EVALUATE");
        fs::remove_all(folder_);
    }

    // From now on the host compiler leaves a line in a file whenever it runs.
    void count_compiles() {
        fs::path script = folder_ / "c++";
        std::ofstream(script) << "#!/bin/sh\necho run >> " << (folder_ / "runs") << "\nexec "
                              << (compiler_.empty() ? "c++" : compiler_) << " \"$@\"\n";
        fs::permissions(script, fs::perms::owner_all);
        setenv("CXX", script.c_str(), 1);
    }
    int compiles() const {
        std::ifstream runs(folder_ / "runs");
        int count = 0;
        for (std::string line; std::getline(runs, line);) ++count;
        return count;
    }

  private:
    fs::path folder_;
    std::string compiler_;
};

TEST_F(Threads, AtAFirstLaunchCompileOnce) {
    count_compiles();
    Artifact artifact(scaled_graph(3.5));
    in_threads([&](int) { expect_scaled(artifact.cpu(), 3.5); });
    EXPECT_EQ(compiles(), 1);
    in_threads([&](int) { expect_scaled(artifact.cpu(), 3.5); });
    EXPECT_EQ(compiles(), 1);
}

TEST_F(Threads, MayCompileTextsThatAreEqual) {
    count_compiles();
    in_threads([](int i) {
        Artifact artifact(scaled_graph(4.5 + i % 2));
        expect_scaled(artifact.cpu(), 4.5 + i % 2);
    });
    EXPECT_GE(compiles(), 2);
    int before = compiles();
    Artifact again(scaled_graph(4.5));
    expect_scaled(again.cpu(), 4.5);
    EXPECT_EQ(compiles(), before);  // the process knows the text
}

TEST_F(Threads, TraceAndEvaluateKernelsOfTheirOwn) {
    setenv("MYTRITON_EVALUATE", "1", 1);
    in_threads([](int i) {
        Artifact artifact(scaled_graph(i + 0.25));
        expect_scaled(artifact.cpu(), i + 0.25);
    });
}

TEST_F(Threads, ReadTheStagesOfOneArtifact) {
    Artifact artifact(scaled_graph(2.0));
    std::vector<std::string> expected;
    for (const std::string& stage : stage_names())
        expected.push_back(stage_text(artifact.ssa(), stage).text);
    in_threads([&](int) {
        std::vector<std::string> made;
        for (const std::string& stage : stage_names())
            made.push_back(stage_text(artifact.ssa(), stage).text);
        EXPECT_EQ(made, expected);
    });
}

}  // namespace
}  // namespace mytriton
