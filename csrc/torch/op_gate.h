// What every call of an op that Python defines passes.
#pragma once

#include <string>

namespace mytriton {

// Implements the op `name` ("space::name") at the Autograd key. A call whose tensors ask for no
// derivative goes on below autograd at once; any other goes to the kernel that `python_name`, an op
// with the same schema, has at that key. In both cases the promises of the schema are checked
// afterwards, RuntimeError: what is not (a!) was not written, each output is a tensor, and none
// shares memory with an input or another output. Both ops are defined already; once for each.
void add_op_gate(const std::string& name, const std::string& python_name);

}  // namespace mytriton
