// Lowering walks the graph with a stack of its own: expressions may be thousands of nodes deep.
#include "front/lower.h"

namespace mytriton {

namespace {

class Lowering {
  public:
    explicit Lowering(const Graph& graph)
        : graph_(graph), kernel_(graph.name), values_(graph.nodes.size()) {
        for (const Param& param : graph.params) kernel_.add_param(param.name, param.type);
    }

    Kernel run() {
        for (NodeId statement : graph_.statements) lower_statement(statement);
        return std::move(kernel_);
    }

  private:
    // Post-order over what is not lowered yet: a node is visited twice, first to push its
    // operands, then, when they have values, to emit it.
    void lower_expression(NodeId root) {
        if (root == kNoNode) return;
        std::vector<NodeId> stack = {root};
        while (!stack.empty()) {
            NodeId id = stack.back();
            if (!values_[id].none()) {
                stack.pop_back();
                continue;
            }
            const Node& node = graph_.nodes[id];
            bool ready = true;
            for (auto operand = node.operands.rbegin(); operand != node.operands.rend(); ++operand)
                if (*operand != kNoNode && values_[*operand].none()) {
                    stack.push_back(*operand);
                    ready = false;
                }
            if (!ready) continue;
            stack.pop_back();
            values_[id] = emit(node);
        }
    }

    void lower_statement(NodeId id) {
        const Node& node = graph_.nodes[id];
        if (node.op == Op::store) {
            for (size_t i : {1, 0, 2}) lower_expression(node.operands[i]);
            emit(node);
            return;
        }
        for (NodeId operand : node.operands) lower_expression(operand);
        values_[id] = emit(node);
    }

    Value emit(const Node& node) {
        if (node.kind == NodeKind::param) return kernel_.param(node.position);
        if (node.kind == NodeKind::constant) return kernel_.constant(node.type, node.bits);
        Inst inst{.op = node.op, .attrs = node.attrs};
        for (NodeId operand : node.operands)
            inst.operands.push_back(operand == kNoNode ? Value() : values_[operand]);
        inst.text = node.text;
        inst.loc = kernel_.add_loc(node.loc);
        std::vector<Type> results;
        if (!node.type.none()) results.push_back(node.type);
        InstId id = kernel_.append(0, std::move(inst), results);
        return results.empty() ? Value() : kernel_.inst(id).result();
    }

    const Graph& graph_;
    Kernel kernel_;
    std::vector<Value> values_;
};

}  // namespace

Kernel lower(const Graph& graph) {
    return Lowering(graph).run();
}

}  // namespace mytriton
