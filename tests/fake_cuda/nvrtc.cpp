// A fake libnvrtc.so.13: its "cubin" is the text, for the fake driver to run. What it is asked for
// it takes as seriously as NVRTC does: options and architectures that it does not know are refused.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "image.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum {
    kSuccess = 0,
    kInvalidInput = 3,
    kInvalidOption = 5,
    kCompilation = 6,
    kBuiltins = 7,
};

constexpr int kArchs[] = {80, 90, 100, 120};

struct Program {
    std::string text, name, log, image;
};

std::atomic<int> compiles{0};

bool knows(const std::string& option) {
    for (const char* flag :
         {"--fmad=true", "--fmad=false", "-default-device", "--minimal", "--no-cache"})
        if (option == flag) return true;
    return false;
}

// sm_90, sm_90a, compute_90, ...
bool knows_arch(const std::string& arch) {
    const size_t number = arch.find('_') + 1;
    const std::string kind = arch.substr(0, number);
    if (kind != "sm_" && kind != "compute_") return false;
    const int value = std::atoi(arch.c_str() + number);
    return std::find(std::begin(kArchs), std::end(kArchs), value) != std::end(kArchs);
}

int size_of(const std::string& text, size_t* size) {
    *size = text.size();
    return kSuccess;
}

int copy(const std::string& text, char* to) {
    std::memcpy(to, text.data(), text.size());
    return kSuccess;
}

}  // namespace

// How many compiles there were.
EXPORT int fake_nvrtc_compiles() {
    return compiles;
}

EXPORT int nvrtcVersion(int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return kSuccess;
}

EXPORT const char* nvrtcGetErrorString(int result) {
    switch (result) {
        case kInvalidOption:
            return "NVRTC_ERROR_INVALID_OPTION";
        case kCompilation:
            return "NVRTC_ERROR_COMPILATION";
        case kBuiltins:
            return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
        default:
            return "NVRTC_ERROR";
    }
}

EXPORT int nvrtcGetNumSupportedArchs(int* count) {
    *count = static_cast<int>(std::size(kArchs));
    return kSuccess;
}

EXPORT int nvrtcGetSupportedArchs(int* archs) {
    std::copy(std::begin(kArchs), std::end(kArchs), archs);
    return kSuccess;
}

EXPORT int nvrtcCreateProgram(Program** program, const char* text, const char* name, int headers,
                              const char* const*, const char* const*) {
    if (headers != 0) return kInvalidInput;
    *program = new Program{.text = text, .name = name, .log = "", .image = ""};
    return kSuccess;
}

EXPORT int nvrtcDestroyProgram(Program** program) {
    delete *program;
    *program = nullptr;
    return kSuccess;
}

// FAKE_NVRTC_NO_BUILTINS is what a wheel without libnvrtc-builtins looks like.
EXPORT int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
    ++compiles;
    if (std::getenv("FAKE_NVRTC_NO_BUILTINS") != nullptr) {
        program->log = "nvrtc: error: failed to open libnvrtc-builtins.so.13.0.\n";
        return kBuiltins;
    }
    const std::string prefix = "--gpu-architecture=";
    std::string arch;
    for (int i = 0; i < count; ++i) {
        const std::string option = options[i];
        if (option.starts_with(prefix))
            arch = option.substr(prefix.size());
        else if (!knows(option))
            arch = "?";
        if (!knows_arch(arch) && (option.starts_with(prefix) || arch == "?")) {
            program->log = "nvrtc: error: invalid value for " + option + "\n";
            return kInvalidOption;
        }
    }
    if (program->text.find("__global__") == std::string::npos) {
        program->log = program->name + "(1): error: no kernel here\n";
        return kCompilation;
    }
    program->image = fake::write_image({arch, program->text});
    return kSuccess;
}

EXPORT int nvrtcGetProgramLogSize(Program* program, size_t* size) {
    *size = program->log.size() + 1;
    return kSuccess;
}
EXPORT int nvrtcGetProgramLog(Program* program, char* log) {
    std::strcpy(log, program->log.c_str());
    return kSuccess;
}
EXPORT int nvrtcGetCUBINSize(Program* program, size_t* size) {
    return size_of(program->image, size);
}
EXPORT int nvrtcGetCUBIN(Program* program, char* image) {
    return copy(program->image, image);
}
EXPORT int nvrtcGetPTXSize(Program* program, size_t* size) {
    return size_of(program->image, size);
}
EXPORT int nvrtcGetPTX(Program* program, char* image) {
    return copy(program->image, image);
}
