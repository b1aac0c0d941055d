// Dead code elimination: walks backwards find what stores need, more than one only where loops
// carry values; one forwards keeps it.
#include <unordered_set>

#include "ir/rewrite.h"
#include "passes/passes.h"

namespace mytriton {

namespace {

class Eliminator {
  public:
    explicit Eliminator(const Kernel& kernel) : kernel_(kernel), rewriter_(kernel) {}

    Kernel run() {
        do {
            again_ = false;
            mark(0);
        } while (again_);
        keep(0);
        return rewriter_.finish();
    }

  private:
    bool is_live(Value value) const { return live_.contains(value.index); }

    void use(const std::vector<Value>& operands) {
        for (Value operand : operands) live_.insert(operand.index);
    }

    // Whether the region holds anything that is needed; all that is needed for it is marked.
    bool mark(RegionId region) {
        bool any = false;
        const std::vector<InstId>& insts = kernel_.region(region).insts;
        for (auto id = insts.rbegin(); id != insts.rend(); ++id) {
            const Inst& inst = kernel_.inst(*id);
            if (inst.op == Op::yield) continue;  // its operands: as the results are
            bool keep = inst.regions.empty() ? is_needed(inst) : mark_control(inst);
            if (!keep) continue;
            any |= inst.op != Op::condition;
            needed_.insert(*id);
            if (inst.regions.empty()) use(inst.operands);
        }
        return any;
    }

    bool is_needed(const Inst& inst) const {
        bool keep = info(inst.op).has(kWrites) || info(inst.op).has(kOrdered) ||
                    inst.find_attr(AttrKey::is_volatile);
        for (Value result : inst.results) keep |= is_live(result);
        return keep;
    }

    bool mark_control(const Inst& inst) {
        bool keep = inst.op == Op::while_;  // it may never end, which is an effect
        std::vector<bool> kept = kept_results(inst);
        size_t first = inst.op == Op::for_ ? kForInits : 0;
        for (size_t i = 0; i < kept.size(); ++i) {
            if (!kept[i]) continue;
            keep = true;
            if (inst.op != Op::if_) live_.insert(inst.operands[first + i].index);
            for (RegionId region : inst.regions) {
                const Inst& yield = kernel_.inst(kernel_.region(region).insts.back());
                live_.insert(yield.operands[i].index);
            }
        }
        for (RegionId region : inst.regions) keep |= mark(region);
        again_ |= kept_results(inst) != kept;  // needed in one round: needed of the round before
        if (!keep) return false;
        if (inst.op == Op::if_) use(inst.operands);
        for (size_t i = 0; i < first; ++i) live_.insert(inst.operands[i].index);
        return true;
    }

    // A result is kept where it is used or, of a loop, where the carried value is.
    std::vector<bool> kept_results(const Inst& inst) const {
        std::vector<bool> kept;
        for (size_t i = 0; i < inst.results.size(); ++i) {
            bool carried =
                inst.op != Op::if_ &&
                is_live(kernel_.region(inst.regions[0]).args[i + (inst.op == Op::for_ ? 1 : 0)]);
            kept.push_back(carried || is_live(inst.results[i]));
        }
        return kept;
    }

    void keep(RegionId region, const std::vector<bool>& yields = {}) {
        for (InstId id : kernel_.region(region).insts) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op == Op::yield) {
                keep_yield(inst, yields);
            } else if (needed_.contains(id)) {
                if (inst.regions.empty())
                    rewriter_.keep(inst);
                else
                    keep_control(inst);
            }
        }
    }

    void keep_yield(const Inst& inst, const std::vector<bool>& yields) {
        Inst yield{.op = Op::yield, .loc = inst.loc};
        for (size_t i = 0; i < inst.operands.size(); ++i)
            if (yields[i]) yield.operands.push_back(rewriter_.map(inst.operands[i]));
        rewriter_.keep(inst, std::move(yield));
    }

    void keep_control(const Inst& inst) {
        std::vector<bool> kept = kept_results(inst), args = kept;
        if (inst.op == Op::for_) args.insert(args.begin(), true);
        Inst made{.op = inst.op, .loc = inst.loc};
        size_t first = inst.op == Op::if_ ? 1 : inst.op == Op::for_ ? kForInits : 0;
        for (size_t i = 0; i < inst.operands.size(); ++i)
            if (i < first || kept[i - first])
                made.operands.push_back(rewriter_.map(inst.operands[i]));
        std::vector<Value> results;
        for (size_t i = 0; i < kept.size(); ++i)
            if (kept[i]) results.push_back(inst.results[i]);
        for (RegionId region : inst.regions)
            made.regions.push_back(rewriter_.copy_args(region, args));
        std::vector<RegionId> regions = made.regions;
        rewriter_.append(std::move(made), results);
        for (size_t i = 0; i < regions.size(); ++i)
            rewriter_.into(regions[i], [&] { keep(inst.regions[i], kept); });
    }

    const Kernel& kernel_;
    Rewriter rewriter_;
    bool again_ = false;
    std::unordered_set<uint32_t> live_;
    std::unordered_set<InstId> needed_;
};

}  // namespace

Kernel eliminate_dead_code(const Kernel& kernel) {
    return Eliminator(kernel).run();
}

}  // namespace mytriton
