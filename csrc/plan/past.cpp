// Strips wholly past a bound: masks are false there, so that loads give their `other`, and what
// follows from that is often the same in all of them.
#include "plan/past.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/across.h"
#include "ir/movement.h"

namespace mytriton {

namespace {

class PastFinder {
  public:
    PastFinder(const Kernel& kernel, const Facts& facts, const std::vector<Value>& masks,
               StripPlan& plan)
        : kernel_(kernel), facts_(facts), masks_(masks), plan_(plan) {}

    void run() {
        for (size_t i = 0; i < plan_.stages.size(); ++i)
            plan_.stages[i].repeats_past_bound = may_repeat(plan_.stages[i], masks_[i]);
        // Their buffers are incomplete: that is fine for stages which do not read the rest.
        std::set<uint32_t> read_anywhere;
        kernel_.walk([&](InstId id) {
            const Inst& inst = kernel_.inst(id);
            if (moves_lanes(inst.op) || is_across(inst))
                for (Value operand : inst.operands)
                    read_anywhere.insert(facts_.unreshaped(operand).index);
        });
        for (bool changes = true; changes;) {
            changes = false;
            for (Stage& stage : plan_.stages) {
                if (!stage.repeats_past_bound) continue;
                stage.repeats_past_bound = std::ranges::all_of(stage.to_buffer, [&](Value value) {
                    return !read_anywhere.contains(value.index) &&
                           std::ranges::all_of(plan_.stages, [&](const Stage& reader) {
                               return !contains(reader.from_buffer, value) ||
                                      (reader.bound == stage.bound && reader.row == stage.row &&
                                       reader.row_masks == stage.row_masks &&
                                       (reader.stops_at_bound || reader.repeats_past_bound));
                           });
                });
                changes |= !stage.repeats_past_bound;
            }
        }
    }

  private:
    bool is_block(Value value) const { return !value.none() && kernel_.type(value).is_block(); }

    static bool contains(const std::vector<Value>& values, Value value) {
        return std::ranges::find(values, value) != values.end();
    }

    bool may_repeat(const Stage& stage, Value bound) {
        bool leaves = stage.reduces || !stage.to_buffer.empty();
        if (bound.none() || !leaves || stage.width % kStrip != 0 || stage.reports ||
            stage.unrolled || !stage.moves.empty())
            return false;
        const std::vector<Past>& past = past_of(bound, stage.span());
        for (InstId id : stage.body) {
            const Inst& inst = kernel_.inst(id);
            if (info(inst.op).kind == OpKind::reduce && !is_same(past, inst.operands[0]))
                return false;
            if (!info(inst.op).has(kWrites)) continue;
            bool masked = inst.op == Op::store && !inst.operands[2].none();
            if (!masked || past[inst.operands[2].index] != Past::off) return false;
        }
        return std::ranges::all_of(stage.to_buffer, [&](Value v) { return is_same(past, v); });
    }

    // What is known of a block in strips wholly past a bound: it is the same in all of them, and
    // perhaps false.
    enum class Past : uint8_t { differs, same, off };

    bool is_same(const std::vector<Past>& past, Value value) const {
        return !is_block(value) || past[value.index] != Past::differs;
    }

    const std::vector<Past>& past_of(Value bound, int64_t span) {
        auto [found, fresh] =
            pasts_.try_emplace({bound.index, span}, kernel_.value_count(), Past::differs);
        std::vector<Past>& past = found->second;
        if (!fresh) return past;
        kernel_.walk([&](InstId id) {
            const Inst& inst = kernel_.inst(id);
            if (inst.results.size() == 1 && is_block(inst.result()))
                past[inst.result().index] =
                    inst.result() == bound ? Past::off : past_bound(past, span, inst);
        });
        return past;
    }

    Past past_bound(const std::vector<Past>& past, int64_t span, const Inst& inst) const {
        auto same = [&](Value value) { return value.none() || is_same(past, value); };
        auto off = [&](size_t i) {
            return is_block(inst.operands[i]) && past[inst.operands[i].index] == Past::off;
        };
        auto is = [](bool holds) { return holds ? Past::same : Past::differs; };
        if (inst.op == Op::load) return is(off(1) && same(inst.operands[2]));
        if (inst.op == Op::bit_and && (off(0) || off(1))) return Past::off;
        if (inst.op == Op::select && off(0)) return is(same(inst.operands[2]));
        bool within_row = kernel_.type(inst.result()).shape().back() % span == 0;
        if (within_row && facts_.has_equal_rows(inst.result())) return Past::same;
        bool lanewise = info(inst.op).kind == OpKind::pure || inst.op == Op::splat ||
                        inst.op == Op::cast || inst.op == Op::cast_rtz || inst.op == Op::bitcast;
        return is(lanewise && std::ranges::all_of(inst.operands, same));
    }

    const Kernel& kernel_;
    const Facts& facts_;
    const std::vector<Value>& masks_;
    StripPlan& plan_;
    // By such a mask, and the lanes that it counts: of each value.
    std::map<std::pair<uint32_t, int64_t>, std::vector<Past>> pasts_;
};

}  // namespace

void find_repeats(const Kernel& legal, const Facts& facts, const std::vector<Value>& masks,
                  StripPlan& plan) {
    PastFinder(legal, facts, masks, plan).run();
}

}  // namespace mytriton
