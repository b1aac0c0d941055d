// Which stages may cut short what they do past their bound.
#pragma once

#include <vector>

#include "plan/strips.h"

namespace mytriton {

// Sets Stage::repeats_past_bound, once the bounds of all stages are known; `masks` are those that
// they are made of, by stage.
void find_repeats(const Kernel& legal, const Facts& facts, const std::vector<Value>& masks,
                  StripPlan& plan);

}  // namespace mytriton
