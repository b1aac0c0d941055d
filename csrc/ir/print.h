// Prints typed SSA as text.
#pragma once

#include <string>

#include "ir/ir.h"

namespace mytriton {

std::string print_value(const Kernel& kernel, Value value);
std::string print_inst(const Kernel& kernel, const Inst& inst);

// One instruction a line, no header: `%3 = add %1, %2 : vector<256 x i32>`.
std::string print_body(const Kernel& kernel);

// The body, indented, under `kernel name(x: ptr<f32>, n: i32) { ... }`.
std::string print_kernel(const Kernel& kernel);

}  // namespace mytriton
