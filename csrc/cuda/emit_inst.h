// Prints single instructions of a lane plan as CUDA C++; emit.cpp prints what stands around them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "ir/ir.h"
#include "ir/source_text.h"
#include "plan/facts.h"
#include "plan/lanes.h"

namespace mytriton {

class CudaInstEmitter {
  public:
    CudaInstEmitter(const Kernel& kernel, const LanePlan& plan);

  protected:
    // Whole lines, indented as deep as what is being printed.
    void add(const std::string& lines, LocId loc);
    std::string text(Value value) const;
    // The type of a value, and the type of what emit_inst prints for it.
    std::string type(Value value);
    void declare(Value value, const std::string& expression, LocId loc);
    void assign(const Inst& inst, const std::string& expression);
    std::string element(Value pointer) const;
    std::string pure_expression(const Inst& inst);
    std::string reduce_expression(const Inst& inst, const LaneStep& step);
    std::string load_expression(const Inst& inst);
    void emit_store(const Inst& inst, const LaneStep& step);
    std::pair<std::string, std::string> printed(Value value, bool hex);
    void emit_print(const Inst& inst, const LaneStep& step);
    void emit_assert(const Inst& inst, const LaneStep& step);
    std::string atomic_expression(const Inst& inst);
    // A result that thread 0 may get for all.
    void emit_once(const Inst& inst, const LaneStep& step, const std::string& expression);
    std::string pointer_cast(const Inst& inst) const;
    // Of an op without regions.
    void emit_inst(const LaneStep& step);

    const Kernel& kernel_;
    const LanePlan& plan_;
    Facts facts_;
    std::vector<std::string> names_;  // the kernel's, then its parameters'
    DeviceFunctions helpers_;
    SourceText body_;
    int depth_ = 1;  // of indentation
};

}  // namespace mytriton
