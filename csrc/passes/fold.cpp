// Folding: instructions that amount to a constant or an operand, regions that run always, once or
// never, carried values that never change. What is inlined folds on with what is known by then.
#include <algorithm>
#include <unordered_map>

#include "ir/range.h"
#include "ir/rewrite.h"
#include "passes/conditions.h"
#include "passes/fold_value.h"
#include "passes/passes.h"

namespace mytriton {

namespace {

// Where both regions of an if hold no more cheap scalar instructions than this, running all of them
// and selecting costs less than a branch, which also keeps what follows from being one expression.
constexpr int kMostSpeculated = 4;

class Folder {
  public:
    explicit Folder(const Kernel& kernel)
        : old_(kernel), rewriter_(kernel), known_(rewriter_.fresh()) {}

    Kernel run() {
        walk(0);
        return rewriter_.finish();
    }

  private:
    // --- values and instructions -----------------------------------------------------------------

    // A condition that is known here is its constant.
    Value refined(Value fresh) {
        std::optional<bool> known = known_.find(fresh);
        return known ? rewriter_.constant(Type::scalar(Scalar::boolean), *known) : fresh;
    }

    Inst mapped(const Inst& inst) {
        Inst made = rewriter_.mapped(inst);
        for (Value& operand : made.operands) operand = refined(operand);
        return made;
    }

    void replace_all(const std::vector<Value>& old, const std::vector<Value>& fresh,
                     size_t first = 0) {
        for (size_t i = 0; i < old.size(); ++i) rewriter_.replace(old[i], fresh[first + i]);
    }

    // Rebuilds what stands in the region, up to its yield, whose values it gives.
    std::vector<Value> walk(RegionId region) {
        for (InstId id : old_.region(region).insts) {
            const Inst& inst = old_.inst(id);
            if (inst.op == Op::yield) return mapped(inst).operands;
            fold(inst);
        }
        return {};
    }

    // The same, with what is known in the region alone.
    std::vector<Value> walk(RegionId region, Value condition, bool holds) {
        size_t mark = known_.mark();
        if (!condition.none()) known_.assume(condition, holds);
        std::vector<Value> yields = walk(region);
        known_.forget(mark);
        return yields;
    }

    void fold(const Inst& inst) {
        if (inst.op == Op::if_) return fold_if(inst);
        if (inst.op == Op::for_) return fold_for(inst);
        if (inst.op == Op::while_) return fold_while(inst);
        Inst made = mapped(inst);
        if (info(inst.op).has(kPure)) return fold_pure(std::move(made), inst.result());
        InstId id = rewriter_.keep(inst, std::move(made));
        if (inst.op == Op::condition) known_.assume(rewriter_.fresh().inst(id).operands[0], true);
    }

    void fold_pure(Inst made, Value result) {
        Value folded = fold_value(rewriter_.fresh(), made, old_.type(result));
        if (folded.none())
            known_.define(rewriter_.append(std::move(made), {result}));
        else
            rewriter_.replace(result, folded);
    }

    void add_yield(RegionId old_region, std::vector<Value> values) {
        const Inst& old = old_.inst(old_.region(old_region).insts.back());
        Inst yield{.op = Op::yield, .operands = std::move(values), .loc = old.loc};
        rewriter_.keep(old, std::move(yield));
    }

    // --- if --------------------------------------------------------------------------------------

    void fold_if(const Inst& inst) {
        Inst made = mapped(inst);
        Value condition = made.operands[0];
        if (rewriter_.fresh().is_constant(condition)) {
            bool taken = rewriter_.fresh().data(condition).bits != 0;
            return replace_all(inst.results, walk(inst.regions[taken ? 0 : 1]));
        }
        if (is_select(inst)) return select(inst, condition);
        std::vector<std::vector<Value>> yields;
        rewriter_.keep(inst, std::move(made), [&](RegionId region) {
            yields.push_back(walk(region, condition, yields.empty()));
            add_yield(region, yields.back());
        });
        for (size_t i = 0; i < inst.results.size(); ++i) {
            Value same = merged(condition, yields[0][i], yields[1][i], inst.loc);
            if (!same.none()) rewriter_.replace(inst.results[i], same);
        }
    }

