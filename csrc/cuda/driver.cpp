// Opens the CUDA driver with dlopen, guards it against forks, and puts its errors into words.
#include "cuda/driver.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

#include "ir/error.h"

namespace mytriton {
namespace {

// Set by a fork handler rather than by comparing getpid() at every launch: that is a system call.
// `driver_started` covers the loading itself too, so that a child forked in the middle of it gets
// the error and does not wait for a lock that nobody will release.
std::atomic<bool> driver_started{false};
std::atomic<bool> driver_lost_in_fork{false};

void note_fork_in_child() {
    if (driver_started.load()) driver_lost_in_fork.store(true);
}

// Takes the driver as an argument, for it also serves while driver() is still loading.
[[noreturn]] void throw_error_of(const Driver& cuda, CUresult result, const char* call,
                                 std::string_view kernel, int device, std::string_view details) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (cuda.cuGetErrorName != nullptr) cuda.cuGetErrorName(result, &name);
    if (cuda.cuGetErrorString != nullptr) cuda.cuGetErrorString(result, &text);

    std::string message = std::string(call) + " failed";
    if (!kernel.empty()) message += " for kernel '" + std::string(kernel) + "'";
    if (device >= 0) message += " on device " + std::to_string(device);
    message += ": " + std::string(name != nullptr ? name : "CUDA error");
    message += " (" + std::to_string(result);
    message += (text != nullptr ? ", " + std::string(text) : "") + ").";
    if (!details.empty()) message += " " + std::string(details);
    message += " " + std::string(advice_for(result));
    if (cuda.version > 0) {
        message += " The driver supports CUDA " + version_text(cuda.version) + ".";
    }
    throw RuntimeError(message);
}

struct Symbol {
    const char* name;
    int since;
    SymbolNeed need;
};

[[noreturn]] void throw_missing(const Symbol& symbol, const std::string& path, int version) {
    std::string message = "the CUDA driver library " + path + " has no " + symbol.name +
                          ", which came with CUDA " + version_text(symbol.since) + ". ";
    message += version > 0 ? "This driver supports CUDA " + version_text(version) + ": update it."
                           : "It does not look like a CUDA driver.";
    throw RuntimeError(message);
}

Driver load_driver() {
    const char* override_path = std::getenv("MYTRITON_LIBCUDA");
    const std::string path = override_path != nullptr ? override_path : "libcuda.so.1";
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* why = dlerror();
        throw RuntimeError("no CUDA driver: " + std::string(why != nullptr ? why : path) +
                           ". CUDA kernels need an NVIDIA GPU and its driver; see nvidia-smi.");
    }

    Driver cuda;
    // First of all: an old driver may lack symbols too, and then its age is what has to be said.
    cuda.cuDriverGetVersion =
        reinterpret_cast<decltype(cuda.cuDriverGetVersion)>(dlsym(library, "cuDriverGetVersion"));
    if (cuda.cuDriverGetVersion != nullptr) cuda.cuDriverGetVersion(&cuda.version);
    if (cuda.version > 0 && cuda.version < kOldestDriver) {
        throw RuntimeError("the CUDA driver library " + path + " supports CUDA " +
                           version_text(cuda.version) + "; CUDA kernels need a driver of CUDA " +
                           version_text(kOldestDriver) + " or newer: update the driver.");
    }

#define X(symbol, since, need, type)                                                \
    cuda.symbol = reinterpret_cast<decltype(cuda.symbol)>(dlsym(library, #symbol)); \
    if (cuda.symbol == nullptr && SymbolNeed::need == SymbolNeed::kNeeded)          \
        throw_missing({#symbol, since, SymbolNeed::need}, path, cuda.version);
    MYTRITON_DRIVER_SYMBOLS(X)
#undef X

    if (CUresult result = cuda.cuInit(0)) throw_error_of(cuda, result, "cuInit", "", -1, "");
    return cuda;
}

Driver start_driver() {
    static std::once_flag registered;
    std::call_once(registered, [] { pthread_atfork(nullptr, nullptr, note_fork_in_child); });
    driver_started.store(true);
    try {
        return load_driver();
    } catch (...) {
        driver_started.store(false);
        throw;
    }
}

}  // namespace

void check_not_forked() {
    if (driver_lost_in_fork.load(std::memory_order_relaxed)) {
        throw RuntimeError(
            "CUDA cannot be used in a process forked from one that had already used it. Start "
            "workers with multiprocessing's 'spawn' or 'forkserver' method, or fork before the "
            "first kernel.");
    }
}

const Driver& driver() {
    check_not_forked();
    static const Driver instance = start_driver();
    return instance;
}

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void throw_driver_error(CUresult result, const char* call, std::string_view kernel, int device,
                        std::string_view details) {
    throw_error_of(driver(), result, call, kernel, device, details);
}

}  // namespace mytriton
