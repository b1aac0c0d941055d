// Runs elementwise functions. Python is asked only for what no call needed before: the function for
// new types, a kernel for another way to lie in memory, a gradient.
#include "torch/elementwise.h"

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/jit/python/pybind_utils.h>

#include "torch/ops.h"

namespace mytriton {

namespace py = pybind11;

namespace {

using Kind = Argument::Kind;

py::object python_of(const Argument& argument) {
    return torch::jit::toPyObject(value_of(argument));
}

py::tuple python_of(const Arguments& arguments) {
    py::tuple out(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) out[i] = python_of(arguments[i]);
    return out;
}

Key key_of(const Arguments& inputs, const c10::IValue& options) {
    Key key;
    for (const Argument& each : inputs)
        key.push_back(each.kind == Kind::tensor
                          ? 16 + static_cast<uint64_t>(each.tensor->scalar_type()) +
                                (each.tensor->dim() == 0 ? 256 : 0)
                          : static_cast<uint64_t>(each.kind));
    key.push_back(static_cast<uint64_t>(c10::get_default_dtype_as_scalartype()));
    add_bytes(options.toStringRef(), key);
    return key;
}

// The value of a tensor on the CPU without dimensions.
Argument number_of(const at::Tensor& tensor) {
    const at::Scalar value = tensor.item();
    if (value.isBoolean()) return {Kind::boolean, nullptr, value.toBool()};
    if (value.isFloatingPoint())
        return {Kind::real, nullptr, std::bit_cast<int64_t>(value.toDouble())};
    if (tensor.scalar_type() == at::kUInt64)
        return {Kind::integer, nullptr, static_cast<int64_t>(value.toUInt64())};
    return {Kind::integer, nullptr, value.toLong()};
}

size_t numbers_in(const Arguments& inputs) {
    return std::count_if(inputs.begin(), inputs.end(),
                         [](const Argument& each) { return each.kind != Kind::tensor; });
}

char kind_of(const Argument& input, bool in_f64) {
    switch (input.kind) {
        case Kind::tensor:
            return 't';
        case Kind::boolean:
            return 'b';
        case Kind::integer:
            return input.bits == static_cast<int32_t>(input.bits) ? 'i' : 'l';
        case Kind::real:
            return in_f64 ? 'd' : 'f';
        case Kind::none:
            break;
    }
    return '-';
}

c10::OperatorHandle find_op(const std::string& name) {
    const size_t dot = name.find('.');
    return c10::Dispatcher::singleton().findSchemaOrThrow(
        name.substr(0, dot).c_str(), dot == std::string::npos ? "" : name.substr(dot + 1).c_str());
}

}  // namespace

// --- a case ------------------------------------------------------------------------------------

ElementwiseCase::Launch ElementwiseCase::launch_of(const Loops& loops, const Arguments& inputs,
                                                   const Tensors& outputs) {
    Arguments arguments, numbers;
    std::string kinds;
    for (const at::Tensor& each : outputs) arguments.push_back({Kind::tensor, &each, 0});
    for (size_t i = 0; i < inputs.size(); ++i) {
        kinds += kind_of(inputs[i], in_f64[i]);
        if (inputs[i].kind == Kind::tensor) arguments.push_back(inputs[i]);
        // The bits of a float64, as floats of kernels are of 32.
        else if (kinds.back() == 'd')
            numbers.push_back({Kind::integer, nullptr, inputs[i].bits});
        else if (kinds.back() != '-')
            numbers.push_back(inputs[i]);
    }
    bool wide_ints = false;
    for (int64_t each : loops.ints()) {
        numbers.push_back({Kind::integer, nullptr, each});
        wide_ints |= each > INT32_MAX;
    }
    const Kernel& kernel = this->kernel(loops, kinds, wide_ints, arguments);
    arguments.append(numbers.begin(), numbers.end());
    const int64_t programs = loops.programs();
    if (programs > INT32_MAX)
        throw ValueError(
            "elementwise: expected fewer than 2147483648 rows of inputs that are not "
            "contiguous, got " +
            std::to_string(programs));
    return {kernel, std::move(arguments), programs};
}

void ElementwiseCase::run(const Loops& loops, const Arguments& inputs, const Tensors& outputs) {
    const Launch launch = launch_of(loops, inputs, outputs);
    launch_directly(*launch.kernel.artifact, launch.kernel.cpu, Way::run, launch.arguments,
                    {launch.programs, 1, 1});
}

const ElementwiseCase::Kernel& ElementwiseCase::kernel(const Loops& loops, const std::string& kinds,
                                                       bool wide_ints, const Arguments& tensors) {
    Key key{loops.dims(), static_cast<uint64_t>(loops.is_short()),
            static_cast<uint64_t>(loops.block()),
            static_cast<uint64_t>(loops.is_wide()) * 2 + wide_ints};
    for (size_t t = 0; t < tensors.size(); ++t)
        key.push_back(static_cast<uint64_t>(tensors[t].tensor->scalar_type()) * 4 + loops.step(t));
    add_bytes(kinds, key);
    auto known = kernels_.find(key);
    if (known == kernels_.end()) {
        std::vector<int> steps;
        for (size_t t = 0; t < tensors.size(); ++t) steps.push_back(loops.step(t));
        auto name = make_kernel_(loops.dims(), loops.is_short(), kinds, steps, loops.block(),
                                 loops.is_wide(), wide_ints, python_of(tensors))
                        .cast<std::string>();
        std::shared_ptr<Artifact> artifact = artifact_of(name);
        CpuKernel& cpu = artifact->cpu();
        known = kernels_.try_emplace(key, Kernel{name, std::move(artifact), cpu}).first;
    }
    return known->second;
}

// --- an op -------------------------------------------------------------------------------------

ElementwiseOp::ElementwiseOp(const std::string& name, py::object python)
    : handle(find_op(name)),
      outputs(handle.schema().returns().size()),
      has_own_backward(python.attr("has_own_backward").cast<bool>()),
      computes_all_gradients(python.attr("computes_all_gradients").cast<bool>()),
      python_(python),
      function_(python.attr("function").attr("name").cast<std::string>()) {
    implement(*this);
}

std::shared_ptr<KnownCase> ElementwiseOp::known_case(const Arguments& inputs,
                                                     const c10::IValue& options) {
    return std::static_pointer_cast<KnownCase>(cases_.find(key_of(inputs, options)));
}

std::shared_ptr<ElementwiseCase> ElementwiseOp::case_of(const Arguments& inputs,
                                                        const c10::IValue& options) {
    if (auto known = known_case(inputs, options)) return known->native;
    py::tuple made = python_.attr("native_case")(python_of(inputs), options.toStringRef());
    auto native = py::object(made[0].attr("native")).cast<std::shared_ptr<ElementwiseCase>>();
    py::object checks = made[1];
    if (!checks.is_none()) {
        auto known = std::make_shared<KnownCase>(py::object(made[0]).ptr(), *this, options, native);
        if (!known->checks.add_all(checks.ptr())) throw py::error_already_set();
        cases_.add(key_of(inputs, options), {}, std::move(known));
    }
    return native;
}

Tensors ElementwiseOp::run(const Arguments& inputs, const c10::IValue& options, KnownCase* known) {
    std::shared_ptr<ElementwiseCase> what = known ? known->native : case_of(inputs, options);
    Tensors out;
    compute(*what, inputs, out, [&](const Loops& loops, const Arguments& on, const Tensors& into) {
        what->run(loops, on, into);
    });
    return out;
}

void ElementwiseOp::run_into(const Arguments& inputs, const c10::IValue& options, Tensors& out) {
    std::shared_ptr<ElementwiseCase> what = case_of(inputs, options);
    for (const at::Tensor& each : out)
        if (!each.is_inference()) each.unsafeGetTensorImpl()->bump_version();
    compute(*what, inputs, out, [&](const Loops& loops, const Arguments& on, const Tensors& into) {
        what->run(loops, on, into);
    });
}

void ElementwiseOp::show_launch(const Arguments& inputs, const c10::IValue& options,
                                c10::function_ref<void(const ElementwiseCase::Launch&)> visit) {
    std::shared_ptr<ElementwiseCase> what = case_of(inputs, options);
    Tensors out;
    compute(*what, inputs, out, [&](const Loops& loops, const Arguments& on, const Tensors& into) {
        visit(what->launch_of(loops, on, into));
    });
}

void ElementwiseOp::compute(ElementwiseCase& what, const Arguments& inputs, Tensors& outputs,
                            Visit visit) {
    Tensors given = outputs;
    std::optional<Loops> loops = loops_of(inputs, what.results, outputs);
    if (loops && loops->count == 0) return;
    if (loops && loops->fit(numbers_in(inputs))) return visit(*loops, inputs, outputs);
    outputs = std::move(given);
    compute_moved(what, inputs, outputs, visit);
}

// What kernels do not take as it is: tensors on the CPU beside a GPU, which are numbers in effect,
// and more dimensions or arguments than they have.
void ElementwiseOp::compute_moved(ElementwiseCase& what, const Arguments& inputs, Tensors& outputs,
                                  Visit visit) {
    at::AutoDispatchBelowADInplaceOrView guard;
    const bool on_gpu = std::any_of(inputs.begin(), inputs.end(), [](const Argument& each) {
        return each.kind == Kind::tensor && each.tensor->is_cuda();
    });
    Arguments taken;
    for (const Argument& each : inputs) {
        const bool is_number =
            on_gpu && each.kind == Kind::tensor && each.tensor->is_cpu() && each.tensor->dim() == 0;
        taken.push_back(is_number ? number_of(*each.tensor) : each);
    }
    std::optional<Loops> loops = loops_of(taken, what.results, outputs);
    if (!loops) refuse(inputs);
    if (loops->count == 0) return;
    if (loops->fit(numbers_in(taken))) return visit(*loops, taken, outputs);
    std::vector<at::Tensor> copies;
    copies.reserve(taken.size());
    for (Argument& each : taken)
        if (each.kind == Kind::tensor) {
            copies.push_back(each.tensor->expand(outputs[0].sizes()).contiguous());
            each.tensor = &copies.back();
        }
    Tensors dense;
    loops = loops_of(taken, what.results, dense);
    visit(*loops, taken, dense);
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].copy_(dense[i]);
}

