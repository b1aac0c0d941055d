// From the expression graph to what the backends launch.
#include "torch/artifact.h"

#include "cuda/emit.h"
#include "front/lower.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "plan/facts.h"
#include "plan/lanes.h"
#include "plan/legalise.h"

namespace mytriton {

Artifact::Artifact(Graph graph)
    : graph_(std::move(graph)), ssa_(run_passes(lower(graph_))), writes_(ssa_.params().size()) {
    Facts facts(ssa_);
    for (InstId id : ssa_.body()) {
        const Inst& inst = ssa_.inst(id);
        if (!info(inst.op).has(kWrites)) continue;
        writes_[ssa_.data(facts.address(inst.operands[0]).base).number] = true;
    }
}

CpuKernel& Artifact::cpu() {
    std::lock_guard lock(mutex_);
    if (!cpu_) cpu_ = std::make_unique<CpuKernel>(ssa_);
    return *cpu_;
}

CudaKernel& Artifact::cuda() {
    std::lock_guard lock(mutex_);
    if (!cuda_)
        cuda_ = std::make_unique<CudaKernel>(cuda_text(), cuda_entry(ssa_),
                                             static_cast<int>(lane_width(ssa_)));
    return *cuda_;
}

std::string Artifact::cuda_text() {
    Kernel legal = legalise(ssa_);
    LanePlan plan = plan_lanes(legal);
    verify(legal, plan.threads);
    return emit_cuda(legal, plan);
}

std::string Artifact::cuda_plan() {
    Kernel legal = legalise(ssa_);
    return print_plan(legal, plan_lanes(legal));
}

}  // namespace mytriton
