// An elementwise function as a torch op: its kernels, by the types of the inputs and by how they
// lie in memory, and its place in torch's graph of gradients.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/util/FunctionRef.h>
#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "torch/call.h"
#include "torch/direct.h"
#include "torch/elementwise_loops.h"
#include "torch/variants.h"

namespace mytriton {

// A function for one set of types of its inputs. To be used with the GIL.
class ElementwiseCase {
  public:
    struct Kernel {
        std::string op;
        std::shared_ptr<Artifact> artifact;
        CpuKernel& cpu;
    };
    struct Launch {
        const Kernel& kernel;
        Arguments arguments;  // they borrow from the inputs and the outputs
        int64_t programs;
    };

    // results: of the outputs; in_f64: of each input, whether a number is used as a float64;
    // make_kernel: see Kernels.compile in mytriton/elementwise/kernels.py.
    ElementwiseCase(std::vector<at::ScalarType> results, std::vector<bool> in_f64,
                    pybind11::object make_kernel)
        : results(std::move(results)), in_f64(std::move(in_f64)), make_kernel_(make_kernel) {}

    // What computes the outputs, of one shape and one set of strides.
    Launch launch_of(const Loops& loops, const Arguments& inputs, const Tensors& outputs);

    // Computes them; the GIL is released meanwhile.
    void run(const Loops& loops, const Arguments& inputs, const Tensors& outputs);

    const std::vector<at::ScalarType> results;
    const std::vector<bool> in_f64;

  private:
    const Kernel& kernel(const Loops& loops, const std::string& kinds, bool wide_ints,
                         const Arguments& tensors);

    pybind11::object make_kernel_;
    std::unordered_map<Key, Kernel, KeyHash> kernels_;
};

class ElementwiseOp;

// A case and for which options of which op.
struct KnownCase final : Variant {
    KnownCase(PyObject* made, ElementwiseOp& op, c10::IValue options,
              std::shared_ptr<ElementwiseCase> native)
        : Variant(made), op(op), options(std::move(options)), native(std::move(native)) {}

    ElementwiseOp& op;
    c10::IValue options;
    std::shared_ptr<ElementwiseCase> native;
};

// Never destroyed, as torch's ops are not.
class ElementwiseOp {
  public:
    // Implements the defined op `name` for the CPU, for CUDA and for autograd. `python` is a
    // TorchOp of mytriton/elementwise/ops.py.
    ElementwiseOp(const std::string& name, pybind11::object python);
    ElementwiseOp(const ElementwiseOp&) = delete;

    // With the GIL. `known` null: what was made for such inputs before, or is made now.
    Tensors run(const Arguments& inputs, const c10::IValue& options, KnownCase* known = nullptr);
    void run_into(const Arguments& inputs, const c10::IValue& options, Tensors& outputs);

    // Visits the launch that `run` would do.
    void show_launch(const Arguments& inputs, const c10::IValue& options,
                     c10::function_ref<void(const ElementwiseCase::Launch&)> visit);

    // With the GIL, above autograd: the outputs have their place in its graph.
    Tensors call(const Arguments& inputs, KnownCase& known);

    // What was made for such inputs, if its checks hold; with the GIL.
    std::shared_ptr<KnownCase> known_case(const Arguments& inputs, const c10::IValue& options);

    // The op of what flows back to those inputs that are wanted, or of the tangents of the outputs
    // where those inputs have some.
    c10::OperatorHandle gradient(const std::vector<bool>& wanted);
    c10::OperatorHandle tangents(const std::vector<bool>& given);

    // What the user calls the function.
    const std::string& function() const { return function_; }

    const c10::OperatorHandle handle;
    const size_t outputs;
    // The user's own backward, which takes tensors only, and zeros where nothing flows.
    const bool has_own_backward;
    // Whether all gradients are computed, whichever are needed.
    const bool computes_all_gradients;

  private:
    using Derived = std::map<std::vector<bool>, c10::OperatorHandle>;
    c10::OperatorHandle derived(Derived& known, const char* method, const std::vector<bool>& which);
    std::shared_ptr<ElementwiseCase> case_of(const Arguments& inputs, const c10::IValue& options);
    using Visit = c10::function_ref<void(const Loops&, const Arguments&, const Tensors&)>;
    void compute(ElementwiseCase& what, const Arguments& inputs, Tensors& outputs, Visit visit);
    void compute_moved(ElementwiseCase& what, const Arguments& inputs, Tensors& outputs,
                       Visit visit);
    [[noreturn]] void refuse(const Arguments& inputs) const;

    pybind11::object python_;
    std::string function_;
    Variants cases_;
    std::mutex mutex_;  // of what follows
    Derived gradients_;
    Derived tangents_;
};

// Registers its kernels with torch's dispatcher; once.
void implement(ElementwiseOp& op);

// Whether a tensor has a tangent, for forward mode.
bool has_tangent(const Arguments& inputs);

// The outputs that `compute` gives, in torch's graph of gradients and with tangents.
Tensors differentiable(ElementwiseOp& op, const Arguments& inputs, const c10::IValue& options,
                       c10::function_ref<Tensors()> compute);

}  // namespace mytriton
