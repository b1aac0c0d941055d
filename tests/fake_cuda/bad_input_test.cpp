// Images, libraries and devices that do not fit: what is said, and that all else goes on working.
#include <sys/wait.h>

#include <fstream>

#include "cache/artifact.h"
#include "cache_folder.h"
#include "disk/entry.h"
#include "graphs.h"
#include "image.h"
#include "ir/error.h"
#include "messages.h"
#include "on_fakes.h"

namespace mytriton {
namespace {

constexpr int kSize = 512;
const std::string kText = "extern \"C\" __global__ void k(int* x) { x[threadIdx.x] = 5; }";

// x + x by the artifact's CUDA kernel on device 0: whether the values are right.
bool adds(const Fake& fake, Artifact& add) {
    float* x = static_cast<float*>(fake.alloc(kSize * sizeof(float)));
    float* out = static_cast<float*>(fake.alloc(kSize * sizeof(float)));
    std::fill(x, x + kSize, 3.0f);
    int64_t n = kSize;
    void* args[] = {&x, &x, &out, &n};
    add.cuda().launch(0, nullptr, {2, 1, 1}, args);
    return std::count(out, out + kSize, 6.0f) == kSize;
}

bool adds_on_the_cpu(Artifact& add) {
    std::vector<float> x(kSize, 3.0f), out(kSize);
    const int64_t args[] = {reinterpret_cast<int64_t>(x.data()),
                            reinterpret_cast<int64_t>(x.data()),
                            reinterpret_cast<int64_t>(out.data()), kSize};
    add.cpu().launch(
        args, {2, 1, 1},
        [](int64_t count, int64_t, const std::function<void(int64_t, int64_t)>& body) {
            body(0, count);
        },
        [](const std::string&) {}, [](const std::string&) {});
    return std::count(out.begin(), out.end(), 6.0f) == kSize;
}

class CudaBadInput : public CudaTest {
  protected:
    CudaKernel kernel(BlockShape shape, const std::string& image) {
        return CudaKernel(kText, "k", shape, false,
                          [image](const std::string&, const std::string&, int, bool) {
                              return Cubin{.image = image, .made_by = "NVRTC 13.0 for sm_80"};
                          });
    }
    std::string refusal(CudaKernel& kernel, int device = 0) {
        return message_of<std::runtime_error>(
            [&] { kernel.launch(device, nullptr, {1, 1, 1}, args); });
    }
    void expect_works() {
        int* x = static_cast<int*>(fake.alloc(32 * sizeof(int)));
        void* given[] = {&x};
        CudaKernel good = kernel({32}, fake::write_image({"sm_90a", kText}));
        good.launch(0, nullptr, {1, 1, 1}, given);
        EXPECT_EQ(std::count(x, x + 32, 5), 32);
    }
    void* args[1] = {nullptr};
};

TEST_F(CudaBadInput, ACubinForAnotherArchitecture) {
    CudaKernel wrong = kernel({32}, fake::write_image({"sm_80", kText}));
    for (int i = 0; i < 2; ++i)
        expect_parts(refusal(wrong),
                     {"cuModuleLoadData", "'k'", "device 0", "NO_BINARY_FOR_GPU (209",
                      "compute capability 9.0", "NVRTC 13.0 for sm_80", "update the driver"});
    // "a" code is of one architecture, whatever is newer.
    CudaKernel older = kernel({32}, fake::write_image({"sm_90a", kText}));
    expect_parts(refusal(older, 2), {"NO_BINARY_FOR_GPU", "device 2", "compute capability 12.0"});
    expect_works();
}

TEST_F(CudaBadInput, ATruncatedCubin) {
    const std::string whole = fake::write_image({"sm_90a", kText});
    for (size_t size : {whole.size() - 1, whole.size() / 2, size_t{3}}) {
        CudaKernel cut = kernel({32}, whole.substr(0, size));
        expect_parts(refusal(cut), {"cuModuleLoadData", "INVALID_IMAGE (200", "device 0"});
    }
    expect_works();
}

TEST_F(CudaBadInput, AKernelThatTheImageDoesNotHold) {
    CudaKernel other(kText, "elsewhere", {32}, false,
                     [](const std::string&, const std::string&, int, bool) {
                         return Cubin{.image = fake::write_image({"sm_90a", kText})};
                     });
    expect_parts(refusal(other), {"cuModuleGetFunction", "'elsewhere'", "NOT_FOUND"});
    expect_works();
}

TEST_F(CudaBadInput, MoreThreadsThanTheDeviceHasOrTheRegistersAllow) {
    const std::string image = fake::write_image({"sm_90a", kText});
    CudaKernel wide = kernel({1056}, image);
    EXPECT_EQ(refusal(wide),
              "kernel 'k' needs 1056 threads a block; device 0 takes at most 1024: use a smaller "
              "num_warps, or fewer lanes in the lane layout");
    EXPECT_EQ(fake.count("load module"), 0) << "found out before anything is loaded";
    fake.set_function_threads(640);
    CudaKernel registers = kernel({1024}, image);
    EXPECT_EQ(refusal(registers),
              "kernel 'k' needs 1024 threads a block; device 0 takes at most 640 with this many "
              "registers: use a smaller num_warps, or fewer lanes in the lane layout");
    expect_works();
}

TEST_F(CudaBadInput, MoreSharedMemoryThanTheDeviceHas) {
    const std::string text =
        "extern \"C\" __global__ void k(int* x) { __shared__ int words[256]; "
        "words[threadIdx.x] = threadIdx.x; x[threadIdx.x] = words[threadIdx.x]; }";
    CudaKernel large = kernel({32, 232449}, "never compiled");
    EXPECT_EQ(refusal(large),
              "kernel 'k' needs 232449 bytes of shared memory for the lanes that its blocks "
              "exchange; device 0 has 232448 for a program: use smaller blocks");
    // What the text declares counts too.
    CudaKernel both = kernel({32, 232448}, fake::write_image({"sm_90a", text}));
    expect_parts(refusal(both), {"needs 233472 bytes", "device 0 has 232448", "smaller blocks"});
    expect_works();
}

// Everything below is in children, as a process opens one driver and one NVRTC: fresh ones, for
// these suites run first and open none.
class CudaLibrariesDeathTest : public CacheFolder {
  protected:
    static constexpr int kWell = 0;

