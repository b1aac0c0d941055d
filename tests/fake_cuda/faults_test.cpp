// Each driver call fails once with each error that its documentation names: what is said then, and
// that the next launch works. MYTRITON_SHOW_FAULTS=1 prints what is said.
#include <cstdio>
#include <vector>

#include "cuda/launch.h"
#include "ir/error.h"
#include "messages.h"
#include "on_fakes.h"

namespace mytriton {
namespace {

constexpr char kOpaque[] = "\177ELF and more";  // loads, and runs nothing
constexpr int kDevice = 0;
constexpr int kShared = 100 << 10;  // beyond what needs no opt-in

struct Fault {
    const char* call;
    std::vector<int> results;
};

// The errors of CUDA 13's driver API reference, and those that arrive from work done earlier.
const std::vector<int> kEarlierWork = {700, 702, 716, 719};
const Fault kFaults[] = {
    {"cuDeviceGet", {1, 3, 4, 101, 201}},
    {"cuDeviceGetAttribute", {1, 3, 4, 101, 201}},
    {"cuDevicePrimaryCtxRetain", {1, 2, 3, 4, 46, 101, 201, 999}},
    {"cuCtxGetCurrent", {3, 4}},
    {"cuCtxSetCurrent", {3, 4, 201}},
    {"cuStreamIsCapturing", {1, 3, 4, 906}},
    {"cuModuleLoadData", {1, 2, 3, 4, 200, 201, 209, 218, 221, 222, 301, 302, 303, 500, 900}},
    {"cuModuleGetFunction", {1, 3, 4, 201, 500}},
    {"cuFuncGetAttribute", {1, 3, 4, 201, 400}},
    {"cuFuncSetAttribute", {1, 3, 4, 201, 400}},
    {"cuLaunchKernel", {1, 3, 4, 200, 201, 303, 400, 701, 901}},
};

std::string name_of(int result) {
    const char* name = nullptr;
    driver().cuGetErrorName(result, &name);
    return name ? name : "?";
}

class CudaFaults : public CudaTest {
  protected:
    int compiles = 0;
    void* args[1] = {nullptr};

    CudaKernel kernel() {
        return CudaKernel("text", "faulty", {128, kShared}, false,
                          [this](const std::string&, const std::string&, int, bool) {
                              ++compiles;
                              return Cubin{.image = kOpaque, .made_by = "a test for sm_90a"};
                          });
    }
    void launch(CudaKernel& kernel) {
        kernel.launch(kDevice, fake.stream(kDevice, 2), {2, 1, 1}, args);
    }

