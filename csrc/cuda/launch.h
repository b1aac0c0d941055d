// One CUDA kernel from its text: compiled and loaded on first use of each device, then launched.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "cuda/driver.h"
#include "cuda/nvrtc.h"

namespace mytriton {

// Turns CUDA text into an image for compute capability `sm`; tests pass their own.
using CompileFn =
    std::function<Cubin(const std::string& text, const std::string& name, int sm, bool fp_fusion)>;

// What a program runs on: threads, all on axis x, and bytes of shared memory beyond what the text
// declares.
struct BlockShape {
    int threads;
    int shared_bytes = 0;
};

// Thread-safe. It never touches Python, so callers may release the GIL around launch(); the first
// launch on a device compiles, which takes tens of milliseconds.
class CudaKernel {
  public:
    // `entry` is the extern "C" name in `text`.
    CudaKernel(std::string text, std::string entry, BlockShape shape, bool fp_fusion = false,
               CompileFn compile = compile_for_device);

    // Enqueues grid[0] * grid[1] * grid[2] programs on `stream`, a CUstream of `device` or null for
    // its default stream. `args` holds a pointer to each argument's value, as cuLaunchKernel wants.
    // A grid with an axis of 0 launches nothing and needs no driver. The calling thread's current
    // context is left as it was, except that the device's primary one becomes current if none was.
    //
    // ValueError: a negative or too long axis, a bad device, more threads, registers or shared
    // memory than the device has for a program.
    // CompileError: NVRTC refuses the text. RuntimeError: no driver or NVRTC, an error of either,
    // or a first launch on this device while `stream` is being captured into a CUDA graph.
    void launch(int device, void* stream, const int64_t (&grid)[3], void** args);

  private:
    // A kernel on one device. Both handles live as long as the process.
    struct Loaded {
        CUcontext context;
        CUfunction function;
    };

    static constexpr int kMaxDevices = 64;

    bool check_grid(const int64_t (&grid)[3]) const;
    const Loaded& load(int device, CUstream stream);
    void refuse_capture(CUstream stream, int device) const;
    CUfunction load_function(int device, int sm);
    void check_threads(int64_t most, int device, const char* because) const;
    void check_shared(int64_t most, int64_t in_text, int device) const;
    Cubin& image_for(int sm);

    const std::string text_;
    const std::string entry_;
    const BlockShape shape_;
    const bool fp_fusion_;
    const CompileFn compile_;

    // The fast path reads this alone: null until the device has the kernel.
    std::array<std::atomic<const Loaded*>, kMaxDevices> by_device_{};

    std::mutex mutex_;             // guards what follows
    std::deque<Loaded> loaded_;    // a deque, for its elements stay where they are
    std::map<int, Cubin> images_;  // by compute capability: devices alike share one compile
};

}  // namespace mytriton
