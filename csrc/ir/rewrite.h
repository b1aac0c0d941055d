// Rebuilds a kernel instruction by instruction: how passes change SSA that is itself immutable.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace mytriton {

// Starts a copy with the same name, parameters and locations. A pass walks the old body and for
// each instruction either keeps it or maps its result to another value. Kept results keep their
// numbers, so what a pass removes leaves a gap.
class Rewriter {
  public:
    explicit Rewriter(const Kernel& old);

    const Kernel& old() const { return old_; }
    Kernel& fresh() { return fresh_; }

    Value map(Value old);  // the value of the new kernel that stands for it
    Value constant(Type type, uint64_t bits) { return fresh_.constant(type, bits); }
    Inst mapped(const Inst& inst);  // the instruction with mapped operands, without results
    void keep(const Inst& inst);    // appends the mapped instruction
    void keep(const Inst& inst, Inst mapped);  // appends `mapped`, which stands for inst
    void replace(Value old, Value fresh) { map_[old.index] = fresh; }
    Kernel finish() { return std::move(fresh_); }

  private:
    const Kernel& old_;
    Kernel fresh_;
    std::vector<Value> map_;
};

}  // namespace mytriton
