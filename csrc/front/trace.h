// Builds the expression graph while Python executes the kernel; types are inferred as it goes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "front/graph.h"

namespace mytriton {

// How a loop carries a pointer: as the one it began with, moved by an offset that is the same for
// all lanes, or by an offset a lane; or as an address, of which nothing is known.
enum class PointerForm : uint8_t { uniform_offset, lane_offset, address };

// The forms that the carried values of a loop need, one a value; of numbers uniform_offset.
using PointerForms = std::vector<PointerForm>;

// What the end of a loop gives: the values after it - or nothing, where the loop has to be traced
// again, with these forms.
struct LoopEnd {
    std::optional<std::vector<NodeId>> results;
    PointerForms forms;
};

// A state of a trace that it can be brought back to.
struct TraceMark {
    size_t nodes;
    std::vector<RegionId> open;
    size_t regions;
    std::vector<size_t> statements;  // of the regions that are open
};

// Every method that takes a location throws CompileError there when the operands do not fit.
class Trace {
  public:
    explicit Trace(std::string kernel_name, KernelOptions options = {}) {
        graph_.name = std::move(kernel_name);
        graph_.options = options;
    }

    const std::string& name() const { return graph_.name; }
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

    // --- shapes (front/shapes.cpp) ---
    NodeId reshape(NodeId value, const std::vector<int64_t>& shape, const Loc& loc);
    // Axes count from the last; those that are missing or of size 1 stretch.
    NodeId broadcast_to(NodeId value, const std::vector<int64_t>& shape, const Loc& loc);
    NodeId permute(NodeId value, const std::vector<int64_t>& order, const Loc& loc);
    NodeId combine_blocks(Op op, NodeId a, NodeId b, const Loc& loc);  // join or cat
    std::vector<NodeId> split(NodeId value, const Loc& loc);
    // Along one axis, which may count from the last, or over all lanes.
    NodeId reduce(Op op, NodeId value, std::optional<int64_t> axis, bool keep_dims, const Loc& loc);

    // --- across lanes (front/across.cpp); an axis may count from the last ---
    NodeId scan(Op op, NodeId value, int64_t axis, bool reverse, const Loc& loc);
    NodeId sort(NodeId value, bool descending, const Loc& loc);  // along the last axis
    NodeId gather(NodeId src, NodeId index, int64_t axis, const Loc& loc);
    NodeId histogram(NodeId input, int64_t bins, NodeId mask, const Loc& loc);

    // --- memory ---
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

    // --- regions (front/control.cpp) ---
    // Between begin and end, everything is traced into a region; what is made there can be used
    // only there, and in regions within. Ends get the values that regions give, and answer with
    // those that are known afterwards; of pairs of values both have one type.

    // The condition is a scalar; it holds where it is not 0. Of a pair of values one may be missing
    // (kNoNode) where nobody will look at it; it is then a zero.
    void begin_if(NodeId condition, const Loc& loc);
    void begin_else();
    std::vector<NodeId> end_if(const std::vector<NodeId>& then_values,
                               const std::vector<NodeId>& else_values);

    // Bounds are int scalars; the index has their type, of at least 32 bits. Gives the index and
    // then the carried values.
    std::vector<NodeId> begin_for(NodeId start, NodeId stop, NodeId step,
                                  const std::vector<NodeId>& inits, const PointerForms& forms,
                                  const Loc& loc);
    std::vector<NodeId> begin_while(const std::vector<NodeId>& inits, const PointerForms& forms,
                                    const Loc& loc);
    // What a while does again each time before it stops is traced before this, the rest after.
    void condition(NodeId value, const Loc& loc);
    LoopEnd end_loop(const std::vector<NodeId>& values);

    NodeId zero(Type wanted, const Loc& loc);
    TraceMark mark() const;
    void rewind(const TraceMark& mark);

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
    NodeId stretched_to(NodeId value, const std::vector<int64_t>& shape, const Loc& loc);
    void stretch(std::vector<NodeId>& operands, const Loc& loc);
    NodeId move_pointer(NodeId pointer, const std::function<NodeId(NodeId)>& move, const Loc& loc);
    void check_visible(const std::vector<NodeId>& operands, const Loc& loc) const;
    bool is_visible(NodeId node) const;
    NodeId condition_of(NodeId value, const Loc& loc);
    NodeId open_op(Op op, std::vector<NodeId> operands, const Loc& loc);
    RegionId open_region(NodeId owner);
    NodeId add_arg(Type type);
    NodeId missing_in(NodeId owner, size_t arm, NodeId like);
    NodeId give(NodeId owner, NodeId yes, NodeId no);
    NodeId add_result(NodeId owner, Type type, size_t position);
    std::vector<NodeId> init_operands(const std::vector<NodeId>& inits, const PointerForms& forms,
                                      const Loc& loc);
    std::vector<NodeId> carried_args(const std::vector<NodeId>& inits, const PointerForms& forms,
                                     const Loc& loc);
    NodeId moved(NodeId pointer, NodeId offset, const Loc& loc);
    NodeId sum_of(const std::vector<NodeId>& offsets, const Loc& loc);
    NodeId yielded_pointer(NodeId value, size_t i, PointerForm& form, const Loc& loc);
    NodeId merged_pointer(NodeId then_value, NodeId else_value, NodeId owner, const Loc& loc);

    Type type_or_none(NodeId node) const { return node == kNoNode ? Type() : type(node); }

    // A loop that is being traced: what it began with, and what stands for that inside.
    struct Loop {
        NodeId owner;
        std::vector<NodeId> inits, args;
        PointerForms forms;
    };

    Graph graph_;
    std::vector<RegionId> open_ = {0};  // the regions that are being traced, outermost first
    std::vector<Loop> loops_;
};

}  // namespace mytriton
