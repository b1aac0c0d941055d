// The optimisation passes and the one ordered list that runs them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

// Evaluates ops on constants and applies the identities in fold_value.cpp. Never changes a type or
// a shape, and folds only what every target computes to the same bits. Inlines regions that run
// always or once, drops carried values that never change, and selects where branches cost more.
Kernel constant_fold(const Kernel& kernel);

// Replaces a short for of constant bounds by its rounds, one after the other.
Kernel unroll_loops(const Kernel& kernel);

// Carries a scalar for a block of ints that a loop moves by scalars: `offsets += 64`.
Kernel narrow_carried_blocks(const Kernel& kernel);

// Computes in front of a loop what is the same in all of its rounds.
Kernel hoist_invariants(const Kernel& kernel);

// Reuses the first of several equal pure ops. Constants are compared by their bits: -0.0 is not
// 0.0.
Kernel eliminate_common_subexpressions(const Kernel& kernel);

// Drops results that nothing needs. Stores are what is needed; a load nobody uses is dropped too.
Kernel eliminate_dead_code(const Kernel& kernel);

struct Pass {
    std::string name;
    std::function<Kernel(const Kernel&)> run;
    bool for_regions = false;  // of no use, and not run, where the kernel began without any
};

// fold, unroll, cse, dce, fold, narrow, hoist, cse, dce: in this order; pipeline.cpp says why.
const std::vector<Pass>& default_passes();

// Those of the default passes, in the order asked for and as often; ValueError for a name that is
// none of theirs. All are run, whatever the kernel.
std::vector<Pass> passes_called(const std::vector<std::string>& names);

// Verifies, runs each pass that is of use and verifies after it; a pass that breaks the kernel is
// named.
Kernel run_passes(const Kernel& kernel, const std::vector<Pass>& passes = default_passes());

}  // namespace mytriton
