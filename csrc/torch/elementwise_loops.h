// How tensors lie in memory, as an elementwise kernel sees it: what it runs over.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <string>
#include <vector>

#include "torch/direct.h"

namespace mytriton {

using Tensors = c10::SmallVector<at::Tensor, 2>;

// Dimensions that lie in memory like one are joined, and the innermost of the first output is the
// innermost of all.
struct Loops {
    c10::SmallVector<int64_t, 6> sizes;     // innermost first; never empty
    c10::SmallVector<int64_t, 24> strides;  // of each tensor in turn, in elements, as the sizes
    int64_t count = 1;                      // of elements

    size_t dims() const { return sizes.size(); }
    int64_t stride(size_t tensor, size_t dim) const { return strides[tensor * dims() + dim]; }

    // A program has a block of the whole, and each lane computes its own place.
    bool is_short() const;
    // Elements of a program.
    int64_t block() const;
    int64_t programs() const;
    // Whether 32 bits do not number the elements of every tensor.
    bool is_wide() const;
    // Of each tensor 0, 1, or 2 for any other step from an element to the next.
    char step(size_t tensor) const;
    // The ints that the kernel takes after the tensors and the numbers.
    c10::SmallVector<int64_t, 24> ints() const;

    size_t tensors() const { return strides.size() / dims(); }

    // Whether there is a kernel of that many dimensions and, with so many numbers beside the
    // tensors, arguments.
    bool fit(size_t numbers) const;
};

// Of tensors on one device that broadcast to one shape, outputs first. Outputs that are undefined
// are allocated, with the strides that torch's pointwise ops give. nullopt, and nothing is
// allocated, where the shapes or devices do not fit.
std::optional<Loops> loops_of(const Arguments& inputs, const std::vector<at::ScalarType>& results,
                              Tensors& outputs);

}  // namespace mytriton
