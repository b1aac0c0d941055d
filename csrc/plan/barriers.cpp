// Runs through the program, carrying what is pending, until loops bring back nothing new.
#include "plan/barriers.h"

#include <algorithm>
#include <map>
#include <set>

#include "plan/memory.h"

namespace mytriton {

namespace {

// What some threads may have done and others may not.
struct Pending {
    std::map<size_t, bool> accesses;  // and whether the address may be another by now: see Span
    std::set<SharedPlace> reads, writes;
    bool any = false;  // access since all threads last waited, for whatever reason

    void clear() { *this = {}; }
    void merge(const Pending& other) {
        any |= other.any;
        for (const auto& [access, moved] : other.accesses) accesses[access] |= moved;
        reads.insert(other.reads.begin(), other.reads.end());
        writes.insert(other.writes.begin(), other.writes.end());
    }
    friend bool operator==(const Pending&, const Pending&) = default;
};

bool overlap(const std::set<SharedPlace>& pending, const std::vector<SharedPlace>& places) {
    return std::ranges::any_of(places, [&](const SharedPlace& place) {
        return std::ranges::any_of(pending,
                                   [&](const SharedPlace& p) { return p.overlaps(place); });
    });
}

// The positions of a loop's region in the program's text. What is defined there is another value in
// the next round.
struct Span {
    size_t first = 0, last = 0;
    bool holds(size_t position) const { return first <= position && position <= last; }
};

class Placer {
  public:
    Placer(const Kernel& kernel, std::vector<SyncStep>& steps, int64_t threads)
        : kernel_(kernel),
          facts_(kernel),
          steps_(steps),
          threads_(threads),
          positions_(kernel.value_count()) {
        locate(0);
        by_one_thread_.resize(accesses_.size());
    }

    // A barrier, once set, stays. Its coming ends what loops had brought back until then.
    void run() {
        if (threads_ == 1) return;
        bool again = true;
        while (again) {
            found_ = changed_ = false;
            Pending pending;
            walk(steps_, pending);
            if (found_) back_edges_.clear();
            again = !spans_.empty() && (found_ || changed_);
        }
    }

  private:
    void locate(RegionId region) {
        for (Value arg : kernel_.region(region).args) positions_[arg.index] = position_;
        for (InstId id : kernel_.region(region).insts) {
            const Inst& inst = kernel_.inst(id);
            ++position_;
            for (Value result : inst.results) positions_[result.index] = position_;
            if (info(inst.op).has(kReads) || info(inst.op).has(kWrites)) {
                index_of_[id] = accesses_.size();
                accesses_.push_back(access_of(facts_, inst));
            }
            if (inst.regions.empty()) continue;
            size_t first = ++position_;
            for (RegionId inner : inst.regions) locate(inner);
            if (inst.op != Op::if_) spans_[id] = {first, position_};
        }
    }

    void walk(std::vector<SyncStep>& steps, Pending& pending) {
        for (SyncStep& step : steps) walk(step, pending);
    }

    void walk(SyncStep& step, Pending& pending) {
        if (!step.blocks.empty())
            return kernel_.inst(step.inst).op == Op::if_ ? walk_if(step, pending)
                                                         : walk_loop(step, pending);
        std::vector<size_t> accesses;
        for (InstId id : step.accesses) accesses.push_back(index_of_.at(id));
        if (!*step.barrier_before) {
            for (size_t access : accesses) by_one_thread_[access] = step.one_thread;
            *step.barrier_before =
                std::ranges::any_of(accesses, [&](size_t a) { return must_wait(pending, a); }) ||
                (releases(step) && pending.any) || overlap(pending.writes, step.reads) ||
                overlap(pending.writes, step.writes) || overlap(pending.reads, step.writes);
            found_ |= *step.barrier_before;
        }
        if (*step.barrier_before) pending.clear();
        for (size_t access : accesses) pending.accesses.try_emplace(access, false);
        pending.any |= !accesses.empty() && !step.one_thread;
        pending.reads.insert(step.reads.begin(), step.reads.end());
        pending.writes.insert(step.writes.begin(), step.writes.end());
        if (!step.waits) return;
        pending.clear();
        pending.reads.insert(step.reads_after.begin(), step.reads_after.end());
    }

    // Whether one thread tells other programs, by this step, of what all have done.
    bool releases(const SyncStep& step) const {
        const Inst& inst = kernel_.inst(step.inst);
        if (!step.one_thread || step.accesses.empty() ||
            (inst.op != Op::atomic_rmw && inst.op != Op::atomic_cas))
            return false;
        std::optional<int64_t> sem = inst.find_attr(AttrKey::sem);
        return !sem || sem == static_cast<int64_t>(MemSem::release) ||
               sem == static_cast<int64_t>(MemSem::acq_rel);
    }

    void walk_if(SyncStep& step, Pending& pending) {
        Pending otherwise = pending;
        walk(step.blocks[0], pending);
        walk(step.blocks[1], otherwise);
        pending.merge(otherwise);
    }

    // A for may end before each round, a while at its condition.
    void walk_loop(SyncStep& step, Pending& pending) {
        Pending end;
        Pending& before = back_edges_[step.inst];
        pending.merge(before);
        if (kernel_.inst(step.inst).op == Op::for_) end = pending;
        for (SyncStep& each : step.blocks[0]) {
            walk(each, pending);
            if (kernel_.inst(each.inst).op == Op::condition) end = pending;
        }
        for (auto& [access, moved] : pending.accesses) moved |= moves(access, spans_[step.inst]);
        changed_ |= pending != before;
        before = pending;
        if (kernel_.inst(step.inst).op == Op::for_) end.merge(pending);
        pending = end;
    }

    bool moves(size_t access, const Span& loop) const {
        const Address& address = accesses_[access].address;
        if (loop.holds(positions_[address.base.index])) return true;
        for (Value offset : address.offsets)
            if (loop.holds(positions_[offset.index])) return true;
        return false;
    }

    // What one thread does is in order.
    bool must_wait(const Pending& pending, size_t later) const {
        for (const auto& [access, moved] : pending.accesses) {
            if (by_one_thread_[access] && by_one_thread_[later]) continue;
            const Access& earlier = accesses_[access];
            const Address& address = earlier.address;
            bool waits =
                moved ? mytriton::must_wait(facts_, {{{}, address.root, {}, {}}, earlier.writes},
                                            accesses_[later])
                      : mytriton::must_wait(facts_, earlier, accesses_[later]);
            if (waits) return true;
        }
        return false;
    }

    const Kernel& kernel_;
    Facts facts_;
    std::vector<SyncStep>& steps_;
    int64_t threads_;
    size_t position_ = 0;
    std::vector<size_t> positions_;  // by value: of its definition; 0: of none
    std::vector<Access> accesses_;
    std::vector<bool> by_one_thread_;       // of accesses
    std::map<InstId, size_t> index_of_;     // of accesses
    std::map<InstId, Span> spans_;          // of loops
    std::map<InstId, Pending> back_edges_;  // of loops: what is pending where a round ends
    bool found_ = false;                    // a barrier
    bool changed_ = false;                  // what is pending at a back edge
};

}  // namespace

void place_barriers(const Kernel& legal, std::vector<SyncStep>& steps, int64_t threads) {
    Placer(legal, steps, threads).run();
}

}  // namespace mytriton
