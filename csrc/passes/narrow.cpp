// Narrowing: a loop that moves a block of ints by scalars carries one scalar, the sum of them. Ints
// wrap, so this is exact, and the lanes of `offsets += 64` remain as consecutive as they began.
#include <algorithm>
#include <unordered_map>

#include "ir/rewrite.h"
#include "passes/passes.h"

namespace mytriton {

namespace {

// What a round adds to a carried block, or subtracts from it: an instruction of the old kernel and
// the scalar in it.
struct Step {
    const Inst* inst;
    Value scalar;
};
using Steps = std::vector<Step>;

// The parts of a loop: where initial values begin in its operands, carried ones in its arguments.
struct Loop {
    const Inst& inst;
    const Region& region;
    const Inst& yield;
    size_t inits, skipped;
    std::vector<Steps> steps = {};  // of each carried value; empty where it stays as it is

    Value init(size_t i) const { return inst.operands[inits + i]; }
    Value arg(size_t i) const { return region.args[skipped + i]; }
};

class Narrower {
  public:
    explicit Narrower(const Kernel& kernel) : kernel_(kernel), rewriter_(kernel) {
        kernel.walk([&](InstId id) {
            for (Value result : kernel.inst(id).results) definitions_[result.index] = id;
        });
    }

    Kernel run() {
        walk(kernel_.region(0));
        return rewriter_.finish();
    }

    // The loop around one that was narrowed may move by what that adds up to.
    bool may_go_on() const { return narrowed_within_; }

  private:
    void walk(const Region& region, bool with_yield = true) {
        ++depth_;
        for (InstId id : region.insts) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op == Op::yield && !with_yield) break;
            if (inst.op == Op::for_ || inst.op == Op::while_)
                keep_loop(inst);
            else
                rewriter_.keep(inst, mapped(inst),
                               [&](RegionId inner) { walk(kernel_.region(inner)); });
        }
        --depth_;
    }

    // --- what is found ---------------------------------------------------------------------------

    const Inst* definition(Value value) const {
        auto found = definitions_.find(value.index);
        return found == definitions_.end() ? nullptr : &kernel_.inst(found->second);
    }

    // The scalar in every lane of the value, or none.
    Value scalar_of(Value value) const {
        if (!kernel_.type(value).is_block()) return value;
        const Inst* inst = definition(value);
        return inst && inst->op == Op::splat ? inst->operands[0] : Value();
    }

    // The way from a carried block to what is yielded for it; empty where there is another.
    Steps steps_between(Value arg, Value yield) const {
        Type type = kernel_.type(arg);
        if (!type.is_block() || !info(type.scalar()).is_int()) return {};
        Steps steps;
        while (yield != arg) {
            const Inst* inst = definition(yield);
            if (!inst || (inst->op != Op::add && inst->op != Op::sub)) return {};
            Value moved = inst->operands[0], scalar = scalar_of(inst->operands[1]);
            if (scalar.none() && inst->op == Op::add) {
                moved = inst->operands[1];
                scalar = scalar_of(inst->operands[0]);
            }
            if (scalar.none()) return {};
            steps.push_back({inst, scalar});
            yield = moved;
        }
        std::ranges::reverse(steps);
        return steps;
    }

    Loop loop_of(const Inst& inst) const {
        size_t inits = inst.op == Op::for_ ? kForInits : 0, skipped = inits ? 1 : 0;
        const Region& region = kernel_.region(inst.regions[0]);
        Loop loop{inst, region, kernel_.inst(region.insts.back()), inits, skipped};
        for (size_t i = 0; i < inst.results.size(); ++i)
            loop.steps.push_back(steps_between(loop.arg(i), loop.yield.operands[i]));
        return loop;
    }

    // --- what is made ----------------------------------------------------------------------------

    // Beside another block, a splat that narrowing made is its scalar, which stretches: plans see
    // that all lanes move alike.
    Inst mapped(const Inst& inst) {
        Inst made = rewriter_.mapped(inst);
        if (scalars_.empty() || (info(inst.op).kind != OpKind::pure && inst.op != Op::addptr))
            return made;
        auto is_splat = [&](Value value) { return scalars_.contains(value.index); };
        bool beside = std::ranges::any_of(made.operands, [&](Value each) {
            return rewriter_.fresh().type(each).is_block() && !is_splat(each);
        });
        for (Value& each : made.operands)
            if (beside && is_splat(each)) each = scalars_.at(each.index);
        return made;
    }

    // Where the scalar begins that is carried for a block: a block of one number in all lanes is
    // then a splat of the scalar; any other is the block that it began as, plus the scalar.
    Value start_of(Value init) {
        auto splat = scalars_.find(rewriter_.map(init).index);
        if (splat != scalars_.end()) return splat->second;
        return rewriter_.map(scalar_of(init));
    }

