// Cuts a program into stages. Stages end where all lanes must have done something before the next
// thing may start: a reduction's result is needed, or memory must be waited for.
#include "plan/strips.h"

#include <algorithm>
#include <set>

#include "ir/print.h"
#include "plan/memory.h"

namespace mytriton {

namespace {

constexpr int64_t kCostlyLanes = 8;  // an exp weighs about as much as this many light ops

class Planner {
  public:
    explicit Planner(const Kernel& kernel)
        : kernel_(kernel),
          facts_(kernel),
          home_(kernel.value_count(), -1),
          cheap_(kernel.value_count(), false) {}

    StripPlan run() {
        for (InstId id : kernel_.body()) {
            place(id);
            for (Value result : kernel_.inst(id).results)
                plan_.computes_f64 |= is_block(result) && kernel_.type(result).is(Scalar::f64);
        }
        close();
        for (Stage& stage : plan_.stages) finish(stage);
        place_lane0_steps();
        return std::move(plan_);
    }

  private:
    bool is_block(Value value) const { return !value.none() && kernel_.type(value).is_block(); }

    void place(InstId id) {
        const Inst& inst = kernel_.inst(id);
        bool memory = info(inst.op).has(kReads) || info(inst.op).has(kWrites);
        bool reduce = info(inst.op).kind == OpKind::reduce;
        bool block = std::ranges::any_of(inst.results, [&](Value v) { return is_block(v); }) ||
                     std::ranges::any_of(inst.operands, [&](Value v) { return is_block(v); });
        bool reports = takes_text(inst.op);
        plan_.reports |= reports;
        // Lines come in program order: a stage reports at most once, and not before a scalar.
        if (reports && open_ && (!block || plan_.stages.back().reports)) close();
        if (!block) return place_scalar(id, memory);
        if (memory || reduce || reports) return place_effect(id, memory);
        // Pure block ops wait until an effect needs them.
        cheap_[inst.result().index] =
            !info(inst.op).has(kCostly) && std::ranges::all_of(inst.operands, [&](Value v) {
                return !is_block(v) || cheap_[v.index];
            });
    }

    // Scalar steps run before the stage that is open, unless they need something of it.
    void place_scalar(InstId id, bool memory) {
        const Inst& inst = kernel_.inst(id);
        if (needs_open_stage(inst.operands)) close();
        if (inst.op == Op::addptr) return;  // part of the addresses that use it
        if (memory) {
            Access access = access_of(facts_, inst);
            if (access.writes || must_wait(facts_, open_accesses_, access)) close();
        }
        plan_.steps.push_back({Step::Kind::scalar, id, 0});
    }

    void place_effect(InstId id, bool memory) {
        const Inst& inst = kernel_.inst(id);
        int64_t width = 0;
        for (Value v : inst.operands)
            if (is_block(v)) width = kernel_.type(v).lanes();
        if (open_ && plan_.stages.back().width != width) close();
        if (memory && open_ && must_wait(facts_, open_accesses_, access_of(facts_, inst))) close();
        std::vector<InstId> closure = needed_for(inst);
        if (open_ && std::ranges::any_of(closure, [&](InstId each) {
                return needs_open_stage(kernel_.inst(each).operands);
            })) {
            close();
            closure = needed_for(inst);
        }
        if (needs_open_stage(inst.operands)) {
            close();
            closure = needed_for(inst);
        }
        Stage& stage = open(width);
        for (InstId each : closure) add(stage, each);
        add(stage, id);
        for (Value from : buffered_) take_from_buffer(stage, from);
        buffered_.clear();
        if (memory) open_accesses_.push_back(access_of(facts_, inst));
        stage.reports |= takes_text(inst.op);
        if (info(inst.op).kind == OpKind::reduce) {
            stage.reduces = true;
            pending_.insert(inst.result().index);
        }
    }

    // Results of the open stage's reductions exist only after it.
    bool needs_open_stage(const std::vector<Value>& operands) const {
        return std::ranges::any_of(
            operands, [&](Value v) { return !v.none() && pending_.contains(v.index); });
    }