    // What is `yes` where the condition holds, else `no`, or none. The result that it stands for is
    // left to dce.
    Value merged(Value condition, Value yes, Value no, LocId loc) {
        if (yes == no) return yes;
        Kernel& fresh = rewriter_.fresh();
        Type boolean = Type::scalar(Scalar::boolean);
        if (!fresh.is_constant(yes) || !fresh.is_constant(no) || fresh.type(yes) != boolean)
            return {};
        if (fresh.data(yes).bits) return condition;
        Value opposite = known_.opposite(condition);
        if (!opposite.none()) return opposite;
        Inst inverts{.op = Op::bit_not, .operands = {condition}, .loc = loc};
        InstId id = fresh.append(rewriter_.target(), std::move(inverts), {boolean});
        known_.define(id);
        return fresh.inst(id).result();
    }

    bool is_scalar(const std::vector<Value>& values) const {
        return std::ranges::none_of(values, [&](Value each) { return old_.type(each).is_block(); });
    }

    // The instructions within, or too many where one is dear, of blocks or has an effect.
    int speculated(const Inst& inst) const {
        int count = 0;
        for (RegionId region : inst.regions) {
            for (InstId id : old_.region(region).insts) {
                const Inst& inner = old_.inst(id);
                if (inner.op == Op::yield) continue;
                bool cheap = info(inner.op).has(kPure) && !info(inner.op).has(kCostly);
                if ((!cheap && inner.op != Op::if_) || !is_scalar(inner.operands) ||
                    !is_scalar(inner.results))
                    return kMostSpeculated + 1;
                count += inner.op == Op::if_ ? speculated(inner) : 0;
                count += static_cast<int>(inner.results.size());
                if (count > kMostSpeculated) return count;
            }
        }
        return count;
    }

    bool is_select(const Inst& inst) const {
        int count = speculated(inst);
        if (count == 0) return true;
        return count <= kMostSpeculated && !inst.results.empty() && is_scalar(inst.results);
    }

    void select(const Inst& inst, Value condition) {
        std::vector<Value> yes = walk(inst.regions[0], condition, true);
        std::vector<Value> no = walk(inst.regions[1], condition, false);
        for (size_t i = 0; i < inst.results.size(); ++i) {
            Value same = merged(condition, yes[i], no[i], inst.loc);
            Inst made{.op = Op::select, .operands = {condition, yes[i], no[i]}, .loc = inst.loc};
            if (same.none())
                fold_pure(std::move(made), inst.results[i]);
            else
                rewriter_.replace(inst.results[i], same);
        }
    }

    // --- loops -----------------------------------------------------------------------------------

    void fold_for(const Inst& inst) {
        Inst made = mapped(inst);
        std::optional<uint64_t> trips = constant_trip_count(rewriter_.fresh(), made);
        if (trips == 0) return replace_all(inst.results, made.operands, kForInits);
        if (trips != 1) return keep_loop(inst, std::move(made), kForInits, 1);
        const std::vector<Value>& args = old_.region(inst.regions[0]).args;
        rewriter_.replace(args[0], made.operands[0]);
        for (size_t i = 1; i < args.size(); ++i)
            rewriter_.replace(args[i], made.operands[kForInits + i - 1]);
        replace_all(inst.results, walk(inst.regions[0]));
    }

    void fold_while(const Inst& inst) {
        Inst made = mapped(inst);
        if (!fails_at_once(inst, made)) return keep_loop(inst, std::move(made), 0, 0);
        const Region& region = old_.region(inst.regions[0]);
        replace_all(region.args, made.operands);
        for (size_t i = 0; old_.inst(region.insts[i]).op != Op::condition; ++i)
            fold(old_.inst(region.insts[i]));
        replace_all(inst.results, made.operands);
    }

