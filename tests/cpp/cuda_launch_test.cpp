// Launching through a fake driver: contexts, caching, captures, grids, errors, forks.
#include "cuda/launch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "cuda/driver.h"
#include "fake_cuda/controls.h"
#include "ir/error.h"
#include "messages.h"

namespace {
thread_local int allocations = 0;
}  // namespace

// Counted, because a warm launch must not allocate. Not inlined, or g++ sees a free() of what came
// from new and warns.
[[gnu::noinline]] void* operator new(size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
    std::free(memory);
}

namespace mytriton {
namespace {

constexpr char kCubinMagic[] = "\177ELF and more";

class CudaLaunch : public testing::Test {
  protected:
    // The fake must be initialised before a test sets a context, whichever test comes first.
    void SetUp() override {
        setenv("MYTRITON_LIBCUDA", FAKE_CUDA_PATH, 1);
        driver();
        fake.reset();
    }

    // Compiles nothing, but remembers for which capabilities it was asked to.
    CompileFn compile_fake() {
        return [this](const std::string&, const std::string&, int sm, bool) {
            compiled_for.push_back(sm);
            return Cubin{.image = kCubinMagic, .is_ptx = false, .log = ""};
        };
    }

    int count(const std::string& part) const { return fake.count(part); }

    Fake fake;
    std::vector<int> compiled_for;
    void* args[1] = {nullptr};
};

TEST_F(CudaLaunch, GridBlockStreamAndArgsReachTheDriver) {
    CudaKernel kernel("text", "add_kernel", {256}, false, compile_fake());
    void* stream = fake.stream(0, 0);
    kernel.launch(0, stream, {2147483647, 65535, 4}, args);
    char wanted[256];
    std::snprintf(wanted, sizeof wanted,
                  "launch add_kernel device 0 grid 2147483647,65535,4 block 256,1,1 shared 0 "
                  "stream %p args %p\n",
                  stream, static_cast<void*>(args));
    EXPECT_EQ(count(wanted), 1) << fake.log();
}

TEST_F(CudaLaunch, TextNameCapabilityAndFusionReachTheCompiler) {
    std::string seen;
    const auto compile = [&](const std::string& text, const std::string& name, int sm,
                             bool fp_fusion) {
        seen = text + "|" + name + "|" + std::to_string(sm) + "|" + (fp_fusion ? "fused" : "exact");
        return Cubin{.image = ".version 8.0", .is_ptx = true, .log = ""};
    };
    CudaKernel fused("some text", "k", {32}, true, compile);
    fused.launch(2, nullptr, {1, 1, 1}, args);
    EXPECT_EQ(seen, "some text|k|120|fused");
    CudaKernel exact("other text", "k", {32}, false, compile);
    exact.launch(0, nullptr, {1, 1, 1}, args);
    EXPECT_EQ(seen, "other text|k|90|exact");
}

TEST_F(CudaLaunch, PrimaryContextBecomesCurrentAndStaysWhereThereWasNone) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    EXPECT_EQ(fake.current(), nullptr);
    kernel.launch(1, nullptr, {1, 1, 1}, args);
    EXPECT_EQ(fake.current(), fake.context(1));
    EXPECT_EQ(count("set context"), 1) << fake.log();
    kernel.launch(1, nullptr, {1, 1, 1}, args);
    EXPECT_EQ(count("set context"), 1) << "it was current already";
}

TEST_F(CudaLaunch, AnotherCurrentContextIsRestored) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    fake.set_current(fake.context(0));
    for (int launch = 0; launch < 2; ++launch) {  // cold, then warm
        kernel.launch(1, fake.stream(1, 0), {1, 1, 1}, args);
        EXPECT_EQ(fake.current(), fake.context(0));
    }
    EXPECT_EQ(count("launch k device 1"), 2) << fake.log();
}

