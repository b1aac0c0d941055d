// A hit: bind the arguments, hash their kinds, look the op up and call it, without running Python.
// Everything unusual - a miss, a subclass, a wrong argument - goes to `slow`, which knows all the
// rules and all the messages; so nothing is checked twice and no message stands here.
#include "torch/launch.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <pybind11/pybind11.h>
#include <torch/csrc/utils/object_ptr.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "torch/call.h"

namespace mytriton {

namespace {

struct Entry {
    c10::OperatorHandle op;
    PyObject* compiled;
};

struct Cache {
    PyObject_HEAD PyObject* slow;
    std::vector<Parameter>* parameters;
    std::unordered_map<Key, Entry, KeyHash>* entries;
};

struct Bound {
    PyObject_HEAD vectorcallfunc vectorcall;
    Cache* cache;
    PyObject* grid;
};

bool is_function(PyObject* grid) {
    return !PyTuple_CheckExact(grid) && !PyLong_CheckExact(grid) && PyCallable_Check(grid);
}

// The grid function's answer; a new reference, null with a Python error set.
PyObject* call_grid(const Cache& cache, PyObject* grid, const Slots& slots) {
    PyObject* meta = PyDict_New();
    if (!meta) return nullptr;
    for (size_t i = 0; i < slots.size(); ++i)
        if (PyDict_SetItem(meta, (*cache.parameters)[i].name, slots[i]) < 0) {
            Py_DECREF(meta);
            return nullptr;
        }
    PyObject* sizes = PyObject_CallOneArg(grid, meta);
    Py_DECREF(meta);
    return sizes;
}

// Calls `slow`, and remembers what it compiled under `key` (null: nothing to remember).
PyObject* launch_slow(Bound* bound, PyObject* grid, PyObject* const* args, Py_ssize_t positional,
                      PyObject* keywords, const Key* key) {
    PyObject* tuple = PyTuple_New(positional);
    PyObject* dict = PyDict_New();
    PyObject* compiled = nullptr;
    if (tuple && dict) {
        for (Py_ssize_t i = 0; i < positional; ++i) PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
        Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
        bool complete = true;
        for (Py_ssize_t k = 0; k < named; ++k)
            complete &=
                PyDict_SetItem(dict, PyTuple_GET_ITEM(keywords, k), args[positional + k]) == 0;
        if (complete)
            compiled = PyObject_CallFunctionObjArgs(bound->cache->slow, grid, tuple, dict, nullptr);
    }
    Py_XDECREF(tuple);
    Py_XDECREF(dict);
    if (!compiled || !key) return compiled;
    PyObject* op_name = PyObject_GetAttrString(compiled, "op_name");
    if (!op_name) {
        Py_DECREF(compiled);
        return nullptr;
    }
    if (op_name != Py_None) {
        c10::OperatorHandle op =
            c10::Dispatcher::singleton().findSchemaOrThrow(PyUnicode_AsUTF8(op_name), "");
        if (bound->cache->entries->emplace(*key, Entry{op, compiled}).second) Py_INCREF(compiled);
    }
    Py_DECREF(op_name);
    return compiled;
}

PyObject* launch(Bound* bound, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    const Cache& cache = *bound->cache;
    Slots slots;
    if (!bind_call(*cache.parameters, args, positional, keywords, slots))
        return launch_slow(bound, bound->grid, args, positional, keywords, nullptr);
    Key key;
    torch::jit::Stack stack;
    stack.reserve(slots.size() + 3);
    std::optional<c10::Device> device;
    for (size_t i = 0; i < slots.size(); ++i)
        if (!((*cache.parameters)[i].is_constexpr ? add_constexpr(slots[i], key)
                                                  : add_argument(slots[i], key, stack, device)))
            return launch_slow(bound, bound->grid, args, positional, keywords, nullptr);
    auto known = cache.entries->find(key);
    // Without a tensor there is nothing to run on; Python says so.
    if (known == cache.entries->end() || !device)
        return launch_slow(bound, bound->grid, args, positional, keywords, device ? &key : nullptr);
    // Copied and owned: a grid function or another thread may clear the cache.
    c10::OperatorHandle op = known->second.op;
    THPObjectPtr compiled(Py_NewRef(known->second.compiled));
    THPObjectPtr grid(Py_NewRef(bound->grid));
    if (is_function(grid)) {
        grid = call_grid(cache, grid, slots);
        if (!grid) return nullptr;
        // Not a grid: the whole launch again, to say so as the first launch would.
        if (is_function(grid)) grid = Py_NewRef(bound->grid);
    }
    if (!add_grid(grid, stack))
        return launch_slow(bound, grid, args, positional, keywords, nullptr);
    {
        pybind11::gil_scoped_release other_threads_run;
        op.callBoxed(&stack);
    }
    return compiled.release();
}

PyObject* bound_vectorcall(PyObject* self, PyObject* const* args, size_t flags,
                           PyObject* keywords) {
    try {
        return launch(reinterpret_cast<Bound*>(self), args, PyVectorcall_NARGS(flags), keywords);
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

void bound_dealloc(PyObject* self) {
    Bound* bound = reinterpret_cast<Bound*>(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(bound->cache);
    Py_XDECREF(bound->grid);
    PyObject_GC_Del(self);
}

// A grid function often leads back to who keeps the callable, as in
// `self.run = kernel[lambda meta: self.size]`.
int bound_traverse(PyObject* self, visitproc visit, void* arg) {
    Bound* bound = reinterpret_cast<Bound*>(self);
    Py_VISIT(bound->cache);
    Py_VISIT(bound->grid);
    return 0;
}

int bound_clear_cycle(PyObject* self) {
    Bound* bound = reinterpret_cast<Bound*>(self);
    Py_CLEAR(bound->cache);
    Py_CLEAR(bound->grid);
    return 0;
}

PyTypeObject* bound_type() {
    static PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    return &type;
}

PyObject* cache_bind(PyObject* self, PyObject* grid) {
    Bound* bound = PyObject_GC_New(Bound, bound_type());
    if (!bound) return nullptr;
    bound->vectorcall = bound_vectorcall;
    bound->cache = reinterpret_cast<Cache*>(Py_NewRef(self));
    bound->grid = Py_NewRef(grid);
    PyObject_GC_Track(bound);
    return reinterpret_cast<PyObject*>(bound);
}

void forget_entries(Cache* cache) {
    auto entries = std::move(*cache->entries);
    cache->entries->clear();
    for (auto& [key, entry] : entries) Py_DECREF(entry.compiled);
}

PyObject* cache_clear(PyObject* self, PyObject*) {
    forget_entries(reinterpret_cast<Cache*>(self));
    Py_RETURN_NONE;
}

int cache_init(PyObject* self, PyObject* args, PyObject*) {
    Cache* cache = reinterpret_cast<Cache*>(self);
    PyObject* parameters = nullptr;
    PyObject* slow = nullptr;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &parameters, &slow)) return -1;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parameters); ++i) {
        PyObject* name = nullptr;
        PyObject* fallback = nullptr;
        int is_constexpr = 0, by_position = 0, by_name = 0;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(parameters, i), "UpppO", &name, &is_constexpr,
                              &by_position, &by_name, &fallback))
            return -1;
        Py_INCREF(name);
        PyUnicode_InternInPlace(&name);
        cache->parameters->push_back({name, is_constexpr != 0, by_position != 0, by_name != 0,
                                      fallback == Py_Ellipsis ? nullptr : Py_NewRef(fallback)});
    }
    cache->slow = Py_NewRef(slow);
    return 0;
}

