// Dead code elimination: one walk backwards finds what stores need, one forwards keeps it.
#include <unordered_set>

#include "ir/rewrite.h"
#include "passes/passes.h"

namespace mytriton {

Kernel eliminate_dead_code(const Kernel& kernel) {
    std::unordered_set<uint32_t> live;
    std::unordered_set<InstId> needed;
    for (auto id = kernel.body().rbegin(); id != kernel.body().rend(); ++id) {
        const Inst& inst = kernel.inst(*id);
        bool keep = info(inst.op).has(kWrites) || info(inst.op).has(kOrdered) ||
                    inst.find_attr(AttrKey::is_volatile);
        for (Value result : inst.results) keep |= live.contains(result.index);
        if (!keep) continue;
        needed.insert(*id);
        for (Value operand : inst.operands) live.insert(operand.index);
    }
    Rewriter rewriter(kernel);
    for (InstId id : kernel.body())
        if (needed.contains(id)) rewriter.keep(kernel.inst(id));
    return rewriter.finish();
}

}  // namespace mytriton
