// What a reader can do about each error of the CUDA driver.
#include "cuda/driver.h"

namespace mytriton {
namespace {

struct Advice {
    CUresult result;
    const char* text;
};

constexpr const char* kOldDriver =
    "The code was compiled for another architecture or by an NVRTC newer than the driver: update "
    "the driver, or install an NVRTC of the driver's CUDA version.";
constexpr const char* kSeeDevices =
    "See nvidia-smi and CUDA_VISIBLE_DEVICES for the devices this process may use.";
constexpr const char* kSanitizer =
    "This or an earlier kernel went wrong on the device: run the program under compute-sanitizer "
    "to find the access, then restart the process.";
constexpr const char* kHardware =
    "The device reports a fault of the hardware: see nvidia-smi and the system's log, and restart "
    "the process.";
constexpr const char* kWarmUp =
    "A CUDA graph is being captured: warm up the kernel first, by launching it once before the "
    "capture.";
constexpr const char* kNotLoaded =
    "The kernel did not load: remove it from the disk cache with python -m mytriton.cache clear, "
    "and report it if that does not help.";

// By CUresult; the names are cuda.h's, without CUDA_ERROR_.
constexpr Advice kAdvice[] = {
    {1 /* INVALID_VALUE */,
     "The call does not suit this device or driver: update the driver, and report it if that does "
     "not help."},
    {2 /* OUT_OF_MEMORY */, "Free device memory, for example with torch.cuda.empty_cache()."},
    {3 /* NOT_INITIALIZED */,
     "If this process was forked from one that used CUDA, start it with 'spawn'."},
    {4 /* DEINITIALIZED */,
     "The process is ending and CUDA has shut down: launch nothing from destructors and exit "
     "handlers."},
    {34 /* STUB_LIBRARY */,
     "The toolkit's stub libcuda was found instead of the driver's: take its folder off "
     "LD_LIBRARY_PATH."},
    {46 /* DEVICE_UNAVAILABLE */,
     "Another process holds the device exclusively: see nvidia-smi, or use another device."},
    {100 /* NO_DEVICE */, kSeeDevices},
    {101 /* INVALID_DEVICE */, kSeeDevices},
    {200 /* INVALID_IMAGE */, kOldDriver},
    {201 /* INVALID_CONTEXT */,
     "The device's context was destroyed or reset: restart the process, and do not call "
     "cudaDeviceReset in it."},
    {209 /* NO_BINARY_FOR_GPU */, kOldDriver},
    {214 /* ECC_UNCORRECTABLE */, kHardware},
    {218 /* INVALID_PTX */, kOldDriver},
    {220 /* NVLINK_UNCORRECTABLE */, kHardware},
    {221 /* JIT_COMPILER_NOT_FOUND */,
     "The driver's own compiler, libnvidia-ptxjitcompiler, is missing: reinstall the driver, or "
     "install an NVRTC that knows this device."},
    {222 /* UNSUPPORTED_PTX_VERSION */, kOldDriver},
    {300 /* INVALID_SOURCE */, kNotLoaded},
    {301 /* FILE_NOT_FOUND */, kNotLoaded},
    {302 /* SHARED_OBJECT_SYMBOL_NOT_FOUND */, kNotLoaded},
    {303 /* SHARED_OBJECT_INIT_FAILED */, kNotLoaded},
    {400 /* INVALID_HANDLE */,
     "The stream was destroyed or belongs to another device, or the device was reset: use a "
     "stream of the tensors' device."},
    {500 /* NOT_FOUND */, kNotLoaded},
    {700 /* ILLEGAL_ADDRESS */, kSanitizer},
    {701 /* LAUNCH_OUT_OF_RESOURCES */,
     "The kernel needs too many registers or too much shared memory: use fewer lanes a block, or a "
     "smaller num_warps."},
    {702 /* LAUNCH_TIMEOUT */,
     "The device drives a display, which limits how long a kernel may run: launch smaller grids, "
     "or use another device."},
    {709 /* CONTEXT_IS_DESTROYED */,
     "The device's context was destroyed or reset: restart the process, and do not call "
     "cudaDeviceReset in it."},
    {710 /* ASSERT */, "An assertion of an earlier kernel failed: restart the process."},
    {714 /* HARDWARE_STACK_ERROR */, kSanitizer},
    {715 /* ILLEGAL_INSTRUCTION */, kSanitizer},
    {716 /* MISALIGNED_ADDRESS */, kSanitizer},
    {717 /* INVALID_ADDRESS_SPACE */, kSanitizer},
    {718 /* INVALID_PC */, kSanitizer},
    {719 /* LAUNCH_FAILED */, kSanitizer},
    {802 /* SYSTEM_NOT_READY */,
     "The system is not ready to use CUDA: see that the driver's services, such as "
     "nvidia-fabricmanager, run."},
    {803 /* SYSTEM_DRIVER_MISMATCH */,
     "The driver was updated under a running kernel module: reboot the machine."},
    {804 /* COMPAT_NOT_SUPPORTED_ON_DEVICE */,
     "A compatibility libcuda was found that does not work with this device: take its folder off "
     "LD_LIBRARY_PATH."},
    {900 /* STREAM_CAPTURE_UNSUPPORTED */, kWarmUp},
    {901 /* STREAM_CAPTURE_INVALIDATED */, kWarmUp},
    {906 /* STREAM_CAPTURE_IMPLICIT */, kWarmUp},
};

}  // namespace

const char* advice_for(CUresult result) {
    for (const Advice& row : kAdvice)
        if (row.result == result) return row.text;
    return "See nvidia-smi for the state of the device, and restart the process.";
}

}  // namespace mytriton
