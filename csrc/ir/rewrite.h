// Rebuilds a kernel instruction by instruction: how passes change SSA that is itself immutable.
#pragma once

#include <utility>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

// Starts a copy with the same name, parameters and locations. A pass walks the old regions and for
// each instruction either keeps it or maps its results to other values. Kept results and region
// arguments keep their numbers, so what a pass removes leaves a gap.
class Rewriter {
  public:
    explicit Rewriter(const Kernel& old);

    const Kernel& old() const { return old_; }
    Kernel& fresh() { return fresh_; }
    RegionId target() const { return target_; }  // where instructions are appended

    Value map(Value old);   // the value of the new kernel that stands for it
    Value find(Value old);  // the same, but none where it is not rebuilt yet
    Value constant(Type type, uint64_t bits) { return fresh_.constant(type, bits); }
    Inst mapped(
        const Inst& inst);  // the instruction with mapped operands, without results, regions
    void replace(Value old, Value fresh) { map_[old.index] = fresh; }

    // Appends the instruction, or `mapped`, which stands for it. Its regions come along with their
    // arguments, but empty: `fill` is called for each, with the old one, while it is the target.
    template <class Fill>
    InstId keep(const Inst& inst, Inst mapped, const Fill& fill) {
        for (RegionId each : inst.regions) mapped.regions.push_back(copy_args(each));
        InstId id = append(std::move(mapped), inst.results);
        for (size_t i = 0; i < inst.regions.size(); ++i)
            into(fresh_.inst(id).regions[i], [&] { fill(inst.regions[i]); });
        return id;
    }
    template <class Fill>
    InstId keep(const Inst& inst, const Fill& fill) {
        return keep(inst, mapped(inst), fill);
    }
    InstId keep(const Inst& inst) { return keep(inst, mapped(inst)); }  // of what has no regions
    InstId keep(const Inst& inst, Inst mapped) { return append(std::move(mapped), inst.results); }

    // Appends an instruction whose results stand for these old ones, in type and number.
    InstId append(Inst mapped, const std::vector<Value>& old_results);
    // A new region with arguments that stand for those of an old one; with `kept`, for some of
    // them.
    RegionId copy_args(RegionId old, const std::vector<bool>& kept = {});
    // Calls f while the region is the target.
    template <class F>
    void into(RegionId region, const F& f) {
        std::swap(target_, region);
        f();
        std::swap(target_, region);
    }
    // Calls f, while what is kept takes new numbers: it is kept more than once.
    template <class F>
    void renumbered(const F& f) {
        bool before = std::exchange(renumber_, true);
        f();
        renumber_ = before;
    }
    Kernel finish() { return std::move(fresh_); }

  private:
    const Kernel& old_;
    Kernel fresh_;
    RegionId target_ = 0;
    bool renumber_ = false;
    std::vector<Value> map_;
};

}  // namespace mytriton
