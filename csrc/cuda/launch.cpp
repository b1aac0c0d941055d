// Launches a kernel: grid checks, the right context, the function of this device, cuLaunchKernel.
//
// Functions are cached per device and modules never unloaded: an unload could hit a capture or a
// launch in flight, and at exit the driver may be gone before us.
#include "cuda/launch.h"

#include <utility>

#include "ir/error.h"

namespace mytriton {
namespace {

// Hardware limits, the same on every device we can compile for.
constexpr int64_t kGridLimit[3] = {2147483647, 65535, 65535};
constexpr char kAxisName[3] = {'x', 'y', 'z'};

// Makes `context` current for as long as it lives. Where no context was current it stays, as the
// CUDA runtime does it: the next launch then finds it. A failing restore goes unreported, because
// the context was current a moment ago: only a dead driver refuses it, and the next call says so.
class ContextScope {
  public:
    ContextScope(const Driver& cuda, CUcontext context, const std::string& kernel, int device)
        : cuda_(cuda) {
        CUcontext current = nullptr;
        check(cuda.cuCtxGetCurrent(&current), "cuCtxGetCurrent", kernel, device);
        if (current == context) return;
        check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent", kernel, device);
        previous_ = current;
    }
    ~ContextScope() {
        if (previous_ != nullptr) cuda_.cuCtxSetCurrent(previous_);
    }
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

