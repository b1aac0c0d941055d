// The boxed kernels behind every mytriton op, and their registration.
#include "torch/ops.h"

#include <ATen/Parallel.h>
#include <ATen/core/stack.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <pybind11/pybind11.h>
#include <torch/library.h>

#include <map>
#include <mutex>

#include "ir/conversion.h"
#include "ir/literal.h"
#include "ir/names.h"

namespace mytriton {

namespace {

using torch::jit::Stack;

constexpr size_t kGridArguments = 3;

at::ScalarType torch_dtype(Scalar scalar) {
    switch (scalar) {
#define DTYPE(name, text, type_class, bytes, cxx, memory, language, short_name, torch) \
    case Scalar::name:                                                                 \
        return at::ScalarType::torch;
#include "ir/dtypes.def"
    }
    throw InternalError("torch_dtype", "unknown scalar");
}

// The launch arguments of a call, 64 bits each, in the order of the kernel's parameters.
struct LaunchArguments {
    LaunchValues values;
    int64_t grid[3];
    c10::Device device = c10::kCPU;
};

[[noreturn]] void refuse(const Artifact& artifact, size_t param, const std::string& what) {
    throw ValueError(artifact.ssa().name() + ": argument '" + artifact.ssa().params()[param].name +
                     "': " + what);
}

// All tensors have the kernel's element types and are on one device, which becomes known with the
// first.
void check_tensor(const Artifact& artifact, size_t i, const at::Tensor& tensor,
                  std::optional<c10::Device>& device) {
    at::ScalarType expected = torch_dtype(artifact.ssa().params()[i].type.scalar());
    if (tensor.scalar_type() != expected)
        refuse(artifact, i,
               std::string("expected a tensor of ") + c10::toString(expected) + ", got " +
                   c10::toString(tensor.scalar_type()));
    if (!device) device = tensor.device();
    if (tensor.device() != *device)
        refuse(artifact, i,
               "is on " + tensor.device().str() + ", other tensors are on " + device->str());
}

int64_t address_of(const Artifact& artifact, size_t i, const at::Tensor& tensor) {
    // A tensor that is only read keeps its copy-on-write storage shared.
    return reinterpret_cast<int64_t>(artifact.writes(i)
                                         ? tensor.mutable_data_ptr()
                                         : const_cast<void*>(tensor.const_data_ptr()));
}

void check_int(const Artifact& artifact, size_t i, int64_t number) {
    Scalar scalar = artifact.ssa().params()[i].type.scalar();
    uint64_t bits = apply_conversion(Scalar::i64, scalar, bits_of(number));
    bool negative = info(scalar).is_unsigned() && number < 0;
    if (!negative && apply_conversion(scalar, Scalar::i64, bits) == bits_of(number)) return;
    std::string expected = info(scalar).is_unsigned() ? "an unsigned int of " : "an int of ";
    refuse(artifact, i,
           "expected " + expected + std::to_string(info(scalar).bits()) + " bits, got " +
               std::to_string(number));
}

void check_axis(const Artifact& artifact, size_t axis, int64_t size) {
    if (size < 0 || size > INT32_MAX)
        throw ValueError(artifact.ssa().name() + ": grid axis " + std::to_string(axis) +
                         ": expected 0 to 2147483647, got " + std::to_string(size));
}

void check_programs(const Artifact& artifact, const int64_t (&grid)[3]) {
    int64_t programs;
    if (__builtin_mul_overflow(grid[0] * grid[1], grid[2], &programs))
        throw ValueError(artifact.ssa().name() + ": grid: expected fewer than 2^63 programs");
}

int64_t unpack_scalar(const Artifact& artifact, size_t i, const c10::IValue& value) {
    Type type = artifact.ssa().params()[i].type;
    if (type.is(Scalar::boolean)) return value.toBool();
    // Rounded as constants are: what is too large becomes infinite.
    if (info(type.scalar()).is_float())
        return static_cast<int64_t>(
            apply_conversion(Scalar::f64, type.scalar(), bits_of(value.toScalar().toDouble())));
    check_int(artifact, i, value.toInt());
    return value.toInt();
}

LaunchArguments unpack(const Artifact& artifact, const Stack& stack) {
    size_t count = artifact.ssa().params().size();
    const c10::IValue* arguments = stack.data() + stack.size() - count - kGridArguments;
    LaunchArguments out;
    std::optional<c10::Device> device;
    for (size_t i = 0; i < count; ++i)
        if (arguments[i].isTensor()) check_tensor(artifact, i, arguments[i].toTensor(), device);
    out.device = device.value_or(c10::kCPU);
    for (size_t i = 0; i < count; ++i)
        out.values.push_back(arguments[i].isTensor()
                                 ? address_of(artifact, i, arguments[i].toTensor())
                                 : unpack_scalar(artifact, i, arguments[i]));
    for (size_t axis = 0; axis < kGridArguments; ++axis) {
        out.grid[axis] = arguments[count + axis].toInt();
        check_axis(artifact, axis, out.grid[axis]);
    }
    check_programs(artifact, out.grid);
    return out;
}

void drop_arguments(const c10::OperatorHandle& op, Stack* stack) {
    torch::jit::drop(*stack, op.schema().arguments().size());
}

// A Python print, so that notebooks and tests see it.
void print_in_python(const std::string& text) {
    pybind11::gil_scoped_acquire gil;
    try {
        pybind11::print(text);
    } catch (pybind11::error_already_set& error) {
        error.discard_as_unraisable("a kernel's print");
    }
}

struct LaunchCpu final : c10::OperatorKernel {
    explicit LaunchCpu(std::shared_ptr<Artifact> a)
        : artifact(std::move(a)), cpu(artifact->cpu()) {}
    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
        LaunchArguments arguments = unpack(*artifact, *stack);
        launch_cpu(*artifact, cpu, arguments.values.data(), arguments.grid);
        drop_arguments(op, stack);
    }
    std::shared_ptr<Artifact> artifact;
    CpuKernel& cpu;
};

struct LaunchCuda final : c10::OperatorKernel {
    explicit LaunchCuda(std::shared_ptr<Artifact> a) : artifact(std::move(a)) {}
    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
        LaunchArguments arguments = unpack(*artifact, *stack);
        launch_cuda(*artifact, arguments.device, arguments.values, arguments.grid);
        drop_arguments(op, stack);
    }
    std::shared_ptr<Artifact> artifact;
};

