// Elementwise functions in torch's graph of gradients: a node keeps the inputs, and what flows back
// is computed by another elementwise op, so that it has a gradient of its own.
#include <ATen/ExpandUtils.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include "torch/elementwise.h"

namespace mytriton {

namespace {

using Kind = Argument::Kind;
using torch::autograd::Edge;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;
// Reference-counted in another way by each of the torch versions that we build with.
using NodePtr = decltype(Edge::function);

template <class T, class Pointer, class... Arguments>
Pointer make_node(Arguments&&... arguments) {
    if constexpr (std::is_same_v<Pointer, std::shared_ptr<torch::autograd::Node>>)
        return Pointer(new T(std::forward<Arguments>(arguments)...),
                       [](auto* each) { deleteNode(each); });
    else
        return c10::make_intrusive<T>(std::forward<Arguments>(arguments)...);
}

bool is_float(const at::Tensor& tensor) {
    return at::isFloatingType(tensor.scalar_type());
}

std::vector<at::Tensor> call_boxed(const c10::OperatorHandle& op, torch::jit::Stack stack) {
    op.callBoxed(&stack);
    std::vector<at::Tensor> out;
    for (c10::IValue& each : stack) out.push_back(std::move(each).toTensor());
    return out;
}

at::Tensor nothing(const std::vector<c10::IValue>& inputs) {
    for (const c10::IValue& each : inputs)
        if (each.isTensor() && is_float(each.toTensor()))
            return at::zeros({}, each.toTensor().options());
    return at::zeros({});
}

// What flowed back, as the gradient of an input that was broadcast, converted and moved.
at::Tensor summed(at::Tensor flow, const at::Tensor& input) {
    if (flow.sym_sizes() != input.sym_sizes())
        flow = at::sum_to(std::move(flow), input.sym_sizes());
    if (flow.scalar_type() != input.scalar_type() || flow.device() != input.device())
        flow = flow.to(input.device(), input.scalar_type());
    return flow;
}

// What flows back to each of a call's inputs, undefined where it is not wanted or nothing does.
variable_list backward(ElementwiseOp& op, const c10::IValue& options,
                       const std::vector<c10::IValue>& inputs, std::vector<bool> wanted,
                       const variable_list& flows) {
    variable_list found(inputs.size());
    std::vector<bool> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) {
        tensors.push_back(inputs[i].isTensor());
        wanted[i] = wanted[i] && tensors[i] && is_float(inputs[i].toTensor());
    }
    auto is_defined = [](const at::Tensor& each) { return each.defined(); };
    if (std::none_of(wanted.begin(), wanted.end(), [](bool each) { return each; }) ||
        std::none_of(flows.begin(), flows.end(), is_defined))
        return found;
    const std::vector<bool>& computed = op.computes_all_gradients ? tensors : wanted;
    torch::jit::Stack stack(inputs.begin(), inputs.end());
    for (const at::Tensor& flow : flows) {
        if (flow.defined() && is_float(flow))
            stack.emplace_back(flow);
        else if (op.has_own_backward)
            stack.emplace_back(nothing(inputs));
        else
            stack.emplace_back();
    }
    stack.push_back(options);
    std::vector<at::Tensor> results = call_boxed(op.gradient(computed), std::move(stack));
    for (size_t i = 0, next = 0; i < wanted.size(); ++i) {
        if (!computed[i]) continue;
        at::Tensor& flow = results[next++];
        if (wanted[i]) found[i] = summed(std::move(flow), inputs[i].toTensor());
    }
    return found;
}

class ElementwiseNode final : public torch::autograd::Node {
  public:
    ElementwiseNode(ElementwiseOp& op, const Arguments& inputs, const c10::IValue& options)
        : op_(op), options_(options) {
        for (const Argument& each : inputs) {
            const bool is_tensor = each.kind == Kind::tensor;
            numbers_.push_back(is_tensor ? c10::IValue() : value_of(each));
            is_tensor_.push_back(is_tensor);
            add_next_edge(is_tensor ? torch::autograd::impl::gradient_edge(*each.tensor) : Edge());
            if (is_tensor) saved_.emplace_back(*each.tensor, /*is_output=*/false);
        }
    }

    std::string name() const override { return op_.function() + "Backward"; }

    void release_variables() override {
        std::lock_guard<std::mutex> lock(mutex_);
        for (SavedVariable& each : saved_) each.reset_data();
    }

    bool is_traceable() override { return true; }

    void compiled_args(torch::dynamo::autograd::CompiledNodeArgs& args) const override {
        args.collect(toString(op_.handle.operator_name()));
        args.collect(options_);
        for (const c10::IValue& each : numbers_) args.collect(each);
        for (const SavedVariable& each : saved_) args.collect(each, /*is_output=*/false);
    }

