// A libFuzzer target: any bytes as SSA text give an error or a kernel, which every stage then
// takes.
//
//     make fuzz SECONDS=600      needs clang++ with libFuzzer; the golden files are the corpus
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "cpu/emit.h"
#include "cuda/emit.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "plan/cuda_plan.h"
#include "plan/legalise.h"
#include "plan/strips.h"

using namespace mytriton;

namespace {

void take_through_stages(const Kernel& kernel) {
    Kernel optimised = run_passes(kernel);
    std::string printed = print_kernel(optimised, true);
    if (print_kernel(parse_kernel(printed, "printed.mt"), true) != printed) std::abort();
    Kernel legal = legalise(optimised);
    StripPlan strips = plan_strips(legal);
    emit_cpu(legal, strips);
    print_plan(legal, strips);
    CudaPlan cuda = plan_cuda(legal);  // may refuse blocks that a program has no room for
    emit_cuda(legal, cuda);
    print_plan(legal, cuda);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        Kernel kernel =
            parse_kernel(std::string(reinterpret_cast<const char*>(data), size), "f.mt");
        verify(kernel);
        take_through_stages(kernel);
    } catch (const CompileError&) {
    } catch (const ValueError&) {
    }
    return 0;
}
