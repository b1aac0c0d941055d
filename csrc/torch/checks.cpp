// Compares by identity: a few nanoseconds a check, as every launch does all of them.
#include "torch/checks.h"

namespace mytriton {

Checks::~Checks() {
    for (Check& check : checks_) {
        Py_DECREF(check.holder);
        Py_DECREF(check.name);
        Py_XDECREF(check.expected);
    }
}

bool Checks::add_all(PyObject* tuples) {
    if (!PyList_Check(tuples)) {
        PyErr_SetString(PyExc_TypeError, "checks: expected a list");
        return false;
    }
    checks_.reserve(PyList_GET_SIZE(tuples));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(tuples); ++i) {
        int kind = 0;
        PyObject *holder = nullptr, *name = nullptr, *expected = nullptr;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(tuples, i), "iOUO", &kind, &holder, &name, &expected))
            return false;
        Look look = static_cast<Look>(kind);
        bool is_dict = look == Look::item || look == Look::size;
        bool fits = is_dict              ? PyDict_CheckExact(holder)
                    : look == Look::cell ? PyCell_Check(holder)
                                         : PyFunction_Check(holder);
        if (!fits || kind < 0 || look > Look::size) {
            PyErr_SetString(PyExc_TypeError, "checks: a holder of another type");
            return false;
        }
        Py_ssize_t size = look == Look::size ? PyLong_AsSsize_t(expected) : 0;
        if (size == -1 && PyErr_Occurred()) return false;
        Py_INCREF(name);
        PyUnicode_InternInPlace(&name);
        checks_.push_back({look, Py_NewRef(holder), name,
                           expected == Py_Ellipsis ? nullptr : Py_NewRef(expected), size});
    }
    return true;
}

bool Checks::holds(const Check& check) {
    PyObject* found = nullptr;
    switch (check.look) {
        case Look::item:
            found = PyDict_GetItemWithError(check.holder, check.name);
            if (!found && PyErr_Occurred()) {
                PyErr_Clear();
                return false;
            }
            break;
        case Look::cell:
            found = PyCell_GET(check.holder);
            break;
        case Look::code:
            found = PyFunction_GET_CODE(check.holder);
            break;
        case Look::defaults:
            found = PyFunction_GET_DEFAULTS(check.holder);
            break;
        case Look::kwdefaults:
            found = PyFunction_GET_KW_DEFAULTS(check.holder);
            break;
        case Look::size:
            return PyDict_GET_SIZE(check.holder) == check.size;
    }
    // A function without defaults has null or None there.
    if (!found && check.look >= Look::defaults) return check.expected == Py_None;
    return found == check.expected;
}

bool Checks::hold() const {
    for (const Check& check : checks_)
        if (!holds(check)) return false;
    return true;
}

int Checks::traverse(visitproc visit, void* arg) const {
    for (const Check& check : checks_) {
        Py_VISIT(check.holder);
        Py_VISIT(check.expected);
    }
    return 0;
}

}  // namespace mytriton
