// The table, with the errors that NVIDIA documents (CUDA C++ Programming Guide, Intrinsic
// Functions).
#include "cuda/fast.h"

namespace mytriton {

namespace {

struct Fast {
    Op op;
    std::string_view text;
};

constexpr Fast kFast[] = {
    {Op::div, "__fdividef(a, b)"},  // 2 ulp for 2**-126 <= |b| <= 2**126; 0 for larger b
    {Op::exp, "exp_fast(a)"},       // 2 + floor(|1.173 a|) ulp; below 2**-126, 0
    {Op::log, "__logf(a)"},         // 2**-21.41 absolute for 0.5 <= a <= 2, else 3 ulp
    {Op::log2, "__log2f(a)"},       // 2**-22 absolute for 0.5 <= a <= 2, else 2 ulp
    {Op::log10, "__log10f(a)"},     // 2**-24 absolute for 0.5 <= a <= 2, else 3 ulp
    {Op::pow, "__powf(a, b)"},      // exp2(b log2(a)), by the above
    {Op::sin, "__sinf(a)"},         // 2**-21.41 absolute for -pi <= a <= pi; beyond, more
    {Op::cos, "__cosf(a)"},         // 2**-21.19 absolute for -pi <= a <= pi; beyond, more
    {Op::tan, "__tanf(a)"},         // sin(a) / cos(a), by the above
    {Op::sigmoid, "__fdividef(1.0f, 1.0f + exp_fast(-(a)))"},
};

}  // namespace

std::optional<std::string_view> fast_expression(Op op) {
    for (const Fast& row : kFast)
        if (row.op == op) return row.text;
    return std::nullopt;
}

}  // namespace mytriton
