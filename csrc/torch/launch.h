// kernel[grid](...) in C: the path a launch takes when its kernel is already compiled.
#pragma once

#include <Python.h>

namespace mytriton {

// Adds the type `LaunchCache` to the module; false with a Python error set where that fails.
//
// LaunchCache(parameters, slow): parameters is a list of (name, is_constexpr, may be given by
// position, may be given by name, default or absent marker Ellipsis); slow(grid, args, kwargs) does
// a launch in Python and returns the compiled kernel, which has an `op_name`, None where the launch
// cannot be repeated here.
//   cache.bind(grid)  a callable that launches
//   cache.clear()     forgets every compiled kernel
bool add_launch_cache(PyObject* module);

// The exception in flight as a Python error: CompileError, ValueError, RuntimeError, ...
void set_python_error();

}  // namespace mytriton
