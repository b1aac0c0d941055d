// Prints a strip plan as host C++ on explicit vectors.
#pragma once

#include <string>

#include "ir/ir.h"
#include "ir/source_text.h"
#include "plan/strips.h"

namespace mytriton {

// One function over a range of programs (CpuEntry in launch.h). It stands after the prelude: the
// texts of ir/scalar.h, cpu/vector.h and ir/math_*.h, whose functions it calls.
SourceText emit_cpu(const Kernel& legal, const StripPlan& plan);

// The prelude and the kernel: what the host compiler gets.
std::string cpu_translation_unit(const std::string& kernel_text);

constexpr const char* kCpuEntry = "mt_run";

}  // namespace mytriton
