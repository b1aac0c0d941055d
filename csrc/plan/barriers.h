// Where the threads of the lane layout wait for each other.
#pragma once

#include "plan/lanes.h"

namespace mytriton {

// Sets barrier_before at each step that all threads must be ready for:
//   an access that by the memory rule (memory.h) must wait for one that may be pending: that
//   nothing since has made all threads wait for; also one of a loop's earlier rounds
//   an atomic of one thread that releases (its sem), which tells other programs that the accesses
//   of all threads are done
//   a reduction or a once-step that may run again while a thread still reads what it left in its
//   shared buffer the last time
void place_barriers(const Kernel& legal, LanePlan& plan);

}  // namespace mytriton
