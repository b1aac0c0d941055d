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

class Eliminator {
  public:
    explicit Eliminator(const Kernel& kernel) : rewriter_(kernel) {}

    Kernel run() {
        walk(0);
        return rewriter_.finish();
    }

  private:
    using Available = std::map<decltype(key_of(Inst{}, "")), Value>;

    // What is computed in a region is available in it and in those within.
    void walk(RegionId region) {
        std::vector<Available::iterator> added;
        for (InstId id : rewriter_.old().region(region).insts) {
            const Inst& inst = rewriter_.old().inst(id);
            Inst mapped = rewriter_.mapped(inst);
            if (!info(inst.op).has(kPure)) {
                rewriter_.keep(inst, std::move(mapped), [&](RegionId inner) { walk(inner); });
                continue;
            }
            auto key = key_of(mapped, rewriter_.old().type(inst.result()).str());
            if (auto known = available_.find(key); known != available_.end()) {
                rewriter_.replace(inst.result(), known->second);
                continue;
            }
            rewriter_.keep(inst, std::move(mapped));
            added.push_back(available_.emplace(std::move(key), rewriter_.map(inst.result())).first);
        }
        for (Available::iterator each : added) available_.erase(each);
    }

    Rewriter rewriter_;
    Available available_;
};

}  // namespace

Kernel eliminate_common_subexpressions(const Kernel& kernel) {
    return Eliminator(kernel).run();
}

}  // namespace mytriton
