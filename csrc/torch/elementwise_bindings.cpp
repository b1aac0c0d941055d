// What mytriton/elementwise calls of the elementwise ops in C.
#include "torch/elementwise_bindings.h"

#include <pybind11/stl.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/pybind.h>

#include "torch/elementwise.h"
#include "torch/elementwise_call.h"

namespace mytriton {

namespace {

namespace py = pybind11;

std::vector<at::ScalarType> dtypes_of(const py::tuple& dtypes) {
    std::vector<at::ScalarType> out;
    for (py::handle each : dtypes) {
        if (!THPDtype_Check(each.ptr())) throw py::type_error("results: expected torch.dtype");
        out.push_back(reinterpret_cast<THPDtype*>(each.ptr())->scalar_type);
    }
    return out;
}

// They borrow from the objects.
Arguments inputs_of(const py::tuple& objects) {
    Arguments out;
    Key key;
    for (py::handle each : objects) {
        std::optional<c10::Device> any;
        if (!add_argument(each.ptr(), key, out, any))
            throw py::type_error("inputs: expected plain tensors and numbers");
    }
    return out;
}

}  // namespace

void bind_elementwise(py::module_& m) {
    py::class_<ElementwiseCase, std::shared_ptr<ElementwiseCase>>(m, "ElementwiseCase")
        .def(py::init(
            [](const py::tuple& results, const std::vector<bool>& in_f64, py::object make_kernel) {
                return std::make_shared<ElementwiseCase>(dtypes_of(results), in_f64, make_kernel);
            }));
    py::class_<ElementwiseOp, std::unique_ptr<ElementwiseOp, py::nodelete>>(m, "ElementwiseOp")
        .def(py::init<const std::string&, py::object>())
        .def("run_into",
             [](ElementwiseOp& op, const py::tuple& inputs, const std::string& options,
                const std::vector<at::Tensor>& outputs) {
                 Tensors into(outputs.begin(), outputs.end());
                 op.run_into(inputs_of(inputs), options, into);
             })
        // (the kernel's op, its arguments, programs, how many of the arguments are outputs),
        // nothing for empty tensors.
        .def("launch_of", [](ElementwiseOp& op, const py::tuple& inputs,
                             const std::string& options) {
            py::object found = py::none();
            op.show_launch(inputs_of(inputs), options, [&](const ElementwiseCase::Launch& launch) {
                py::tuple arguments(launch.arguments.size());
                for (size_t i = 0; i < launch.arguments.size(); ++i)
                    arguments[i] = torch::jit::toPyObject(value_of(launch.arguments[i]));
                found = py::make_tuple(launch.kernel.op, arguments, launch.programs, op.outputs);
            });
            return found;
        });
    if (!add_elementwise_calls(m.ptr())) throw py::error_already_set();
}

}  // namespace mytriton
