// The evaluator's ops across lanes: scans, sort, gather, histogram.
#pragma once

#include <cstdint>

#include "ir/conversion.h"
#include "ir/ir.h"

namespace mytriton {

// Writes the lanes of the result. `operands` are those of the instruction; of one that is omitted
// nothing is read.
void evaluate_scan(const Kernel& kernel, const Inst& inst, Lanes operand, uint64_t* out);
void evaluate_sort(const Kernel& kernel, const Inst& inst, Lanes operand, uint64_t* out);
void evaluate_gather(const Kernel& kernel, const Inst& inst, Lanes src, Lanes index, uint64_t* out);
void evaluate_histogram(const Kernel& kernel, const Inst& inst, Lanes input, Lanes mask,
                        uint64_t* out);

}  // namespace mytriton
