// A hit: bind the arguments, hash their types, check what tracing read, run. All else goes to
// `slow`, in Python, which knows all the rules and all the messages.
#include "torch/elementwise_call.h"

#include <ATen/PythonTorchFunctionTLS.h>
#include <c10/core/DefaultDtype.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/object_ptr.h>

#include "torch/elementwise.h"
#include "torch/gil.h"
#include "torch/launch.h"

namespace mytriton {

namespace {

struct Calls {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject* slow;
    Signature* signature;
    Variants* cases;
};

struct Call {
    Key key;
    Held held;
    Arguments inputs;
};

// False where the call is none for here.
bool read_call(const Calls& calls, PyObject* const* args, Py_ssize_t positional, PyObject* keywords,
               Call& call) {
    if (at::impl::torch_function_mode_enabled()) return false;
    const std::vector<Parameter>& parameters = calls.signature->parameters;
    Slots slots;
    if (!bind_call(*calls.signature, args, positional, keywords, slots, call.key, call.held))
        return false;
    std::optional<c10::Device> device;
    uint64_t without_dimensions = 0;
    for (size_t i = 0; i < slots.size(); ++i) {
        if (parameters[i].is_constexpr) {
            if (!add_constexpr(slots[i], call.key, call.held)) return false;
            continue;
        }
        if (slots[i] == Py_None || !add_argument(slots[i], call.key, call.inputs, device))
            return false;
        const Argument& input = call.inputs.back();
        const bool scalar = input.kind == Argument::Kind::tensor && input.tensor->dim() == 0;
        without_dimensions = without_dimensions * 2 + scalar;
    }
    call.key.push_back(without_dimensions);
    call.key.push_back(static_cast<uint64_t>(c10::get_default_dtype_as_scalartype()));
    return device.has_value() && call.inputs.size() < 64;
}

PyObject* call_slowly(Calls& calls, PyObject* const* args, Py_ssize_t positional,
                      PyObject* keywords, const Call* call) {
    PyObject *packed_tuple = nullptr, *packed_dict = nullptr;
    if (!pack_call(args, positional, keywords, packed_tuple, packed_dict)) return nullptr;
    THPObjectPtr tuple(packed_tuple), dict(packed_dict);
    THPObjectPtr answer(PyObject_CallFunctionObjArgs(calls.slow, tuple.get(), dict.get(), nullptr));
    if (!answer) return nullptr;
    PyObject *result = nullptr, *op = nullptr;
    const char* options = nullptr;
    if (!PyArg_ParseTuple(answer, "OOs", &result, &op, &options)) return nullptr;
    if (call && op != Py_None) {
        auto& native = pybind11::handle(op).cast<ElementwiseOp&>();
        if (auto known = native.known_case(call->inputs, std::string(options)))
            calls.cases->add(call->key, call->held, std::move(known));
    }
    return Py_NewRef(result);
}

Tensors dispatch(const KnownCase& known, const Arguments& inputs) {
    torch::jit::Stack stack;
    stack.reserve(inputs.size() + 1);
    for (const Argument& each : inputs) stack.push_back(value_of(each));
    stack.push_back(known.options);
    {
        WithoutGil other_threads_run;
        known.op.handle.callBoxed(&stack);
    }
    Tensors out;
    for (c10::IValue& each : stack) out.push_back(std::move(each).toTensor());
    return out;
}

PyObject* wrap(Tensors outputs) {
    if (outputs.size() == 1) return THPVariable_Wrap(std::move(outputs[0]));
    THPObjectPtr tuple(PyTuple_New(static_cast<Py_ssize_t>(outputs.size())));
    if (!tuple) return nullptr;
    for (size_t i = 0; i < outputs.size(); ++i) {
        PyObject* each = THPVariable_Wrap(std::move(outputs[i]));
        if (!each) return nullptr;
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), each);
    }
    return tuple.release();
}

