// Prints ops with regions, for any layout: a block of C++ for a region.
//
// What such an op gives is a variable that stands before it, and that the end of each region sets.
// Carried values are copies of it: within a round they keep their value.
#pragma once

#include <string>
#include <vector>

#include "cuda/emit_inst.h"

namespace mytriton {

// `Step` has the op's `inst` and the steps of its regions in `blocks`.
template <class Step>
class CudaRegionEmitter : public CudaInstEmitter {
  public:
    using CudaInstEmitter::CudaInstEmitter;

  protected:
    virtual void emit(const Step& step) = 0;
    // Whether a value is a variable that is set as described.
    virtual bool is_variable(Value value) const = 0;

    void emit_steps(const std::vector<Step>& steps) {
        for (const Step& step : steps) emit(step);
    }

    void emit_control(const Step& step) {
        const Inst& inst = kernel_.inst(step.inst);
        if (inst.op == Op::if_) return emit_if(inst, step);
        size_t first = inst.op == Op::for_ ? kForInits : 0;
        for (size_t i = 0; i < inst.results.size(); ++i)
            if (is_variable(inst.results[i]))
                declare(inst.results[i], text(inst.operands[first + i]), inst.loc);
        if (inst.op == Op::for_)
            open_for(inst);
        else
            add("while (true) {\n", inst.loc);
        const std::vector<Value>& args = kernel_.region(inst.regions[0]).args;
        ++depth_;
        for (size_t i = 0; i < inst.results.size(); ++i)
            if (Value arg = args[args.size() - inst.results.size() + i]; is_variable(arg))
                declare(arg, text(inst.results[i]), inst.loc);
        --depth_;
        emit_region(inst, step.blocks[0], 0);
        add("}\n", inst.loc);
    }

  private:
    void emit_if(const Inst& inst, const Step& step) {
        for (Value result : inst.results)
            if (is_variable(result)) add(type(result) + " " + text(result) + ";\n", inst.loc);
        add("if (" + text(inst.operands[0]) + ") {\n", inst.loc);
        emit_region(inst, step.blocks[0], 0);
        bool yields = !inst.results.empty();
        if (yields || kernel_.region(inst.regions[1]).insts.size() > 1) {
            add("} else {\n", inst.loc);
            emit_region(inst, step.blocks[1], 1);
        }
        add("}\n", inst.loc);
    }

    void emit_region(const Inst& owner, const std::vector<Step>& steps, size_t which) {
        ++depth_;
        emit_steps(steps);
        const Inst& yield = kernel_.inst(kernel_.region(owner.regions[which]).insts.back());
        for (size_t i = 0; i < yield.operands.size(); ++i)
            if (is_variable(owner.results[i]))
                add(text(owner.results[i]) + " = " + text(yield.operands[i]) + ";\n", yield.loc);
        --depth_;
    }
};

}  // namespace mytriton
