// What is decided about a stage once it is known what stands in it.
#pragma once

#include "plan/strips.h"

namespace mytriton {

// Chooses the interior of every stage, weighs the stages, and places lane-0 steps.
void finish_stages(const Kernel& legal, const Facts& facts, StripPlan& plan);

}  // namespace mytriton
