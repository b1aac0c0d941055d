// Where the threads of a CUDA block wait for each other.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

// Bytes [first, last) of shared memory.
struct SharedPlace {
    int64_t first, last;
    bool overlaps(const SharedPlace& other) const {
        return first < other.last && other.first < last;
    }
    friend auto operator<=>(const SharedPlace&, const SharedPlace&) = default;
};

// What other threads can see of a step of a plan.
struct SyncStep {
    bool* barrier_before;  // is set where one is needed
    InstId inst = 0;       // the op with regions, the condition, or what one thread does
    bool one_thread = false;
    std::vector<InstId> accesses = {};  // to memory of the arguments
    std::vector<SharedPlace> reads = {}, writes = {};
    // The step has a barrier of its own after all that, and then reads these.
    bool waits = false;
    std::vector<SharedPlace> reads_after = {};
    std::vector<std::vector<SyncStep>> blocks = {};  // of an op with regions, one a region
};

// Sets barrier_before at each step that all threads must be ready for:
//   an access that by the memory rule (memory.h) must wait for one that may be pending: that
//   nothing since has made all threads wait for; also one of a loop's earlier rounds
//   an atomic of one thread that releases (its sem), which tells other programs that the accesses
//   of all threads are done
//   a read of shared memory that another thread may not have written yet, and a write to it where
//   another thread may still read what it held
void place_barriers(const Kernel& legal, std::vector<SyncStep>& steps, int64_t threads);

}  // namespace mytriton
