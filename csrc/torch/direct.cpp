// What the dispatcher, the kernels for autograd and the one for the CPU do in turn, in one step.
#include "torch/direct.h"

#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "ir/conversion.h"
#include "torch/gil.h"
#include "torch/ops.h"

namespace mytriton {

namespace {

// As the dispatcher computes it: the keys of all tensors and of this thread's state.
c10::DispatchKeySet keys_of(const Arguments& arguments) {
    c10::DispatchKeySet keys;
    for (const Argument& each : arguments)
        if (each.kind == Argument::Kind::tensor) keys = keys | each.tensor->key_set();
    c10::impl::LocalDispatchKeySet here = c10::impl::tls_local_dispatch_key_set();
    return (keys | here.included_) - here.excluded_;
}

bool is_known_to_dispatcher(c10::DispatchKeySet keys) {
    constexpr c10::DispatchKeySet plain{
        c10::DispatchKey::CPU,           c10::DispatchKey::AutogradCPU,
        c10::DispatchKey::CUDA,          c10::DispatchKey::AutogradCUDA,
        c10::DispatchKey::BackendSelect, c10::DispatchKey::ADInplaceOrView};
    return (keys.raw_repr() & ~plain.raw_repr()) != 0 ||
           at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION).has_value();
}

int64_t bits_for(const Artifact& artifact, size_t i, const Argument& argument) {
    if (argument.kind == Argument::Kind::tensor)
        // A tensor that is only read keeps its copy-on-write storage shared.
        return reinterpret_cast<int64_t>(
            artifact.writes(i) ? argument.tensor->mutable_data_ptr()
                               : const_cast<void*>(argument.tensor->const_data_ptr()));
    if (argument.kind != Argument::Kind::real) return argument.bits;
    return static_cast<int64_t>(apply_conversion(Scalar::f64,
                                                 artifact.ssa().params()[i].type.scalar(),
                                                 static_cast<uint64_t>(argument.bits)));
}

}  // namespace

c10::IValue value_of(const Argument& argument) {
    switch (argument.kind) {
        case Argument::Kind::tensor:
            return *argument.tensor;
        case Argument::Kind::boolean:
            return argument.bits != 0;
        case Argument::Kind::integer:
            return argument.bits;
        case Argument::Kind::real:
            return std::bit_cast<double>(argument.bits);
        case Argument::Kind::none:
            break;
    }
    return {};
}

bool needs_dispatcher(const Arguments& arguments) {
    return is_known_to_dispatcher(keys_of(arguments));
}

bool wants_gradient(const Arguments& arguments) {
    if (!c10::GradMode::is_enabled()) return false;
    return std::any_of(arguments.begin(), arguments.end(), [](const Argument& each) {
        return each.kind == Argument::Kind::tensor && each.tensor->requires_grad();
    });
}

Way way_of(const Arguments& arguments) {
    const c10::DispatchKeySet keys = keys_of(arguments);
    if (is_known_to_dispatcher(keys) || wants_gradient(arguments)) return Way::dispatch;
    return keys.has(c10::DispatchKey::ADInplaceOrView) ? Way::bump_and_run : Way::run;
}

void launch_directly(Artifact& artifact, CpuKernel& cpu, Way way, const Arguments& arguments,
                     const int64_t (&grid)[3]) {
    LaunchValues values;
    std::optional<c10::Device> device;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Argument& each = arguments[i];
        if (each.kind == Argument::Kind::tensor) {
            if (!device) device = each.tensor->device();
            if (way == Way::bump_and_run && artifact.writes(i) && !each.tensor->is_inference())
                each.tensor->unsafeGetTensorImpl()->bump_version();
        }
        values.push_back(bits_for(artifact, i, each));
    }
    std::optional<WithoutGil> other_threads_run;
    if (!device->is_cpu() || !cpu.is_brief(grid)) other_threads_run.emplace();
    if (device->is_cpu())
        launch_cpu(artifact, cpu, values.data(), grid);
    else
        launch_cuda(artifact, *device, values, grid);
}

}  // namespace mytriton
