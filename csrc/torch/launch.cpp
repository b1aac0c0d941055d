// A hit: bind the arguments, hash their kinds, look the op up, check what its trace read and call
// it, without running Python.
// Everything unusual - a miss, a subclass, a wrong argument - goes to `slow`, which knows all the
// rules and all the messages; so nothing is checked twice and no message stands here.
#include "torch/launch.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <pybind11/pybind11.h>
#include <torch/csrc/utils/object_ptr.h>

#include <bit>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "torch/call.h"
#include "torch/direct.h"
#include "torch/gil.h"
#include "torch/ops.h"
#include "torch/variants.h"

namespace mytriton {

namespace {

struct Cache {
    PyObject_HEAD PyObject* slow;
    Signature* signature;
    Variants* variants;
};

struct Bound {
    PyObject_HEAD vectorcallfunc vectorcall;
    Cache* cache;
    PyObject* grid;
};

// One compiled kernel.
struct Launchable final : Variant {
    Launchable(PyObject* compiled, c10::OperatorHandle op, std::shared_ptr<Artifact> artifact)
        : Variant(compiled), op(op), artifact(std::move(artifact)), cpu(this->artifact->cpu()) {}

    c10::OperatorHandle op;
    std::shared_ptr<Artifact> artifact;  // what the op runs
    CpuKernel& cpu;                      // its own
};

// What a call is looked up by.
struct Lookup {
    Key key;
    Held held;
};

// Remembers a launch's kernel; false with a Python error set.
bool remember(Cache* cache, const Lookup& lookup, PyObject* compiled, PyObject* checks) {
    THPObjectPtr op_name(PyObject_GetAttrString(compiled, "op_name"));
    if (!op_name) return false;
    c10::OperatorHandle op =
        c10::Dispatcher::singleton().findSchemaOrThrow(PyUnicode_AsUTF8(op_name), "");
    auto artifact = artifact_of(op.schema().operator_name().name.substr(sizeof("mytriton::") - 1));
    auto variant = std::make_shared<Launchable>(compiled, op, std::move(artifact));
    if (!variant->checks.add_all(checks)) return false;
    cache->variants->add(lookup.key, lookup.held, std::move(variant));
    return true;
}

// Calls `slow`, and remembers what it compiled (`lookup` null: not to be remembered).
PyObject* launch_slow(Bound* bound, PyObject* grid, PyObject* const* args, Py_ssize_t positional,
                      PyObject* keywords, const Lookup* lookup) {
    PyObject *packed_tuple = nullptr, *packed_dict = nullptr;
    if (!pack_call(args, positional, keywords, packed_tuple, packed_dict)) return nullptr;
    THPObjectPtr tuple(packed_tuple), dict(packed_dict);
    THPObjectPtr result(
        PyObject_CallFunctionObjArgs(bound->cache->slow, grid, tuple.get(), dict.get(), nullptr));
    if (!result) return nullptr;
    PyObject *compiled = nullptr, *checks = nullptr;
    if (!PyArg_ParseTuple(result, "OO", &compiled, &checks)) return nullptr;
    if (lookup && checks != Py_None && !remember(bound->cache, *lookup, compiled, checks))
        return nullptr;
    return Py_NewRef(compiled);
}

torch::jit::Stack stack_of(const Arguments& arguments, const int64_t (&grid)[3]) {
    torch::jit::Stack stack;
    stack.reserve(arguments.size() + 3);
    for (const Argument& each : arguments) stack.push_back(value_of(each));
    for (int64_t size : grid) stack.emplace_back(size);
    return stack;
}

PyObject* launch(Bound* bound, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    const Cache& cache = *bound->cache;
    const std::vector<Parameter>& parameters = cache.signature->parameters;
    Slots slots;
    Lookup lookup;
    if (!bind_call(*cache.signature, args, positional, keywords, slots, lookup.key, lookup.held))
        return launch_slow(bound, bound->grid, args, positional, keywords, nullptr);
    Arguments run_time;
    std::optional<c10::Device> device;
    for (size_t i = 0; i < slots.size(); ++i)
        if (!(parameters[i].is_constexpr ? add_constexpr(slots[i], lookup.key, lookup.held)
                                         : add_argument(slots[i], lookup.key, run_time, device)))
            return launch_slow(bound, bound->grid, args, positional, keywords, nullptr);
    // Owned: a grid function or another thread may clear the cache.
    auto variant = std::static_pointer_cast<Launchable>(cache.variants->find(lookup.key));
    // Without a tensor there is nothing to run on; Python says so.
    if (!variant || !device)
        return launch_slow(bound, bound->grid, args, positional, keywords,
                           device ? &lookup : nullptr);
    THPObjectPtr grid(Py_NewRef(bound->grid));
    if (is_function(grid)) {
        grid = call_grid(grid, parameters, slots);
        if (!grid) return nullptr;
        // Not a grid: the whole launch again, to say so as the first launch would.
        if (is_function(grid)) grid = Py_NewRef(bound->grid);
    }
    int64_t sizes[3];
    if (!read_grid(grid, sizes))
        return launch_slow(bound, grid, args, positional, keywords, nullptr);
    if (Way way = way_of(run_time); way != Way::dispatch) {
        launch_directly(*variant->artifact, variant->cpu, way, run_time, sizes);
    } else {
        torch::jit::Stack stack = stack_of(run_time, sizes);
        WithoutGil other_threads_run;
        variant->op.callBoxed(&stack);
    }
    return Py_NewRef(variant->made);
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

PyObject* cache_clear(PyObject* self, PyObject*) {
    reinterpret_cast<Cache*>(self)->variants->clear();
    Py_RETURN_NONE;
}

PyObject* cache_recent(PyObject* self, PyObject*) {
    PyObject* list = PyList_New(0);
    if (!list) return nullptr;
    for (const VariantPtr& each : reinterpret_cast<Cache*>(self)->variants->by_use())
        if (std::exchange(each->was_found, false) && PyList_Append(list, each->made) < 0) {
            Py_DECREF(list);
            return nullptr;
        }
    return list;
}

PyObject* cache_forget(PyObject* self, PyObject* list) {
    if (!PyList_Check(list)) return PyErr_Format(PyExc_TypeError, "forget: expected a list");
    std::unordered_set<PyObject*> compiled;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i)
        compiled.insert(PyList_GET_ITEM(list, i));
    reinterpret_cast<Cache*>(self)->variants->forget(compiled);
    Py_RETURN_NONE;
}

int cache_init(PyObject* self, PyObject* args, PyObject*) {
    Cache* cache = reinterpret_cast<Cache*>(self);
    PyObject *parameters = nullptr, *options = nullptr, *slow = nullptr;
    if (!PyArg_ParseTuple(args, "O!O!O", &PyList_Type, &parameters, &PyList_Type, &options, &slow))
        return -1;
    if (!cache->signature->read(parameters, options)) return -1;
    cache->slow = Py_NewRef(slow);
    return 0;
}

PyObject* cache_new(PyTypeObject* type, PyObject*, PyObject*) {
    Cache* cache = reinterpret_cast<Cache*>(type->tp_alloc(type, 0));
    if (!cache) return nullptr;
    cache->slow = nullptr;
    cache->signature = new Signature();
    cache->variants = new Variants();
    return reinterpret_cast<PyObject*>(cache);
}

// `slow` is a method of the kernel that owns this cache, and a global that was read may lead back
// to the kernel: cycles, which the collector must see.
int cache_traverse(PyObject* self, visitproc visit, void* arg) {
    Cache* cache = reinterpret_cast<Cache*>(self);
    Py_VISIT(cache->slow);
    if (int stop = cache->signature->traverse(visit, arg)) return stop;
    return cache->variants->traverse(visit, arg);
}

int cache_clear_cycle(PyObject* self) {
    Cache* cache = reinterpret_cast<Cache*>(self);
    Py_CLEAR(cache->slow);
    cache->variants->clear();
    return 0;
}

void cache_dealloc(PyObject* self) {
    Cache* cache = reinterpret_cast<Cache*>(self);
    PyObject_GC_UnTrack(self);
    cache_clear_cycle(self);
    delete cache->signature;
    delete cache->variants;
    Py_TYPE(self)->tp_free(self);
}

PyMethodDef kCacheMethods[] = {
    {"bind", cache_bind, METH_O, "A callable that launches on this grid."},
    {"clear", cache_clear, METH_NOARGS, "Forgets every compiled kernel."},
    {"forget", cache_forget, METH_O, "Forgets these compiled kernels."},
    {"recent", cache_recent, METH_NOARGS,
     "What was found since the last call of this, last used last."},
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