// Fake tensors and meta tensors: the kernel returns nothing and changes no metadata. What is wrong
// with an argument is said here too: torch.compile and export come here, and so does a call that
// mixes meta tensors with others. Ints may be symbolic; those have no value yet.
struct LaunchMeta final : c10::OperatorKernel {
    explicit LaunchMeta(std::shared_ptr<Artifact> a) : artifact(std::move(a)) {}
    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
        const std::vector<Param>& params = artifact->ssa().params();
        const c10::IValue* arguments =
            stack->data() + stack->size() - params.size() - kGridArguments;
        std::optional<c10::Device> device;
        for (size_t i = 0; i < params.size(); ++i) {
            if (arguments[i].isTensor())
                check_tensor(*artifact, i, arguments[i].toTensor(), device);
            else if (info(params[i].type.scalar()).is_int() && arguments[i].isInt())
                check_int(*artifact, i, arguments[i].toInt());
        }
        for (size_t axis = 0; axis < kGridArguments; ++axis)
            if (const c10::IValue& size = arguments[params.size() + axis]; size.isInt())
                check_axis(*artifact, axis, size.toInt());
        drop_arguments(op, stack);
    }
    std::shared_ptr<Artifact> artifact;
};

bool is_written(const c10::Argument& argument) {
    return argument.alias_info() && argument.alias_info()->isWrite();
}

// torch's own fallback for this key does not bump versions, so that autograd would not notice that
// a saved tensor was overwritten.
struct BumpVersions final : c10::OperatorKernel {
    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
        const auto& arguments = op.schema().arguments();
        const c10::IValue* values = stack->data() + stack->size() - arguments.size();
        for (size_t i = 0; i < arguments.size(); ++i)
            if (is_written(arguments[i]) && values[i].isTensor() &&
                !values[i].toTensor().is_inference())
                values[i].toTensor().unsafeGetTensorImpl()->bump_version();
        op.redispatchBoxed(keys & c10::after_ADInplaceOrView_keyset, stack);
    }
};

