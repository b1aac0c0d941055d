// The blocked layout of CUDA: a thread has vectors of neighbouring lanes, as many as it takes.
//
// Of `threads` threads, thread t has the lanes (r * threads + t) * vector + k of a block, k below
// the vector's length, for r = 0, 1, ...: which lanes hangs on the number of lanes alone, so that
// blocks of one width meet in registers, whatever their shapes. Lanes that go to other threads pass
// through shared memory; but index arithmetic is done again where it is needed. As in the lane
// layout (lanes.h), all threads run all steps and agree at every branch and loop.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "plan/strips.h"

namespace mytriton {

constexpr int kDefaultWarps = 4;
// Of shared memory for one program: what any device has, less a little for words; and what needs
// not be asked for at the launch.
constexpr int64_t kMostSharedBytes = 224 * 1024;
constexpr int64_t kMostStaticBytes = 44 * 1024;
constexpr int64_t kMostThreadBytes = 64 * 1024;  // of block values that one thread keeps

struct BlockedPlan {
    int64_t threads = 1;
    StripPlan strips;
    std::map<int64_t, int64_t> vectors;  // by width: lanes of a vector
    // Loads and stores of whole vectors: in a stage's interior where the lanes are consecutive;
    // where only rows are, after a test of each vector.
    std::set<InstId> vector_accesses, row_accesses;
    std::map<InstId, int> words;         // of reductions to a scalar: their words, one a warp
    std::vector<Scalar> once;            // element types; each holds one element
    std::map<uint32_t, int64_t> shared;  // by value: where its buffer lies, if exchanged
    int64_t shared_bytes = 0;            // of such buffers
    int64_t warps() const { return threads / 32; }
    int64_t dynamic_bytes() const { return shared_bytes > kMostStaticBytes ? shared_bytes : 0; }
    int64_t vector(int64_t width) const { return vectors.at(width); }
    // How many vectors of a block one thread has, and how many lanes.
    int64_t rounds(int64_t width) const;
    int64_t lanes_each(int64_t width) const { return rounds(width) * vector(width); }
};

// CompileError: the kernel needs more shared memory, or more of each thread, than there is.
BlockedPlan plan_blocked(const Kernel& legal);
std::string print_plan(const Kernel& legal, const BlockedPlan& plan);

}  // namespace mytriton
