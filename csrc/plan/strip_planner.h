// Cuts a program into stages; strips.cpp, strips_memory.cpp and strips_regions.cpp hold its parts.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "plan/memory.h"
#include "plan/reload.h"
#include "plan/strips.h"

namespace mytriton {

class StripPlanner {
  public:
    StripPlanner(const Kernel& kernel, StripTarget target);
    StripPlan run();

  private:
    // --- stages and single instructions: strips.cpp

    bool is_block(Value value) const { return !value.none() && kernel_.type(value).is_block(); }
    // The steps of a region, which ends by moving what it yields to these slots.
    Steps place_region(RegionId region, const std::vector<size_t>& slots = {});
    void place(InstId id);
    // Ints are divided lane by lane.
    bool is_costly(const Inst& inst) const;
    // Scalar steps run before the stage that is open, unless they need something of it.
    void place_scalar(InstId id, bool memory);
    void place_effect(InstId id, bool memory);
    // Computes these values in the stage that is open, or in a new one where that cannot be; then
    // does the effect that they are needed for.
    Stage& place_effect(const std::vector<Value>& operands, int64_t width, const InstId* effect);
    // Other lanes of what the open stage leaves in a buffer are there only after it.
    bool moves_from_open_stage(const Inst& inst) const;
    // Results of the open stage's reductions exist only after it.
    bool needs_open_stage(const std::vector<Value>& operands) const;
    struct Needs {
        std::vector<InstId> closure;  // pure ops that must join the stage, in program order
        std::vector<Value> buffered, slots;
    };
    // Values of earlier stages are computed again where that is cheap, else they come through a
    // buffer.
    Needs needs_of(const std::vector<Value>& operands) const;
    bool in_open_stage(Value value) const { return open_ && in_stage_.contains(value.index); }
    Stage& open(int64_t width);
    void close();
    void add(Stage& stage, InstId id);
    void take_from_buffer(Stage& stage, Value value);
    int64_t take_scratch(Type block);
    void take_from_slot(Stage& stage, Value value);

    // --- lanes that meet other lanes: strips_memory.cpp

    // Each strip then takes its lanes from there.
    void place_movement(const Inst& inst);
    // Whether any lane can do for itself what this lane did: index arithmetic, of no great length.
    // It closes the stage that the scalars in it come from.
    bool is_recomputable(Value value);
    void place_in_memory(InstId id);
    // Rows of whole strips are combined by the stage that computes them.
    bool combines_rows(const Inst& inst) const;
    void place_rows(InstId id);
    void keep_in_memory(Value value);
    void leave_in_memory(Value value);
    void leave_in_buffer(Stage& stage, Value value);

    // --- ops with regions: strips_regions.cpp

    void place_control(InstId id);
    // Blocks that a region needs from outside are computed there, if they cost anything: in the
    // region it might be done over and over, or not at all where something behind it needs them.
    void compute_before(const Inst& control);
    // Masks of leading lanes become bounds; others are not to be computed in each round again.
    bool is_mask_to_keep(Value value) const;
    std::vector<size_t> make_slots(const Inst& inst);
    void put_in_slot(Value value);
    // Values of one width are moved together, so that what is swapped is read before it is written.
    void place_moves(const std::vector<Value>& from, size_t first,
                     const std::vector<size_t>& slots);
    int64_t trips_of(const Inst& inst) const;

    const Kernel& kernel_;
    bool cuda_;
    Facts facts_;
    StripPlan plan_;
    std::vector<int> home_;         // by value: the stage that first computed it
    std::vector<bool> stored_;      // by value: a memory step leaves it in its buffer
    std::set<uint32_t> in_memory_;  // values whose buffers hold them here
    std::vector<bool> cheap_;       // by value: index arithmetic, not worth a buffer
    Reloads reloads_;
    Steps steps_;        // of the region that is being placed
    int64_t trips_ = 1;  // how often it is taken to run
    bool open_ = false;
    std::set<uint32_t> in_stage_;
    std::set<uint32_t> pending_;
    std::vector<Access> open_accesses_;
};

}  // namespace mytriton
