// What a print writes on the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ir/ir.h"

namespace mytriton {

// Takes a line without its end.
using Printer = std::function<void(const std::string&)>;

// Of a device_assert the line ends in the place: "pid (0, 2, 0) idx (5) assertion failed: n > 0
// (kernel.py:12)". Of a print, "pid (0, 2, 0) idx (5) x is 1.5, 7": the program, the lane - none
// where `lane` is negative, as all operands are scalars - the text and the operands, given as the
// bits of their types.
std::string print_line(const Kernel& legal, const Inst& print, const int64_t* grid, int64_t program,
                       int64_t lane, const int64_t* bits);

}  // namespace mytriton
