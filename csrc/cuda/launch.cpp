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

// Loading a module is not allowed while a graph is captured and would spoil the capture. (For the
// default stream this call fails while another stream captures; its error has the same advice.)
void CudaKernel::refuse_capture(CUstream stream, int device) const {
    int status = 0;
    check(driver().cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing", entry_, device);
    if (status == 0) return;
    throw RuntimeError("kernel '" + entry_ + "' is not loaded on device " + std::to_string(device) +
                       " yet, and the stream is being captured into a CUDA graph: warm up first, "
                       "by launching the kernel once before the capture");
}

const Cubin& CudaKernel::image_for(int sm) {
    const auto found = images_.find(sm);
    if (found != images_.end()) return found->second;
    return images_.emplace(sm, compile_(text_, entry_, sm, fp_fusion_)).first->second;
}

const CudaKernel::Loaded& CudaKernel::load(int device, CUstream stream) {
    const Driver& cuda = driver();
    std::lock_guard lock(mutex_);
    if (const Loaded* other = by_device_[device].load(std::memory_order_relaxed)) return *other;

    CUdevice handle = 0;
    check(cuda.cuDeviceGet(&handle, device), "cuDeviceGet", entry_, device);
    const auto attribute = [&](int which) {
        int value = 0;
        check(cuda.cuDeviceGetAttribute(&value, which, handle), "cuDeviceGetAttribute", entry_,
              device);
        return value;
    };
    const int max_threads = attribute(kDeviceMaxThreadsPerBlock);
    if (shape_.threads > max_threads) {
        throw ValueError("kernel '" + entry_ + "' needs " + std::to_string(shape_.threads) +
                         " threads a block; device " + std::to_string(device) + " takes at most " +
                         std::to_string(max_threads));
    }
    const int max_shared = shape_.shared_bytes ? attribute(kDeviceMaxSharedBytes) : 0;
    if (shape_.shared_bytes > max_shared) {
        throw ValueError("kernel '" + entry_ + "' needs " + std::to_string(shape_.shared_bytes) +
                         " bytes of shared memory for the lanes that its blocks exchange; device " +
                         std::to_string(device) + " has " + std::to_string(max_shared) +
                         " for a program");
    }

    // Retained once per kernel and never released: torch and we both need it until the exit.
    Loaded loaded{};
    check(cuda.cuDevicePrimaryCtxRetain(&loaded.context, handle), "cuDevicePrimaryCtxRetain",
          entry_, device);
    const ContextScope scope(cuda, loaded.context, entry_, device);
    refuse_capture(stream, device);

    const int sm = 10 * attribute(kDeviceCapabilityMajor) + attribute(kDeviceCapabilityMinor);
    CUmodule module = nullptr;
    check(cuda.cuModuleLoadData(&module, image_for(sm).image.c_str()), "cuModuleLoadData", entry_,
          device);
    check(cuda.cuModuleGetFunction(&loaded.function, module, entry_.c_str()), "cuModuleGetFunction",
          entry_, device);
    if (shape_.shared_bytes) {
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