// A tensor whose memory does not hold its values: a view negated or conjugated later, or zeros that
// were never allocated. torch's own fallbacks put a copy in its place, whose strides may differ
// from those that the kernel was told, and expect the op to return what it wrote.
struct RefuseLazyValues final : c10::OperatorKernel {
    explicit RefuseLazyValues(std::shared_ptr<Artifact> a) : artifact(std::move(a)) {}
    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
        const c10::IValue* values = stack->data() + stack->size() - op.schema().arguments().size();
        for (size_t i = 0; i < artifact->ssa().params().size(); ++i)
            if (values[i].isTensor()) check_values(i, values[i].toTensor());
        throw InternalError("RefuseLazyValues", "all tensors are plain");
    }
    void check_values(size_t i, const at::Tensor& tensor) {
        if (tensor.is_neg())
            refuse(*artifact, i, "is a view that is not negated yet; pass its resolve_neg()");
        if (tensor.is_conj())
            refuse(*artifact, i, "is a view that is not conjugated yet; pass its resolve_conj()");
        if (tensor._is_zerotensor())
            refuse(*artifact, i, "is a tensor of zeros without memory; pass its clone()");
    }
    std::shared_ptr<Artifact> artifact;
};

// Says in Python that no gradient will reach an argument; raises what a warning filter raises.
void say_lost(const std::string& message) {
    pybind11::gil_scoped_acquire gil;
    pybind11::module_::import("mytriton.gradients").attr("lost")(message);
}

// A launch has no derivative. Overwriting what requires grad would make later gradients wrong and
// is refused, as torch's in-place ops on leaves are; reading it only means that none flows back,
// which is what a model in use wants, so that it is said and not refused.
struct CheckGradients final : c10::OperatorKernel {
    explicit CheckGradients(const Artifact& artifact) {
        for (size_t i = 0; i < artifact.ssa().params().size(); ++i) {
            Type type = artifact.ssa().params()[i].type;
            writes_floats |= artifact.writes(i) && info(type.scalar()).is_float();
        }
    }
    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, Stack* stack) {
        if (c10::GradMode::is_enabled()) check(op.schema(), *stack);
        op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
    }
    void check(const c10::FunctionSchema& schema, const Stack& stack) const {
        const auto& arguments = schema.arguments();
        const c10::IValue* values = stack.data() + stack.size() - arguments.size();
        const std::string* read = nullptr;
        for (size_t i = 0; i < arguments.size(); ++i) {
            if (!values[i].isTensor() || !values[i].toTensor().requires_grad()) continue;
            TORCH_CHECK(!is_written(arguments[i]), schema.name(), ": argument '",
                        arguments[i].name(),
                        "' is written by the kernel and requires grad, but a launch has no "
                        "derivative; launch under torch.no_grad() or from a "
                        "torch.autograd.Function");
            if (!read) read = &arguments[i].name();
        }
        if (read && writes_floats)
            say_lost(schema.name() + ": argument '" + *read +
                     "' requires grad, but a launch has no derivative, so that no gradient will "
                     "reach it. Where that is meant, launch under torch.no_grad() or pass its "
                     "detach(); else launch from a @mytriton.op with register_autograd, or from a "
                     "torch.autograd.Function");
    }
    bool writes_floats = false;
};

std::string schema_of(const std::string& name, const Artifact& artifact) {
    std::vector<std::string> names;
    for (const Param& param : artifact.ssa().params()) names.push_back(param.name);
    for (size_t axis = 0; axis < kGridArguments; ++axis)
        names.push_back("grid_" + std::to_string(axis));
    names = cxx_names(names);
    std::string out;
    for (size_t i = 0; i < names.size(); ++i) {
        std::string type = "SymInt";
        if (i < artifact.ssa().params().size()) {
            Type param = artifact.ssa().params()[i].type;
            if (param.is_pointer())
                type = artifact.writes(i)
                           ? "Tensor(" + std::string(1, static_cast<char>('a' + i % 26)) +
                                 (i < 26 ? "" : std::to_string(i / 26)) + "!)"
                           : "Tensor";
            else if (param.is(Scalar::boolean))
                type = "bool";
            else if (info(param.scalar()).is_float())
                type = "Scalar";
        }
        out += (i ? ", " : "") + type + " " + names[i];
    }
    return name + "(" + out + ") -> ()";
}

