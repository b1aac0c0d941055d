// Builds the expression graph while Python executes the kernel; types are inferred as it goes.
#pragma once

#include <string>
#include <vector>

#include "front/graph.h"

namespace mytriton {

// Every method that takes a location throws CompileError there when the operands do not fit.
class Trace {
  public:
    explicit Trace(std::string kernel_name) { graph_.name = std::move(kernel_name); }

    NodeId param(const std::string& name, Type type);
    NodeId bool_constant(bool value);
    NodeId int_constant(int64_t value, const Loc& loc);  // must fit i32
    NodeId float_constant(double value);                 // rounded to f32

    NodeId program_id(int64_t axis, const Loc& loc);
    NodeId num_programs(int64_t axis, const Loc& loc);
    NodeId arange(int64_t start, int64_t end, const Loc& loc);

    // A pure or reduce row, as Python's operators and the functions of `tl` name them. Pointers
    // go through add and sub as addptr; i32 / i32 is `true_divide`.
    NodeId apply(Op op, std::vector<NodeId> operands, const Loc& loc);
    NodeId true_divide(NodeId a, NodeId b, const Loc& loc);
    NodeId cast(NodeId value, Scalar to, const Loc& loc);

    NodeId load(NodeId pointer, NodeId mask, NodeId other, const Loc& loc);
    void store(NodeId pointer, NodeId value, NodeId mask, const Loc& loc);

    Type type(NodeId node) const { return graph_.nodes[node].type; }
    const Graph& graph() const { return graph_; }

  private:
    NodeId add(Node node);
    NodeId add_op(Op op, std::vector<NodeId> operands, Type type, const Loc& loc,
                  std::vector<Attr> attrs = {});
    NodeId constant_as(NodeId constant, Scalar to);
    NodeId convert(NodeId value, Scalar to, const Loc& loc);
    NodeId apply_pointer(Op op, NodeId a, NodeId b, const Loc& loc);
    Scalar common_scalar(Op op, const std::vector<NodeId>& operands, const Loc& loc) const;
    void check_mask(const char* function, NodeId mask, const Loc& loc) const;

    Graph graph_;
};

}  // namespace mytriton
