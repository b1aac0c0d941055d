// Runs SSA directly, a block at a time, without any compiler: the reference for both backends.
#pragma once

#include <cstdint>

#include "cpu/print_line.h"
#include "ir/ir.h"

namespace mytriton {

// Programs first to last - 1 of the grid, in order. args[i] is parameter i: an address, or the
// bits of an int, float or bool. Each instruction is done for all lanes before the next begins;
// lanes go in ascending order, and masked-off lanes touch no memory.
//
// Reductions: 16 partial results start as the identity; lane k joins partial k % 16 in lane order;
// then partial k joins partial k + 8, then k + 4, k + 2, k + 1. Along an axis, each row by itself.
// Scans: lane by lane along the axis, or back from its end.
//
// With the environment variable MYTRITON_MAX_STEPS a call that runs more instructions than that
// ends with a RuntimeError, which names the line that it was at.
//
// `print` gets each line that the kernel prints.
void evaluate(const Kernel& legal, const int64_t* args, const int64_t* grid, int64_t first,
              int64_t last, const Printer& print = {});

}  // namespace mytriton