TEST_F(CudaLaunch, AnotherCurrentContextIsRestoredAfterAnError) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    fake.set_current(fake.context(0));
    for (const char* call : {"cuModuleLoadData", "cuLaunchKernel"}) {
        fake.fail(call, 0, 2);
        EXPECT_THROW(kernel.launch(1, nullptr, {1, 1, 1}, args), RuntimeError) << call;
        EXPECT_EQ(fake.current(), fake.context(0)) << call;
    }
}

TEST_F(CudaLaunch, ModuleLoadsOncePerDeviceAndCompilesOncePerCapability) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    for (int round = 0; round < 10; ++round) {
        for (int device = 0; device < 3; ++device) {
            kernel.launch(device, nullptr, {1, 1, 1}, args);
        }
    }
    for (int device = 0; device < 3; ++device) {
        EXPECT_EQ(count("load module in context " + std::to_string(device)), 1);
        EXPECT_EQ(count("launch k device " + std::to_string(device)), 10);
    }
    EXPECT_EQ(compiled_for, (std::vector<int>{90, 120}));
}

TEST_F(CudaLaunch, ThreadsThatRaceOnAColdKernelLoadItOnce) {
    std::atomic<int> compiles = 0;
    CudaKernel kernel("text", "k", {32}, false,
                      [&](const std::string&, const std::string&, int, bool) {
                          ++compiles;
                          // Long enough for the other threads to arrive.
                          std::this_thread::sleep_for(std::chrono::milliseconds(20));
                          return Cubin{.image = kCubinMagic, .is_ptx = false, .log = ""};
                      });
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] {
            for (int launch = 0; launch < 20; ++launch) {
                kernel.launch(launch % 2, nullptr, {1, 1, 1}, args);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(count("load module in context 0"), 1);
    EXPECT_EQ(count("load module in context 1"), 1);
    EXPECT_EQ(count("launch k "), 160);
    EXPECT_EQ(compiles, 1);
}

TEST_F(CudaLaunch, WarmLaunchesDoNotAllocate) {
    CudaKernel kernel("text", "a_name_too_long_for_the_small_string", {32}, false, compile_fake());
    fake.set_current(fake.context(0));
    kernel.launch(1, nullptr, {1, 1, 1}, args);
    const int before = allocations;
    kernel.launch(1, nullptr, {1, 1, 1}, args);
    EXPECT_EQ(allocations, before);
}

TEST_F(CudaLaunch, EmptyGridLaunchesNothing) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    kernel.launch(0, nullptr, {0, 1, 1}, args);
    kernel.launch(0, nullptr, {1, 0, 1}, args);
    kernel.launch(0, nullptr, {1, 70000, 0}, args);
    EXPECT_STREQ(fake.log(), "");
    EXPECT_TRUE(compiled_for.empty());
}

TEST_F(CudaLaunch, GridAxesOutOfRangeAreValueErrors) {
    CudaKernel kernel("text", "my_kernel", {32}, false, compile_fake());
    const auto refusal = [&](int64_t x, int64_t y, int64_t z) {
        return message_of<ValueError>([&] { kernel.launch(0, nullptr, {x, y, z}, args); });
    };
    expect_parts(refusal(1, 65536, 1), {"my_kernel", "axis y is 65536", "65535"});
    expect_parts(refusal(1, 1, 65536), {"my_kernel", "axis z is 65536", "65535"});
    expect_parts(refusal(2147483648, 1, 1), {"axis x is 2147483648", "2147483647"});
    expect_parts(refusal(4294967297, 1, 1), {"axis x is 4294967297"});
    expect_parts(refusal(0, 1, -3), {"axis z is -3", "negative"});
    EXPECT_STREQ(fake.log(), "");
}