Tensors ElementwiseOp::call(const Arguments& inputs, KnownCase& known) {
    if (!wants_gradient(inputs) && !has_tangent(inputs)) return run(inputs, known.options, &known);
    return differentiable(*this, inputs, known.options,
                          [&] { return run(inputs, known.options, &known); });
}

void ElementwiseOp::refuse(const Arguments& inputs) const {
    python_.attr("refuse")(python_of(inputs));
    throw InternalError("ElementwiseOp", "inputs of " + function_ + " that fit were refused");
}

c10::OperatorHandle ElementwiseOp::gradient(const std::vector<bool>& wanted) {
    return derived(gradients_, "gradient_name", wanted);
}

c10::OperatorHandle ElementwiseOp::tangents(const std::vector<bool>& given) {
    return derived(tangents_, "tangents_name", given);
}

c10::OperatorHandle ElementwiseOp::derived(Derived& known, const char* method,
                                           const std::vector<bool>& which) {
    {
        std::lock_guard lock(mutex_);
        if (auto found = known.find(which); found != known.end()) return found->second;
    }
    py::gil_scoped_acquire gil;
    c10::OperatorHandle made = find_op(python_.attr(method)(py::cast(which)).cast<std::string>());
    std::lock_guard lock(mutex_);
    return known.try_emplace(which, made).first->second;
}

}  // namespace mytriton
