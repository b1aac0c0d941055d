// Prints single instructions of a strip plan as host C++; emit.cpp prints what stands around them.
#pragma once

#include <string>

#include "cpu/spell.h"
#include "ir/ir.h"
#include "ir/source_text.h"
#include "plan/strips.h"

namespace mytriton {

class InstEmitter {
  public:
    InstEmitter(const Kernel& kernel, const StripPlan& plan)
        : kernel_(kernel), plan_(plan), facts_(kernel), spell_(kernel) {}

  protected:
    void line(const std::string& text);
    std::string suffix(const Inst& inst) const;
    std::string identity(const Inst& inst) const;
    void accumulate(const Inst& inst);
    // Whether its vectors have masks of another width than bool's.
    static bool has_own_mask(Scalar scalar);
    // A mask beside vectors of this type.
    static std::string mask_as(Scalar scalar, const std::string& mask);
    void declare_vector(Value value, const std::string& expression);
    void declare(Value value, Part part, const std::string& expression);
    // The mask of a memory op in a strip; empty where every lane takes part.
    std::string strip_mask(Value mask, Part part) const;
    bool is_all_true(Value mask) const;
    std::string fallback_text(const Inst& inst, Part part) const;
    bool has_rows(Value pointer, const Address& address) const;
    // Where a strip's access begins if its lanes are consecutive; empty where they need not be.
    std::string contiguous_pointer(InstId access, const Address& address) const;
    void emit_load(const Inst& inst, Part part);
    void emit_store(const Inst& inst, Part part);
    // What an atomic_rmw leaves, as a function of the old value and its operand.
    std::string update_text(const Inst& inst) const;
    // The call by which a print or an assert tells of a lane; of scalars the lane is -1.
    std::string report(const std::string& lane, const std::string& values = "") const;
    void emit_print(const Inst& inst, Part part);
    void emit_assert(const Inst& inst, Part part);
    void emit_atomic(const Inst& inst, Part part);
    std::string buffer_name(Value value) const;
    // Where an op finds the lanes of an operand that it takes from memory.
    std::string memory_name(Value operand) const { return buffer_name(facts_.unreshaped(operand)); }
    // What a strip takes of the operands' buffers.
    std::string moved(const Inst& inst, Part part) const;
    // A pointer as an address or as another pointer, or an address as a pointer.
    std::string pointer_cast(const Inst& inst, Part part) const;
    void emit(InstId id, Part part);
    void emit_op(const Inst& inst, Part part);
    void emit_pure(const Inst& inst, Part part);
    // A legal kernel has single conversions only.
    std::string converted(const Inst& inst, Part part) const;
    // Programs are counted along axis 0 first.
    static std::string program_id(int64_t axis);
    std::string arange(const Inst& inst, Part part) const;

    const Kernel& kernel_;
    const StripPlan& plan_;
    Facts facts_;
    Speller spell_;
    SourceText out_;
    LocId loc_ = 0;       // of the instruction being printed
    InstId inst_id_ = 0;  // the same: how a report names itself at run time
    int depth_ = 0;
    const Stage* stage_ = nullptr;  // whose strips are being printed
    bool at_row_ = false;           // what is printed is of the row that begins at mt_row
    bool partial_ = false;          // lanes past the stage's width occur in these strips
};

}  // namespace mytriton
