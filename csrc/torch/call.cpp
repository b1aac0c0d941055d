// Reads a call's arguments.
#include "torch/call.h"

#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace mytriton {

namespace {

bool read_axis(PyObject* size, int64_t& out) {
    if (!PyLong_CheckExact(size)) return false;
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(size, &overflow);
    if (overflow != 0 || number < 0 || number > INT32_MAX) return false;
    out = number;
    return true;
}

// Above those of scalar types.
constexpr uint64_t kText = 1001, kTuple = 1002, kObject = 1003, kOption = 1004;

bool add_text(PyObject* text, Key& key) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (!bytes) {
        PyErr_Clear();
        return false;
    }
    key.push_back(kText);
    add_bytes({bytes, static_cast<size_t>(size)}, key);
    return true;
}

bool add_option(const Signature& signature, PyObject* name, PyObject* value, Key& key, Held& held) {
    for (size_t i = 0; i < signature.options.size(); ++i)
        if (signature.options[i] == name) {
            key.push_back(kOption + i);
            return add_constexpr(value, key, held);
        }
    return false;
}

PyObject* interned(PyObject* name) {
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    return name;
}

}  // namespace

Signature::~Signature() {
    for (Parameter& parameter : parameters) {
        Py_DECREF(parameter.name);
        Py_XDECREF(parameter.fallback);
    }
    for (PyObject* option : options) Py_DECREF(option);
}

bool Signature::read(PyObject* parameter_list, PyObject* option_names) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parameter_list); ++i) {
        PyObject* name = nullptr;
        PyObject* fallback = nullptr;
        int is_constexpr = 0, by_position = 0, by_name = 0;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(parameter_list, i), "UpppO", &name, &is_constexpr,
                              &by_position, &by_name, &fallback))
            return false;
        parameters.push_back({interned(name), is_constexpr != 0, by_position != 0, by_name != 0,
                              fallback == Py_Ellipsis ? nullptr : Py_NewRef(fallback)});
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(option_names); ++i) {
        PyObject* name = PyList_GET_ITEM(option_names, i);
        if (!PyUnicode_CheckExact(name)) {
            PyErr_SetString(PyExc_TypeError, "options: expected strings");
            return false;
        }
        options.push_back(interned(name));
    }
    return true;
}

int Signature::traverse(visitproc visit, void* arg) const {
    for (const Parameter& parameter : parameters) Py_VISIT(parameter.fallback);
    return 0;
}

bool bind_call(const Signature& signature, PyObject* const* args, Py_ssize_t positional,
               PyObject* keywords, Slots& slots, Key& key, Held& held) {
    const std::vector<Parameter>& parameters = signature.parameters;
    if (static_cast<size_t>(positional) > parameters.size()) return false;
    slots.assign(parameters.size(), nullptr);
    for (Py_ssize_t i = 0; i < positional; ++i) {
        if (!parameters[i].by_position) return false;
        slots[i] = args[i];
    }
    Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject* name = PyTuple_GET_ITEM(keywords, k);
        size_t i = 0;  // keyword names are interned, so identity is enough for a hit
        while (i < parameters.size() && parameters[i].name != name) ++i;
        if (i == parameters.size()) {
            if (!add_option(signature, name, args[positional + k], key, held)) return false;
            continue;
        }
        if (slots[i] || !parameters[i].by_name) return false;
        slots[i] = args[positional + k];
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
        if (!slots[i]) slots[i] = parameters[i].fallback;
        if (!slots[i]) return false;
    }
    return true;
}

void add_bytes(std::string_view bytes, Key& key) {
    key.push_back(bytes.size());
    for (size_t i = 0; i < bytes.size(); i += 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, std::min<size_t>(8, bytes.size() - i));
        key.push_back(word);
    }
}

