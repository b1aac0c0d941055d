// Compiling with the real NVRTC, wherever it is found; MYTRITON_REQUIRE_NVRTC=1 forbids skipping.
#include "cuda/nvrtc.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "ir/error.h"
#include "messages.h"
#include "no_disk_cache.h"

namespace mytriton {
namespace {

const std::string kAddText =
    "extern \"C\" __global__\n"
    "void add_kernel(float* x, float* y, float* out, int n) {\n"
    "    int v3 = blockIdx.x * 256 + threadIdx.x;\n"
    "    if (v3 < n) { out[v3] = x[v3] + y[v3]; }\n"
    "}\n";

class NvrtcTest : public testing::Test {
  protected:
    void SetUp() override {
        if (nvrtc_available()) return;
        const char* required = std::getenv("MYTRITON_REQUIRE_NVRTC");
        if (required != nullptr && std::string(required) == "1") {
            nvrtc_version();  // throws, and its text is the best report
        }
        GTEST_SKIP() << "NVRTC is not installed";
    }
};

TEST_F(NvrtcTest, CompilesToACubinForEachArch) {
    for (const char* arch : {"sm_80", "sm_90a", "sm_100"}) {
        if (std::string(arch) == "sm_100" && nvrtc_version() < 12080) continue;  // not known yet
        const Cubin cubin = nvrtc_compile(kAddText, "add_kernel", {.arch = arch});
        EXPECT_FALSE(cubin.is_ptx) << arch;
        EXPECT_EQ(cubin.image.substr(0, 4), "\177ELF") << arch;
        EXPECT_NE(cubin.image.find("add_kernel"), std::string::npos) << arch;
        EXPECT_EQ(cubin.log, "") << arch;
    }
}

TEST_F(NvrtcTest, ChosenArchOfEveryKnownCapabilityCompilesToACubin) {
    const std::vector<int> known = nvrtc_supported_archs();
    ASSERT_FALSE(known.empty());
    for (int sm : known) {
        if (sm < 80) continue;
        EXPECT_EQ(compile_for_device(kAddText, "add_kernel", sm, false).image.substr(0, 4),
                  "\177ELF")
            << sm;
    }
}

TEST_F(NvrtcTest, UnknownNewerCapabilityGetsPtx) {
    const int newest = nvrtc_supported_archs().back();
    const Cubin cubin = compile_for_device(kAddText, "add_kernel", newest + 100, false);
    EXPECT_TRUE(cubin.is_ptx);
    EXPECT_NE(cubin.image.find(".version"), std::string::npos);
    EXPECT_NE(cubin.image.find(".target sm_" + std::to_string(newest)), std::string::npos);
}

TEST_F(NvrtcTest, FusionIsOffUnlessAskedFor) {
    const std::string text =
        "extern \"C\" __global__ void axpy(float* x, float a, float b) {\n"
        "    x[threadIdx.x] = a * x[threadIdx.x] + b;\n"
        "}\n";
    const auto ptx = [&](bool fp_fusion) {
        return nvrtc_compile(text, "axpy", {.arch = "compute_80", .fp_fusion = fp_fusion}).image;
    };
    EXPECT_EQ(ptx(false).find("fma.rn.f32"), std::string::npos);
    EXPECT_NE(ptx(true).find("fma.rn.f32"), std::string::npos);
}

TEST_F(NvrtcTest, BrokenTextNamesKernelFirstErrorAndLine) {
    const std::string text =
        "extern \"C\" __global__ void broken(float* x) {\n"
        "#pragma something_unknown\n"  // a warning, which comes first
        "    x[0] = undefined_thing;\n"
        "    x[1] = another_thing;\n"
        "}\n";
    const std::string message =
        message_of<CompileError>([&] { nvrtc_compile(text, "broken", {.arch = "sm_90a"}); });
    expect_parts(message, {"kernel 'broken'", "sm_90a", "broken.cu(3): error",
                           "undefined_thing\" is undefined", "3 |     x[0] = undefined_thing;"});
    EXPECT_EQ(message.find("another_thing"), message.npos) << message;
}

TEST_F(NvrtcTest, WarningsAreInTheLog) {
    const std::string text = "#pragma something_unknown\n" + kAddText;
    const std::string log = nvrtc_compile(text, "add_kernel", {.arch = "sm_90a"}).log;
    expect_parts(log, {"add_kernel.cu(1): warning"});
    EXPECT_EQ(log.find('\0'), log.npos);
}

TEST_F(NvrtcTest, ErrorOfTheAssemblerIsACompileErrorToo) {
    const std::string text =
        "extern \"C\" __global__ void greedy(float* x) {\n"
        "    __shared__ float buffer[1000000];\n"
        "    buffer[threadIdx.x] = x[0];\n"
        "    __syncthreads();\n"
        "    x[1] = buffer[threadIdx.x + 3];\n"
        "}\n";
    expect_parts(
        message_of<CompileError>([&] { nvrtc_compile(text, "greedy", {.arch = "sm_90a"}); }),
        {"kernel 'greedy'", "ptxas error", "too much shared data"});
}

TEST_F(NvrtcTest, UnknownArchIsNotTheKernelsFault) {
    expect_parts(message_of<RuntimeError>([&] { nvrtc_compile(kAddText, "k", {.arch = "sm_7"}); }),
                 {"sm_7", "'k'", "NVRTC_ERROR_INVALID_OPTION", "gpu-architecture"});
}

TEST(ChooseArch, TakesTheDevicesOwnAndFallsBackToPtx) {
    const std::vector<int> known = {80, 86, 90, 100, 110, 120};
    EXPECT_EQ(choose_arch(80, known), "sm_80");
    EXPECT_EQ(choose_arch(90, known), "sm_90a");
    EXPECT_EQ(choose_arch(100, known), "sm_100a");
    EXPECT_EQ(choose_arch(110, known), "sm_110a");
    EXPECT_EQ(choose_arch(120, known), "sm_120");
    EXPECT_EQ(choose_arch(89, known), "compute_86");
    EXPECT_EQ(choose_arch(103, known), "compute_100");
    EXPECT_EQ(choose_arch(130, known), "compute_120");
    expect_parts(message_of<RuntimeError>([&] { choose_arch(75, known); }),
                 {"7.5", "nvidia-cuda-nvrtc-cu12"});
}

TEST(NvrtcDeathTest, MissingLibraryNamesThePackageToInstall) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process: NVRTC not loaded yet
    const auto body = [] {
        setenv("MYTRITON_NVRTC_PATH", "/nowhere:/nowhere/else", 1);
        if (nvrtc_available()) std::_Exit(1);
        std::fputs(message_of<RuntimeError>([] { nvrtc_version(); }).c_str(), stderr);
        std::_Exit(7);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(7),
                "MYTRITON_NVRTC_PATH=/nowhere:/nowhere/else.*pip install nvidia-cuda-nvrtc");
}

TEST(NvrtcDeathTest, MissingBuiltinsNameThePackageToInstall) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const char* folder = std::getenv("MYTRITON_NVRTC_PATH");
    if (folder == nullptr) GTEST_SKIP() << "MYTRITON_NVRTC_PATH is not set";
    // A folder that has the library and not its companion.
    const std::filesystem::path alone = testing::TempDir() + "mytriton_nvrtc_alone";
    std::filesystem::remove_all(alone);
    std::filesystem::create_directories(alone);
    std::string name;
    for (const char* each : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
        const std::filesystem::path library = std::filesystem::path(folder) / each;
        if (!std::filesystem::exists(library)) continue;
        name = each;
        std::filesystem::create_symlink(library, alone / each);
    }
    if (name.empty()) GTEST_SKIP() << "there is no NVRTC in " << folder;
    const auto body = [&] {
        setenv("MYTRITON_NVRTC_PATH", alone.c_str(), 1);
        const std::string message = message_of<RuntimeError>(
            [] { nvrtc_compile(kAddText, "add_kernel", {.arch = "sm_90a"}); });
        std::fputs(message.c_str(), stderr);
        std::_Exit(7);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(7),
                "nvrtcCompileProgram for sm_90a.*'add_kernel'.*mytriton_nvrtc_alone.*needs "
                "libnvrtc-builtins.so.*same folder: reinstall.*pip install");
    std::filesystem::remove_all(alone);
}

