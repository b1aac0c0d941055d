// Registers compiled kernels as torch ops, while the program runs.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <string>

#include "cache/artifact.h"

namespace mytriton {

// Defines `mytriton::<name>` with a schema made from the artifact: tensors that it stores to are
// (a!), ints SymInt, floats Scalar, bools bool, then the grid as three SymInts; no result. Keys:
// CPU and CUDA launch, Meta only checks the tensors, ADInplaceOrView bumps versions, Autograd
// refuses to overwrite a tensor that requires grad and says where one is only read; Negative,
// Conjugate and ZeroTensor refuse tensors whose memory does not hold their values.
//
// Names are unique for ever: the same name again is the same op and keeps its first artifact.
// Callers make the name from a hash of what the artifact computes.
c10::OperatorHandle register_op(const std::string& name, std::shared_ptr<Artifact> artifact);

// The artifact that the op of this name runs; the op is registered.
std::shared_ptr<Artifact> artifact_of(const std::string& name);

// A RuntimeWarning; throws what a warning filter raises. The GIL need not be held.
void warn(const std::string& message);

// Runs the artifact's kernel for the CPU. `values`: 64 bits a parameter; sizes of the grid are not
// negative.
void launch_cpu(const Artifact& artifact, CpuKernel& kernel, const int64_t* values,
                const int64_t (&grid)[3]);

// 64 bits a parameter; more than these few take memory.
using LaunchValues = c10::SmallVector<int64_t, 24>;

// Runs it on a CUDA device, on the current stream. CUDA may write to the values.
void launch_cuda(Artifact& artifact, c10::Device device, LaunchValues& values,
                 const int64_t (&grid)[3]);

}  // namespace mytriton
