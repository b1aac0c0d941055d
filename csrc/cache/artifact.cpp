// From the expression graph to what the backends launch, and the table of printable stages.
#include "cache/artifact.h"

#include "cpu/emit.h"
#include "cuda/emit.h"
#include "front/lower.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "plan/facts.h"
#include "plan/lanes.h"
#include "plan/legalise.h"
#include "plan/strips.h"

namespace mytriton {

namespace {

std::string cuda_plan(const Kernel& ssa) {
    Kernel legal = legalise(ssa);
    return print_plan(legal, plan_lanes(legal));
}

std::string cuda_text(const Kernel& ssa) {
    Kernel legal = legalise(ssa);
    LanePlan plan = plan_lanes(legal);
    verify(legal, plan.threads);
    return emit_cuda(legal, plan);
}

std::string cpu_plan(const Kernel& ssa) {
    Kernel legal = legalise(ssa);
    return print_plan(legal, plan_strips(legal));
}

std::string cpu_text(const Kernel& ssa) {
    Kernel legal = legalise(ssa);
    return emit_cpu(legal, plan_strips(legal));
}

struct TextStage {
    std::string_view name;
    std::string (*text)(const Kernel& ssa);
};

const TextStage kStages[] = {
    {"ssa", [](const Kernel& ssa) { return print_kernel(ssa); }},
    {"plan", cuda_plan},
    {"cpu_plan", cpu_plan},
    {"cuda", cuda_text},
    {"cpu", cpu_text},
};

}  // namespace

std::string stage_text(const Kernel& ssa, std::string_view stage) {
    for (const TextStage& row : kStages)
        if (row.name == stage) return row.text(ssa);
    throw ValueError("there is no stage called " + std::string(stage));
}

std::vector<std::string> stage_names() {
    std::vector<std::string> names;
    for (const TextStage& row : kStages) names.emplace_back(row.name);
    return names;
}

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
        cuda_ = std::make_unique<CudaKernel>(cuda_text(ssa_), cuda_entry(ssa_),
                                             static_cast<int>(lane_width(ssa_)));
    return *cuda_;
}

std::string Artifact::cuda_image(const std::string& arch) const {
    return nvrtc_compile(cuda_text(ssa_), cuda_entry(ssa_), {arch}).image;
}

}  // namespace mytriton
