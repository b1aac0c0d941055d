// What was made for the key of a call, each with when it may be used again.
#pragma once

#include <Python.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "torch/call.h"
#include "torch/checks.h"

namespace mytriton {

// Something made for a call, which holds while its checks do. Destroyed with the GIL held.
struct Variant {
    explicit Variant(PyObject* made) : made(Py_NewRef(made)) {}
    Variant(const Variant&) = delete;
    virtual ~Variant() { Py_DECREF(made); }

    PyObject* made;  // in Python
    Checks checks;
    uint64_t last_use = 0;
    bool was_found = false;  // since Python last asked
};

using VariantPtr = std::shared_ptr<Variant>;

class Variants {
  public:
    // The one whose checks hold; null where there is none.
    VariantPtr find(const Key& key);

    // `held`: the objects whose addresses are in the key.
    void add(const Key& key, const Held& held, VariantPtr variant);

    void forget(const std::unordered_set<PyObject*>& made);
    void clear();

    // Last used last.
    std::vector<VariantPtr> by_use() const;

    int traverse(visitproc visit, void* arg) const;

  private:
    struct Entry {
        Entry() = default;
        Entry(Entry&&) noexcept = default;
        ~Entry() {
            for (PyObject* each : held) Py_DECREF(each);
        }
        std::vector<VariantPtr> variants;  // found last first
        std::vector<PyObject*> held;       // owned
    };
    void drop_unused();
    std::unordered_map<Key, Entry, KeyHash> entries_;
    uint64_t changes_ = 0;
};

}  // namespace mytriton
