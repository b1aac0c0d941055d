// Prints the stages of the blocked layout: a thread's vectors, one after the other.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/emit_regions.h"
#include "plan/blocked.h"

namespace mytriton {

class CudaStageEmitter : public CudaRegionEmitter<Step> {
  public:
    CudaStageEmitter(const Kernel& kernel, const BlockedPlan& plan)
        : CudaRegionEmitter(kernel), plan_(plan) {}

  protected:
    bool is_block(Value value) const { return !value.none() && kernel_.type(value).is_block(); }
    std::string number(Value value) const;
    // A thread's lanes of a block that is kept, and a block that all threads see.
    std::string buffer_name(Value value) const { return "mt_buffer" + number(value); }
    std::string shared_name(Value value) const { return "mt_shared" + number(value); }
    static std::string slot_name(size_t slot) { return "mt_slot" + std::to_string(slot); }

    std::string text(Value value) const override;
    void declare(Value value, const std::string& expression, LocId loc) override;
    void emit_lane0(const Step& step);
    void emit_stage(const Stage& stage);

    const BlockedPlan& plan_;

  private:
    // What a stage does with each lane: an instruction, or a value that comes or goes.
    struct Item {
        enum class Kind { inst, from_buffer, from_slot, to_buffer, to_slot } kind;
        InstId inst = 0;
        Value value = {};
        size_t slot = 0;
    };
    using Items = std::vector<Item>;

    Items items_of(const Stage& stage) const;
    std::vector<Value> uses_of(const Item& item) const;
    Value result_of(const Item& item) const;
    Items needed(const Items& items) const;
    bool is_whole(const Item& item) const;
    std::string interior_condition(const Stage& stage);
    void emit_rounds(const Stage& stage, bool interior);
    void emit_round(const Stage& stage);
    void choose_arrays(const std::vector<Items>& groups);
    void emit_group(const Items& group);
    void emit_lane(const Item& item);
    void emit_block_inst(const Inst& inst);
    void emit_movement(const Inst& inst);
    std::string moved(const Inst& inst) const;
    void emit_whole(const Item& item);
    void emit_vector_load(const Inst& inst, const std::string& vector);
    void emit_vector_store(const Inst& inst, const std::string& vector);
    void emit_row(const Inst& inst, const std::string& vector);
    std::string vector_type(Value pointer);
    std::string lane_of(const std::string& vector, Scalar scalar) const;
    void emit_reductions(const Stage& stage);
    // A loop over the lanes of a vector; with their numbers in the block.
    void open_lanes();
    void open_numbered_lanes();
    void close();

    const Stage* stage_ = nullptr;
    bool interior_ = false;
    bool lane0_ = false;         // what is printed is the first lane of blocks
    int64_t vector_ = 1;         // lanes of the stage's vectors
    std::string k_;              // which lane of the vector is printed
    std::string index_;          // of the lane among the thread's
    std::set<uint32_t> arrays_;  // values of which each lane of a vector is kept
    std::unordered_map<uint32_t, std::string> vectors_;  // values that are lanes of a loaded vector
    int closures_ = 0;                                   // of movements, one in the other
};

}  // namespace mytriton