PyObject* calls_vectorcall(PyObject* self, PyObject* const* args, size_t flags,
                           PyObject* keywords) {
    Calls& calls = *reinterpret_cast<Calls*>(self);
    const Py_ssize_t positional = PyVectorcall_NARGS(flags);
    try {
        Call call;
        if (!read_call(calls, args, positional, keywords, call))
            return call_slowly(calls, args, positional, keywords, nullptr);
        // Owned: another thread may change the table meanwhile.
        auto known = std::static_pointer_cast<KnownCase>(calls.cases->find(call.key));
        if (!known) return call_slowly(calls, args, positional, keywords, &call);
        return wrap(needs_dispatcher(call.inputs) ? dispatch(*known, call.inputs)
                                                  : known->op.call(call.inputs, *known));
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

PyObject* calls_new(PyTypeObject* type, PyObject*, PyObject*) {
    Calls* calls = reinterpret_cast<Calls*>(type->tp_alloc(type, 0));
    if (!calls) return nullptr;
    calls->vectorcall = calls_vectorcall;
    calls->slow = Py_NewRef(Py_None);
    calls->signature = new Signature();
    calls->cases = new Variants();
    return reinterpret_cast<PyObject*>(calls);
}

int calls_init(PyObject* self, PyObject* args, PyObject*) {
    Calls* calls = reinterpret_cast<Calls*>(self);
    PyObject *parameters = nullptr, *slow = nullptr;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &parameters, &slow)) return -1;
    THPObjectPtr no_options(PyList_New(0));
    if (!no_options || !calls->signature->read(parameters, no_options)) return -1;
    Py_SETREF(calls->slow, Py_NewRef(slow));
    return 0;
}

// The cases are kept by their ops too, which live for ever, so that the collector need not look.
int calls_traverse(PyObject* self, visitproc visit, void* arg) {
    Calls* calls = reinterpret_cast<Calls*>(self);
    Py_VISIT(calls->slow);
    return calls->signature->traverse(visit, arg);
}

int calls_clear(PyObject* self) {
    Calls* calls = reinterpret_cast<Calls*>(self);
    Py_CLEAR(calls->slow);
    calls->cases->clear();
    return 0;
}

void calls_dealloc(PyObject* self) {
    Calls* calls = reinterpret_cast<Calls*>(self);
    PyObject_GC_UnTrack(self);
    calls_clear(self);
    delete calls->signature;
    delete calls->cases;
    Py_TYPE(self)->tp_free(self);
}

// A class whose __call__ is written in Python has calls go there, and Dynamo, which traces calls of
// its objects, wants one. Everyone else is to come here.
PyObject* take_calls(PyObject* base, PyObject* cls) {
    if (!PyType_Check(cls) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls),
                                                reinterpret_cast<PyTypeObject*>(base)))
        return PyErr_Format(PyExc_TypeError, "take_calls: expected a subclass");
    PyTypeObject* type = reinterpret_cast<PyTypeObject*>(cls);
    type->tp_call = PyVectorcall_Call;
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(type);
    Py_RETURN_NONE;
}

PyMethodDef kMethods[] = {
    {"take_calls", take_calls, METH_O | METH_CLASS,
     "Has calls of objects of this class come here, whatever its __call__ is."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_elementwise_calls(PyObject* module) {
    static PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "mytriton._C.ElementwiseCalls";
    type.tp_basicsize = sizeof(Calls);
    type.tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL;
    type.tp_vectorcall_offset = offsetof(Calls, vectorcall);
    type.tp_call = PyVectorcall_Call;
    type.tp_new = calls_new;
    type.tp_init = calls_init;
    type.tp_dealloc = calls_dealloc;
    type.tp_traverse = calls_traverse;
    type.tp_clear = calls_clear;
    type.tp_methods = kMethods;
    if (PyType_Ready(&type) < 0) return false;
    return PyModule_AddObjectRef(module, "ElementwiseCalls", reinterpret_cast<PyObject*>(&type)) ==
           0;
}

}  // namespace mytriton