    // The pure ops that must join the open stage for `inst`, in program order. Values of earlier
    // stages are computed again where that is cheap, else they come through a buffer.
    std::vector<InstId> needed_for(const Inst& inst) {
        std::set<InstId> needed;
        buffered_.clear();
        std::vector<Value> pending(inst.operands);
        while (!pending.empty()) {
            Value value = pending.back();
            pending.pop_back();
            if (!is_block(value) || in_open_stage(value)) continue;
            InstId id = *facts_.definition(value);
            bool elsewhere = home_[value.index] >= 0;
            // A moved pointer is no value of its own, only part of the addresses that use it.
            bool moved = kernel_.inst(id).op == Op::addptr;
            if (elsewhere && !cheap_[value.index] && !moved) {
                buffered_.push_back(value);
                continue;
            }
            if (!needed.insert(id).second) continue;
            const std::vector<Value>& operands = kernel_.inst(id).operands;
            pending.insert(pending.end(), operands.begin(), operands.end());
        }
        return {needed.begin(), needed.end()};
    }

    bool in_open_stage(Value value) const { return open_ && in_stage_.contains(value.index); }

    Stage& open(int64_t width) {
        if (!open_) {
            plan_.stages.push_back({});
            plan_.stages.back().width = width;
            open_ = true;
        }
        return plan_.stages.back();
    }

    void close() {
        if (!open_) return;
        plan_.steps.push_back({Step::Kind::stage, 0, plan_.stages.size() - 1});
        open_ = false;
        in_stage_.clear();
        pending_.clear();
        open_accesses_.clear();
    }

    void add(Stage& stage, InstId id) {
        stage.body.push_back(id);
        for (Value result : kernel_.inst(id).results) {
            in_stage_.insert(result.index);
            if (home_[result.index] < 0)
                home_[result.index] = static_cast<int>(plan_.stages.size()) - 1;
        }
    }

    void take_from_buffer(Stage& stage, Value value) {
        if (!in_stage_.insert(value.index).second) return;
        stage.from_buffer.push_back(value);
        std::vector<Value>& left = plan_.stages[home_[value.index]].to_buffer;
        if (std::ranges::find(left, value) != left.end()) return;
        left.push_back(value);
        plan_.buffers.push_back({value, plan_.scratch_bytes});
        int64_t lanes = (stage.width + kStrip - 1) / kStrip * kStrip;
        Scalar scalar = lane_scalar(kernel_.type(value));
        plan_.scratch_bytes += lanes * (scalar == Scalar::boolean ? 4 : info(scalar).bytes);
    }

    // Chooses the interior of a finished stage.
    void finish(Stage& stage) {
        Value bound = find_bound(stage);
        if (!bound.none()) {
            stage.bound = facts_.prefix_tests(bound);
            add_all_true(stage, bound);
        }
        stage.stops_at_bound =
            !bound.none() && !stage.reduces && !stage.reports && stage.to_buffer.empty();
        int64_t cost = 0;
        for (InstId id : stage.body) {
            const Inst& inst = kernel_.inst(id);
            cost += info(inst.op).has(kCostly) ? kCostlyLanes : 1;
            bool memory = info(inst.op).has(kReads) || info(inst.op).has(kWrites);
            if (!memory) continue;
            bool masked = inst.op == Op::store || inst.op == Op::atomic_rmw;
            if (info(inst.op).has(kWrites) && (!masked || inst.operands[2] != bound))
                stage.stops_at_bound = false;
            if (inst.op != Op::load && inst.op != Op::store) continue;
            Address address = facts_.address(inst.operands[0]);
            if (facts_.is_contiguous(address)) add_once(stage.contiguous, address.lane_offsets[0]);
        }
        plan_.cost_per_program += stage.width * cost;
        for (Value index : stage.contiguous) add_wraps(stage, index);
        for (const PrefixTest& test : stage.bound) add_wraps(stage, test.index);
    }

    void add_wraps(Stage& stage, Value index) const {
        for (Value value : facts_.may_wrap(index)) add_once(stage.may_wrap, value);
    }

    // The first mask of the stage that holds for leading lanes only.
    Value find_bound(const Stage& stage) const {
        for (InstId id : stage.body) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op != Op::load && inst.op != Op::store) continue;
            Value mask = inst.operands[inst.op == Op::load ? 1 : 2];
            if (is_block(mask) && !facts_.prefix_tests(mask).empty()) return mask;
        }
        return {};
    }

