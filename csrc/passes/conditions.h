// What is known of bool scalars where they guard: in the regions of an if, after a condition.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

// Follows a walk over the kernel that is being built. A fact holds for the region at hand and those
// within: the walk takes a mark when it enters one and forgets what came after when it leaves.
class KnownConditions {
  public:
    explicit KnownConditions(const Kernel& kernel) : kernel_(kernel) {}

    // To be told of every instruction, so that facts pass through not, and, or.
    void define(InstId id);
    void assume(Value condition, bool holds);
    std::optional<bool> find(Value value) const;

    // The value that this one is the opposite of, or none.
    Value opposite(Value value) const;

    size_t mark() const { return trail_.size(); }
    void forget(size_t mark);

  private:
    const Inst* definition(Value value) const;
    std::optional<bool> direct(Value value) const;

    const Kernel& kernel_;
    std::unordered_map<uint32_t, InstId> definitions_;  // of not, and, or
    std::unordered_map<uint32_t, bool> known_;
    std::vector<uint32_t> trail_;  // the keys of known_, in their order
};

}  // namespace mytriton
