// The lane layout of CUDA: one lane is one thread, a program is one thread block.
//
// All threads run all steps and agree at every branch and loop, so that a barrier may stand in any
// of them: conditions and bounds are scalars, and a scalar is the same in all threads. Each of them
// computes it from what is the same, and what other programs may change meanwhile is read by thread
// 0 for all: by atomics, volatile loads and those past all caches (cache=cv). That other loads do
// not meet such changes is up to the kernel.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

constexpr int64_t kMaxLaneThreads = 1024;
constexpr int64_t kMostLanesByDefault = 256;

// What the emitter prints for one instruction.
struct LaneStep {
    InstId inst;
    bool barrier_before = false;  // see barriers.h
    bool one_thread = false;      // a scalar store or atomic in a block of many threads
    int shared = -1;              // of a reduction: the index of its own shared buffer
    int once = -1;                // of what one thread gets for all: where they find it
    std::vector<std::vector<LaneStep>> blocks = {};  // of an op with regions, one a region
};

struct LanePlan {
    int64_t threads = 1;
    std::vector<LaneStep> steps;
    std::vector<Scalar> shared;  // element types; each holds one element a warp
    std::vector<Scalar> once;    // element types; each holds one element
    int64_t warps() const { return (threads + 31) / 32; }
};

// Whether a load is asked to see what others write meanwhile.
bool is_fresh(const Inst& inst);

// The values that something uses, by index.
std::set<uint32_t> used_values(const Kernel& kernel);

// Whether the lane layout is the one to take: one width of at most kMostLanesByDefault, no lanes
// that change places, and nothing else asked for; or it was asked for.
bool takes_lane_layout(const Kernel& kernel);

// The one width of all blocks, which is the number of threads; 1 without blocks.
// ValueError: "CUDA lowering requires one vector width, got: 128, 256".
int64_t lane_width(const Kernel& kernel);

LanePlan plan_lanes(const Kernel& legal);
std::string print_plan(const Kernel& legal, const LanePlan& plan);

}  // namespace mytriton
