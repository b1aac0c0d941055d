// Whatever leaves a container here is destroyed after the container is whole again: to destroy a
// Python object may run any code, even a launch.
#include "torch/variants.h"

#include <algorithm>

namespace mytriton {

namespace {

constexpr size_t kMaxEntries = 1024;
constexpr size_t kMaxVariants = 4;  // of one key; Python keeps more

// Of the process, as a variant may be in several tables.
uint64_t uses = 0;

}  // namespace

VariantPtr Variants::find(const Key& key) {
    auto known = entries_.find(key);
    if (known == entries_.end()) return nullptr;
    std::vector<VariantPtr>& variants = known->second.variants;
    for (size_t i = 0; i < variants.size(); ++i) {
        VariantPtr variant = variants[i];
        uint64_t before = changes_;
        bool holds = variant->checks.hold();
        // A comparison of names can run Python, in dicts whose keys are not all strings.
        if (changes_ != before) return nullptr;
        if (!holds) continue;
        if (i > 0) std::rotate(variants.begin(), variants.begin() + i, variants.begin() + i + 1);
        variant->last_use = ++uses;
        variant->was_found = true;
        return variant;
    }
    return nullptr;
}

void Variants::add(const Key& key, const Held& held, VariantPtr variant) {
    if (entries_.size() >= kMaxEntries) drop_unused();
    ++changes_;
    auto [entry, is_new] = entries_.try_emplace(key);
    if (is_new) {
        entry->second.held.assign(held.begin(), held.end());
        for (PyObject* each : held) Py_INCREF(each);
    }
    variant->last_use = ++uses;
    std::vector<VariantPtr>& variants = entry->second.variants;
    variants.insert(variants.begin(), variant);
    VariantPtr dropped;
    for (size_t i = 1; i < variants.size(); ++i)
        if (variants[i]->made == variant->made || i == kMaxVariants) {
            dropped = std::move(variants[i]);
            variants.erase(variants.begin() + i);
            break;
        }
}

void Variants::forget(const std::unordered_set<PyObject*>& made) {
    ++changes_;
    std::vector<Entry> dropped;
    std::vector<VariantPtr> variants_dropped;
    for (auto each = entries_.begin(); each != entries_.end();) {
        std::vector<VariantPtr>& variants = each->second.variants;
        for (size_t i = variants.size(); i-- > 0;)
            if (made.count(variants[i]->made)) {
                variants_dropped.push_back(std::move(variants[i]));
                variants.erase(variants.begin() + i);
            }
        if (variants.empty()) {
            dropped.push_back(std::move(each->second));
            each = entries_.erase(each);
        } else {
            ++each;
        }
    }
}

void Variants::clear() {
    ++changes_;
    auto dropped = std::move(entries_);
    entries_.clear();
}

std::vector<VariantPtr> Variants::by_use() const {
    std::vector<VariantPtr> all;
    for (const auto& [key, entry] : entries_)
        all.insert(all.end(), entry.variants.begin(), entry.variants.end());
    std::sort(all.begin(), all.end(),
              [](const VariantPtr& a, const VariantPtr& b) { return a->last_use < b->last_use; });
    return all;
}

// Half of them, those that were not used for longest.
void Variants::drop_unused() {
    std::vector<VariantPtr> all = by_use();
    std::unordered_set<PyObject*> unused;
    for (size_t i = 0; i < all.size() / 2; ++i) unused.insert(all[i]->made);
    forget(unused);
}

int Variants::traverse(visitproc visit, void* arg) const {
    for (const auto& [key, entry] : entries_) {
        for (PyObject* each : entry.held) Py_VISIT(each);
        for (const VariantPtr& variant : entry.variants) {
            Py_VISIT(variant->made);
            if (int stop = variant->checks.traverse(visit, arg)) return stop;
        }
    }
    return 0;
}

}  // namespace mytriton
