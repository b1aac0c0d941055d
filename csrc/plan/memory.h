// Which memory accesses of one program must keep their order when lanes do not run together.
#pragma once

#include <vector>

#include "plan/facts.h"

namespace mytriton {

struct Access {
    Address address;
    bool writes;
};

Access access_of(const Facts& facts, const Inst& memory_op);

// Within a program a load sees every earlier store, from any lane. So an access must wait until
// all lanes have done an earlier one to the same base, if one of the two writes - unless both use
// the same injective map, where each lane meets only itself. Different bases do not overlap.
bool must_wait(const Facts& facts, const Access& earlier, const Access& later);
bool must_wait(const Facts& facts, const std::vector<Access>& earlier, const Access& later);

}  // namespace mytriton
