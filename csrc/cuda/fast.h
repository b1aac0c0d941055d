// accuracy=fast: what float32 rows are on CUDA where approximations are asked for.
#pragma once

#include <optional>
#include <string_view>

#include "ir/op.h"

namespace mytriton {

// The expression for f32, of operands a and b; nothing where the row stays as it is.
std::optional<std::string_view> fast_expression(Op op);

}  // namespace mytriton
