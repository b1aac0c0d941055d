// NVRTC, found at run time: CUDA text in, cubin (or PTX for a device it does not know) out.
//
// The library is looked for once, at first use, in this order:
//   1. what this process has already loaded (torch's), so that there is one copy
//   2. the folders given to set_nvrtc_search_paths (the NVIDIA wheels of this Python)
//   3. lib64 and lib under $CUDA_HOME, then under $CUDA_PATH
//   4. wherever the dynamic linker looks
// with libnvrtc.so.13 before libnvrtc.so.12 at each step. The environment variable
// MYTRITON_NVRTC_PATH (folders separated by ':') overrides all of it: only these are searched.
// Everything here is thread-safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace mytriton {

struct NvrtcOptions {
    std::string arch;        // "sm_90a" for a cubin, "compute_90" for PTX
    bool fp_fusion = false;  // may a * b + c round once? Off, as the CPU backend and eager torch
};

struct Cubin {
    std::string image;  // what cuModuleLoadData takes
    bool is_ptx = false;
    std::string log = {};      // the compiler's warnings
    std::string made_by = {};  // "NVRTC 13.0 for sm_90a"
    // Where the image was read from disk: compiles it anew, with a warning that says what was wrong
    // with it, and keeps that instead. Null otherwise.
    std::function<Cubin(const std::string& wrong)> rebuild = nullptr;
};

// Folders to search (step 2 above); without effect once NVRTC has been found.
void set_nvrtc_search_paths(std::vector<std::string> folders);

// Whether NVRTC can be found. The functions below throw RuntimeError, with the pip package to
// install, where it cannot.
bool nvrtc_available();

// 1000 * major + 10 * minor, as the driver counts: 13000 for 13.0.
int nvrtc_version();

// The architectures NVRTC compiles for, ascending, as 10 * major + minor: 80, 90, 120.
std::vector<int> nvrtc_supported_archs();

// The best `arch` option for a device of compute capability `sm` (10 * major + minor), out of the
// `known` architectures: see the definition. Throws RuntimeError when the device is older than all.
std::string choose_arch(int sm, const std::vector<int>& known);

// Compiles `text`, or finds it in the disk cache (disk/cache.h); `name` is the kernel's, for error
// texts. Throws CompileError with the first error and the line of `text` it is about, placed at
// that line of "<name>.cu"; RuntimeError when NVRTC itself fails or refuses the arch.
Cubin nvrtc_compile(const std::string& text, const std::string& name, const NvrtcOptions& options);

// The same for the arch that suits a device of capability `sm`.
Cubin compile_for_device(const std::string& text, const std::string& name, int sm, bool fp_fusion);

}  // namespace mytriton
