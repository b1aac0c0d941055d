// Prints stages of a strip plan: emit.cpp prints the steps around them.
#pragma once

#include <string>
#include <vector>

#include "cpu/emit_inst.h"

namespace mytriton {

class StageEmitter : public InstEmitter {
  public:
    using InstEmitter::InstEmitter;

  protected:
    void emit_stage(const Stage& stage);
    // An op across lanes, from the operands' buffers to the result's.
    void emit_in_memory(const Step& step);
    // A block's lane 0 where it lies in a slot.
    std::string slot_lane0(Value value) const;

  private:
    std::vector<InstId> reductions(const Stage& stage) const;
    // mt_inner: where the interior ends, a multiple of the strip. mt_outer: where the edge ends.
    // mt_wraps: an index passes its largest int within the block: lanes are not consecutive.
    void emit_bounds(const Stage& stage);
    void emit_strips(const Stage& stage, Part part, const std::string& from, const std::string& to);
    void emit_all_strips(const Stage& stage, Part part);
    void emit_strip(const Stage& stage, Part part);
    bool uses_registers(const Stage& stage) const;
    std::string slot_element(size_t slot) const;
    // As C++ of a and b: the row that a reduction or a scan combines lanes with.
    std::string combine_text(const Inst& inst) const;
    std::string across_text(const Inst& inst, int64_t room) const;
    void declare_result(const Inst& inst);
    void declare_partials(const Inst& inst);
    void combine_partials(const Inst& inst);
};

}  // namespace mytriton
