// Elementwise ops as torch's dispatcher calls them: below autograd, and above it.
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>

#include "torch/elementwise.h"

namespace mytriton {

namespace {

// Of an op's arguments; they come last.
constexpr size_t kOptions = 1;

Arguments inputs_on(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
    const size_t count = op.schema().arguments().size();
    Arguments out;
    for (size_t i = 0; i + kOptions < count; ++i) {
        const c10::IValue& value = stack[stack.size() - count + i];
        if (value.isTensor() && value.toTensor().defined())
            out.push_back({Argument::Kind::tensor, &value.toTensor(), 0});
        else if (value.isNone() || value.isTensor())
            out.push_back({Argument::Kind::none, nullptr, 0});
        else if (value.isBool())
            out.push_back({Argument::Kind::boolean, nullptr, value.toBool()});
        else if (value.isInt())
            out.push_back({Argument::Kind::integer, nullptr, value.toInt()});
        else if (value.isDouble())
            out.push_back(
                {Argument::Kind::real, nullptr, std::bit_cast<int64_t>(value.toDouble())});
        else
            TORCH_CHECK_TYPE(
                false, op.schema().name(), ": argument '", op.schema().arguments()[i].name(),
                "': expected a tensor, a bool, an int or a float, got ", value.tagKind());
    }
    return out;
}

// The op's kernel for the CPU and for CUDA.
struct RunElementwise final : c10::OperatorKernel {
    explicit RunElementwise(ElementwiseOp& op) : op(op) {}
    void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet,
                    torch::jit::Stack* stack) {
        Tensors outputs;
        {
            pybind11::gil_scoped_acquire gil;
            outputs = op.run(inputs_on(handle, *stack), stack->back());
        }
        torch::jit::drop(*stack, handle.schema().arguments().size());
        for (at::Tensor& each : outputs) stack->emplace_back(std::move(each));
    }
    ElementwiseOp& op;
};

// Its kernel above autograd.
struct DifferentiateElementwise final : c10::OperatorKernel {
    explicit DifferentiateElementwise(ElementwiseOp& op) : op(op) {}
    void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys,
                    torch::jit::Stack* stack) {
        auto below = [&] {
            at::AutoDispatchBelowAutograd guard;
            handle.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
        };
        if (Arguments inputs = inputs_on(handle, *stack);
            !wants_gradient(inputs) && !has_tangent(inputs))
            return below();
        const auto last = torch::jit::last(*stack, handle.schema().arguments().size());
        const torch::jit::Stack given(last.begin(), last.end());  // the inputs stay alive
        const Arguments inputs = inputs_on(handle, given);
        Tensors outputs = differentiable(op, inputs, given.back(), [&] {
            below();
            Tensors computed;
            for (const c10::IValue& each : torch::jit::last(*stack, op.outputs))
                computed.push_back(each.toTensor());
            return computed;
        });
        torch::jit::drop(*stack, op.outputs);
        for (at::Tensor& each : outputs) stack->emplace_back(std::move(each));
    }
    ElementwiseOp& op;
};

template <class Implementation>
void implement_at(const c10::OperatorHandle& handle, c10::DispatchKey key, ElementwiseOp& op) {
    // Never destroyed: with a Library goes what it registered.
    static auto* kept = new std::vector<std::unique_ptr<torch::Library>>();
    kept->push_back(std::make_unique<torch::Library>(torch::Library::IMPL, "mytriton", key,
                                                     __FILE__, __LINE__));
    const c10::OperatorName& name = handle.operator_name();
    kept->back()->impl(
        toString(name).substr(sizeof("mytriton::") - 1).c_str(),
        torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Implementation>(op)));
}

}  // namespace

void implement(ElementwiseOp& op) {
    implement_at<RunElementwise>(op.handle, c10::DispatchKey::CPU, op);
    implement_at<RunElementwise>(op.handle, c10::DispatchKey::CUDA, op);
    implement_at<DifferentiateElementwise>(op.handle, c10::DispatchKey::Autograd, op);
}

}  // namespace mytriton
