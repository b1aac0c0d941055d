// Prints the blocked layout: scalars in every thread, stages, and what goes through shared memory.
#include "cuda/across.h"
#include "cuda/emit.h"
#include "cuda/emit_stage.h"

namespace mytriton {

namespace {

class Emitter : public CudaStageEmitter {
  public:
    using CudaStageEmitter::CudaStageEmitter;

    SourceText run() {
        emit_buffers();
        emit_steps(plan_.strips.steps);
        return finish(shared());
    }

  private:
    bool is_variable(Value value) const override { return !is_block(value); }

    std::string shared() const {
        std::string out;
        for (const auto& [id, words] : plan_.words)
            out += "    __shared__ " +
                   std::string(info(kernel_.type(kernel_.inst(id).result()).scalar()).cxx) +
                   " mt_words" + std::to_string(words) + "[" + std::to_string(plan_.warps()) +
                   "];\n";
        for (size_t i = 0; i < plan_.once.size(); ++i)
            out += "    __shared__ " + std::string(info(plan_.once[i]).cxx) + " mt_once" +
                   std::to_string(i) + ";\n";
        if (plan_.dynamic_bytes() > 0)
            out += "    extern __shared__ __align__(16) unsigned char mt_shared[];\n";
        else if (plan_.shared_bytes > 0)
            out += "    __shared__ __align__(16) unsigned char mt_shared[" +
                   std::to_string(plan_.shared_bytes) + "];\n";
        return out;
    }

    void emit_buffers() {
        for (const Buffer& buffer : plan_.strips.buffers) {
            Value value = buffer.value;
            auto at = plan_.shared.find(value.index);
            if (at != plan_.shared.end())
                add(type(value) + "* const " + shared_name(value) + " = (" + type(value) +
                        "*)(mt_shared + " + std::to_string(at->second) + ");\n",
                    0);
            else
                declare_array(value, buffer_name(value));
        }
        for (size_t i = 0; i < plan_.strips.slots.size(); ++i)
            if (Value value = plan_.strips.slots[i].value; is_block(value))
                declare_array(value, slot_name(i));
    }

    void declare_array(Value value, const std::string& name) {
        add(type(value) + " " + name + "[" +
                std::to_string(plan_.lanes_each(kernel_.type(value).lanes())) + "];\n",
            0);
    }

    void emit(const Step& step) override {
        if (step.barrier_before) add("__syncthreads();\n", 0);
        switch (step.kind) {
            case Step::Kind::scalar:
                return emit_inst(kernel_.inst(step.inst), {step.one_thread, step.once});
            case Step::Kind::lane0:
                return emit_lane0(step);
            case Step::Kind::stage:
                return emit_stage(plan_.strips.stages[step.stage]);
            case Step::Kind::memory:
                return emit_across(kernel_.inst(step.inst));
            case Step::Kind::control:
                return emit_control(step);
        }
    }

    void emit_across(const Inst& inst) {
        std::vector<std::string> from;
        for (Value operand : inst.operands)
            from.push_back(operand.none() ? "" : shared_name(facts_.unreshaped(operand)));
        add(across_call(kernel_, inst, plan_.threads, from, shared_name(inst.result()), helpers_) +
                ";\n",
            inst.loc);
    }
};

}  // namespace

SourceText emit_blocked(const Kernel& legal, const BlockedPlan& plan) {
    return Emitter(legal, plan).run();
}

}  // namespace mytriton