// Each other way to find NVRTC, given the folder that MYTRITON_NVRTC_PATH names. Where the linker
// finds one too, this cannot fail.
TEST(NvrtcDeathTest, SearchPathsAndCudaHomeAreSearched) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const char* folder = std::getenv("MYTRITON_NVRTC_PATH");
    if (folder == nullptr) GTEST_SKIP() << "MYTRITON_NVRTC_PATH is not set";
    const auto find_after = [&](const auto& prepare) {
        const std::string real = folder;
        for (const char* name : {"MYTRITON_NVRTC_PATH", "CUDA_HOME", "CUDA_PATH"}) unsetenv(name);
        prepare(real);
        std::_Exit(nvrtc_available() && nvrtc_version() >= 12000 ? 7 : 1);
    };
    EXPECT_EXIT(
        find_after([](const std::string& real) { set_nvrtc_search_paths({"/nowhere", real}); }),
        testing::ExitedWithCode(7), "");
    EXPECT_EXIT(find_after([](const std::string& real) {
                    const std::string root = testing::TempDir() + "mytriton_cuda_home";
                    std::filesystem::create_directories(root);
                    std::filesystem::remove(root + "/lib64");
                    std::filesystem::create_directory_symlink(real, root + "/lib64");
                    setenv("CUDA_HOME", root.c_str(), 1);
                }),
                testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace mytriton
