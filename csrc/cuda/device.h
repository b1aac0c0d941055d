// How CUDA text spells rows and conversions, and the functions of ours that it then needs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/op.h"

namespace mytriton {

// Definitions that stand above a kernel, each once, in the order in which they were first needed:
// what a function calls comes before it.
class DeviceFunctions {
  public:
    bool fast = false;  // rows of f32 are those of fast.h

    void insert(const std::string& text) {
        if (known_.insert(text).second) texts_.push_back(text);
    }
    auto begin() const { return texts_.begin(); }
    auto end() const { return texts_.end(); }
    size_t size() const { return texts_.size(); }

  private:
    std::set<std::string> known_;
    std::vector<std::string> texts_;
};

// An elementwise row on operands of this type. f64 has the names without f: exp for expf. With
// `may_overflow`, arithmetic of signed ints goes through unsigned.
std::string device_expression(Op op, Scalar scalar, bool may_overflow, const std::string (&text)[3],
                              DeviceFunctions& functions);

// A single conversion (conversion_step) by cast, cast_rtz or bitcast.
std::string device_conversion(Op op, Scalar from, Scalar to, const std::string& text,
                              DeviceFunctions& functions);

// The definition of f16 or bf16 where the type is one of them.
void define_type(Scalar scalar, DeviceFunctions& functions);

}  // namespace mytriton
