// The functions that reduce lanes of several threads, as CUDA text; each gives its name.
#pragma once

#include <string>

#include "cuda/device.h"

namespace mytriton {

// One lane a thread: name(value, warps) gives the result to all `threads` threads; `warps` is
// shared memory for one value a warp.
std::string lane_reduction(Op op, Scalar scalar, int64_t threads, DeviceFunctions& functions);

// Several lanes a thread. name_put(partial, words) combines an array of this thread's, and leaves
// one word a warp in shared memory; after a barrier name_get(words) gives the result.
std::string thread_reduction(Op op, Scalar scalar, int64_t threads, DeviceFunctions& functions);

// What a reduction makes of two values, where several lanes are a thread's.
std::string combined(Op op, Scalar scalar, const std::string& a, const std::string& b,
                     DeviceFunctions& functions);

// name<Outer, N, Inner, Share>(from, to), in shared memory: combines N values that lie Inner apart,
// of each of Outer times Inner such runs, with Share threads a run.
std::string axis_reduction(Op op, Scalar scalar, int64_t threads, DeviceFunctions& functions);

}  // namespace mytriton
