// From a launch to the values in memory: every part of the CUDA path but the GPU.
#include <cstring>

#include "cache/artifact.h"
#include "graphs.h"
#include "on_fakes.h"

namespace mytriton {
namespace {

class CudaRun : public CudaTest {
  protected:
    // Memory that kernels may touch; values() by index.
    template <class T>
    T* values(size_t count, const std::function<T(size_t)>& value) {
        T* memory = static_cast<T*>(fake.alloc(count * sizeof(T)));
        for (size_t i = 0; i < count; ++i) memory[i] = value(i);
        return memory;
    }
    float* floats(size_t count, const std::function<float(size_t)>& value) {
        return values<float>(count, value);
    }
    // As the torch layer hands them over: 64 bits each, in a place that is gone after the launch.
    static void launch(Artifact& artifact, int device, void* stream, const int64_t (&grid)[3],
                       std::vector<int64_t> arguments) {
        std::vector<void*> pointers;
        for (int64_t& each : arguments) pointers.push_back(&each);
        artifact.cuda().launch(device, stream, grid, pointers.data());
        std::fill(arguments.begin(), arguments.end(), -1);
    }
    static int64_t address(void* pointer) { return reinterpret_cast<int64_t>(pointer); }
};

TEST_F(CudaRun, VectorAddOnEveryDevice) {
    constexpr int n = 1000;
    Artifact add(add_graph());
    float* x = floats(n, [](size_t i) { return 0.5f * i; });
    float* y = floats(n, [](size_t i) { return 1000.0f - i; });
    for (int device = 0; device < 3; ++device) {
        float* out = floats(n + 24, [](size_t) { return 7.0f; });
        for (int64_t programs : {1, 4}) {  // cold, then warm
            launch(add, device, fake.stream(device, 2), {programs, 1, 1},
                   {address(x), address(y), address(out), n});
            EXPECT_EQ(out[255], x[255] + y[255]);
            EXPECT_EQ(out[256] == 7.0f, programs == 1);
        }
        for (int i = 0; i < n; ++i) ASSERT_EQ(out[i], x[i] + y[i]) << i;
        for (int i = n; i < n + 24; ++i) ASSERT_EQ(out[i], 7.0f) << "a masked lane wrote";
    }
}

TEST_F(CudaRun, MaskedReductionOnAGridOfTwoAxes) {
    constexpr int n = 300;
    Artifact sum(sum_graph());
    float* x = floats(size_t{6} * n, [](size_t i) { return static_cast<float>(i % 17); });
    float* out = floats(6, [](size_t) { return -1.0f; });
    launch(sum, 0, nullptr, {3, 2, 1}, {address(x), address(out), n});
    for (int row = 0; row < 6; ++row) {
        float expected = 0;  // whole numbers: exact in any order
        for (int i = 0; i < n; ++i) expected += x[row * n + i];
        EXPECT_EQ(out[row], expected) << row;
    }
}

TEST_F(CudaRun, BlockedSoftmaxInDynamicSharedMemory) {
    constexpr size_t size = size_t{2} * kRows * kColumns;
    Artifact softmax(softmax_graph());
    float* x = floats(size, [](size_t i) { return std::sin(0.37f * i) * 4; });
    float* out = floats(size, [](size_t) { return -1.0f; });
    launch(softmax, 0, nullptr, {2, 1, 1}, {address(x), address(out)});
    EXPECT_EQ(fake.count("allow softmax_kernel shared "), 1) << fake.log();
    EXPECT_EQ(fake.count("shared 0 "), 0) << "no dynamic shared memory: " << fake.log();
    for (size_t row = 0; row < 2 * kRows; ++row) {
        const float* from = x + row * kColumns;
        double sum = 0;
        for (int i = 0; i < kColumns; ++i) sum += std::exp(double{from[i]} - 4);
        for (int i = 0; i < kColumns; ++i) {
            const double expected = std::exp(double{from[i]} - 4) / sum;
            ASSERT_NEAR(out[row * kColumns + i], expected, 1e-5 * expected) << row << " " << i;
        }
    }
    EXPECT_EQ(fake.calls("cuFuncSetAttribute"), 1);
    launch(softmax, 0, nullptr, {1, 1, 1}, {address(x), address(out)});
    EXPECT_EQ(fake.calls("cuFuncSetAttribute"), 1) << "once";
}

TEST_F(CudaRun, AtomicsOfManyPrograms) {
    constexpr int n = 2000;
    Artifact count(count_graph());
    int* x = values<int>(n, [](size_t i) { return static_cast<int>(i * i % 10); });
    int* counts = values<int>(10, [](size_t) { return 100; });
    launch(count, 1, fake.stream(1, 0), {16, 1, 1}, {address(x), address(counts), n});
    std::vector<int> expected(10, 100);
    for (int i = 0; i < n; ++i) ++expected[x[i]];
    EXPECT_EQ(std::vector<int>(counts, counts + 10), expected);
}

TEST_F(CudaRun, GraphReplaysWithTheValuesOfTheCapture) {
    constexpr int n = 256;
    Artifact add(add_graph());
    float* x = floats(n, [](size_t i) { return static_cast<float>(i); });
    float* out = floats(n, [](size_t) { return -1.0f; });
    const std::vector<int64_t> arguments = {address(x), address(x), address(out), n};
    void* stream = fake.stream(0, 2);
    fake.set_capture(stream, 1);
    EXPECT_THROW(launch(add, 0, stream, {1, 1, 1}, arguments), RuntimeError) << "cold";
    fake.set_capture(stream, 0);
    launch(add, 0, fake.stream(0, 3), {1, 1, 1}, arguments);

    std::fill(out, out + n, -1.0f);
    fake.set_capture(stream, 1);
    launch(add, 0, stream, {1, 1, 1}, arguments);
    launch(add, 0, stream, {0, 1, 1}, arguments);  // nothing
    EXPECT_EQ(fake.get_capture(stream), 1) << "spoilt";
    fake.set_capture(stream, 0);
    EXPECT_EQ(out[3], -1.0f) << "a captured launch runs when it is replayed";
    for (float factor : {1.0f, 5.0f}) {
        for (int i = 0; i < n; ++i) x[i] = factor * i;
        EXPECT_EQ(fake.replay(stream), 1);
        for (int i = 0; i < n; ++i) ASSERT_EQ(out[i], 2 * factor * i);
    }
}

// The fake would not let these pass: else the tests above show less than they seem to.
TEST_F(CudaRun, TheFakeLooksAtArguments) {
    Artifact add(add_graph());
    float* x = floats(256, [](size_t) { return 1.0f; });
    float here[256];
    EXPECT_THROW(launch(add, 0, nullptr, {1, 1, 1}, {address(x), address(x), address(here), 256}),
                 RuntimeError);
    EXPECT_EQ(fake.count("argument 2 of add_kernel points nowhere"), 1) << fake.log();
    void* missing[4] = {&x, nullptr, nullptr, nullptr};
    EXPECT_THROW(add.cuda().launch(0, nullptr, {1, 1, 1}, missing), RuntimeError);
    EXPECT_EQ(fake.count("argument 1 of add_kernel is missing"), 1) << fake.log();
    EXPECT_THROW(add.cuda().launch(0, fake.stream(1, 0), {1, 1, 1}, missing), RuntimeError);
    EXPECT_EQ(fake.count("another context's stream"), 1) << fake.log();
    EXPECT_EQ(fake.count("violation"), 3);
    fake.reset();
}

TEST_F(CudaRun, AnAccessOutOfBoundsIsACrash) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            Artifact add(add_graph());
            float* x = floats(256, [](size_t) { return 1.0f; });
            float* out = floats(252, [](size_t) { return 1.0f; });
            launch(add, 0, nullptr, {1, 1, 1}, {address(x), address(x), address(out), 256});
        },
        "");
}

}  // namespace
}  // namespace mytriton
