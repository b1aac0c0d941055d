// The ordered list of passes, with the verifier between them.
#include <algorithm>

#include "ir/verify.h"
#include "passes/passes.h"

namespace mytriton {

const std::vector<Pass>& default_passes() {
    static const std::vector<Pass> passes = {
        {"fold", constant_fold},
        {"cse", eliminate_common_subexpressions},
        {"dce", eliminate_dead_code},
    };
    return passes;
}

std::vector<Pass> passes_called(const std::vector<std::string>& names) {
    std::vector<Pass> passes;
    for (const std::string& name : names) {
        const std::vector<Pass>& known = default_passes();
        auto found = std::ranges::find(known, name, &Pass::name);
        if (found == known.end()) throw ValueError("there is no pass called " + name);
        passes.push_back(*found);
    }
    return passes;
}

Kernel run_passes(const Kernel& kernel, const std::vector<Pass>& passes) {
    verify(kernel);
    Kernel current = kernel;
    for (const Pass& pass : passes) {
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
