// Whether anyone wants a gradient, and whether a function did what its schema says: asked in Python
// at each call these questions would cost more than a small torch op.
#include "torch/op_gate.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace mytriton {

namespace {

// visit(tensor) for a tensor, each of a list, and none of anything else.
template <class Visit>
void each_tensor(const c10::IValue& value, const Visit& visit) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) visit(value.toTensor());
    } else if (value.isList()) {
        for (const c10::IValue& each : value.toListRef()) each_tensor(each, visit);
    }
}

// A tangent too: passed over here it would be lost without a word; autograd refuses it.
bool asks_for_derivative(const at::Tensor& tensor, bool grad_mode) {
    return (grad_mode && tensor.requires_grad()) || tensor._fw_grad(/*level=*/0).defined();
}

struct Given {
    at::Tensor tensor;
    size_t argument;
    uint32_t version;
};

uint32_t version_of(const at::Tensor& tensor) {
    return tensor.is_inference() ? 0 : tensor._version();
}

const void* memory_of(const at::Tensor& tensor) {
    return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

struct OpGate final : c10::OperatorKernel {
    explicit OpGate(c10::OperatorHandle op) : in_python(std::move(op)) {}

    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                    torch::jit::Stack* stack) {
        const size_t count = op.schema().arguments().size();
        const bool grad_mode = c10::GradMode::is_enabled();
        bool differentiates = false;
        c10::SmallVector<Given, 6> given;
        for (size_t i = 0; i < count; ++i)
            each_tensor((*stack)[stack->size() - count + i], [&](const at::Tensor& tensor) {
                differentiates |= asks_for_derivative(tensor, grad_mode);
                given.push_back({tensor, i, version_of(tensor)});
            });
        if (differentiates) {
            in_python.redispatchBoxed(keys, stack);
        } else {
            at::AutoDispatchBelowAutograd guard;
            op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
        }
        check_inputs(op.schema(), given);
        check_outputs(op.schema(), given, *stack);
    }

    static void check_inputs(const c10::FunctionSchema& schema,
                             const c10::SmallVectorImpl<Given>& given) {
        for (const Given& each : given) {
            const c10::Argument& argument = schema.arguments()[each.argument];
            const bool may_be_written =
                argument.alias_info() != nullptr && argument.alias_info()->isWrite();
            TORCH_CHECK(may_be_written || version_of(each.tensor) == each.version, schema.name(),
                        ": argument '", argument.name(),
                        "' was written; name it in mutates_args, or write to a copy");
        }
    }

    static void check_outputs(const c10::FunctionSchema& schema,
                              const c10::SmallVectorImpl<Given>& given,
                              const torch::jit::Stack& stack) {
        c10::SmallVector<const void*, 8> seen;
        for (const Given& each : given) seen.push_back(memory_of(each.tensor));
        const size_t count = schema.returns().size();
        for (size_t i = 0; i < count; ++i) {
            const c10::IValue& output = stack[stack.size() - count + i];
            TORCH_CHECK(!output.isTensor() || output.toTensor().defined(), schema.name(),
                        ": output ", i,
                        ": expected a tensor, as annotated; the function returned "
                        "None");
            each_tensor(output, [&](const at::Tensor& tensor) {
                const void* memory = memory_of(tensor);
                TORCH_CHECK(!memory || std::find(seen.begin(), seen.end(), memory) == seen.end(),
                            schema.name(), ": output ", i,
                            " shares memory with an input or another output, which a torch op's "
                            "must not; return its clone(), or nothing where an input is written");
                seen.push_back(memory);
            });
        }
    }

    c10::OperatorHandle in_python;
};

}  // namespace

void add_op_gate(const std::string& name, const std::string& python_name) {
    // Never destroyed: with a Library goes what it registered.
    static auto* kept = new std::vector<std::unique_ptr<torch::Library>>();
    c10::OperatorHandle in_python =
        c10::Dispatcher::singleton().findSchemaOrThrow(python_name.c_str(), "");
    const size_t colons = name.find("::");
    kept->push_back(std::make_unique<torch::Library>(torch::Library::IMPL, name.substr(0, colons),
                                                     c10::DispatchKey::Autograd, __FILE__,
                                                     __LINE__));
    kept->back()->impl(name.substr(colons + 2).c_str(), torch::CppFunction::makeFromBoxedFunctor(
                                                            std::make_unique<OpGate>(in_python)));
}

}  // namespace mytriton
