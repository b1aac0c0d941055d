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
// refuses to overwrite a tensor that requires grad; Negative, Conjugate and ZeroTensor refuse
// tensors whose memory does not hold their values.
//
// Names are unique for ever: the same name again is the same op and keeps its first artifact.
// Callers make the name from a hash of what the artifact computes.
c10::OperatorHandle register_op(const std::string& name, std::shared_ptr<Artifact> artifact);

}  // namespace mytriton
