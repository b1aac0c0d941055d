// The printer of expression graphs.
#include "front/graph.h"

#include "ir/literal.h"

namespace mytriton {

namespace {

std::string print_operand(const Graph& graph, NodeId id) {
    if (id == kNoNode) return "none";
    const Node& node = graph.nodes[id];
    switch (node.kind) {
        case NodeKind::param:
            return graph.params[node.position].name;
        case NodeKind::constant:
            return spell(node.type.scalar(), node.bits);
        case NodeKind::op:
        case NodeKind::block_arg:
        case NodeKind::result:
            return "e" + std::to_string(id);
    }
    return "";
}

class Printer {
  public:
    explicit Printer(const Graph& graph) : graph_(graph) {}

    std::string run() {
        for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
            const Node& node = graph_.nodes[id];
            if (node.kind == NodeKind::param || node.kind == NodeKind::constant) continue;
            leave_for(node.region);
            while (open_.back() != node.region) enter(node.region);
            line(print_node(id));
        }
        leave_for(0);
        if (!out_.empty()) out_.pop_back();
        return std::move(out_);
    }

  private:
    void line(const std::string& text) {
        out_ += std::string(4 * (open_.size() - 1), ' ') + text + "\n";
    }

    bool is_within(RegionId region, RegionId outer) const {
        while (region != outer && region != 0) region = graph_.regions[region].parent;
        return region == outer;
    }

    // Ends the regions that the next node does not stand in.
    void leave_for(RegionId region) {
        while (!is_within(region, open_.back())) {
            const GraphRegion& left = graph_.regions[open_.back()];
            std::string values;
            for (NodeId yield : left.yields)
                values += (values.empty() ? "yield " : ", ") + print_operand(graph_, yield);
            if (!values.empty()) line(values);
            open_.pop_back();
            line("}");
        }
    }

    // One step from the innermost region that is open towards this one.
    void enter(RegionId region) {
        while (graph_.regions[region].parent != open_.back())
            region = graph_.regions[region].parent;
        line("in " + print_operand(graph_, graph_.regions[region].owner) + " {");
        open_.push_back(region);
    }

    std::string print_node(NodeId id) const {
        const Node& node = graph_.nodes[id];
        std::string name = "arg", arguments;
        if (node.kind == NodeKind::op) name = info(node.op).name;
        if (node.kind == NodeKind::result) name = "result";
        if (node.kind != NodeKind::op) arguments = std::to_string(node.position);
        if (node.kind == NodeKind::op && takes_text(node.op)) arguments = "\"" + node.text + "\"";
        for (NodeId operand : node.operands)
            arguments += (arguments.empty() ? "" : ", ") + print_operand(graph_, operand);
        for (const Attr& attr : node.attrs)
            arguments += (arguments.empty() ? "" : ", ") + std::to_string(attr.value);
        bool named = !node.type.none() || !node.regions.empty();
        std::string out = named ? print_operand(graph_, id) + " = " : "";
        out += name + "(" + arguments + ")";
        return node.type.none() ? out : out + " : " + node.type.str();
    }

    const Graph& graph_;
    std::vector<RegionId> open_ = {0};
    std::string out_;
};

}  // namespace

std::string print_graph(const Graph& graph) {
    return Printer(graph).run();
}

}  // namespace mytriton
