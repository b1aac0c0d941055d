// Unrolling: a short for whose trips are known becomes its rounds, one after the other.
#include <unordered_set>

#include "ir/range.h"
#include "ir/rewrite.h"
#include "passes/passes.h"

namespace mytriton {

namespace {

// What a loop costs by itself, a test and a jump, is noise beside this many rounds.
constexpr uint64_t kMostTrips = 8;
// Instructions that one loop may become: the host compiler takes about 1 ms for each ten.
constexpr uint64_t kMostInstructions = 128;

class Unroller {
  public:
    explicit Unroller(const Kernel& kernel) : kernel_(kernel), rewriter_(kernel) {}

    Kernel run() {
        measure(0);
        walk(0);
        return rewriter_.finish();
    }

  private:
    // The instructions that the region will hold, with those of the regions within; finds the loops
    // to unroll, so that an outer one counts what its inner ones become.
    uint64_t measure(RegionId region) {
        uint64_t count = 0;
        for (InstId id : kernel_.region(region).insts) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op == Op::yield) continue;
            uint64_t inner = 0;
            for (RegionId each : inst.regions) inner += measure(each);
            std::optional<uint64_t> trips;
            if (inst.op == Op::for_) trips = constant_trip_count(kernel_, inst);
            if (trips && *trips <= kMostTrips && *trips * inner <= kMostInstructions) {
                unrolled_.insert(id);
                count += *trips * inner;
            } else {
                count += 1 + inner;
            }
        }
        return count;
    }

    void walk(RegionId region) {
        for (InstId id : kernel_.region(region).insts) {
            const Inst& inst = kernel_.inst(id);
            if (unrolled_.contains(id))
                unroll(inst);
            else
                rewriter_.keep(inst, [&](RegionId inner) { walk(inner); });
        }
    }

    void unroll(const Inst& inst) {
        const Region& region = kernel_.region(inst.regions[0]);
        Type type = kernel_.type(inst.operands[0]);
        uint64_t index = kernel_.data(inst.operands[0]).bits;
        uint64_t step = kernel_.data(inst.operands[2]).bits;
        std::vector<Value> carried = rewriter_.mapped(inst).operands;
        carried.erase(carried.begin(), carried.begin() + kForInits);
        for (uint64_t trips = *constant_trip_count(kernel_, inst); trips > 0; --trips) {
            rewriter_.replace(region.args[0], rewriter_.constant(type, index));
            for (size_t i = 0; i < carried.size(); ++i)
                rewriter_.replace(region.args[1 + i], carried[i]);
            rewriter_.renumbered([&] { carried = round(region); });
            index = next_index(type.scalar(), index, step);
        }
        for (size_t i = 0; i < carried.size(); ++i) rewriter_.replace(inst.results[i], carried[i]);
    }

    // What the round yields.
    std::vector<Value> round(const Region& region) {
        for (InstId id : region.insts) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op == Op::yield) return rewriter_.mapped(inst).operands;
            if (unrolled_.contains(id))
                unroll(inst);
            else
                rewriter_.keep(inst, [&](RegionId inner) { walk(inner); });
        }
        return {};
    }

    const Kernel& kernel_;
    Rewriter rewriter_;
    std::unordered_set<InstId> unrolled_;
};

}  // namespace

Kernel unroll_loops(const Kernel& kernel) {
    return Unroller(kernel).run();
}

}  // namespace mytriton
