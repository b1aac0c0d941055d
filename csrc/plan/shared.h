// Where the buffers that threads exchange lanes through lie in shared memory.
#pragma once

#include <cstdint>
#include <map>

#include "plan/strips.h"

namespace mytriton {

// Bytes that a block takes there; a bool takes one.
int64_t shared_size(Type block);

// Places each exchanged buffer, by its value; buffers that are not needed at the same time may
// share their place. Gives the number of bytes in all.
int64_t place_shared(const Kernel& legal, const StripPlan& plan,
                     std::map<uint32_t, int64_t>& offsets);

}  // namespace mytriton