    void replace_block(Value old, Value init, Value scalar, LocId loc) {
        bool splat = !start_of(init).none();
        Inst block{.op = splat ? Op::splat : Op::add, .operands = {scalar}, .loc = loc};
        if (!splat) block.operands.insert(block.operands.begin(), rewriter_.map(init));
        InstId id = rewriter_.append(std::move(block), {old});
        if (splat) scalars_[rewriter_.fresh().inst(id).result().index] = scalar;
    }

    void keep_loop(const Inst& inst) {
        Loop loop = loop_of(inst);
        if (std::ranges::all_of(loop.steps, &Steps::empty))
            return void(rewriter_.keep(inst, [&](RegionId inner) { walk(kernel_.region(inner)); }));
        narrowed_within_ |= depth_ > 1;
        Kernel& fresh = rewriter_.fresh();
        Inst made = rewriter_.mapped(inst);
        RegionId body = fresh.add_region();
        if (loop.skipped) keep_arg(body, loop.region.args[0]);
        std::vector<Type> types;
        for (size_t i = 0; i < loop.steps.size(); ++i) {
            types.push_back(kernel_.type(inst.results[i]));
            if (loop.steps[i].empty()) {
                keep_arg(body, loop.arg(i));
                continue;
            }
            types[i] = types[i].element();
            Value start = start_of(loop.init(i));
            made.operands[loop.inits + i] = start.none() ? fresh.constant(types[i], 0) : start;
            fresh.add_arg(body, types[i], fresh.next_number());
        }
        made.regions = {body};
        InstId id = fresh.append(rewriter_.target(), std::move(made), types, result_numbers(loop));
        rewriter_.into(body, [&] { fill(loop, body); });
        for (size_t i = 0; i < loop.steps.size(); ++i) {
            Value result = fresh.inst(id).results[i];
            if (loop.steps[i].empty())
                rewriter_.replace(inst.results[i], result);
            else
                replace_block(inst.results[i], loop.init(i), result, inst.loc);
        }
    }

    void keep_arg(RegionId body, Value arg) {
        uint32_t number = kernel_.data(arg).number;
        rewriter_.replace(arg, rewriter_.fresh().add_arg(body, kernel_.type(arg), number));
    }

    // Blocks keep theirs, the scalars beside them take new ones.
    std::vector<uint32_t> result_numbers(const Loop& loop) {
        std::vector<uint32_t> numbers;
        uint32_t next = rewriter_.fresh().next_number();
        for (size_t i = 0; i < loop.steps.size(); ++i)
            numbers.push_back(loop.steps[i].empty() ? kernel_.data(loop.inst.results[i]).number
                                                    : next++);
        return numbers;
    }

    void fill(const Loop& loop, RegionId body) {
        Kernel& fresh = rewriter_.fresh();
        std::vector<Value> scalars = fresh.region(body).args;
        for (size_t i = 0; i < loop.steps.size(); ++i)
            if (!loop.steps[i].empty())
                replace_block(loop.arg(i), loop.init(i), scalars[loop.skipped + i], loop.inst.loc);
        walk(loop.region, false);
        Inst yield{.op = Op::yield, .loc = loop.yield.loc};
        for (size_t i = 0; i < loop.steps.size(); ++i) {
            Value next = loop.steps[i].empty() ? rewriter_.map(loop.yield.operands[i])
                                               : scalars[loop.skipped + i];
            for (const Step& step : loop.steps[i]) {
                Inst add{.op = step.inst->op,
                         .operands = {next, rewriter_.map(step.scalar)},
                         .loc = step.inst->loc};
                InstId id = fresh.append(rewriter_.target(), std::move(add), {fresh.type(next)});
                next = fresh.inst(id).result();
            }
            yield.operands.push_back(next);
        }
        rewriter_.keep(loop.yield, std::move(yield));
    }

    const Kernel& kernel_;
    Rewriter rewriter_;
    int depth_ = 0;
    bool narrowed_within_ = false;
    std::unordered_map<uint32_t, InstId> definitions_;
    std::unordered_map<uint32_t, Value> scalars_;  // of the new kernel: by the splats made of them
};

}  // namespace

Kernel narrow_carried_blocks(const Kernel& kernel) {
    Narrower first(kernel);
    Kernel narrowed = first.run();
    for (bool again = first.may_go_on(); again;) {
        Narrower next(narrowed);
        Kernel better = next.run();
        again = next.may_go_on();
        narrowed = std::move(better);
    }
    return narrowed;
}

}  // namespace mytriton
