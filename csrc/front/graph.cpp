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
            return "e" + std::to_string(id);
    }
    return "";
}

}  // namespace

std::string print_graph(const Graph& graph) {
    std::string out;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (node.kind != NodeKind::op) continue;
        std::string arguments = takes_text(node.op) ? "\"" + node.text + "\"" : "";
        for (NodeId operand : node.operands)
            arguments += (arguments.empty() ? "" : ", ") + print_operand(graph, operand);
        for (const Attr& attr : node.attrs)
            arguments += (arguments.empty() ? "" : ", ") + std::to_string(attr.value);
        if (!out.empty()) out += "\n";
        if (!node.type.none()) out += print_operand(graph, id) + " = ";
        out += std::string(info(node.op).name) + "(" + arguments + ")";
        if (!node.type.none()) out += " : " + node.type.str();
    }
    return out;
}

}  // namespace mytriton
