// Prints single instructions as CUDA C++; what stands around them is printed by each layout.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuda/device.h"
#include "ir/ir.h"
#include "ir/source_text.h"
#include "plan/facts.h"

namespace mytriton {

// Who runs an instruction: all threads, or the first one, which may leave the result in a shared
// variable for all.
struct Doer {
    bool one_thread = false;
    int once = -1;
};

class CudaInstEmitter {
  public:
    explicit CudaInstEmitter(const Kernel& kernel);
    virtual ~CudaInstEmitter() = default;
    std::string entry() const { return names_[0]; }

  protected:
    // Whole lines, indented as deep as what is being printed.
    void add(const std::string& lines, LocId loc);
    // A value, where it is used.
    virtual std::string text(Value value) const;
    // The type of a value; that of a block is the type of a lane.
    std::string type(Value value);
    // Gives a value what it is.
    virtual void declare(Value value, const std::string& expression, LocId loc);
    void assign(const Inst& inst, const std::string& expression);
    std::string element(Value pointer) const;
    std::string pure_expression(const Inst& inst);
    std::string load_expression(const Inst& inst);
    void emit_store(const Inst& inst, const Doer& doer);
    std::pair<std::string, std::string> printed(Value value, bool hex);
    void emit_print(const Inst& inst, const Doer& doer);
    void emit_assert(const Inst& inst, const Doer& doer);
    std::string atomic_expression(const Inst& inst);
    // A result that thread 0 may get for all.
    void emit_once(const Inst& inst, const Doer& doer, const std::string& expression);
    std::string pointer_cast(const Inst& inst) const;
    // Of an op without regions that neither reduces nor moves lanes.
    void emit_inst(const Inst& inst, const Doer& doer = {});
    // A loop's first line, and its index where it counts something else.
    void open_for(const Inst& inst);
    // The text: helpers, the signature, `shared` declarations, and the body.
    SourceText finish(const std::string& shared);

    const Kernel& kernel_;
    Facts facts_;
    std::vector<std::string> names_;  // the kernel's, then its parameters'
    DeviceFunctions helpers_;
    SourceText body_;
    std::string lane_ = "threadIdx.x";  // the lane that is being printed
    int depth_ = 1;                     // of indentation

  private:
    std::string signature() const;
    std::string count_trips(const Inst& inst, const std::string& number);
};

}  // namespace mytriton