    // Compiled autograd asks for a function of tensors and numbers, to call it in its graph.
    variable_list apply_with_saved(const variable_list& flows,
                                   torch::dynamo::autograd::SwapSavedVariables& saved) override {
        for (c10::IValue& each : numbers_) saved.before(each);
        for (SavedVariable& each : saved_) saved.before(each);
        const std::vector<c10::IValue> inputs = unpacked();
        std::vector<at::TypePtr> types;
        for (const c10::IValue& each : inputs)
            types.push_back(each.isTensor() ? at::TensorType::get() : each.type());
        auto run = [&op = op_, options = options_, wanted = wanted()](
                       const variable_list& given, const std::vector<c10::IValue>& values) {
            return backward(op, options, values, wanted, given);
        };
        const auto& compiler = torch::dynamo::autograd::getPyCompilerInterface();
        const std::string bound =
            compiler->bind_function(saved.get_py_compiler(), name(), run, types,
                                    /*is_custom_function=*/true, /*is_traceable=*/true);
        using Metadata = std::vector<std::optional<torch::autograd::InputMetadata>>;
        const auto metadata = torch::dynamo::autograd::IValuePacker<Metadata>::pack(
            torch::dynamo::autograd::get_input_metadata(next_edges()));
        variable_list found = compiler->call_function(saved.get_py_compiler(), "apply_functional",
                                                      bound, flows, inputs, metadata);
        for (c10::IValue& each : numbers_) saved.after(each);
        for (SavedVariable& each : saved_) saved.after(each);
        return found;
    }

  protected:
    variable_list apply(variable_list&& flows) override {
        return backward(op_, options_, unpacked(), wanted(), flows);
    }

  private:
    std::vector<bool> wanted() const {
        std::vector<bool> out;
        for (size_t i = 0; i < numbers_.size(); ++i) out.push_back(task_should_compute_output(i));
        return out;
    }

    std::vector<c10::IValue> unpacked() {
        std::lock_guard<std::mutex> lock(mutex_);
        std::vector<c10::IValue> out;
        for (size_t i = 0, next = 0; i < is_tensor_.size(); ++i)
            out.push_back(is_tensor_[i] ? saved_[next++].unpack(getptr()) : numbers_[i]);
        return out;
    }

    ElementwiseOp& op_;
    c10::IValue options_;
    c10::SmallVector<c10::IValue, 4> numbers_;  // of each input; none of tensors
    std::vector<bool> is_tensor_;
    std::vector<SavedVariable> saved_;  // of the tensors
};

// Gives the outputs the tangents that follow from those of the inputs.
void add_tangents(ElementwiseOp& op, const Arguments& inputs, const c10::IValue& options,
                  Tensors& outputs) {
    torch::jit::Stack stack;
    std::vector<bool> given;
    std::vector<at::Tensor> tangents;
    for (const Argument& each : inputs) {
        if (each.kind != Kind::tensor) {
            stack.push_back(value_of(each));
            given.push_back(false);
            continue;
        }
        at::Tensor tangent = each.tensor->_fw_grad(/*level=*/0);
        // Its value: the tangent of a tangent belongs to another level.
        stack.emplace_back(tangent.defined() ? each.tensor->_fw_primal(0) : *each.tensor);
        given.push_back(tangent.defined());
        if (tangent.defined()) tangents.push_back(std::move(tangent));
    }
    for (at::Tensor& each : tangents) stack.emplace_back(std::move(each));
    stack.push_back(options);
    std::vector<at::Tensor> found = call_boxed(op.tangents(given), std::move(stack));
    for (size_t i = 0; i < outputs.size(); ++i)
        if (is_float(outputs[i]))
            outputs[i]._set_fw_grad(found[i], /*level=*/0, /*is_inplace_op=*/false);
}

}  // namespace

bool has_tangent(const Arguments& inputs) {
    return std::any_of(inputs.begin(), inputs.end(), [](const Argument& each) {
        return each.kind == Kind::tensor && each.tensor->_fw_grad(/*level=*/0).defined();
    });
}

Tensors differentiable(ElementwiseOp& op, const Arguments& inputs, const c10::IValue& options,
                       c10::function_ref<Tensors()> compute) {
    NodePtr node;
    if (wants_gradient(inputs)) node = make_node<ElementwiseNode, NodePtr>(op, inputs, options);
    Tensors outputs = compute();
    for (at::Tensor& each : outputs) {
        if (!node) break;
        if (torch::autograd::isDifferentiableType(each.scalar_type()))
            torch::autograd::set_history(each, node);
        else
            node->add_input_metadata(torch::autograd::Node::undefined_input());
    }
    if (has_tangent(inputs)) add_tangents(op, inputs, options, outputs);
    return outputs;
}

}  // namespace mytriton