    // Whether the first test is of a constant false: what it takes is computed, but not kept.
    bool fails_at_once(const Inst& inst, const Inst& made) {
        const Region& region = old_.region(inst.regions[0]);
        std::unordered_map<uint32_t, Value> first;  // the values of the first round
        for (size_t i = 0; i < region.args.size(); ++i)
            first[region.args[i].index] = made.operands[i];
        auto constant = [&](Value old) {
            auto found = first.find(old.index);
            Value value = found == first.end() ? refined(rewriter_.find(old)) : found->second;
            return rewriter_.fresh().is_constant(value) ? value : Value();
        };
        for (InstId id : region.insts) {
            Inst copy = old_.inst(id);
            for (Value& operand : copy.operands) operand = constant(operand);
            if (copy.op == Op::condition)
                return !copy.operands[0].none() &&
                       rewriter_.fresh().data(copy.operands[0]).bits == 0;
            if (!info(copy.op).has(kPure)) continue;
            if (std::ranges::any_of(copy.operands, &Value::none)) continue;
            first[copy.result().index] =
                fold_value(rewriter_.fresh(), copy, old_.type(copy.result()));
        }
        return false;
    }

    // A loop without the carried values that never change.
    void keep_loop(const Inst& inst, Inst made, size_t inits, size_t skipped) {
        RegionId body = inst.regions[0];
        std::vector<bool> varies = varying(inst, made, inits, skipped), args = varies;
        args.insert(args.begin(), skipped, true);
        std::vector<Value> operands(made.operands.begin(), made.operands.begin() + inits), results;
        for (size_t i = 0; i < varies.size(); ++i) {
            if (varies[i]) {
                operands.push_back(made.operands[inits + i]);
                results.push_back(inst.results[i]);
                continue;
            }
            rewriter_.replace(old_.region(body).args[skipped + i], made.operands[inits + i]);
            rewriter_.replace(inst.results[i], made.operands[inits + i]);
        }
        made.operands = std::move(operands);
        RegionId fresh = rewriter_.copy_args(body, args);
        made.regions = {fresh};
        rewriter_.append(std::move(made), results);
        rewriter_.into(fresh, [&] {
            std::vector<Value> values = walk(body, Value(), true), kept;
            for (size_t i = 0; i < values.size(); ++i)
                if (varies[i]) kept.push_back(values[i]);
            add_yield(body, std::move(kept));
        });
    }

    // All carried values but the largest set of which each, as long as all others in it are what
    // they were at first, is so too: its yield is one of them that began alike, or its init.
    std::vector<bool> varying(const Inst& inst, const Inst& made, size_t inits, size_t skipped) {
        const Region& region = old_.region(inst.regions[0]);
        const std::vector<Value>& yields = old_.inst(region.insts.back()).operands;
        std::vector<bool> varies(yields.size());
        std::unordered_map<uint32_t, size_t> position;
        for (size_t i = 0; i < yields.size(); ++i) position[region.args[skipped + i].index] = i;
        for (bool again = true; again;) {
            again = false;
            for (size_t i = 0; i < yields.size(); ++i) {
                if (varies[i]) continue;
                auto carried = position.find(yields[i].index);
                Value next = rewriter_.find(yields[i]);
                if (carried != position.end())
                    next =
                        varies[carried->second] ? Value() : made.operands[inits + carried->second];
                if (next == made.operands[inits + i]) continue;
                varies[i] = again = true;
            }
        }
        return varies;
    }

    const Kernel& old_;
    Rewriter rewriter_;
    KnownConditions known_;
};

}  // namespace

Kernel constant_fold(const Kernel& kernel) {
    return Folder(kernel).run();
}

}  // namespace mytriton
