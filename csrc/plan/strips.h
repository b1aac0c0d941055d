// A program as scalar steps and stages, each stage a loop over strips of lanes: the CPU plan, and
// what the blocked layout of CUDA (blocked.h) is made of, where a strip is what one thread has.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/facts.h"

namespace mytriton {

// What a lane of a block holds: pointers are their addresses.
inline Scalar lane_scalar(Type type) {
    return type.is_pointer() ? Scalar::i64 : type.scalar();
}

constexpr int64_t kStrip = 16;  // lanes a strip, on every target: it fixes the order of sums

// Lanes of a block that a region takes or gives which is to stay in registers: 8 of AVX's in f32.
constexpr int64_t kRegisterLanes = 64;

// Where a block lies that regions take or give: a loop's carried value, or what an if gives.
struct Slot {
    Value value;         // the result of the loop or the if
    bool in_registers;   // an array of vectors that is indexed by constants only; else scratch
    int64_t offset = 0;  // bytes into scratch
};

// At the end of a strip, what a slot gets.
struct Move {
    Value from;
    size_t slot;
};

// A loop over the lanes of all blocks of one width. Its interior is the strips where the bound's
// tests hold for every lane and no index wraps: there contiguous accesses are plain vector moves
// and `all_true` masks are constants. The remaining strips, the edge, go under masks
// and, where an index wraps, lane by lane.
//
// A stage whose accesses are contiguous along rows only, or that combines rows, takes one row after
// the other: bound, interior and edge are then those of each row, and what is equal in all of its
// lanes is computed once.
struct Stage {
    int64_t width = 0;
    int64_t row = 0;                 // lanes of a row, a multiple of the strip; 0: no rows
    std::vector<InstId> body;        // what each strip computes, in order
    std::vector<Value> from_buffer;  // values that an earlier stage left in scratch
    std::vector<Value> to_buffer;    // values that this stage leaves there
    std::vector<Value> from_slot;    // what regions take or give, as it is when the strip begins
    std::vector<Move> moves;
    std::vector<Value> row_starts;      // blocks whose lane at the start of each row is needed
    std::vector<InstId> row_accesses;   // loads and stores that are contiguous in each row
    std::vector<Value> row_masks;       // the bound is 0 in rows where one of these is false
    std::vector<PrefixTest> bound;      // empty: the interior reaches to the width
    std::vector<Value> all_true;        // masks that hold throughout the interior, by index
    std::vector<Value> contiguous;      // indices whose lane-0 value addresses the interior
    std::vector<Value> may_wrap;        // indices that rise by one if they pass no largest int
    std::vector<Value> bound_may_wrap;  // those of them that the bound's tests depend on
    int64_t trips = 1;                  // how often it is taken to run
    bool stops_at_bound = false;        // lanes past the bound have no effect
    // All strips that lie wholly past the bound compute the same. So the first of them does for
    // any, and when one more changes no partial result, none of the rest would.
    bool repeats_past_bound = false;
    bool reduces = false;
    bool reports = false;   // prints or asserts
    bool unrolled = false;  // its strips are written out, as it uses slots in registers

    bool is_all_true(Value mask) const {
        return std::ranges::binary_search(all_true, mask.index, {}, &Value::index);
    }
    int64_t span() const { return row ? row : width; }  // the lanes that the bound is one of
    bool bounded() const { return !bound.empty() || !row_masks.empty() || !contiguous.empty(); }
};

// One step of a program: a scalar instruction, the lane-0 value of a block index, a stage, an op
// across lanes from buffers to a buffer (memory), or an op with regions, whose steps stand in
// `blocks`. A condition is a scalar instruction.
struct Step {
    enum class Kind { scalar, lane0, stage, memory, control } kind;
    InstId inst = 0;
    size_t stage = 0;
    Value value = {};  // of lane0
    int64_t room = 0;  // of a sort: bytes into scratch, where it has room for a row
    std::vector<std::vector<Step>> blocks = {};
    // Of CUDA; see lanes.h.
    bool barrier_before = false;
    bool one_thread = false;
    int once = -1;
};
using Steps = std::vector<Step>;

struct Buffer {
    Value value;
    int64_t offset;          // bytes into scratch
    bool exchanged = false;  // read by strips other than those that wrote it
};

enum class StripTarget { cpu, cuda };

struct StripPlan {
    StripTarget target = StripTarget::cpu;
    bool reports = false;       // prints or asserts: programs run one after the other
    bool computes_f64 = false;  // vectors are then as wide as a register in f64
    Steps steps;
    std::vector<Stage> stages;
    std::vector<Buffer> buffers;
    std::vector<Slot> slots;
    std::vector<int> slot_of;  // by value: what lies in a slot; -1
    // Of CUDA, by value: lanes that are moved by computing them again where they go.
    std::vector<bool> recomputed;
    int64_t scratch_bytes = 0;
    int64_t cost_per_program = 1;  // in lanes of a light op: how much work a thread gets
};

// For CUDA slots and buffers are a thread's registers, but for those that are exchanged, and index
// arithmetic is computed again rather than moved.
StripPlan plan_strips(const Kernel& legal, StripTarget target = StripTarget::cpu);
std::string print_plan(const Kernel& legal, const StripPlan& plan);

// Slots and steps alone, with what is to be noted beside an instruction.
using Notes = std::function<std::string(InstId)>;
std::string print_steps(const Kernel& legal, const StripPlan& plan, const Notes& notes = {});

}  // namespace mytriton
