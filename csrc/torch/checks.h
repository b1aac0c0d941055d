// What a compiled kernel's trace read, as far as identity tells whether it still is the same.
#pragma once

#include <Python.h>

#include <vector>

namespace mytriton {

// What a check looks at. The same list as Kind in mytriton/reads.py.
enum class Look : int { item, cell, code, defaults, kwdefaults, size };

class Checks {
  public:
    Checks() = default;
    Checks(const Checks&) = delete;
    Checks& operator=(const Checks&) = delete;
    ~Checks();

    // Of (kind, holder, name, expected) tuples; false with a Python error set.
    bool add_all(PyObject* tuples);

    // Whether every holder has the object that is expected there.
    bool hold() const;

    int traverse(visitproc visit, void* arg) const;

  private:
    struct Check {
        Look look;
        PyObject* holder;
        PyObject* name;      // of an item
        PyObject* expected;  // null: nothing there
        Py_ssize_t size;
    };
    static bool holds(const Check& check);
    std::vector<Check> checks_;
};

}  // namespace mytriton
