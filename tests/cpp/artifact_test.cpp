// What a specialisation compiles to: its stages, what it writes, and where CUDA errors point.
#include "cache/artifact.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "front/trace.h"
#include "messages.h"

namespace mytriton {

namespace {

Loc python_line(int line) {
    return {"kernel.py", line, line, 4, 20};
}

// def kernel(x, out): out[lanes] = exp(x[lanes]), a line each.
Graph exp_graph() {
    Trace trace("kernel");
    NodeId x = trace.param("x", Type::pointer(Scalar::f32));
    NodeId out = trace.param("out", Type::pointer(Scalar::f32));
    NodeId lanes = trace.arange(0, 32, python_line(1));
    NodeId from = trace.apply(Op::add, {x, lanes}, python_line(2));
    NodeId loaded = trace.load(from, kNoNode, kNoNode, {}, python_line(3));
    NodeId power = trace.apply(Op::exp, {loaded}, python_line(4));
    NodeId to = trace.apply(Op::add, {out, lanes}, python_line(5));
    trace.store(to, power, kNoNode, {}, python_line(6));
    return trace.graph();
}

int line_with(const std::string& text, const std::string& part) {
    size_t at = text.find(part);
    return at == text.npos
               ? 0
               : 1 + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
}

TEST(Artifact, KnowsWhichParametersAreWritten) {
    Artifact artifact(exp_graph());
    EXPECT_FALSE(artifact.writes(0));
    EXPECT_TRUE(artifact.writes(1));
}

TEST(Artifact, EveryStageHasAPlaceForEachLine) {
    Artifact artifact(exp_graph());
    for (const std::string& stage : stage_names()) {
        SourceText source = stage_text(artifact.ssa(), stage);
        size_t lines = std::count(source.text.begin(), source.text.end(), '\n');
        EXPECT_EQ(source.locs.size(), lines + (source.text.ends_with('\n') ? 0 : 1)) << stage;
    }
    expect_parts(message_of<ValueError>([&] { stage_text(artifact.ssa(), "ptx"); }), {"ptx"});
}

TEST(Artifact, AnErrorInCudaTextPointsAtThePythonLine) {
    Artifact artifact(exp_graph());
    for (auto [part, line] : {std::pair("expf(", 4), {"x[v0]", 3}, {"out[v0] =", 6}}) {
        auto refuse = [&](const std::string& text, const std::string& entry) -> Cubin {
            throw CompileError("refused", {entry + ".cu", line_with(text, part), 1, 0, 0});
        };
        try {
            compile_cuda(artifact.ssa(), refuse);
            FAIL() << "no error";
        } catch (const CompileError& error) {
            EXPECT_STREQ(error.what(), "refused");
            EXPECT_EQ(error.loc().file, "kernel.py");
            EXPECT_EQ(error.loc().line, line) << part;
        }
    }
}

TEST(Artifact, AnErrorInTheFrameOfCudaTextHasNoPlace) {
    Artifact artifact(exp_graph());
    for (int line : {0, 1, 1000}) {
        auto refuse = [&](const std::string&, const std::string&) -> Cubin {
            throw CompileError("refused", {"kernel.cu", line, line, 0, 0});
        };
        try {
            compile_cuda(artifact.ssa(), refuse);
            FAIL() << "no error";
        } catch (const CompileError& error) {
            EXPECT_FALSE(error.loc().known());
        }
    }
}

}  // namespace

}  // namespace mytriton
