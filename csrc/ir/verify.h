// Checks that typed SSA is well formed: the contract between tracing, passes and backends.
#pragma once

#include <optional>

#include "ir/ir.h"

namespace mytriton {

// Throws CompileError("ssa-verifier: op #3 'add': ...") for the first op that breaks a rule:
//   - every operand is defined before its use, every %number is defined once;
//   - operand, result, attribute and region counts are the row's;
//   - operand and result types follow typing.h; axes are 0 to 2; a range is not empty.
// `lane_width`: every range must have this width, as the lane layout of CUDA needs.
void verify(const Kernel& kernel, std::optional<int64_t> lane_width = std::nullopt);

}  // namespace mytriton