    // The mask and, where it is a conjunction, its parts.
    void add_all_true(Stage& stage, Value mask) {
        std::vector<Value> pending = {mask};
        std::set<uint32_t> seen;
        while (!pending.empty()) {
            Value value = pending.back();
            pending.pop_back();
            if (!seen.insert(value.index).second) continue;
            stage.all_true.push_back(value);
            const Inst& inst = kernel_.inst(*facts_.definition(value));
            if (inst.op == Op::bit_and)
                pending.insert(pending.end(), inst.operands.begin(), inst.operands.end());
        }
        std::ranges::sort(stage.all_true, {}, &Value::index);
    }

    static void add_once(std::vector<Value>& values, Value value) {
        if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }

    // Before each stage, the lane-0 values that its bound and its addresses start from: an index
    // op on the lane-0 values of its operands.
    void place_lane0_steps() {
        std::vector<Step> steps;
        std::set<InstId> placed;
        for (const Step& step : plan_.steps) {
            if (step.kind == Step::Kind::stage)
                for (InstId id : lane0_needs(plan_.stages[step.stage]))
                    if (placed.insert(id).second) steps.push_back({Step::Kind::lane0, id, 0});
            steps.push_back(step);
        }
        plan_.steps = std::move(steps);
    }

    std::set<InstId> lane0_needs(const Stage& stage) const {
        std::set<InstId> needs;
        std::vector<Value> pending = stage.may_wrap;
        while (!pending.empty()) {
            Value value = pending.back();
            pending.pop_back();
            if (!is_block(value) || !needs.insert(*facts_.definition(value)).second) continue;
            const Inst& inst = kernel_.inst(*facts_.definition(value));
            pending.insert(pending.end(), inst.operands.begin(), inst.operands.end());
        }
        return needs;
    }

    const Kernel& kernel_;
    Facts facts_;
    StripPlan plan_;
    std::vector<int> home_;    // by value: the stage that first computed it
    std::vector<bool> cheap_;  // by value: index arithmetic, not worth a buffer
    bool open_ = false;
    std::set<uint32_t> in_stage_;
    std::set<uint32_t> pending_;
    std::vector<Access> open_accesses_;
    std::vector<Value> buffered_;
};

std::string list(const Kernel& kernel, const char* title, const std::vector<Value>& values) {
    std::string out;
    for (Value value : values) out += (out.empty() ? title : ", ") + print_value(kernel, value);
    return out.empty() ? out : "    " + out + "\n";
}

std::string print_stage(const Kernel& kernel, const Stage& stage) {
    std::string out = "stage of " + std::to_string(stage.width) + " lanes";
    std::string tests;
    for (const PrefixTest& test : stage.bound)
        tests += (tests.empty() ? ", interior while " : " and ") + print_value(kernel, test.index) +
                 (test.inclusive ? " <= " : " < ") + print_value(kernel, test.bound);
    out += tests + (stage.stops_at_bound ? ", then stop\n" : "\n");
    out += list(kernel, "contiguous: ", stage.contiguous) +
           list(kernel, "from buffer: ", stage.from_buffer);
    for (InstId id : stage.body) out += "    " + print_inst(kernel, kernel.inst(id)) + "\n";
    return out + list(kernel, "to buffer: ", stage.to_buffer);
}

}  // namespace

StripPlan plan_strips(const Kernel& legal) {
    return Planner(legal).run();
}

std::string print_plan(const Kernel& legal, const StripPlan& plan) {
    std::string out = "strips of " + std::to_string(kStrip) + " lanes, " +
                      std::to_string(plan.scratch_bytes) + " bytes of scratch\n";
    for (const Step& step : plan.steps) {
        switch (step.kind) {
            case Step::Kind::scalar:
                out += print_inst(legal, legal.inst(step.inst)) + "\n";
                break;
            case Step::Kind::lane0:
                out += "lane 0 of " + print_value(legal, legal.inst(step.inst).result()) + "\n";
                break;
            case Step::Kind::stage:
                out += print_stage(legal, plan.stages[step.stage]);
                break;
        }
    }
    return out;
}

}  // namespace mytriton
