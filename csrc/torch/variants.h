// What the launch path knows: for the key of a call, the compiled kernels and when each may run.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <Python.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "torch/call.h"
#include "torch/checks.h"

namespace mytriton {

// One compiled kernel, which runs where its checks hold. Destroyed with the GIL held.
struct Variant {
    Variant(c10::OperatorHandle op, std::shared_ptr<Artifact> artifact, PyObject* compiled)
        : op(op),
          artifact(std::move(artifact)),
          cpu(this->artifact->cpu()),
          compiled(Py_NewRef(compiled)) {}
    Variant(const Variant&) = delete;
    ~Variant() { Py_DECREF(compiled); }

    c10::OperatorHandle op;
    std::shared_ptr<Artifact> artifact;  // what the op runs
    CpuKernel& cpu;                      // its own
    PyObject* compiled;
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

    void forget(const std::unordered_set<PyObject*>& compiled);
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
    uint64_t uses_ = 0;
    uint64_t changes_ = 0;
};

}  // namespace mytriton
