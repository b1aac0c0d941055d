// Prints typed SSA as text.
#pragma once

#include <string>

#include "ir/ir.h"
#include "ir/source_text.h"

namespace mytriton {

std::string print_value(const Kernel& kernel, Value value);
// One line: of an op with regions, what stands before the first brace.
std::string print_inst(const Kernel& kernel, const Inst& inst, bool with_loc = false);

// One instruction a line, no header: `%3 = add %1, %2 : vector<256 x i32>`.
std::string print_body(const Kernel& kernel);

// The body, indented, under `kernel name(x: ptr<f32>, n: i32) { ... }`: what parse_kernel reads.
// With locations, each instruction ends in loc("kernel.py":7:4:7:13).
std::string print_kernel(const Kernel& kernel, bool with_locs = false);
SourceText print_kernel_lines(const Kernel& kernel, bool with_locs = false);

}  // namespace mytriton