// A Library unregisters what it registered when it is destroyed, and a torn-down op aborts: these
// live as long as the process.
torch::Library& keep(std::unique_ptr<torch::Library> library) {
    static auto* kept = new std::vector<std::unique_ptr<torch::Library>>();
    kept->push_back(std::move(library));
    return *kept->back();
}

template <class F, class... Arguments>
void implement(const std::string& name, c10::DispatchKey key, Arguments&&... arguments) {
    keep(
        std::make_unique<torch::Library>(torch::Library::IMPL, "mytriton", key, __FILE__, __LINE__))
        .impl(name.c_str(), torch::CppFunction::makeFromBoxedFunctor(
                                std::make_unique<F>(std::forward<Arguments>(arguments)...)));
}

}  // namespace

void warn(const std::string& message) {
    pybind11::gil_scoped_acquire gil;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), 1) < 0)
        throw pybind11::error_already_set();
}

void launch_cpu(const Artifact& artifact, CpuKernel& kernel, const int64_t* values,
                const int64_t (&grid)[3]) {
    check_programs(artifact, grid);
    auto parallel_for = [](int64_t count, int64_t grain,
                           const std::function<void(int64_t, int64_t)>& body) {
        at::parallel_for(0, count, grain, body);
    };
    kernel.launch(values, grid, parallel_for, warn, print_in_python);
}

void launch_cuda(Artifact& artifact, c10::Device device, LaunchValues& values,
                 const int64_t (&grid)[3]) {
    c10::SmallVector<void*, 24> pointers;
    for (int64_t& value : values) pointers.push_back(&value);
    c10::DeviceGuard guard(device);
    c10::impl::VirtualGuardImpl cuda(c10::DeviceType::CUDA);
    c10::Stream stream = cuda.getStream(device);
    artifact.cuda().launch(device.index(), stream.native_handle(), grid, pointers.data());
}

namespace {

struct Registered {
    c10::OperatorHandle op;
    std::shared_ptr<Artifact> artifact;
};

std::mutex registered_mutex;

std::map<std::string, Registered>& registered() {
    static auto* all = new std::map<std::string, Registered>();
    return *all;
}

}  // namespace

std::shared_ptr<Artifact> artifact_of(const std::string& name) {
    std::lock_guard lock(registered_mutex);
    return registered().at(name).artifact;
}

c10::OperatorHandle register_op(const std::string& name, std::shared_ptr<Artifact> artifact) {
    std::lock_guard lock(registered_mutex);
    if (auto found = registered().find(name); found != registered().end()) return found->second.op;
    // A const vector: with another argument type `def` is a different function.
    const std::vector<at::Tag> tags = {at::Tag::pt2_compliant_tag, at::Tag::needs_exact_strides};
    keep(std::make_unique<torch::Library>(torch::Library::FRAGMENT, "mytriton", std::nullopt,
                                          __FILE__, __LINE__))
        .def(schema_of(name, *artifact).c_str(), tags);
    implement<LaunchCpu>(name, c10::DispatchKey::CPU, artifact);
    implement<LaunchCuda>(name, c10::DispatchKey::CUDA, artifact);
    implement<LaunchMeta>(name, c10::DispatchKey::Meta, artifact);
    for (auto key :
         {c10::DispatchKey::Negative, c10::DispatchKey::Conjugate, c10::DispatchKey::ZeroTensor})
        implement<RefuseLazyValues>(name, key, artifact);
    implement<BumpVersions>(name, c10::DispatchKey::ADInplaceOrView);
    implement<CheckGradients>(name, c10::DispatchKey::Autograd, *artifact);
    c10::OperatorHandle handle =
        c10::Dispatcher::singleton().findSchemaOrThrow(("mytriton::" + name).c_str(), "");
    registered().emplace(name, Registered{handle, std::move(artifact)});
    return handle;
}

}  // namespace mytriton