PyObject* cache_new(PyTypeObject* type, PyObject*, PyObject*) {
    Cache* cache = reinterpret_cast<Cache*>(type->tp_alloc(type, 0));
    if (!cache) return nullptr;
    cache->slow = nullptr;
    cache->parameters = new std::vector<Parameter>();
    cache->entries = new std::unordered_map<Key, Entry, KeyHash>();
    return reinterpret_cast<PyObject*>(cache);
}

// `slow` is a method of the kernel that owns this cache: a cycle, which the collector must see.
int cache_traverse(PyObject* self, visitproc visit, void* arg) {
    Cache* cache = reinterpret_cast<Cache*>(self);
    Py_VISIT(cache->slow);
    for (const Parameter& parameter : *cache->parameters) Py_VISIT(parameter.fallback);
    for (auto& [key, entry] : *cache->entries) Py_VISIT(entry.compiled);
    return 0;
}

int cache_clear_cycle(PyObject* self) {
    Cache* cache = reinterpret_cast<Cache*>(self);
    Py_CLEAR(cache->slow);
    forget_entries(cache);
    return 0;
}

void cache_dealloc(PyObject* self) {
    Cache* cache = reinterpret_cast<Cache*>(self);
    PyObject_GC_UnTrack(self);
    cache_clear_cycle(self);
    for (Parameter& parameter : *cache->parameters) {
        Py_DECREF(parameter.name);
        Py_XDECREF(parameter.fallback);
    }
    delete cache->parameters;
    delete cache->entries;
    Py_TYPE(self)->tp_free(self);
}

PyMethodDef kCacheMethods[] = {
    {"bind", cache_bind, METH_O, "A callable that launches on this grid."},
    {"clear", cache_clear, METH_NOARGS, "Forgets every compiled kernel."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_launch_cache(PyObject* module) {
    PyTypeObject* bound = bound_type();
    bound->tp_name = "mytriton._C.BoundLaunch";
    bound->tp_basicsize = sizeof(Bound);
    bound->tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                      Py_TPFLAGS_DISALLOW_INSTANTIATION;
    bound->tp_vectorcall_offset = offsetof(Bound, vectorcall);
    bound->tp_call = PyVectorcall_Call;
    bound->tp_dealloc = bound_dealloc;
    bound->tp_traverse = bound_traverse;
    bound->tp_clear = bound_clear_cycle;
    static PyTypeObject cache = {PyVarObject_HEAD_INIT(nullptr, 0)};
    cache.tp_name = "mytriton._C.LaunchCache";
    cache.tp_basicsize = sizeof(Cache);
    cache.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
    cache.tp_new = cache_new;
    cache.tp_init = cache_init;
    cache.tp_dealloc = cache_dealloc;
    cache.tp_traverse = cache_traverse;
    cache.tp_clear = cache_clear_cycle;
    cache.tp_methods = kCacheMethods;
    if (PyType_Ready(bound) < 0 || PyType_Ready(&cache) < 0) return false;
    return PyModule_AddObjectRef(module, "LaunchCache", reinterpret_cast<PyObject*>(&cache)) == 0;
}

}  // namespace mytriton
