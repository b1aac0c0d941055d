// The expression graph: what executing a kernel with symbolic values leaves behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

using NodeId = uint32_t;
constexpr NodeId kNoNode = UINT32_MAX;

// block_arg: an index or a carried value of a region. result: of an op that has several.
enum class NodeKind : uint8_t { param, constant, op, block_arg, result };

// One traced value (or statement).
struct Node {
    NodeKind kind;
    Type type;  // none: a store
    Op op{};
    std::vector<NodeId> operands = {};  // kNoNode: omitted
    std::vector<Attr> attrs = {};
    uint64_t bits = 0;                   // of constants
    bool weak = false;                   // a literal: it takes the type of what it is combined with
    uint64_t exact = 0;                  // of weak float constants: the f64
    uint32_t position = 0;               // of parameters, arguments of regions and results
    RegionId region = 0;                 // in which it was traced; of constants and parameters 0
    std::vector<RegionId> regions = {};  // of ops that run some
    std::string text = {};               // of ops that take one
    Loc loc = {};
};

// `statements` are loads, stores and all else whose order is the program's; what is not one is pure
// and shared freely.
struct GraphRegion {
    RegionId parent = 0;
    NodeId owner = kNoNode;  // the op that runs it
    std::vector<NodeId> args = {};
    std::vector<NodeId> statements = {};
    std::vector<NodeId> yields = {};
};

// Nodes stand in trace order, so operands come before their users, but for ops with regions, which
// come before what is in these. Region 0 is the body.
struct Graph {
    std::string name;
    KernelOptions options = {};
    std::vector<Param> params = {};
    std::vector<Node> nodes = {};
    std::vector<GraphRegion> regions = {GraphRegion{}};
};

// One node a line, in trace order: `e3 = add(e1, e2) : vector<256 x i32>`. Regions are indented.
std::string print_graph(const Graph& graph);

}  // namespace mytriton
