// First launches from many threads, on many devices and streams, whatever context is current.
#include <sys/wait.h>
#include <unistd.h>

#include <latch>
#include <thread>

#include "cache/artifact.h"
#include "graphs.h"
#include "ir/error.h"
#include "messages.h"
#include "on_fakes.h"

namespace mytriton {
namespace {

constexpr int kThreads = 16;
constexpr int kSize = 512;

class CudaThreads : public CudaTest {
  protected:
    Artifact add{add_graph()};

    float* floats(float value) {
        float* memory = static_cast<float*>(fake.alloc(kSize * sizeof(float)));
        std::fill(memory, memory + kSize, value);
        return memory;
    }
    void launch(int device, void* stream, float* x, float* out) {
        int64_t n = kSize;
        void* args[] = {&x, &x, &out, &n};
        add.cuda().launch(device, stream, {2, 1, 1}, args);
    }
};

TEST_F(CudaThreads, SixteenFirstLaunchesAtOnce) {
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    std::vector<std::string> wrong(kThreads);
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            float* x = floats(static_cast<float>(t));
            float* out = floats(-1.0f);
            // No context, this device's, another device's; default and side streams.
            const int device = t % 3;
            void* context = t % 4 == 0 ? nullptr : fake.context(t % 4 == 1 ? device : (t + 1) % 3);
            fake.set_current(context);
            void* after = context ? context : fake.context(device);
            start.arrive_and_wait();
            for (int round = 0; round < 4; ++round) {
                std::fill(out, out + kSize, -1.0f);
                launch(device, (t + round) % 3 ? fake.stream(device, (t + round) % 4) : nullptr, x,
                       out);
                if (std::count(out, out + kSize, 2.0f * t) != kSize) wrong[t] += "values ";
                if (fake.current() != after) wrong[t] += "context ";
            }
        });
    for (std::thread& each : threads) each.join();
    for (int t = 0; t < kThreads; ++t) EXPECT_EQ(wrong[t], "") << t;
    for (int device = 0; device < 3; ++device)
        EXPECT_EQ(fake.count("load module in context " + std::to_string(device)), 1);
    EXPECT_EQ(fake.count("launch add_kernel"), 4 * kThreads);
}

// As autograd's threads are: they come when the kernel is warm, and go.
TEST_F(CudaThreads, AThreadThatNeverHadAContext) {
    float *x = floats(3.0f), *out = floats(-1.0f);
    launch(1, nullptr, x, out);
    std::fill(out, out + kSize, -1.0f);
    std::thread([&] {
        EXPECT_EQ(fake.current(), nullptr);
        launch(1, fake.stream(1, 2), x, out);
        EXPECT_EQ(fake.current(), fake.context(1));
    }).join();
    EXPECT_EQ(std::count(out, out + kSize, 6.0f), kSize);
}

// One thread captures, and another one comes with a cold kernel and a stream of its own.
TEST_F(CudaThreads, CapturesOfOtherStreamsForbidLoading) {
    float *x = floats(3.0f), *out = floats(-1.0f);
    void* captured = fake.stream(0, 0);
    fake.set_capture(captured, 1);
    std::thread([&] {
        const std::string message =
            message_of<RuntimeError>([&] { launch(0, fake.stream(0, 2), x, out); });
        expect_parts(message, {"another stream", "warm up first"});
    }).join();
    EXPECT_EQ(fake.get_capture(captured), 1) << "spoilt";
    EXPECT_EQ(fake.count("load module"), 0);
}

TEST_F(CudaThreads, AForkedChildGetsAnErrorAndTheParentGoesOn) {
    float *x = floats(3.0f), *out = floats(-1.0f);
    launch(0, nullptr, x, out);
    // While other threads launch, and one may hold any lock.
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        float* other = floats(0.0f);
        while (!stop) launch(2, nullptr, x, other);
    });
    for (int i = 0; i < 8; ++i) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(20);  // a hang ends as a signal
            void* args[4] = {};
            const std::string message =
                message_of<RuntimeError>([&] { add.cuda().launch(0, nullptr, {1, 1, 1}, args); });
            _exit(message.find("forked") != message.npos ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    stop = true;
    busy.join();
    std::fill(out, out + kSize, -1.0f);
    launch(0, nullptr, x, out);
    EXPECT_EQ(std::count(out, out + kSize, 6.0f), kSize);
}

}  // namespace
}  // namespace mytriton
