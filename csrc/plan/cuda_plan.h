// The plan of a kernel's CUDA text, in whichever layout suits it.
#pragma once

#include <string>
#include <variant>

#include "plan/blocked.h"
#include "plan/lanes.h"

namespace mytriton {

using CudaPlan = std::variant<LanePlan, BlockedPlan>;

// ValueError or CompileError where no layout holds the kernel's blocks: see plan_lanes and
// plan_blocked.
CudaPlan plan_cuda(const Kernel& legal);

int64_t threads_of(const CudaPlan& plan);
// Of shared memory, what has to be asked for at a launch.
int64_t dynamic_bytes_of(const CudaPlan& plan);

std::string print_plan(const Kernel& legal, const CudaPlan& plan);

}  // namespace mytriton
