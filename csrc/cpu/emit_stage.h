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
    // All of them; those of the whole block; those of each row.
    std::vector<InstId> reductions(const Stage& stage) const;
    std::vector<InstId> whole_reductions(const Stage& stage) const;
    std::vector<InstId> row_reductions(const Stage& stage) const;
    void emit_loops(const Stage& stage);
    void emit_row(const Stage& stage);
    // Of a block whose lanes are equal in each row: it is printed before the row's strips.
    bool is_of_row(const Stage& stage, const Inst& inst) const;
    // mt_inner: where the interior ends, a multiple of the strip. mt_outer: where the edge ends.
    // mt_wraps: an index passes its largest int within the block: lanes are not consecutive.
    // mt_past: where the first strip begins that lies wholly past the bound.
    void emit_bounds(const Stage& stage);
    // Whether an index passes its largest int within the stage's width.
    std::string wraps_text(const Stage& stage, const std::vector<Value>& indices) const;
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
    std::string combined_partials(const Inst& inst) const;
};

}  // namespace mytriton
