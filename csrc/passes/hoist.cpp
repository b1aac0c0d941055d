// Loop-invariant motion: what is the same in every round is computed before the loop, even one of
// no rounds, for nothing traps. Out of an if nothing is moved: it may guard what is dear.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ir/rewrite.h"
#include "passes/passes.h"

namespace mytriton {

namespace {

// A walk over the old kernel decides how far out each instruction goes: to the region, in as many
// loops around it as it leaves, where all of its operands are known. What leaves a loop for the
// same region keeps its order, in front of that loop.
class Hoister {
  public:
    explicit Hoister(const Kernel& kernel)
        : kernel_(kernel), rewriter_(kernel), depth_(kernel.value_count()) {}

    Kernel run() {
        place(0);
        walk(0);
        return rewriter_.finish();
    }

  private:
    void place(RegionId region) {
        for (InstId id : kernel_.region(region).insts) {
            const Inst& inst = kernel_.inst(id);
            size_t depth = info(inst.op).has(kPure) ? depth_of(inst) : owners_.size();
            for (Value result : inst.results) depth_[result.index] = depth;
            if (depth < owners_.size()) {
                moved_.insert(id);
                before_[owners_[depth]].push_back(id);
            }
            owners_.push_back(id);
            for (RegionId inner : inst.regions) {
                for (Value arg : kernel_.region(inner).args) depth_[arg.index] = owners_.size();
                place(inner);
            }
            owners_.pop_back();
        }
    }

    size_t depth_of(const Inst& inst) const {
        size_t least = 0, depth = owners_.size();
        for (Value operand : inst.operands)
            if (!operand.none()) least = std::max(least, depth_[operand.index]);
        while (depth > least && kernel_.inst(owners_[depth - 1]).op != Op::if_) --depth;
        return depth;
    }

    void walk(RegionId region) {
        for (InstId id : kernel_.region(region).insts) {
            if (moved_.contains(id)) continue;
            if (auto moved = before_.find(id); moved != before_.end())
                for (InstId each : moved->second) rewriter_.keep(kernel_.inst(each));
            rewriter_.keep(kernel_.inst(id), [&](RegionId inner) { walk(inner); });
        }
    }

    const Kernel& kernel_;
    Rewriter rewriter_;
    std::vector<InstId> owners_;  // of the regions around, from the outermost in
    std::vector<size_t> depth_;   // of values: how many regions are around; of the body's, none
    std::unordered_map<InstId, std::vector<InstId>> before_;  // what goes in front of a loop
    std::unordered_set<InstId> moved_;
};

}  // namespace

Kernel hoist_invariants(const Kernel& kernel) {
    return Hoister(kernel).run();
}

}  // namespace mytriton
