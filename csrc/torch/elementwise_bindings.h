// Elementwise ops, for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace mytriton {

// Adds ElementwiseCase, ElementwiseOp and ElementwiseCalls to the module.
void bind_elementwise(pybind11::module_& module);

}  // namespace mytriton