TEST_F(CudaLaunch, DevicesOutOfRangeAreErrors) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    EXPECT_THROW(kernel.launch(-1, nullptr, {1, 1, 1}, args), ValueError);
    EXPECT_THROW(kernel.launch(64, nullptr, {1, 1, 1}, args), ValueError);
    expect_parts(
        message_of<RuntimeError>([&] { kernel.launch(3, nullptr, {1, 1, 1}, args); }),
        {"cuDeviceGet", "'k'", "device 3", "CUDA_ERROR_INVALID_DEVICE", "CUDA_VISIBLE_DEVICES"});
}

TEST_F(CudaLaunch, MoreThreadsThanTheDeviceTakesAreAValueError) {
    CudaKernel most("text", "k", {1024}, false, compile_fake());
    most.launch(0, nullptr, {1, 1, 1}, args);
    CudaKernel more("text", "wide_kernel", {1025}, false, compile_fake());
    expect_parts(message_of<ValueError>([&] { more.launch(0, nullptr, {1, 1, 1}, args); }),
                 {"wide_kernel", "1025", "1024"});
    EXPECT_THROW(CudaKernel("text", "k", {0}, false, compile_fake()), InternalError);
}

TEST_F(CudaLaunch, SharedMemoryIsAskedForWhereThereIsEnough) {
    CudaKernel kernel("text", "wide", {128, 150000}, false, compile_fake());
    kernel.launch(0, nullptr, {1, 1, 1}, args);
    kernel.launch(0, nullptr, {1, 1, 1}, args);
    EXPECT_EQ(count("block 128,1,1 shared 150000"), 2) << fake.log();
    EXPECT_EQ(count("allow wide shared 150000"), 1) << fake.log();
    EXPECT_EQ(message_of<ValueError>([&] { kernel.launch(1, nullptr, {1, 1, 1}, args); }),
              "kernel 'wide' needs 150000 bytes of shared memory for the lanes that its blocks "
              "exchange; device 1 has 101376 for a program: use smaller blocks");
}

TEST_F(CudaLaunch, ColdLaunchInACaptureIsRefusedAndDoesNotSpoilIt) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    void* stream = fake.stream(0, 0);
    fake.set_capture(stream, 1);
    expect_parts(message_of<RuntimeError>([&] { kernel.launch(0, stream, {1, 1, 1}, args); }),
                 {"'k'", "device 0", "warm up"});
    EXPECT_EQ(fake.get_capture(stream), 1);
    EXPECT_TRUE(compiled_for.empty());

    fake.set_capture(stream, 0);
    kernel.launch(0, stream, {1, 1, 1}, args);
    EXPECT_EQ(count("launch k"), 1) << "the refusal must not stick";
}

TEST_F(CudaLaunch, WarmLaunchInACaptureGoesThrough) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    void* stream = fake.stream(0, 0);
    kernel.launch(0, fake.stream(0, 1), {1, 1, 1}, args);
    fake.set_capture(stream, 1);
    kernel.launch(0, stream, {1, 1, 1}, args);
    EXPECT_EQ(count("launch k"), 2) << fake.log();
    EXPECT_EQ(fake.get_capture(stream), 1);
}

TEST_F(CudaLaunch, ColdLaunchDuringAnotherCaptureSaysWarmUp) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    void* captured = fake.stream(0, 0);
    fake.set_capture(captured, 1);
    for (void* stream : {static_cast<void*>(nullptr), fake.stream(0, 1), fake.stream(0, 2)})
        expect_parts(message_of<RuntimeError>([&] { kernel.launch(0, stream, {1, 1, 1}, args); }),
                     {"'k'", "device 0", "another stream", "warm up first"});
    EXPECT_EQ(fake.get_capture(captured), 1) << "spoilt";
    EXPECT_TRUE(compiled_for.empty());
}

