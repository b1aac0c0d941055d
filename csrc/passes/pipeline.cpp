// The ordered list of passes, with the verifier between them.
#include <algorithm>

#include "ir/verify.h"
#include "passes/passes.h"

namespace mytriton {

namespace {

bool has_regions(const Kernel& kernel) {
    return std::ranges::any_of(kernel.body(),
                               [&](InstId id) { return info(kernel.inst(id).op).has(kRegions); });
}

}  // namespace

const std::vector<Pass>& default_passes() {
    static const std::vector<Pass> passes = {
        {"fold", constant_fold},                         // finds constant bounds,
        {"unroll", unroll_loops, true},                  // which make indices constants.
        {"cse", eliminate_common_subexpressions, true},  // Conditions that are equal are one,
        {"dce", eliminate_dead_code, true},              // ifs hold nothing but what they need,
        {"fold", constant_fold, true},                   // so they fold as far as they can.
        {"narrow", narrow_carried_blocks, true},         // Scalars are computed before loops:
        {"hoist", hoist_invariants, true},               // what leaves them meets its equals
        {"cse", eliminate_common_subexpressions},        // there, of which one is kept.
        {"dce", eliminate_dead_code},                    // All leave dead code behind.
    };
    return passes;
}

std::vector<Pass> passes_called(const std::vector<std::string>& names) {
    std::vector<Pass> passes;
    for (const std::string& name : names) {
        const std::vector<Pass>& known = default_passes();
        auto found = std::ranges::find(known, name, &Pass::name);
        if (found == known.end()) throw ValueError("there is no pass called " + name);
        passes.push_back({found->name, found->run});
    }
    return passes;
}

Kernel run_passes(const Kernel& kernel, const std::vector<Pass>& passes) {
    verify(kernel);
    Kernel current = kernel;
    bool regions = has_regions(kernel);
    for (const Pass& pass : passes) {
        if (pass.for_regions && !regions) continue;
        current = pass.run(current);
        try {
            verify(current);
        } catch (const CompileError& error) {
            throw CompileError("after pass " + pass.name + ": " + error.what(), error.loc());
        }
    }
    return current;
}

}  // namespace mytriton
