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
    // Literals. They take the type of what they are combined with (front/promote.h); alone they
    // are bool, the first of i32, u32, i64 and u64 that holds the int, and f32.
    NodeId bool_constant(bool value);
    NodeId int_constant(int64_t value);
    NodeId uint_constant(uint64_t value);  // from 2**63 on
    NodeId float_constant(double value);

    NodeId program_id(int64_t axis, const Loc& loc);
    NodeId num_programs(int64_t axis, const Loc& loc);
    NodeId arange(int64_t start, int64_t end, const Loc& loc);

    // A pure or reduce row, as Python's operators and the functions of `tl` name them. Pointers
    // go through add and sub as addptr; / is `true_divide`, which makes floats of ints.
    NodeId apply(Op op, std::vector<NodeId> operands, const Loc& loc);
    NodeId true_divide(NodeId a, NodeId b, const Loc& loc);
    NodeId cast(NodeId value, Scalar to, bool towards_zero, const Loc& loc);
    NodeId bitcast(NodeId value, Scalar to, const Loc& loc);
    // A pointer or an int as a pointer to `pointee`; a pointer as its address, an i64.
    NodeId cast_to_pointer(NodeId value, Scalar pointee, const Loc& loc);
    NodeId cast_to_address(NodeId pointer, const Loc& loc);
    NodeId splat(NodeId value, const std::vector<int64_t>& shape, const Loc& loc);

    // Attributes: cache, evict and volatile.
    NodeId load(NodeId pointer, NodeId mask, NodeId other, const std::vector<Attr>& attrs,
                const Loc& loc);
    void store(NodeId pointer, NodeId value, NodeId mask, const std::vector<Attr>& attrs,
               const Loc& loc);
    // Attributes: rmw, sem and scope. They give what was there.
    NodeId atomic_rmw(NodeId pointer, NodeId value, NodeId mask, const std::vector<Attr>& attrs,
                      const Loc& loc);
    NodeId atomic_cas(NodeId pointer, NodeId compare, NodeId value, const std::vector<Attr>& attrs,
                      const Loc& loc);

    // Where a lane of the condition is false, or 0, the launch stops with the text.
    void device_assert(NodeId condition, const std::string& text, const Loc& loc);
    // A line for each lane: the text, then the values.
    void print(const std::string& text, std::vector<NodeId> values, bool hex, const Loc& loc);

    Type type(NodeId node) const { return graph_.nodes[node].type; }
    const Graph& graph() const { return graph_; }

  private:
    NodeId add(Node node);
    NodeId add_op(Op op, std::vector<NodeId> operands, Type type, const Loc& loc,
                  std::vector<Attr> attrs = {});
    NodeId weak_constant(Scalar scalar, uint64_t bits);
    NodeId constant_as(NodeId constant, Scalar to, const Loc& loc);
    void check_fits(const Node& literal, Scalar to, const Loc& loc) const;
    NodeId convert(NodeId value, Scalar to, const Loc& loc);
    NodeId apply_pointer(Op op, NodeId a, NodeId b, const Loc& loc);
    Scalar common_scalar(Op op, const std::vector<NodeId>& operands, bool division,
                         const Loc& loc) const;
    NodeId mask_of(const char* function, NodeId mask, const Loc& loc);
    void require_pointer(const char* function, NodeId pointer, const Loc& loc) const;
    Type type_or_none(NodeId node) const { return node == kNoNode ? Type() : type(node); }

    Graph graph_;
};

}  // namespace mytriton
