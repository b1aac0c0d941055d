// Ops across lanes as CUDA text: calls of functions that all threads run on shared memory.
#pragma once

#include <string>

#include "cuda/device.h"
#include "ir/ir.h"

namespace mytriton {

// The call; `from` names the operands' buffers, "" where there is none, and `to` the result's.
std::string across_call(const Kernel& kernel, const Inst& inst, int64_t threads,
                        const std::vector<std::string>& from, const std::string& to,
                        DeviceFunctions& functions);

}  // namespace mytriton
