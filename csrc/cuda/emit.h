// Prints a lane plan as CUDA C++.
#pragma once

#include <string>

#include "ir/ir.h"
#include "ir/source_text.h"
#include "plan/lanes.h"

namespace mytriton {

// The very text that NVRTC compiles. Helpers (reductions, integer division) stand above the kernel
// when it needs them; a kernel without them is the kernel alone.
SourceText emit_cuda(const Kernel& legal, const LanePlan& plan);

// The name of the kernel's entry in that text.
std::string cuda_entry(const Kernel& kernel);

}  // namespace mytriton
