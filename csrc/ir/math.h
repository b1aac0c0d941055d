// The functions of floats that rows call: the core's use of what emitted kernels begin with.
#pragma once

#include "ir/scalar.h"
// clang-format off: the order in which they use each other, and in which the build embeds them
#include "ir/math_exact.h"
#include "ir/math_exp.h"
#include "ir/math_log.h"
#include "ir/math_trig.h"
#include "ir/math_atan.h"
#include "ir/math_tanh.h"
#include "ir/math_erf.h"
#include "ir/math_gamma.h"
#include "ir/math_f64.h"
#include "ir/math_digamma.h"
// clang-format on
