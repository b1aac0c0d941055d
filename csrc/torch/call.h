// From the arguments of a Python call to what a warm launch needs: a key, arguments and a grid.
//
// Each function answers false for whatever is not plain and correct; the launch then starts again
// in Python, which says what is wrong.
#pragma once

#include <Python.h>

#include <optional>
#include <string_view>
#include <vector>

#include "torch/direct.h"

namespace mytriton {

struct Parameter {
    PyObject* name;  // interned
    bool is_constexpr;
    bool by_position;    // false: keyword-only
    bool by_name;        // false: positional-only
    PyObject* fallback;  // the default; null: none
};

using Key = c10::SmallVector<uint64_t, 16>;

struct KeyHash {
    size_t operator()(const Key& key) const {
        uint64_t hash = 0xcbf29ce484222325;
        for (uint64_t word : key) hash = (hash ^ word) * 0x100000001b3;
        return hash ^ (hash >> 32);
    }
};

using Slots = c10::SmallVector<PyObject*, 16>;  // borrowed, by parameter

// Objects whose addresses are in a key, and mean something only while they live.
using Held = c10::SmallVector<PyObject*, 4>;  // borrowed

// The keywords that a call takes.
struct Signature {
    Signature() = default;
    Signature(const Signature&) = delete;
    ~Signature();

    // Lists of (name, is_constexpr, may be given by position, may be given by name, default or
    // absent marker Ellipsis), and of names; false with a Python error set.
    bool read(PyObject* parameter_list, PyObject* option_names);
    int traverse(visitproc visit, void* arg) const;

    std::vector<Parameter> parameters;
    std::vector<PyObject*> options;  // interned names: keywords that are no parameters
};

// Fills the slots as Python would bind the call, defaults included. Options go into the key.
bool bind_call(const Signature& signature, PyObject* const* args, Py_ssize_t positional,
               PyObject* keywords, Slots& slots, Key& key, Held& held);

// The size and the bytes.
void add_bytes(std::string_view bytes, Key& key);

// What a constexpr adds to the key: its type and its bits, or for a dtype, a function, ... which
// object it is. Whether an object of that type is the same constexpr for ever, only Python knows:
// keys of others are never stored.
bool add_constexpr(PyObject* value, Key& key, Held& held);

// A run-time argument: its kind goes into the key, its value to the others; None has no value. The
// first tensor decides the device.
bool add_argument(PyObject* value, Key& key, Arguments& arguments,
                  std::optional<c10::Device>& device);

// The same call for a function in Python: its positional arguments, a tuple, and its keywords, a
// dict, as new references; false with a Python error set.
bool pack_call(PyObject* const* args, Py_ssize_t positional, PyObject* keywords, PyObject*& tuple,
               PyObject*& dict);

// Whether the grid has to be called to know the sizes.
bool is_function(PyObject* grid);

// The grid function's answer; a new reference, null with a Python error set.
PyObject* call_grid(PyObject* grid, const std::vector<Parameter>& parameters, const Slots& slots);

// The grid's three sizes.
bool read_grid(PyObject* grid, int64_t (&sizes)[3]);

}  // namespace mytriton