    // The exit status: kWell where the first message has all parts and the second launch is right.
    static int breaks_and_recovers(const std::vector<std::string>& parts, const char* variable,
                                   const char* good) {
        Artifact add(add_graph());
        const Fake fake;
        const std::string message = message_of<RuntimeError>([&] { adds(fake, add); });
        if (std::getenv("MYTRITON_SHOW_FAULTS")) std::fprintf(stderr, "%s\n", message.c_str());
        for (const std::string& part : parts)
            if (message.find(part) == message.npos) {
                std::fprintf(stderr, "no '%s' in: %s\n", part.c_str(), message.c_str());
                return 1;
            }
        if (!adds_on_the_cpu(add)) return 2;
        if (good)
            setenv(variable, good, 1);
        else
            unsetenv(variable);
        return adds(fake, add) && fake.count("violation") == 0 ? kWell : 3;
    }
};

TEST_F(CudaLibrariesDeathTest, NoDriver) {
    EXPECT_EQ(in_child([] {
                  setenv("MYTRITON_LIBCUDA", "/nowhere/libcuda.so.1", 1);
                  return breaks_and_recovers(
                      {"no CUDA driver", "/nowhere/libcuda.so.1", "NVIDIA GPU and its driver"},
                      "MYTRITON_LIBCUDA", FAKE_CUDA_PATH);
              }),
              kWell);
}

TEST_F(CudaLibrariesDeathTest, ADriverThatIsTooOld) {
    for (auto [version, parts] :
         {std::pair<const char*, std::vector<std::string>>{
              "11040", {"supports CUDA 11.4", "CUDA 12.0 or newer", "update the driver"}},
          {"12020", {"has no cuDeviceGet", "came with CUDA 2.0", "supports CUDA 12.2: update it"}},
          {"0", {"has no cuDeviceGet", "does not look like a CUDA driver"}}})
        EXPECT_EQ(in_child([&] {
                      setenv("MYTRITON_LIBCUDA", OLD_DRIVER_PATH, 1);
                      setenv("FAKE_CUDA_VERSION", version, 1);
                      return breaks_and_recovers(parts, "MYTRITON_LIBCUDA", FAKE_CUDA_PATH);
                  }),
                  kWell)
            << version;
}

TEST_F(CudaLibrariesDeathTest, NoNvrtc) {
    EXPECT_EQ(in_child([] {
                  setenv("MYTRITON_NVRTC_PATH", "/nowhere", 1);
                  return breaks_and_recovers(
                      {"NVRTC", "MYTRITON_NVRTC_PATH=/nowhere", "pip install nvidia-cuda-nvrtc"},
                      "MYTRITON_NVRTC_PATH", FAKE_NVRTC_FOLDER);
              }),
              kWell);
}

TEST_F(CudaLibrariesDeathTest, NoBuiltinsOfNvrtc) {
    EXPECT_EQ(in_child([] {
                  setenv("FAKE_NVRTC_NO_BUILTINS", "1", 1);
                  return breaks_and_recovers(
                      {"nvrtcCompileProgram for sm_90a", "'add_kernel'", "NVRTC 13.0 at",
                       "libnvrtc-builtins.so.13.0", "--force-reinstall nvidia-cuda-nvrtc"},
                      "FAKE_NVRTC_NO_BUILTINS", nullptr);
              }),
              kWell);
}

class CudaDiskDeathTest : public CudaLibrariesDeathTest {
  protected:
    void SetUp() override {
        CudaLibrariesDeathTest::SetUp();
        setenv("MYTRITON_CACHE_DIR", folder_.c_str(), 1);
    }
    void TearDown() override {
        setenv("MYTRITON_CACHE_DIR", "0", 1);
        CudaLibrariesDeathTest::TearDown();
    }

