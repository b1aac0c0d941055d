// Chooses vectors, what one thread does for all, and what goes through shared memory.
#include "plan/blocked.h"

#include <algorithm>

#include "ir/movement.h"
#include "ir/print.h"
#include "plan/barriers.h"
#include "plan/lanes.h"
#include "plan/shared.h"

namespace mytriton {

namespace {

constexpr int64_t kVectorBytes = 16;  // of one access

class Planner {
  public:
    explicit Planner(const Kernel& legal) : kernel_(legal), facts_(legal) {
        int warps = legal.options().num_warps;
        plan_.threads = 32 * (warps ? warps : kDefaultWarps);
        plan_.strips = plan_strips(legal, StripTarget::cuda);
    }

    BlockedPlan run() {
        choose_vectors();
        for (const Stage& stage : plan_.strips.stages)
            for (InstId id : stage.body) {
                const Inst& inst = kernel_.inst(id);
                if (info(inst.op).kind == OpKind::reduce)
                    plan_.words.emplace(id, static_cast<int>(plan_.words.size()));
            }
        used_ = used_values(kernel_);
        choose_one_thread(plan_.strips.steps);
        plan_.shared_bytes = place_shared(kernel_, plan_.strips, plan_.shared);
        check_sizes();
        std::vector<SyncStep> steps = sync_steps(plan_.strips.steps);
        place_barriers(kernel_, steps, plan_.threads);
        return std::move(plan_);
    }

  private:
    bool is_block(Value value) const { return !value.none() && kernel_.type(value).is_block(); }

    // --- vectors ---------------------------------------------------------------------------------

    // As many lanes of the narrowest element as one access takes, of a width that every thread gets
    // some of.
    void choose_vectors() {
        kernel_.walk([&](InstId id) {
            const Inst& inst = kernel_.inst(id);
            for (Value value : inst.results) add_width(value);
            for (Value value : inst.operands) add_width(value);
            for (RegionId region : inst.regions)
                for (Value value : kernel_.region(region).args) add_width(value);
        });
        for (const Stage& stage : plan_.strips.stages)
            for (InstId id : stage.body) {
                const Inst& inst = kernel_.inst(id);
                if (!is_plain_access(inst)) continue;
                int64_t bytes = info(kernel_.type(inst.operands[0]).scalar()).bytes;
                int64_t& vector = plan_.vectors[stage.width];
                vector = std::max(vector, kVectorBytes / bytes);
            }
        for (auto& [width, vector] : plan_.vectors)
            while (vector > 1 && (width % vector != 0 || vector * plan_.threads > width))
                vector /= 2;
        for (Stage& stage : plan_.strips.stages) {
            size_t before = plan_.vector_accesses.size();
            for (InstId id : stage.body) choose_access(stage, id);
            if (plan_.vector_accesses.size() == before) drop_interior(stage);
            stage.stops_at_bound = false;  // all threads take part anyway
        }
        drop_idle_lane0(plan_.strips.steps, lane0_needs());
    }

    // Without whole vectors an interior would be the edge once more.
    static void drop_interior(Stage& stage) {
        stage.bound.clear();
        stage.all_true.clear();
        stage.contiguous.clear();
        stage.may_wrap.clear();
    }

    // What the interiors that are left start from, and what that is computed from.
    std::set<uint32_t> lane0_needs() const {
        std::vector<Value> pending;
        for (const Stage& stage : plan_.strips.stages)
            pending.insert(pending.end(), stage.may_wrap.begin(), stage.may_wrap.end());
        std::set<uint32_t> needs;
        while (!pending.empty()) {
            Value value = pending.back();
            pending.pop_back();
            if (!is_block(value) || !needs.insert(value.index).second) continue;
            if (std::optional<InstId> id = facts_.definition(value)) {
                const std::vector<Value>& operands = kernel_.inst(*id).operands;
                pending.insert(pending.end(), operands.begin(), operands.end());
            }
        }
        return needs;
    }

    static void drop_idle_lane0(Steps& steps, const std::set<uint32_t>& needs) {
        std::erase_if(steps, [&](const Step& step) {
            return step.kind == Step::Kind::lane0 && !needs.contains(step.value.index);
        });
        for (Step& step : steps)
            for (Steps& block : step.blocks) drop_idle_lane0(block, needs);
    }

    void add_width(Value value) {
        if (is_block(value)) plan_.vectors.try_emplace(kernel_.type(value).lanes(), 1);
    }

    // A load or store of consecutive lanes, without wishes as to caches.
    bool is_plain_access(const Inst& inst) const {
        if ((inst.op != Op::load && inst.op != Op::store) || !is_block(inst.operands[0]))
            return false;
        if (inst.find_attr(AttrKey::cache) || inst.find_attr(AttrKey::is_volatile)) return false;
        Address address = facts_.address(inst.operands[0]);
        return facts_.is_contiguous(address) || facts_.has_contiguous_rows(address);
    }

