// From the expression graph to what the backends launch, and the table of printable stages.
#include "cache/artifact.h"

#include <set>

#include "cpu/emit.h"
#include "cuda/driver.h"
#include "cuda/emit.h"
#include "front/lower.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "plan/cuda_plan.h"
#include "plan/facts.h"
#include "plan/legalise.h"
#include "plan/strips.h"

namespace mytriton {

namespace {

SourceText ssa_text(const Kernel& ssa) {
    return print_kernel_lines(ssa);
}

SourceText cuda_plan(const Kernel& ssa) {
    Kernel legal = legalise(ssa);
    SourceText out;
    out.add(print_plan(legal, plan_cuda(legal)));
    return out;
}

SourceText cuda_text(const Kernel& ssa) {
    Kernel legal = legalise(ssa);
    CudaPlan plan = plan_cuda(legal);
    if (std::holds_alternative<LanePlan>(plan)) verify(legal, threads_of(plan));
    return emit_cuda(legal, plan);
}

SourceText cpu_plan(const Kernel& ssa) {
    Kernel legal = legalise(ssa);
    SourceText out;
    out.add(print_plan(legal, plan_strips(legal)));
    return out;
}

SourceText cpu_text(const Kernel& ssa) {
    Kernel legal = legalise(ssa);
    return emit_cpu(legal, plan_strips(legal));
}

struct TextStage {
    std::string_view name;
    SourceText (*text)(const Kernel& ssa);
};

const TextStage kStages[] = {
    {"ssa", ssa_text},   {"plan", cuda_plan}, {"cpu_plan", cpu_plan},
    {"cuda", cuda_text}, {"cpu", cpu_text},
};

}  // namespace

SourceText stage_text(const Kernel& ssa, std::string_view stage) {
    for (const TextStage& row : kStages)
        if (row.name == stage) return row.text(ssa);
    throw ValueError("there is no stage called " + std::string(stage));
}

Cubin compile_cuda(const Kernel& ssa, const CudaCompile& compile) {
    SourceText cuda = cuda_text(ssa);
    try {
        return compile(cuda.text, cuda_entry(ssa));
    } catch (const CompileError& error) {
        int line = error.loc().line;
        bool known = line >= 1 && line <= static_cast<int>(cuda.locs.size());
        throw CompileError(error.what(), known ? ssa.locs()[cuda.locs[line - 1]] : Loc());
    }
}

std::vector<std::string> stage_names() {
    std::vector<std::string> names;
    for (const TextStage& row : kStages) names.emplace_back(row.name);
    return names;
}

Artifact::Artifact(Graph graph)
    : graph_(std::move(graph)), ssa_(run_passes(lower(graph_))), writes_(ssa_.params().size()) {
    Facts facts(ssa_);
    // A write whose base is not known may go to any parameter whose address was taken: which
    // pointer a loop or a branch leaves may be known only at run time.
    std::set<uint32_t> addressed;
    bool anywhere = false;
    ssa_.walk([&](InstId id) {
        const Inst& inst = ssa_.inst(id);
        bool takes_address = inst.op == Op::ptr_cast && !ssa_.type(inst.result()).is_pointer();
        if (!info(inst.op).has(kWrites) && !takes_address) return;
        Value root = facts.root(inst.operands[0]);
        if (root.none())
            anywhere |= !takes_address;
        else if (takes_address)
            addressed.insert(ssa_.data(root).number);
        else
            writes_[ssa_.data(root).number] = true;
    });
    if (anywhere)
        for (uint32_t position : addressed) writes_[position] = true;
}

CpuKernel& Artifact::cpu() {
    std::lock_guard lock(mutex_);
    if (!cpu_) cpu_ = std::make_unique<CpuKernel>(ssa_);
    return *cpu_;
}

CudaKernel& Artifact::cuda() {
    check_not_forked();
    std::lock_guard lock(mutex_);
    if (!cuda_) {
        auto compile = [this](const std::string&, const std::string&, int sm, bool fp_fusion) {
            return compile_cuda(ssa_, [&](const std::string& text, const std::string& entry) {
                return compile_for_device(text, entry, sm, fp_fusion);
            });
        };
        CudaPlan plan = plan_cuda(legalise(ssa_));
        BlockShape shape{static_cast<int>(threads_of(plan)),
                         static_cast<int>(dynamic_bytes_of(plan))};
        cuda_ = std::make_unique<CudaKernel>(cuda_text(ssa_).text, cuda_entry(ssa_), shape, false,
                                             compile);
    }
    return *cuda_;
}

std::string Artifact::cuda_image(const std::string& arch) const {
    auto compile = [&](const std::string& text, const std::string& entry) {
        return nvrtc_compile(text, entry, {arch});
    };
    return compile_cuda(ssa_, compile).image;
}

}  // namespace mytriton