// A stream that does not wait for the default stream, as torch's do not, captures unseen by others:
// we try, and the driver's refusal gets our advice.
TEST_F(CudaLaunch, ColdLaunchDuringACaptureThatNobodySeesIsRefusedByTheDriver) {
    CudaKernel kernel("text", "k", {32}, false, compile_fake());
    void* captured = fake.stream(0, 2);
    fake.set_capture(captured, 1);
    expect_parts(
        message_of<RuntimeError>([&] { kernel.launch(0, fake.stream(0, 3), {1, 1, 1}, args); }),
        {"cuModuleLoadData", "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "warm up"});
    fake.set_capture(captured, 0);
    kernel.launch(0, fake.stream(0, 3), {1, 1, 1}, args);
    EXPECT_EQ(count("launch k"), 1) << "the refusal must not stick";
}

TEST_F(CudaLaunch, CompileErrorsPassThroughAndAreNotRemembered) {
    bool broken = true;
    CudaKernel kernel("text", "k", {32}, false,
                      [&](const std::string&, const std::string& name, int, bool) {
                          if (broken) throw CompileError("kernel '" + name + "' is broken");
                          return Cubin{.image = kCubinMagic, .is_ptx = false, .log = ""};
                      });
    EXPECT_THROW(kernel.launch(0, nullptr, {1, 1, 1}, args), CompileError);
    broken = false;
    kernel.launch(0, nullptr, {1, 1, 1}, args);
    EXPECT_EQ(count("launch k"), 1);
}

TEST_F(CudaLaunch, CompilesWithNvrtcUnlessTold) {
    if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    CudaKernel kernel("extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1.0f; }", "k",
                      {32});
    for (int device = 0; device < 3; ++device) kernel.launch(device, nullptr, {1, 1, 1}, args);
    EXPECT_EQ(count("launch k"), 3) << fake.log();
    EXPECT_EQ(count("cuInit"), 0) << "a compile must leave the driver alone";
}

TEST_F(CudaLaunch, ForkedChildGetsAnErrorAndDoesNotHang) {
    CudaKernel warm("text", "k", {32}, false, compile_fake());
    CudaKernel cold("text", "k", {32}, false, compile_fake());
    warm.launch(0, nullptr, {1, 1, 1}, args);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(20);  // a hang ends as a signal
        const auto says_fork = [&](CudaKernel& kernel) {
            const std::string message =
                message_of<RuntimeError>([&] { kernel.launch(0, nullptr, {1, 1, 1}, args); });
            return message.find("forked") != message.npos && message.find("spawn") != message.npos;
        };
        _exit(says_fork(warm) && says_fork(cold) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    warm.launch(0, nullptr, {1, 1, 1}, args);  // the parent is not affected
}

// Prints the error of opening `library` as the driver, and exits: the body of death tests.
[[noreturn]] void open_and_exit(const char* library) {
    setenv("MYTRITON_LIBCUDA", library, 1);
    std::fputs(message_of<RuntimeError>([] { driver(); }).c_str(), stderr);
    std::_Exit(7);
}

// Each runs in a fresh process, where no driver has been opened yet.
class CudaDriverDeathTest : public testing::Test {
  protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CudaDriverDeathTest, LibraryWithoutTheCallsIsAClearError) {
    EXPECT_EXIT(open_and_exit("libm.so.6"), testing::ExitedWithCode(7),
                "libm.so.6 has no cuInit, which came with CUDA 2.0.*does not look like a CUDA");
}

// A failed attempt is no CUDA: a child of it may try, and the next call tries again.
TEST_F(CudaDriverDeathTest, FailedAttemptDoesNotStick) {
    const auto body = [] {
        setenv("MYTRITON_LIBCUDA", "/nowhere/libcuda.so.1", 1);
        const std::string first = message_of<RuntimeError>([] { driver(); });
        const pid_t child = fork();
        if (child == 0) {
            setenv("MYTRITON_LIBCUDA", FAKE_CUDA_PATH, 1);
            std::_Exit(driver().version == 13000 ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        std::_Exit(status == 0 && first.find("no CUDA driver") != first.npos ? 7 : 1);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace mytriton