    void choose_access(const Stage& stage, InstId id) {
        const Inst& inst = kernel_.inst(id);
        if (plan_.vectors[stage.width] == 1 || !is_plain_access(inst)) return;
        Value mask = inst.operands[inst.op == Op::load ? 1 : 2];
        bool all_true = mask.none() || stage.is_all_true(mask);
        if (facts_.is_contiguous(facts_.address(inst.operands[0])) && all_true)
            plan_.vector_accesses.insert(id);
        else if (kernel_.type(inst.operands[0]).shape().back() % plan_.vectors[stage.width] == 0 &&
                 wraps_at_once(facts_.address(inst.operands[0])))
            plan_.row_accesses.insert(id);
    }

    // Whether lanes between two that lie as far apart as they should are neighbours too: where one
    // index alone may wrap, nothing undoes its jump.
    bool wraps_at_once(const Address& address) const {
        std::set<uint32_t> rising;
        for (Value offset : address.lane_offsets)
            for (Value value : facts_.may_wrap(offset))
                if (kernel_.type(value).is(Scalar::i32) && facts_.row_stride(value) != 0)
                    rising.insert(value.index);
        return rising.size() <= 1;
    }

    // --- what one thread does for all ------------------------------------------------------------

    void choose_one_thread(Steps& steps) {
        for (Step& step : steps) {
            for (Steps& block : step.blocks) choose_one_thread(block);
            // The first lane of a block that is carried: only the first thread has it.
            if (step.kind == Step::Kind::lane0 && plan_.strips.slot_of[step.value.index] >= 0)
                step.once = add_once(step.value);
            if (step.kind != Step::Kind::scalar) continue;
            const Inst& inst = kernel_.inst(step.inst);
            if (takes_text(inst.op)) step.one_thread = true;
            bool writes = info(inst.op).has(kWrites);
            bool is_used = !inst.results.empty() && used_.contains(inst.results[0].index);
            if (!writes && !(is_fresh(inst) && is_used)) continue;
            step.one_thread = true;
            if (is_used) step.once = add_once(inst.result());
        }
    }

    int add_once(Value value) {
        plan_.once.push_back(kernel_.type(value).scalar());
        return static_cast<int>(plan_.once.size()) - 1;
    }

    // --- limits ----------------------------------------------------------------------------------

    void check_sizes() const {
        std::vector<Value> shared, kept;
        for (const Buffer& buffer : plan_.strips.buffers)
            (plan_.shared.contains(buffer.value.index) ? shared : kept).push_back(buffer.value);
        for (const Slot& slot : plan_.strips.slots)
            if (is_block(slot.value)) kept.push_back(slot.value);
        if (plan_.shared_bytes > kMostSharedBytes)
            refuse(shared, plan_.shared_bytes, kMostSharedBytes,
                   "of shared memory for blocks whose lanes change places", "use smaller blocks");
        int64_t bytes = 0;
        for (Value value : kept) {
            Type type = kernel_.type(value);
            bytes += plan_.lanes_each(type.lanes()) * info(lane_scalar(type)).bytes;
        }
        if (bytes > kMostThreadBytes)
            refuse(kept, bytes, kMostThreadBytes,
                   "for the blocks that each of " + std::to_string(plan_.threads) +
                       " threads keeps a share of",
                   "use smaller blocks or more num_warps");
    }

    // At the largest of the blocks; all of them are named.
    [[noreturn]] void refuse(const std::vector<Value>& blocks, int64_t bytes, int64_t most,
                             const std::string& purpose, const std::string& advice) const {
        std::string types;
        for (Value value : blocks) types += (types.empty() ? "" : ", ") + kernel_.type(value).str();
        Value largest = *std::ranges::max_element(
            blocks, {}, [&](Value value) { return kernel_.type(value).lanes(); });
        std::optional<InstId> id = facts_.definition(largest);
        throw CompileError("CUDA lowering needs " + std::to_string(bytes) + " bytes " + purpose +
                               ", and there are " + std::to_string(most) + ": " + types + "; " +
                               advice,
                           id ? kernel_.locs()[kernel_.inst(*id).loc] : Loc());
    }

    // --- barriers --------------------------------------------------------------------------------

    // Words and once-places lie apart from buffers: behind all that there can be.
    SharedPlace word_place(int index) const {
        return {kMostSharedBytes + 2 * index, kMostSharedBytes + 2 * index + 1};
    }
    SharedPlace once_place(int index) const {
        return {kMostSharedBytes + 2 * index + 1, kMostSharedBytes + 2 * index + 2};
    }

