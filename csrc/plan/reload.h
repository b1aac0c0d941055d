// Which loads a later stage does again, instead of taking their values from a buffer.
#pragma once

#include <vector>

#include "plan/memory.h"
#include "plan/strips.h"

namespace mytriton {

// Where nothing was written since, a later stage loads again, and does the few ops on what it loads
// again: that costs less than a store to a buffer and its place in the cache. An epoch ends with
// every write and at the ends of regions. Not in kernels with atomics: what these share with others
// they may want to see once. Nor for CUDA, where what a thread loaded stays in its registers.
class Reloads {
  public:
    Reloads(const Kernel& kernel, const Facts& facts, StripTarget target);

    // `cheap` tells of each value whether it is computed again anyway.
    void note_load(const Inst& load, const std::vector<bool>& cheap);
    void note_op(const Inst& op, const std::vector<bool>& cheap);

    bool can_reload(Value value) const { return values_[value.index].epoch == epoch_; }
    void end_epoch();
    // A load that must come before this access cannot be done beside it.
    void end_before(const Access& access);

  private:
    struct Reload {
        int epoch = -1;
        int ops = 0;
    };
    bool is_free(Value value, const std::vector<bool>& cheap) const;

    const Kernel& kernel_;
    const Facts& facts_;
    std::vector<Reload> values_;
    std::vector<Access> accesses_;  // of the loads that may be done again in this epoch
    int epoch_ = 0;
    bool never_;
};

}  // namespace mytriton
