// Follows the steps to see from when to when each buffer is needed, then places the largest first.
#include "plan/shared.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ir/movement.h"

namespace mytriton {

namespace {

constexpr int64_t kAlignment = 16;

// Steps [first, last] of the program, counted in its order; loops have a number at each end.
struct Span {
    int64_t first, last;
    bool meets(const Span& other) const { return first <= other.last && other.first <= last; }
};

class Lives {
  public:
    Lives(const Kernel& kernel, const StripPlan& plan)
        : kernel_(kernel), facts_(kernel), plan_(plan) {
        for (const Buffer& buffer : plan.buffers)
            if (buffer.exchanged) touches_[buffer.value.index] = {};
        walk(plan.steps);
    }

    // A buffer that is touched in a loop and also outside it is needed from the loop's start to its
    // end, for what is defined in a loop is not known outside.
    std::map<uint32_t, Span> run() const {
        std::map<uint32_t, Span> spans;
        for (const auto& [value, touches] : touches_) {
            if (touches.empty()) continue;
            size_t common = touches[0].loops.size();
            for (const Touch& touch : touches) {
                size_t same = 0;
                while (same < std::min(common, touch.loops.size()) &&
                       touch.loops[same] == touches[0].loops[same])
                    ++same;
                common = same;
            }
            Span span{touches[0].at, touches[0].at};
            for (const Touch& touch : touches) {
                bool deeper = touch.loops.size() > common;
                Span whole = deeper ? loops_[touch.loops[common]] : Span{touch.at, touch.at};
                span.first = std::min(span.first, whole.first);
                span.last = std::max(span.last, whole.last);
            }
            spans[value] = span;
        }
        return spans;
    }

  private:
    struct Touch {
        int64_t at;
        std::vector<size_t> loops;  // around it, from the outside
    };

    void walk(const Steps& steps) {
        for (const Step& step : steps) {
            ++at_;
            if (step.kind == Step::Kind::stage) touch_stage(plan_.stages[step.stage]);
            if (step.kind == Step::Kind::lane0) {
                touch_moved(step.value);
                touch(step.value);
            }
            if (step.kind == Step::Kind::memory) {
                for (Value operand : kernel_.inst(step.inst).operands)
                    touch(facts_.unreshaped(operand));
                touch(kernel_.inst(step.inst).result());
            }
            if (step.kind != Step::Kind::control) continue;
            bool loop = kernel_.inst(step.inst).op != Op::if_;
            if (loop) {
                open_.push_back(loops_.size());
                loops_.push_back({at_, at_});
            }
            for (const Steps& block : step.blocks) walk(block);
            ++at_;
            if (!loop) continue;
            loops_[open_.back()].last = at_;
            open_.pop_back();
        }
    }

    void touch_stage(const Stage& stage) {
        for (Value value : stage.from_buffer) touch(value);
        for (Value value : stage.to_buffer) touch(value);
        for (InstId id : stage.body)
            if (!kernel_.inst(id).results.empty()) touch_moved(kernel_.inst(id).result());
    }

    void touch_moved(Value value) {
        std::optional<InstId> id = facts_.definition(value);
        if (!id || !moves_lanes(kernel_.inst(*id).op) || plan_.recomputed[value.index]) return;
        for (Value operand : kernel_.inst(*id).operands) touch(facts_.unreshaped(operand));
    }

    void touch(Value value) {
        auto found = touches_.find(value.index);
        if (found != touches_.end()) found->second.push_back({at_, open_});
    }

    const Kernel& kernel_;
    Facts facts_;
    const StripPlan& plan_;
    std::map<uint32_t, std::vector<Touch>> touches_;
    std::vector<Span> loops_;
    std::vector<size_t> open_;
    int64_t at_ = 0;
};

}  // namespace

int64_t shared_size(Type block) {
    return block.lanes() * info(lane_scalar(block)).bytes;
}

int64_t place_shared(const Kernel& legal, const StripPlan& plan,
                     std::map<uint32_t, int64_t>& offsets) {
    std::map<uint32_t, Span> spans = Lives(legal, plan).run();
    std::vector<Value> values;
    for (const Buffer& buffer : plan.buffers)
        if (spans.contains(buffer.value.index)) values.push_back(buffer.value);
    std::ranges::stable_sort(values, std::greater{},
                             [&](Value value) { return shared_size(legal.type(value)); });
    struct Placed {
        Span span;
        int64_t first, last;
    };
    std::vector<Placed> placed;
    int64_t end = 0;
    for (Value value : values) {
        int64_t bytes = (shared_size(legal.type(value)) + kAlignment - 1) / kAlignment * kAlignment;
        const Span& span = spans.at(value.index);
        std::set<int64_t> candidates = {0};
        for (const Placed& other : placed) candidates.insert(other.last);
        for (int64_t at : candidates) {
            bool is_free = std::ranges::none_of(placed, [&](const Placed& other) {
                return other.span.meets(span) && other.first < at + bytes && at < other.last;
            });
            if (!is_free) continue;
            offsets[value.index] = at;
            placed.push_back({span, at, at + bytes});
            end = std::max(end, at + bytes);
            break;
        }
    }
    return end;
}

}  // namespace mytriton
