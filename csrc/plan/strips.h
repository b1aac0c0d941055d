// The CPU plan: a program becomes scalar steps and stages, each stage a loop over strips of lanes.
#pragma once

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

// A loop over the lanes of all blocks of one width. Its interior is the strips where the bound's
// tests hold for every lane and no index wraps: there contiguous accesses are plain vector moves
// and `all_true` masks are constants. The remaining strips, the edge, go under masks
// and, where an index wraps, lane by lane.
struct Stage {
    int64_t width = 0;
    std::vector<InstId> body;        // what each strip computes, in order
    std::vector<Value> from_buffer;  // values that an earlier stage left in scratch
    std::vector<Value> to_buffer;    // values that this stage leaves there
    std::vector<PrefixTest> bound;   // empty: the interior reaches to the width
    std::vector<Value> all_true;     // masks that hold throughout the interior, by index
    std::vector<Value> contiguous;   // indices whose lane-0 value addresses the interior
    std::vector<Value> may_wrap;     // indices that rise by one if they pass no largest int
    bool stops_at_bound = false;     // lanes past the bound have no effect
    bool reduces = false;
    bool reports = false;  // prints or asserts
};

// One step of a program: a scalar instruction, a lane-0 value of a block index, or a stage.
struct Step {
    enum class Kind { scalar, lane0, stage } kind;
    InstId inst = 0;
    size_t stage = 0;
};

struct Buffer {
    Value value;
    int64_t offset;  // bytes into scratch
};

struct StripPlan {
    bool reports = false;       // prints or asserts: programs run one after the other
    bool computes_f64 = false;  // vectors are then as wide as a register in f64
    std::vector<Step> steps;
    std::vector<Stage> stages;
    std::vector<Buffer> buffers;
    int64_t scratch_bytes = 0;
    int64_t cost_per_program = 1;  // in lanes of a light op: how much work a thread gets
};

StripPlan plan_strips(const Kernel& legal);
std::string print_plan(const Kernel& legal, const StripPlan& plan);

}  // namespace mytriton
