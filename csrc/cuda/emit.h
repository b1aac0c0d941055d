// Prints plans as CUDA C++.
#pragma once

#include <string>

#include "ir/ir.h"
#include "ir/source_text.h"
#include "plan/cuda_plan.h"

namespace mytriton {

// The very text that NVRTC compiles. Helpers (reductions, integer division) stand above the kernel
// when it needs them; a kernel without them is the kernel alone.
SourceText emit_cuda(const Kernel& legal, const CudaPlan& plan);
SourceText emit_lanes(const Kernel& legal, const LanePlan& plan);
SourceText emit_blocked(const Kernel& legal, const BlockedPlan& plan);

// The name of the kernel's entry in that text.
std::string cuda_entry(const Kernel& kernel);

}  // namespace mytriton
