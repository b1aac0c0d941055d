// Common subexpression elimination over pure ops.
#include <map>
#include <tuple>

#include "ir/rewrite.h"
#include "passes/passes.h"

namespace mytriton {

namespace {

// Everything that makes two pure ops the same. Operands are values of the new kernel, where equal
// constants already are one value.
auto key_of(const Inst& mapped, const std::string& type) {
    std::vector<uint32_t> operands;
    for (Value operand : mapped.operands) operands.push_back(operand.index);
    std::vector<int64_t> attrs;
    for (const Attr& attr : mapped.attrs) {
        attrs.push_back(static_cast<int64_t>(attr.key));
        attrs.push_back(attr.value);
    }
    return std::tuple(mapped.op, operands, attrs, type);
}

}  // namespace

Kernel eliminate_common_subexpressions(const Kernel& kernel) {
    Rewriter rewriter(kernel);
    std::map<decltype(key_of(Inst{}, "")), Value> available;
    for (InstId id : kernel.body()) {
        const Inst& inst = kernel.inst(id);
        if (!info(inst.op).has(kPure)) {
            rewriter.keep(inst);
            continue;
        }
        Inst mapped = rewriter.mapped(inst);
        auto key = key_of(mapped, kernel.type(inst.result()).str());
        if (auto known = available.find(key); known != available.end()) {
            rewriter.replace(inst.result(), known->second);
            continue;
        }
        rewriter.keep(inst, std::move(mapped));
        available.emplace(std::move(key), rewriter.map(inst.result()));
    }
    return rewriter.finish();
}

}  // namespace mytriton
