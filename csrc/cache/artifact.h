// What one specialisation of a kernel compiles to; each stage's text is made when first asked for.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/launch.h"
#include "cuda/launch.h"
#include "front/graph.h"
#include "ir/ir.h"
#include "ir/source_text.h"

namespace mytriton {

// The text of a stage of verified SSA: ssa, plan (of CUDA), cpu_plan, cuda or cpu. The lines of
// plans have no places. ValueError where the lane layout cannot hold the kernel's blocks, and where
// there is no such stage.
SourceText stage_text(const Kernel& ssa, std::string_view stage);
std::vector<std::string> stage_names();

// Compiles the kernel's CUDA text. An error that `compile` places at a line of the text comes out
// at the place in Python that the line was made from.
using CudaCompile = std::function<Cubin(const std::string& text, const std::string& entry)>;
Cubin compile_cuda(const Kernel& ssa, const CudaCompile& compile);

// Immutable to its users and safe to share between threads.
class Artifact {
  public:
    // Lowers the graph and runs the passes. CompileError where the verifier refuses the result.
    explicit Artifact(Graph graph);

    const Graph& graph() const { return graph_; }
    const Kernel& ssa() const { return ssa_; }
    bool writes(size_t param) const { return writes_[param]; }

    CpuKernel& cpu();
    CudaKernel& cuda();  // RuntimeError in a child of a process that used CUDA

    // What NVRTC makes of the CUDA text: a cubin for "sm_90a", PTX for "compute_90a". Errors in the
    // text are CompileErrors at the Python line that it came from.
    std::string cuda_image(const std::string& arch) const;

  private:
    Graph graph_;
    Kernel ssa_;
    std::vector<bool> writes_;
    std::mutex mutex_;
    std::unique_ptr<CpuKernel> cpu_;
    std::unique_ptr<CudaKernel> cuda_;
};

}  // namespace mytriton