    std::vector<SyncStep> sync_steps(Steps& steps) {
        std::vector<SyncStep> out;
        for (Step& step : steps) {
            SyncStep sync{&step.barrier_before, step.inst, step.one_thread};
            if (step.kind == Step::Kind::stage) add_stage(plan_.strips.stages[step.stage], sync);
            if (step.kind == Step::Kind::lane0) {
                add_moved(step.value, sync);
                add_place(step.value, sync.reads);
            }
            if (step.kind == Step::Kind::memory) {
                const Inst& inst = kernel_.inst(step.inst);
                for (Value operand : inst.operands)
                    add_place(facts_.unreshaped(operand), sync.reads);
                add_place(inst.result(), sync.writes);
            }
            if (step.kind == Step::Kind::scalar && accesses_memory(step.inst))
                sync.accesses = {step.inst};
            sync.waits |= step.once >= 0;
            if (step.once >= 0) sync.writes = sync.reads_after = {once_place(step.once)};
            for (Steps& block : step.blocks) sync.blocks.push_back(sync_steps(block));
            out.push_back(std::move(sync));
        }
        return out;
    }

    void add_stage(const Stage& stage, SyncStep& sync) {
        for (Value value : stage.from_buffer) add_place(value, sync.reads);
        for (Value value : stage.to_buffer) add_place(value, sync.writes);
        for (InstId id : stage.body) {
            const Inst& inst = kernel_.inst(id);
            if (accesses_memory(id)) sync.accesses.push_back(id);
            if (!inst.results.empty()) add_moved(inst.result(), sync);
            auto words = plan_.words.find(id);
            if (words == plan_.words.end()) continue;
            sync.waits = true;
            sync.writes.push_back(word_place(words->second));
            sync.reads_after.push_back(word_place(words->second));
        }
    }

    void add_moved(Value value, SyncStep& sync) {
        std::optional<InstId> id = facts_.definition(value);
        if (!id || !moves_lanes(kernel_.inst(*id).op) || plan_.strips.recomputed[value.index])
            return;
        for (Value operand : kernel_.inst(*id).operands)
            add_place(facts_.unreshaped(operand), sync.reads);
    }

    void add_place(Value value, std::vector<SharedPlace>& places) const {
        if (value.none()) return;
        auto found = plan_.shared.find(value.index);
        if (found == plan_.shared.end()) return;
        places.push_back({found->second, found->second + shared_size(kernel_.type(value))});
    }

    bool accesses_memory(InstId id) const {
        const OpInfo& row = info(kernel_.inst(id).op);
        return row.has(kReads) || row.has(kWrites);
    }

    const Kernel& kernel_;
    Facts facts_;
    BlockedPlan plan_;
    std::set<uint32_t> used_;
};

}  // namespace

int64_t BlockedPlan::rounds(int64_t width) const {
    int64_t each = threads * vector(width);
    return (width + each - 1) / each;
}

std::string print_plan(const Kernel& legal, const BlockedPlan& plan) {
    auto number = [](int64_t n) { return std::to_string(n); };
    std::string out = "blocked layout: " + number(plan.threads) + " threads\n";
    for (const auto& [width, vector] : plan.vectors)
        out += number(width) + " lanes: " + number(plan.rounds(width)) + " x " + number(vector) +
               " a thread\n";
    for (const auto& [id, words] : plan.words)
        out += "words " + number(words) + ": " + number(plan.warps()) + " x " +
               std::string(info(legal.type(legal.inst(id).result()).scalar()).name) + "\n";
    for (size_t i = 0; i < plan.once.size(); ++i)
        out += "once " + number(i) + ": " + std::string(info(plan.once[i]).name) + "\n";
    if (plan.shared_bytes) out += number(plan.shared_bytes) + " bytes of shared buffers\n";
    for (const Buffer& buffer : plan.strips.buffers)
        if (auto at = plan.shared.find(buffer.value.index); at != plan.shared.end())
            out +=
                "shared " + print_value(legal, buffer.value) + ": at " + number(at->second) + "\n";
    return out + print_steps(legal, plan.strips, [&](InstId id) -> std::string {
               if (plan.vector_accesses.contains(id)) return "vectors";
               if (plan.row_accesses.contains(id)) return "vectors where a row allows";
               auto words = plan.words.find(id);
               if (words != plan.words.end()) return "words " + number(words->second);
               const Inst& inst = legal.inst(id);
               bool again = !inst.results.empty() && plan.strips.recomputed[inst.result().index];
               return again ? "computed again" : "";
           });
}

BlockedPlan plan_blocked(const Kernel& legal) {
    return Planner(legal).run();
}

}  // namespace mytriton
