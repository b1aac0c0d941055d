// The memory rule.
#include "plan/memory.h"

#include <algorithm>

namespace mytriton {

Access access_of(const Facts& facts, const Inst& memory_op) {
    return {facts.address(memory_op.operands[0]), info(memory_op.op).has(kWrites)};
}

bool must_wait(const Facts& facts, const Access& earlier, const Access& later) {
    if (!earlier.writes && !later.writes) return false;
    bool known = !earlier.address.root.none() && !later.address.root.none();
    if (known && earlier.address.root != later.address.root) return false;
    bool same_map = earlier.address.base == later.address.base &&
                    earlier.address.offsets == later.address.offsets;
    return !(same_map && facts.is_injective(later.address));
}

bool must_wait(const Facts& facts, const std::vector<Access>& earlier, const Access& later) {
    return std::ranges::any_of(earlier,
                               [&](const Access& a) { return must_wait(facts, a, later); });
}

}  // namespace mytriton
