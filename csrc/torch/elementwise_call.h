// A call of an elementwise function from Python, in C.
#pragma once

#include <Python.h>

namespace mytriton {

// Adds the type `ElementwiseCalls` to the module, to be the base of a class; false with a Python
// error set where that fails.
//
// ElementwiseCalls.__init__(parameters, slow): parameters as of LaunchCache; slow(args, kwargs)
// does a call in Python and returns (result, op, options): the ElementwiseOp that it called with
// which options, or None where the call cannot be repeated here.
//   take_calls(cls)  has calls of objects of the class `cls` come here, whatever its __call__ is
bool add_elementwise_calls(PyObject* module);

}  // namespace mytriton