bool add_constexpr(PyObject* value, Key& key, Held& held) {
    if (value == Py_None || PyBool_Check(value)) {
        key.push_back(value == Py_None ? 1 : value == Py_True ? 2 : 3);
        return true;
    }
    if (PyLong_CheckExact(value)) {
        int overflow = 0;
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        key.append({4, static_cast<uint64_t>(number)});
        return overflow == 0;
    }
    if (PyFloat_CheckExact(value)) {
        key.append({5, std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(value))});
        return true;
    }
    if (PyTuple_CheckExact(value)) {
        key.append({kTuple, static_cast<uint64_t>(PyTuple_GET_SIZE(value))});
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i)
            if (!add_constexpr(PyTuple_GET_ITEM(value, i), key, held)) return false;
        return true;
    }
    if (PyUnicode_CheckExact(value)) return add_text(value, key);
    key.append({kObject, reinterpret_cast<uint64_t>(value)});
    held.push_back(value);
    return true;
}

bool add_argument(PyObject* value, Key& key, Arguments& arguments,
                  std::optional<c10::Device>& device) {
    using Kind = Argument::Kind;
    if (THPVariable_CheckExact(value)) {
        const at::Tensor& tensor = THPVariable_Unpack(value);
        c10::Device where = tensor.device();
        if (tensor.layout() != c10::kStrided || (!where.is_cpu() && !where.is_cuda())) return false;
        if (device && *device != where) return false;
        device = where;
        key.push_back(16 + static_cast<uint64_t>(tensor.scalar_type()));
        arguments.push_back({Kind::tensor, &tensor, 0});
        return true;
    }
    if (value == Py_None) {
        key.push_back(10);
        return true;
    }
    if (PyBool_Check(value)) {
        key.push_back(6);
        arguments.push_back({Kind::boolean, nullptr, value == Py_True});
        return true;
    }
    if (PyLong_CheckExact(value)) {
        int overflow = 0;
        long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        if (overflow != 0) return false;
        bool fits_i32 = number >= INT32_MIN && number <= INT32_MAX;
        key.push_back(fits_i32 ? 7 : 9);
        arguments.push_back({Kind::integer, nullptr, number});
        return true;
    }
    if (PyFloat_CheckExact(value)) {
        key.push_back(8);
        arguments.push_back(
            {Kind::real, nullptr, std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(value))});
        return true;
    }
    return false;
}

bool pack_call(PyObject* const* args, Py_ssize_t positional, PyObject* keywords, PyObject*& tuple,
               PyObject*& dict) {
    tuple = PyTuple_New(positional);
    dict = PyDict_New();
    bool packed = tuple && dict;
    for (Py_ssize_t i = 0; packed && i < positional; ++i)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
    Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; packed && k < named; ++k)
        packed = PyDict_SetItem(dict, PyTuple_GET_ITEM(keywords, k), args[positional + k]) == 0;
    if (packed) return true;
    Py_CLEAR(tuple);
    Py_CLEAR(dict);
    return false;
}

bool is_function(PyObject* grid) {
    return !PyTuple_CheckExact(grid) && !PyLong_CheckExact(grid) && PyCallable_Check(grid);
}

PyObject* call_grid(PyObject* grid, const std::vector<Parameter>& parameters, const Slots& slots) {
    PyObject* meta = PyDict_New();
    if (!meta) return nullptr;
    for (size_t i = 0; i < slots.size(); ++i)
        if (PyDict_SetItem(meta, parameters[i].name, slots[i]) < 0) {
            Py_DECREF(meta);
            return nullptr;
        }
    PyObject* sizes = PyObject_CallOneArg(grid, meta);
    Py_DECREF(meta);
    return sizes;
}

bool read_grid(PyObject* grid, int64_t (&sizes)[3]) {
    sizes[0] = sizes[1] = sizes[2] = 1;
    if (!PyTuple_CheckExact(grid)) return read_axis(grid, sizes[0]);
    Py_ssize_t axes = PyTuple_GET_SIZE(grid);
    if (axes < 1 || axes > 3) return false;
    for (Py_ssize_t i = 0; i < axes; ++i)
        if (!read_axis(PyTuple_GET_ITEM(grid, i), sizes[i])) return false;
    return true;
}

}  // namespace mytriton