  private:
    const Driver& cuda_;
    CUcontext previous_ = nullptr;
};

// Whether another image might load.
bool is_about_image(CUresult result) {
    switch (result) {
        case kCudaInvalidImage:
        case kCudaNoBinaryForGpu:
        case kCudaInvalidPtx:
        case kCudaUnsupportedPtxVersion:
            return true;
        default:
            return false;
    }
}

}  // namespace

CudaKernel::CudaKernel(std::string text, std::string entry, BlockShape shape, bool fp_fusion,
                       CompileFn compile)
    : text_(std::move(text)),
      entry_(std::move(entry)),
      shape_(shape),
      fp_fusion_(fp_fusion),
      compile_(std::move(compile)) {
    if (shape_.threads < 1) {
        throw InternalError("CudaKernel",
                            "a block of " + std::to_string(shape_.threads) + " threads");
    }
}

// False for a grid without programs, which wins over an axis that is too long elsewhere.
bool CudaKernel::check_grid(const int64_t (&grid)[3]) const {
    const auto refuse = [&](int axis, const std::string& why) {
        throw ValueError("kernel '" + entry_ + "': grid axis " + kAxisName[axis] + " is " +
                         std::to_string(grid[axis]) + why);
    };
    for (int axis = 0; axis < 3; ++axis) {
        if (grid[axis] < 0) refuse(axis, "; it must not be negative");
    }
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return false;
    for (int axis = 0; axis < 3; ++axis) {
        if (grid[axis] > kGridLimit[axis]) {
            refuse(axis, "; CUDA's limit on this axis is " + std::to_string(kGridLimit[axis]));
        }
    }
    return true;
}

// Loading a module is not allowed while a graph is captured and would spoil the capture. Asked
// about the default stream, the driver also tells of other streams' captures, of those at least
// that wait for the default stream; about the rest nobody knows, and the load itself is refused.
void CudaKernel::refuse_capture(CUstream stream, int device) const {
    const auto refuse = [&](const std::string& who) {
        throw RuntimeError("kernel '" + entry_ + "' is not loaded on device " +
                           std::to_string(device) + " yet, and " + who +
                           " is being captured into a CUDA graph: warm up first, by launching the "
                           "kernel once before the capture");
    };
    int status = 0;
    CUresult result = driver().cuStreamIsCapturing(stream, &status);
    if (result == kCudaSuccess && status != 0) refuse("the stream");
    if (result == kCudaSuccess && stream != nullptr)
        result = driver().cuStreamIsCapturing(nullptr, &status);
    if (result == kCudaCaptureImplicit) refuse("another stream");
    check(result, "cuStreamIsCapturing", entry_, device);
}

Cubin& CudaKernel::image_for(int sm) {
    const auto found = images_.find(sm);
    if (found != images_.end()) return found->second;
    return images_.emplace(sm, compile_(text_, entry_, sm, fp_fusion_)).first->second;
}

// What came from disk may be damaged in ways that only the driver sees: it is made again, once.
CUfunction CudaKernel::load_function(int device, int sm) {
    const Driver& cuda = driver();
    CUmodule module = nullptr;
    Cubin& cubin = image_for(sm);
    CUresult result = cuda.cuModuleLoadData(&module, cubin.image.c_str());
    const bool refused =
        result == kCudaInvalidImage || result == kCudaNoBinaryForGpu || result == kCudaInvalidPtx;
    if (refused && cubin.rebuild) {
        Cubin fresh =
            cubin.rebuild("is refused by the driver (CUDA error " + std::to_string(result) + ")");
        cubin = std::move(fresh);
        result = cuda.cuModuleLoadData(&module, cubin.image.c_str());
    }
    std::string details;
    if (is_about_image(result)) {
        details = "Device " + std::to_string(device) + " is of compute capability " +
                  std::to_string(sm / 10) + "." + std::to_string(sm % 10) + ".";
        if (!cubin.made_by.empty()) details += " The code was made by " + cubin.made_by + ".";
    }
    check(result, "cuModuleLoadData", entry_, device, details);
    CUfunction function = nullptr;
    check(cuda.cuModuleGetFunction(&function, module, entry_.c_str()), "cuModuleGetFunction",
          entry_, device);
    return function;
}

void CudaKernel::check_threads(int64_t most, int device, const char* because) const {
    if (shape_.threads <= most) return;
    throw ValueError("kernel '" + entry_ + "' needs " + std::to_string(shape_.threads) +
                     " threads a block; device " + std::to_string(device) + " takes at most " +
                     std::to_string(most) + because +
                     ": use a smaller num_warps, or fewer lanes in the lane layout");
}

void CudaKernel::check_shared(int64_t most, int64_t in_text, int device) const {
    if (shape_.shared_bytes == 0 || shape_.shared_bytes + in_text <= most) return;
    throw ValueError("kernel '" + entry_ + "' needs " +
                     std::to_string(shape_.shared_bytes + in_text) +
                     " bytes of shared memory for the lanes that its blocks exchange; device " +
                     std::to_string(device) + " has " + std::to_string(most) +
                     " for a program: use smaller blocks");
}

const CudaKernel::Loaded& CudaKernel::load(int device, CUstream stream) {
    const Driver& cuda = driver();
    std::lock_guard lock(mutex_);
    if (const Loaded* other = by_device_[device].load(std::memory_order_relaxed)) return *other;

    CUdevice handle = 0;
    check(cuda.cuDeviceGet(&handle, device), "cuDeviceGet", entry_, device);
    const auto of_device = [&](int which) {
        int value = 0;
        check(cuda.cuDeviceGetAttribute(&value, which, handle), "cuDeviceGetAttribute", entry_,
              device);
        return value;
    };
    check_threads(of_device(kDeviceMaxThreadsPerBlock), device, "");
    const int most_shared = shape_.shared_bytes ? of_device(kDeviceMaxSharedBytes) : 0;
    check_shared(most_shared, 0, device);

    // Retained once per kernel and never released: torch and we both need it until the exit.
    Loaded loaded{};
    check(cuda.cuDevicePrimaryCtxRetain(&loaded.context, handle), "cuDevicePrimaryCtxRetain",
          entry_, device);
    const ContextScope scope(cuda, loaded.context, entry_, device);
    refuse_capture(stream, device);

    const int sm = 10 * of_device(kDeviceCapabilityMajor) + of_device(kDeviceCapabilityMinor);
    loaded.function = load_function(device, sm);
    const auto of_function = [&](int which) {
        int value = 0;
        check(cuda.cuFuncGetAttribute(&value, which, loaded.function), "cuFuncGetAttribute", entry_,
              device);
        return value;
    };
    check_threads(of_function(kFunctionMaxThreadsPerBlock), device, " with this many registers");
    if (shape_.shared_bytes) {
        check_shared(most_shared, of_function(kFunctionStaticSharedBytes), device);
        check(
            cuda.cuFuncSetAttribute(loaded.function, kFunctionMaxSharedBytes, shape_.shared_bytes),
            "cuFuncSetAttribute", entry_, device);
    }
    loaded_.push_back(loaded);
    by_device_[device].store(&loaded_.back(), std::memory_order_release);
    return loaded_.back();
}

void CudaKernel::launch(int device, void* stream, const int64_t (&grid)[3], void** args) {
    if (!check_grid(grid)) return;
    if (device < 0 || device >= kMaxDevices) {
        throw ValueError("kernel '" + entry_ + "': device " + std::to_string(device) +
                         " is not in 0 to " + std::to_string(kMaxDevices - 1));
    }
    // Before the mutex in load(): after a fork this throws, where the mutex might never be free.
    const Driver& cuda = driver();
    const auto cuda_stream = static_cast<CUstream>(stream);
    const Loaded* loaded = by_device_[device].load(std::memory_order_acquire);
    if (loaded == nullptr) loaded = &load(device, cuda_stream);

    const ContextScope scope(cuda, loaded->context, entry_, device);
    check(cuda.cuLaunchKernel(
              loaded->function, static_cast<unsigned>(grid[0]), static_cast<unsigned>(grid[1]),
              static_cast<unsigned>(grid[2]), static_cast<unsigned>(shape_.threads), 1, 1,
              static_cast<unsigned>(shape_.shared_bytes), cuda_stream, args, nullptr),
          "cuLaunchKernel", entry_, device);
}

}  // namespace mytriton
