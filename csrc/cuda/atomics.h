// How CUDA text spells atomics and cache hints: functions of ours around CUDA's own.
#pragma once

#include <string>

#include "cuda/device.h"
#include "ir/ir.h"

namespace mytriton {

// The name of a function (T* at, T value) or, for atomic_cas, (T* at, T compare, T value), which
// gives what was there; it is defined in `functions`.
std::string device_atomic(const Inst& inst, Scalar scalar, DeviceFunctions& functions);

// `element` (x[v3]) read as the attributes cache, evict and volatile ask for.
std::string device_load(const Inst& inst, Scalar scalar, const std::string& element,
                        DeviceFunctions& functions);

// The statement that writes it; `evict` changes nothing there.
std::string device_store(const Inst& inst, const std::string& element, const std::string& value);

}  // namespace mytriton
