// Chooses the layout.
#include "plan/cuda_plan.h"

namespace mytriton {

CudaPlan plan_cuda(const Kernel& legal) {
    if (takes_lane_layout(legal)) return plan_lanes(legal);
    return plan_blocked(legal);
}

int64_t threads_of(const CudaPlan& plan) {
    return std::visit([](const auto& each) { return each.threads; }, plan);
}

int64_t dynamic_bytes_of(const CudaPlan& plan) {
    const BlockedPlan* blocked = std::get_if<BlockedPlan>(&plan);
    return blocked ? blocked->dynamic_bytes() : 0;
}

std::string print_plan(const Kernel& legal, const CudaPlan& plan) {
    return std::visit([&](const auto& each) { return print_plan(legal, each); }, plan);
}

}  // namespace mytriton