    // Launches in a fresh process: kWell where values are right, with so many compiles, warnings.
    static int launches(int compiles, int warnings, int launches_of_other = 0) {
        return in_child([=] {
            int warned = 0;
            set_cache_warning([&](const std::string& text) {
                if (std::getenv("MYTRITON_SHOW_FAULTS")) std::fprintf(stderr, "%s\n", text.c_str());
                warned += text.find("is refused by the driver") != text.npos &&
                          text.find("compiled again") != text.npos;
            });
            const Fake fake;
            // Equal texts share what is read from disk, and what is made in its stead.
            Artifact add(add_graph()), other(add_graph());
            if (!adds(fake, add)) return 2;
            for (int i = 0; i < launches_of_other; ++i)
                if (!adds(fake, other)) return 2;
            void* nvrtc = dlopen(FAKE_NVRTC_FOLDER "/libnvrtc.so.13", RTLD_NOW | RTLD_NOLOAD);
            int (*count)() = nullptr;
            Fake::find(nvrtc, "fake_nvrtc_compiles", count);
            if (fake.count("violation")) return 3;
            if (count() != compiles) return 10 + count();
            return warned == warnings ? kWell : 20 + warned;
        });
    }
    // The one entry: its checksum holds, but the image is another.
    void damage(const std::function<std::string(const std::string&)>& change) {
        ASSERT_EQ(cache().list().size(), 1u);
        const fs::path path = folder_ / cache().list()[0].file;
        std::optional<CacheEntry> entry = read_entry(contents(path));
        ASSERT_TRUE(entry);
        entry->image = change(entry->image);
        overwrite(path, write_entry(*entry));
    }
};

TEST_F(CudaDiskDeathTest, AnImageThatTheDriverRefusesIsMadeAgainOnce) {
    EXPECT_EQ(launches(1, 0), kWell);
    EXPECT_EQ(launches(0, 0), kWell) << "not found on disk";
    damage([](const std::string& image) { return image.substr(0, image.size() / 2); });
    EXPECT_EQ(launches(1, 1, 1), kWell);
    EXPECT_EQ(launches(0, 0), kWell) << "not kept";
    damage([](const std::string&) { return fake::write_image({"sm_80", kText}); });
    EXPECT_EQ(launches(1, 1), kWell);
    EXPECT_EQ(launches(0, 0), kWell);
}

// Once: what is refused again is an error.
TEST_F(CudaDiskDeathTest, WhatIsRefusedTwiceIsAnError) {
    EXPECT_EQ(launches(1, 0), kWell);
    EXPECT_EQ(in_child([] {
                  const Fake fake;
                  for (int i = 0; i < 2; ++i) fake.fail("cuModuleLoadData", 0, 209);
                  set_cache_warning([](const std::string&) {});
                  Artifact add(add_graph());
                  const std::string message = message_of<RuntimeError>([&] { adds(fake, add); });
                  if (message.find("cuModuleLoadData failed") == message.npos) return 1;
                  if (message.find("NO_BINARY_FOR_GPU") == message.npos) return 2;
                  if (fake.calls("cuModuleLoadData") != 2) return 3;
                  return adds(fake, add) ? kWell : 4;
              }),
              kWell);
    EXPECT_EQ(launches(0, 0), kWell);
}

// An error that is not the image's fault compiles nothing.
TEST_F(CudaDiskDeathTest, OtherErrorsDoNotThrowAwayTheImage) {
    EXPECT_EQ(launches(1, 0), kWell);
    EXPECT_EQ(in_child([] {
                  const Fake fake;
                  fake.fail("cuModuleLoadData", 0, 2);
                  Artifact add(add_graph());
                  const std::string message = message_of<RuntimeError>([&] { adds(fake, add); });
                  if (message.find("OUT_OF_MEMORY") == message.npos) return 1;
                  if (fake.calls("cuModuleLoadData") != 1) return 2;
                  return adds(fake, add) ? kWell : 3;
              }),
              kWell);
    EXPECT_EQ(launches(0, 0), kWell);
}

}  // namespace
}  // namespace mytriton
