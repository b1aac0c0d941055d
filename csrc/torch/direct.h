// Launches that do not go through torch's dispatcher: where nothing there would notice, and where
// they are below it already.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/SmallVector.h>

#include <cstdint>

#include "cache/artifact.h"

namespace mytriton {

// A run-time argument that a launch has read: a tensor, or the bits of a number.
struct Argument {
    enum class Kind : uint8_t { none, tensor, boolean, integer, real };
    Kind kind;
    const at::Tensor* tensor;  // borrowed from the caller's argument
    int64_t bits;              // of a bool, an int64 or a double
};

using Arguments = c10::SmallVector<Argument, 24>;

// As the dispatcher takes it.
c10::IValue value_of(const Argument& argument);

// Whether torch's dispatcher knows something of a call that nobody else does: a mode, a
// transformation, autocast, the profiler, a wrapped or lazy tensor. Gradients aside.
bool needs_dispatcher(const Arguments& arguments);

// Whether a tensor requires grad while gradients are on.
bool wants_gradient(const Arguments& arguments);

// What torch's dispatcher would do with a launch.
enum class Way {
    dispatch,      // something that only it knows
    run,           // nothing but to run the kernel
    bump_and_run,  // and the versions of what is written go up
};
Way way_of(const Arguments& arguments);

// A launch that needs no dispatcher, or comes from below it, on the tensors' device. The arguments
// are of the kinds that the artifact was made for, in its order; one of them at least is a tensor.
// Holds no reference to a tensor, as torch takes the GIL to count those of tensors that Python
// knows; the caller has them. With the GIL, which is released meanwhile, but for what is brief.
void launch_directly(Artifact& artifact, CpuKernel& cpu, Way way, const Arguments& arguments,
                     const int64_t (&grid)[3]);

}  // namespace mytriton
