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

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// What to do about the errors that users do meet; null for the rest.
const char* advice_for(CUresult result) {
    switch (result) {
        case 2:  // CUDA_ERROR_OUT_OF_MEMORY
            return "Free device memory, for example with torch.cuda.empty_cache().";
        case 3:  // CUDA_ERROR_NOT_INITIALIZED
            return "If this process was forked from one that used CUDA, start it with 'spawn'.";
        case 34:  // CUDA_ERROR_STUB_LIBRARY
            return "The toolkit's stub libcuda was found instead of the driver's: take its folder "
                   "off LD_LIBRARY_PATH.";
        case 100:  // CUDA_ERROR_NO_DEVICE
        case 101:  // CUDA_ERROR_INVALID_DEVICE
            return "See nvidia-smi and CUDA_VISIBLE_DEVICES for the devices this process may use.";
        case 200:  // CUDA_ERROR_INVALID_IMAGE
        case 209:  // CUDA_ERROR_NO_BINARY_FOR_GPU
        case 218:  // CUDA_ERROR_INVALID_PTX
        case 222:  // CUDA_ERROR_UNSUPPORTED_PTX_VERSION
            return "The code was compiled for another architecture or by an NVRTC newer than the "
                   "driver: update the driver, or install an NVRTC of the driver's CUDA version.";
        case 700:  // CUDA_ERROR_ILLEGAL_ADDRESS
        case 715:  // CUDA_ERROR_ILLEGAL_INSTRUCTION
        case 716:  // CUDA_ERROR_MISALIGNED_ADDRESS
        case 719:  // CUDA_ERROR_LAUNCH_FAILED
            return "This or an earlier kernel went wrong on the device: run the program under "
                   "compute-sanitizer to find the access, then restart the process.";
        case 701:  // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
            return "The kernel needs too many registers or too much shared memory: use fewer lanes "
                   "a block.";
        case 803:  // CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
            return "The driver was updated under a running kernel module: reboot the machine.";
        case 900:  // CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
        case 901:  // CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
        case 906:  // CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
            return "A CUDA graph is being captured: warm up the kernel first, by launching it once "
                   "before the capture.";
        default:
            return nullptr;
    }
}

// Takes the driver as an argument, for it also serves while driver() is still loading.
[[noreturn]] void throw_error_of(const Driver& cuda, CUresult result, const char* call,
                                 std::string_view kernel, int device) {
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
    if (const char* advice = advice_for(result)) message += " " + std::string(advice);
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
    // First of all, because the text about a missing symbol tells it.
    cuda.cuDriverGetVersion =
        reinterpret_cast<decltype(cuda.cuDriverGetVersion)>(dlsym(library, "cuDriverGetVersion"));
    if (cuda.cuDriverGetVersion != nullptr) cuda.cuDriverGetVersion(&cuda.version);

#define X(symbol, since, need, type)                                                \
    cuda.symbol = reinterpret_cast<decltype(cuda.symbol)>(dlsym(library, #symbol)); \
    if (cuda.symbol == nullptr && SymbolNeed::need == SymbolNeed::kNeeded)          \
        throw_missing({#symbol, since, SymbolNeed::need}, path, cuda.version);
    MYTRITON_DRIVER_SYMBOLS(X)
#undef X

    if (CUresult result = cuda.cuInit(0)) throw_error_of(cuda, result, "cuInit", "", -1);
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

const Driver& driver() {
    if (driver_lost_in_fork.load(std::memory_order_relaxed)) {
        throw RuntimeError(
            "CUDA cannot be used in a process forked from one that had already used it. Start "
            "workers with multiprocessing's 'spawn' or 'forkserver' method, or fork before the "
            "first kernel.");
    }
    static const Driver instance = start_driver();
    return instance;
}

void throw_driver_error(CUresult result, const char* call, std::string_view kernel, int device) {
    throw_error_of(driver(), result, call, kernel, device);
}

}  // namespace mytriton