    // The call fails after so many that go well: at which the launch throws, or nothing does.
    void expect_fault(CudaKernel& kernel, const char* call, int after, int result) {
        SCOPED_TRACE(call + (" number " + std::to_string(after) + ": " + name_of(result)));
        void* const before = fake.current();
        const int launches = fake.count("launch faulty");
        fake.fail(call, after, result);
        const std::string message = message_of<RuntimeError>([&] { launch(kernel); });
        if (result == kCudaCaptureImplicit && std::string(call) == "cuStreamIsCapturing") {
            expect_parts(message, {"'faulty'", "device 0", "another stream", "warm up first"});
        } else {
            expect_parts(message, {std::string(call) + " failed", "'faulty'", "device 0",
                                   name_of(result) + " (" + std::to_string(result), "fake text",
                                   advice_for(result), "supports CUDA 13.0"});
        }
        if (after == 0 && std::getenv("MYTRITON_SHOW_FAULTS")) std::printf("%s\n", message.c_str());
        EXPECT_EQ(fake.count("launch faulty"), launches);
        EXPECT_EQ(fake.current(), before) << "the context is not restored";
        launch(kernel);
        EXPECT_EQ(fake.count("launch faulty"), launches + 1) << "the error sticks";
        EXPECT_EQ(fake.current(), before);
        EXPECT_EQ(compiles, 1) << "compiled again";
    }
};

TEST_F(CudaFaults, AColdLaunchSaysWhatFailedAndTheNextWorks) {
    for (const Fault& fault : kFaults) {
        // From a thread that has the context already, and from one that has another: the calls that
        // switch contexts are made then.
        for (void* context : {fake.context(kDevice), fake.context(1)}) {
            fake.reset();
            fake.set_current(context);
            CudaKernel clean = kernel();
            const int before = fake.calls(fault.call);
            launch(clean);
            const int calls = fake.calls(fault.call) - before;
            EXPECT_TRUE(calls > 0 || context == fake.context(kDevice)) << fault.call;
            for (int result : fault.results) {
                for (int after = 0; after < calls; ++after) {
                    // Every other switch restores a context, of which see below.
                    if (fault.call == std::string("cuCtxSetCurrent") && after % 2 == 1) continue;
                    fake.reset();
                    fake.set_current(context);
                    compiles = 0;
                    CudaKernel fresh = kernel();
                    expect_fault(fresh, fault.call, after, result);
                }
            }
        }
    }
}

TEST_F(CudaFaults, AWarmLaunchSaysWhatFailedAndTheNextWorks) {
    fake.set_current(fake.context(1));
    CudaKernel warm = kernel();
    launch(warm);
    for (const char* call : {"cuCtxGetCurrent", "cuCtxSetCurrent", "cuLaunchKernel"}) {
        for (const Fault& fault : kFaults) {
            if (std::string(fault.call) != call) continue;
            for (int result : fault.results) expect_fault(warm, call, 0, result);
            for (int result : kEarlierWork) expect_fault(warm, call, 0, result);
        }
    }
    EXPECT_EQ(fake.calls("cuModuleLoadData"), 1);
}

// It cannot be reported, for the launch has gone well; the next one finds its context and goes
// well.
TEST_F(CudaFaults, AContextThatCannotBeRestoredIsNoErrorOfTheLaunch) {
    fake.set_current(fake.context(1));
    CudaKernel warm = kernel();
    launch(warm);
    fake.fail("cuCtxSetCurrent", 1, 201);
    launch(warm);
    EXPECT_EQ(fake.current(), fake.context(kDevice));
    launch(warm);
    EXPECT_EQ(fake.count("launch faulty"), 3);
}

TEST_F(CudaFaults, ErrorsThatTheDriverHasNoNameForStillSayWhatToDo) {
    CudaKernel warm = kernel();
    launch(warm);
    fake.fail("cuLaunchKernel", 0, 12345);
    expect_parts(message_of<RuntimeError>([&] { launch(warm); }),
                 {"cuLaunchKernel", "CUDA error (12345)", "nvidia-smi"});
}

TEST_F(CudaFaults, EachErrorOfAModuleTellsTheArchitectures) {
    CudaKernel cold = kernel();
    fake.fail("cuModuleLoadData", 0, 209);
    expect_parts(message_of<RuntimeError>([&] { launch(cold); }),
                 {"compute capability 9.0", "a test for sm_90a", "update the driver"});
}

// In fresh processes, where no driver has been opened yet.
class CudaFaultsDeathTest : public testing::Test {
  protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CudaFaultsDeathTest, CuInitFailsOnceAndThenWorks) {
    const auto body = [] {
        Fake fake;
        for (int result : {1, 100, 101, 803, 804, 999}) {
            fake.reset();
            fake.fail("cuInit", 0, result);
            const std::string message = message_of<RuntimeError>([] { driver(); });
            if (std::getenv("MYTRITON_SHOW_FAULTS")) std::printf("%s\n", message.c_str());
            if (message.find("cuInit failed") == message.npos ||
                message.find("(" + std::to_string(result)) == message.npos ||
                message.find(advice_for(result)) == message.npos)
                std::_Exit(result);
        }
        std::_Exit(driver().version == 13000 ? 0 : 5);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

// Its version is only said in texts; and what is no version is no old driver.
TEST_F(CudaFaultsDeathTest, CuDriverGetVersionMayFail) {
    const auto body = [] {
        Fake fake;
        fake.fail("cuDriverGetVersion", 0, 1);
        fake.fail("cuInit", 0, 100);
        const std::string message = message_of<RuntimeError>([] { driver(); });
        std::_Exit(message.find("supports CUDA") == message.npos && driver().version == 13000 ? 0
                                                                                              : 1);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace mytriton
