// Prints the lane layout: one C++ variable per thread for every SSA value.
#include "cuda/emit.h"

#include "cuda/emit_regions.h"
#include "cuda/reduce.h"

namespace mytriton {

namespace {

class Emitter : public CudaRegionEmitter<LaneStep> {
  public:
    Emitter(const Kernel& kernel, const LanePlan& plan) : CudaRegionEmitter(kernel), plan_(plan) {}

    SourceText run() {
        emit_steps(plan_.steps);
        std::string shared;
        for (size_t i = 0; i < plan_.shared.size(); ++i)
            shared += "    __shared__ " + std::string(info(plan_.shared[i]).cxx) + " mt_warps" +
                      std::to_string(i) + "[" + std::to_string(plan_.warps()) + "];\n";
        for (size_t i = 0; i < plan_.once.size(); ++i)
            shared += "    __shared__ " + std::string(info(plan_.once[i]).cxx) + " mt_once" +
                      std::to_string(i) + ";\n";
        return finish(shared);
    }

  private:
    bool is_variable(Value) const override { return true; }

    void emit(const LaneStep& step) override {
        const Inst& inst = kernel_.inst(step.inst);
        if (step.barrier_before) add("__syncthreads();\n", inst.loc);
        if (!step.blocks.empty()) return emit_control(step);
        if (step.shared < 0) return emit_inst(inst, {step.one_thread, step.once});
        std::string name =
            lane_reduction(inst.op, kernel_.type(inst.result()).scalar(), plan_.threads, helpers_);
        assign(inst, name + "(" + text(inst.operands[0]) + ", mt_warps" +
                         std::to_string(step.shared) + ")");
    }

    const LanePlan& plan_;
};

}  // namespace

SourceText emit_lanes(const Kernel& legal, const LanePlan& plan) {
    return Emitter(legal, plan).run();
}

SourceText emit_cuda(const Kernel& legal, const CudaPlan& plan) {
    if (const LanePlan* lanes = std::get_if<LanePlan>(&plan)) return emit_lanes(legal, *lanes);
    return emit_blocked(legal, std::get<BlockedPlan>(plan));
}

std::string cuda_entry(const Kernel& kernel) {
    return CudaInstEmitter(kernel).entry();
}

}  // namespace mytriton
