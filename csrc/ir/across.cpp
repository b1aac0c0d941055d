// Which ops work across lanes, and along what.
#include "ir/across.h"

namespace mytriton {

bool is_across(const Inst& inst) {
    return info(inst.op).kind == OpKind::reduce && inst.find_attr(AttrKey::axis);
}

Runs runs_along(Type block, int64_t axis) {
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(axis) + 1; i < block.shape().size(); ++i)
        inner *= block.shape()[i];
    int64_t count = block.shape()[axis];
    return {block.lanes() / count / inner, count, inner};
}

}  // namespace mytriton
