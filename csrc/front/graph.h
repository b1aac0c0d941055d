// The expression graph: what executing a kernel with symbolic values leaves behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

using NodeId = uint32_t;
constexpr NodeId kNoNode = UINT32_MAX;

enum class NodeKind : uint8_t { param, constant, op };

// One traced value (or statement).
struct Node {
    NodeKind kind;
    Type type;  // none: a store
    Op op{};
    std::vector<NodeId> operands = {};  // kNoNode: omitted
    std::vector<Attr> attrs = {};
    uint64_t bits = 0;      // of constants
    bool weak = false;      // a literal: it takes the type of what it is combined with
    uint64_t exact = 0;     // of weak float constants: the f64
    uint32_t position = 0;  // of parameters
    std::string text = {};  // of ops that take one
    Loc loc = {};
};

// Nodes stand in trace order, so operands come before their users. `statements` are the loads and
// stores, whose order is the program's; everything else is pure and shared freely.
struct Graph {
    std::string name;
    std::vector<Param> params;
    std::vector<Node> nodes;
    std::vector<NodeId> statements;
};

// One node a line, in trace order: `e3 = add(e1, e2) : vector<256 x i32>`.
std::string print_graph(const Graph& graph);

}  // namespace mytriton
