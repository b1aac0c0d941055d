// Reads the text form of typed SSA; docs/ir.md has the grammar.
#pragma once

#include <string>

#include "ir/ir.h"

namespace mytriton {

// The one kernel in `text`, with the numbers that its values have there. The result is syntax with
// types, not yet a valid kernel: verify() is what tells. Instructions without a loc(...) are placed
// where they stand in the text.
//
// CompileError at the offending place for malformed text of any kind; `file` names it there.
Kernel parse_kernel(const std::string& text, const std::string& file);

}  // namespace mytriton
