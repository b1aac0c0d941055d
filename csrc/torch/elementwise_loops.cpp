// Contiguous tensors of one shape are one loop; for all others torch's own TensorIterator says how
// they broadcast, which dimensions are joined and what an output looks like.
#include "torch/elementwise_loops.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/Functions.h>
#include <ATen/TensorIterator.h>

#include <algorithm>
#include <bit>

namespace mytriton {

namespace {

constexpr int64_t kBlock = 1024;
constexpr int64_t kShort = 32;  // an innermost loop below this is short
constexpr size_t kMaxDims = 5;
constexpr size_t kMaxArguments = 64 - 3;  // torch's limit for an op, less the grid

bool are_alike(const at::Tensor& a, const at::Tensor& b) {
    return &a == &b || (a.sizes() == b.sizes() && a.device() == b.device());
}

// The first of the inputs, where all tensors are contiguous and of its shape.
const at::Tensor* one_shape(const Arguments& inputs, const Tensors& outputs) {
    const at::Tensor* first = nullptr;
    for (const Argument& each : inputs) {
        if (each.kind != Argument::Kind::tensor) continue;
        if (!first) first = each.tensor;
        if (!each.tensor->is_contiguous() || !are_alike(*each.tensor, *first)) return nullptr;
    }
    for (const at::Tensor& each : outputs)
        if (each.defined() && (!each.is_contiguous() || !are_alike(each, *first))) return nullptr;
    return first;
}

at::Tensor empty_like(const at::Tensor& tensor, at::ScalarType dtype) {
    // What at::empty does, without the dispatcher.
    if (tensor.is_cpu()) return at::Tensor(at::detail::empty_cpu(tensor.sizes(), dtype));
    return at::empty(tensor.sizes(), tensor.options().dtype(dtype));
}

bool broadcast(const Arguments& inputs) {
    std::vector<int64_t> shape;
    const at::Tensor* first = nullptr;
    for (const Argument& each : inputs) {
        if (each.kind != Argument::Kind::tensor) continue;
        if (!first) first = each.tensor;
        if (each.tensor->device() != first->device()) return false;
        at::IntArrayRef sizes = each.tensor->sizes();
        if (sizes.size() > shape.size())
            shape.insert(shape.begin(), sizes.size() - shape.size(), 1);
        for (size_t i = 0; i < sizes.size(); ++i) {
            int64_t& size = shape[shape.size() - 1 - i];
            int64_t other = sizes[sizes.size() - 1 - i];
            if (size != other && size != 1 && other != 1) return false;
            if (size == 1) size = other;
        }
    }
    return true;
}

}  // namespace

bool Loops::is_short() const {
    return dims() > 1 && sizes[0] < kShort;
}

int64_t Loops::block() const {
    if (dims() == 1 || is_short()) return kBlock;
    return std::min<int64_t>(kBlock, std::bit_ceil(static_cast<uint64_t>(sizes[0])));
}

int64_t Loops::programs() const {
    if (dims() == 1 || is_short()) return (count + kBlock - 1) / kBlock;
    return count / sizes[0] * ((sizes[0] + block() - 1) / block());
}

bool Loops::is_wide() const {
    int64_t largest = 0;
    for (size_t t = 0; t < tensors(); ++t) {
        int64_t last = 0;
        if (is_short())
            for (size_t d = 0; d < dims(); ++d) last += (sizes[d] - 1) * stride(t, d);
        else
            last = sizes[0] * std::max<int64_t>(1, stride(t, 0));
        largest = std::max(largest, last);
    }
    if (is_short()) largest = std::max(largest, count);
    return largest >= (int64_t{1} << 31) - block();
}

char Loops::step(size_t tensor) const {
    if (is_short()) return 2;
    return static_cast<char>(std::min<int64_t>(stride(tensor, 0), 2));
}

c10::SmallVector<int64_t, 24> Loops::ints() const {
    if (dims() == 1) {
        c10::SmallVector<int64_t, 24> out{count};
        for (size_t t = 0; t < tensors(); ++t)
            if (step(t) == 2) out.push_back(stride(t, 0));
        return out;
    }
    c10::SmallVector<int64_t, 24> out{is_short() ? count : sizes[0]};
    for (size_t d = dims() - 1; d-- > 0;) out.push_back(sizes[d]);
    for (size_t t = 0; t < tensors(); ++t)
        for (size_t d = dims(); d-- > (is_short() ? 0 : 1);) out.push_back(stride(t, d));
    if (is_short()) return out;
    out.push_back((sizes[0] + block() - 1) / block());
    for (size_t t = 0; t < tensors(); ++t)
        if (step(t) == 2) out.push_back(stride(t, 0));
    return out;
}

bool Loops::fit(size_t numbers) const {
    return dims() <= kMaxDims && tensors() + numbers + ints().size() <= kMaxArguments;
}

std::optional<Loops> loops_of(const Arguments& inputs, const std::vector<at::ScalarType>& results,
                              Tensors& outputs) {
    Loops out;
    const size_t given = std::count_if(inputs.begin(), inputs.end(), [](const Argument& each) {
        return each.kind == Argument::Kind::tensor;
    });
    if (outputs.empty()) outputs.resize(results.size());
    if (const at::Tensor* first = one_shape(inputs, outputs)) {
        for (size_t i = 0; i < outputs.size(); ++i)
            if (!outputs[i].defined()) outputs[i] = empty_like(*first, results[i]);
        out.count = first->numel();
        out.sizes.assign(1, out.count);
        out.strides.assign(outputs.size() + given, 1);
        return out;
    }
    if (!broadcast(inputs)) return std::nullopt;
    at::TensorIteratorConfig config;
    config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false);
    // The other outputs are like the first.
    config.add_output(outputs[0]);
    for (const Argument& each : inputs)
        if (each.kind == Argument::Kind::tensor) {
            if (!outputs[0].defined())
                config.declare_static_dtype_and_device(results[0], each.tensor->device());
            config.add_const_input(*each.tensor);
        }
    at::TensorIterator iterator = config.build();
    outputs[0] = iterator.output();
    for (size_t i = 1; i < outputs.size(); ++i)
        if (!outputs[i].defined())
            outputs[i] = at::empty_strided(outputs[0].sizes(), outputs[0].strides(),
                                           outputs[0].options().dtype(results[i]));
    out.count = iterator.numel();
    const size_t dims = iterator.ndim();
    out.sizes.assign(iterator.shape().begin(), iterator.shape().end());
    if (dims == 0) out.sizes.assign(1, 1);
    for (size_t t = 0; t < outputs.size() + given; ++t) {
        const size_t operand = t < outputs.size() ? 0 : t - outputs.size() + 1;
        const auto bytes = static_cast<int64_t>(iterator.element_size(operand));
        for (size_t d = 0; d < dims; ++d)
            out.strides.push_back(iterator.strides(operand)[d] / bytes);
        if (dims == 0) out.strides.push_back(1);
    }
    return out;
}

}  // namespace mytriton
