// The CUDA driver, found at run time: the calls we make of it, and its errors in words.
//
// Nothing here needs a CUDA toolkit: the few types are declared below and the library is opened
// with dlopen at first use, so that one binary imports and tests on machines without a GPU.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace mytriton {

// The driver's own names and values; the ABI keeps them fixed.
using CUresult = int;
using CUdevice = int;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;

inline constexpr CUresult kCudaSuccess = 0;
inline constexpr CUresult kCudaInvalidImage = 200;
inline constexpr CUresult kCudaNoBinaryForGpu = 209;
inline constexpr CUresult kCudaInvalidPtx = 218;
inline constexpr CUresult kCudaUnsupportedPtxVersion = 222;
inline constexpr CUresult kCudaCaptureImplicit = 906;

inline constexpr int kDeviceMaxThreadsPerBlock = 1;
inline constexpr int kDeviceMaxSharedBytes = 97;       // of a block that asks for them
inline constexpr int kFunctionMaxThreadsPerBlock = 0;  // of a block, with its registers
inline constexpr int kFunctionStaticSharedBytes = 1;
inline constexpr int kFunctionMaxSharedBytes = 8;
inline constexpr int kDeviceCapabilityMajor = 75;
inline constexpr int kDeviceCapabilityMinor = 76;

enum class SymbolNeed { kNeeded, kOptional };

// Every driver call we make, one row each:
//   the exported name, with its _v2 where it has one (cuda.h hides these behind macros)
//   the CUDA version that brought it, as cuDriverGetVersion counts: 1000 * major + 10 * minor
//   whether we can live without it (a null pointer then): only error texts use the optional ones
//   its type
// clang-format off
#define MYTRITON_DRIVER_SYMBOLS(X)                                                                 \
    X(cuInit,                    2000, kNeeded,   CUresult(unsigned flags))                        \
    X(cuDriverGetVersion,        2020, kNeeded,   CUresult(int* version))                          \
    X(cuGetErrorName,            6000, kOptional, CUresult(CUresult result, const char** name))    \
    X(cuGetErrorString,          6000, kOptional, CUresult(CUresult result, const char** text))    \
    X(cuDeviceGet,               2000, kNeeded,   CUresult(CUdevice* device, int ordinal))         \
    X(cuDeviceGetAttribute,      2000, kNeeded,   CUresult(int* value, int which, CUdevice device))\
    X(cuDevicePrimaryCtxRetain,  7000, kNeeded,   CUresult(CUcontext* context, CUdevice device))   \
    X(cuCtxGetCurrent,           4000, kNeeded,   CUresult(CUcontext* context))                    \
    X(cuCtxSetCurrent,           4000, kNeeded,   CUresult(CUcontext context))                     \
    X(cuStreamIsCapturing,      10000, kNeeded,   CUresult(CUstream stream, int* status))          \
    X(cuModuleLoadData,          2000, kNeeded,   CUresult(CUmodule* module, const void* image))   \
    X(cuModuleGetFunction,       2000, kNeeded,                                                    \
      CUresult(CUfunction* function, CUmodule module, const char* name))                           \
    X(cuFuncGetAttribute,        2020, kNeeded,                                                    \
      CUresult(int* value, int attribute, CUfunction function))                                    \
    X(cuFuncSetAttribute,        9000, kNeeded,                                                    \
      CUresult(CUfunction function, int attribute, int value))                                     \
    X(cuLaunchKernel,            4000, kNeeded,                                                    \
      CUresult(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,             \
               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,        \
               CUstream stream, void** args, void** extra))
// clang-format on

// What NVRTC 12 and newer make, older drivers do not load.
inline constexpr int kOldestDriver = 12000;

// "13.0" for 13000.
std::string version_text(int version);

// The calls as members, under their own names: driver().cuLaunchKernel(...).
struct Driver {
    int version = 0;  // the newest CUDA the driver supports, counted as above

#define X(name, since, need, type) std::add_pointer_t<type> name = nullptr;
    MYTRITON_DRIVER_SYMBOLS(X)
#undef X
};

// The initialised driver; thread-safe, opened at the first call and never closed. It is
// libcuda.so.1, or the library that the environment variable MYTRITON_LIBCUDA names (for tests).
// Throws RuntimeError when there is no usable driver (a later call tries again), and, at once, in a
// process forked from one that had initialised it: CUDA does not survive a fork, calls could hang.
const Driver& driver();

// That last error alone: for who is about to take a lock that a fork may have left locked.
void check_not_forked();

// Throws RuntimeError for a result other than success, with the call, the kernel ("" if none), the
// device (-1 if none), the driver's name and text for it, a sentence of details ("" if none), and
// what the reader can do about it.
[[noreturn]] void throw_driver_error(CUresult result, const char* call, std::string_view kernel,
                                     int device, std::string_view details = "");
inline void check(CUresult result, const char* call, std::string_view kernel, int device,
                  std::string_view details = "") {
    if (result != kCudaSuccess) throw_driver_error(result, call, kernel, device, details);
}

// What the reader can do about a result (advice.cpp). Never empty.
const char* advice_for(CUresult result);

}  // namespace mytriton
