// Lowering walks the graph with a stack of its own: expressions may be thousands of nodes deep.
#include "front/lower.h"

#include <algorithm>
#include <unordered_set>

namespace mytriton {

namespace {

class Lowering {
  public:
    explicit Lowering(const Graph& graph)
        : graph_(graph), kernel_(graph.name, graph.options), values_(graph.nodes.size()) {
        for (const Param& param : graph.params) kernel_.add_param(param.name, param.type);
    }

    Kernel run() {
        lower_statements(0);
        return std::move(kernel_);
    }

  private:
    void lower_statements(RegionId region) {
        for (NodeId statement : graph_.regions[region].statements) lower_statement(statement);
    }

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
        if (!node.regions.empty()) return lower_control(id);
        if (node.op == Op::store) {
            for (size_t i : {1, 0, 2}) lower_expression(node.operands[i]);
            emit(node);
            return;
        }
        for (NodeId operand : node.operands) lower_expression(operand);
        values_[id] = emit(node);
    }

    // What the regions use from outside is lowered before the op, so that what stands after it may
    // use it too.
    void lower_control(NodeId id) {
        const Node& node = graph_.nodes[id];
        for (NodeId operand : node.operands) lower_expression(operand);
        for (NodeId each : used_from_outside(id)) lower_expression(each);
        Inst inst{.op = node.op, .loc = kernel_.add_loc(node.loc)};
        for (NodeId operand : node.operands) inst.operands.push_back(values_[operand]);
        for (size_t i = 0; i < node.regions.size(); ++i)
            inst.regions.push_back(kernel_.add_region());
        std::vector<RegionId> regions = inst.regions;
        // An index and carried values take their numbers before anything that follows.
        for (size_t i = 0; i < regions.size(); ++i)
            for (NodeId arg : graph_.regions[node.regions[i]].args)
                values_[arg] =
                    kernel_.add_arg(regions[i], graph_.nodes[arg].type, kernel_.next_number());
        std::vector<Type> types;
        for (NodeId each : graph_.regions[node.regions[0]].yields)
            types.push_back(graph_.nodes[each].type);
        // Results are numbered where they are defined in the text: after what is in the regions.
        InstId made = kernel_.append(target_, std::move(inst));
        for (size_t i = 0; i < regions.size(); ++i)
            lower_region(node.regions[i], regions[i], node.loc);
        std::vector<Value> results = kernel_.add_results(made, types);
        for (NodeId user = id; user < graph_.nodes.size(); ++user) {
            const Node& result = graph_.nodes[user];
            if (result.kind == NodeKind::result && result.operands[0] == id)
                values_[user] = results[result.position];
        }
    }

    void lower_region(RegionId from, RegionId to, const Loc& loc) {
        std::swap(target_, to);
        lower_statements(from);
        Inst yield{.op = Op::yield, .loc = kernel_.add_loc(loc)};
        for (NodeId each : graph_.regions[from].yields) {
            lower_expression(each);
            yield.operands.push_back(values_[each]);
        }
        kernel_.append(target_, std::move(yield));
        std::swap(target_, to);
    }

    bool is_within(RegionId region, NodeId owner) const {
        for (; region != 0; region = graph_.regions[region].parent)
            if (graph_.regions[region].owner == owner) return true;
        return false;
    }

    // In trace order.
    std::vector<NodeId> used_from_outside(NodeId owner) const {
        std::vector<NodeId> pending, found;
        auto add_region = [&](RegionId id) {
            const GraphRegion& region = graph_.regions[id];
            pending.insert(pending.end(), region.statements.begin(), region.statements.end());
            pending.insert(pending.end(), region.yields.begin(), region.yields.end());
        };
        for (RegionId region : graph_.nodes[owner].regions) add_region(region);
        std::unordered_set<NodeId> seen;
        while (!pending.empty()) {
            NodeId id = pending.back();
            pending.pop_back();
            if (id == kNoNode || !seen.insert(id).second) continue;
            const Node& node = graph_.nodes[id];
            if (!is_within(node.region, owner)) {
                found.push_back(id);
                continue;
            }
            pending.insert(pending.end(), node.operands.begin(), node.operands.end());
            for (RegionId region : node.regions) add_region(region);
        }
        std::ranges::sort(found);
        return found;
    }

    Value emit(const Node& node) {
        if (node.kind == NodeKind::param) return kernel_.param(node.position);
        if (node.kind == NodeKind::constant) return kernel_.constant(node.type, node.bits);
        if (node.kind != NodeKind::op)
            throw InternalError("Lowering::emit", "a region's value is used before the region");
        Inst inst{.op = node.op, .attrs = node.attrs};
        for (NodeId operand : node.operands)
            inst.operands.push_back(operand == kNoNode ? Value() : values_[operand]);
        inst.text = node.text;
        inst.loc = kernel_.add_loc(node.loc);
        std::vector<Type> results;
        if (!node.type.none()) results.push_back(node.type);
        InstId id = kernel_.append(target_, std::move(inst), results);
        return results.empty() ? Value() : kernel_.inst(id).result();
    }

    const Graph& graph_;
    Kernel kernel_;
    RegionId target_ = 0;
    std::vector<Value> values_;
};

}  // namespace

Kernel lower(const Graph& graph) {
    return Lowering(graph).run();
}

}  // namespace mytriton
