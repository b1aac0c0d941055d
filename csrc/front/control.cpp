// Tracing of branches and loops: regions, and how pointers get in and out of them.
#include <algorithm>

#include "front/promote.h"
#include "front/trace.h"
#include "ir/literal.h"

namespace mytriton {

namespace {

[[noreturn]] void fail(const std::string& message, const Loc& loc) {
    throw CompileError(message, loc);
}

// A pointer, what it was moved from, and so on to its base.
std::vector<NodeId> chain_of(const Graph& graph, NodeId pointer) {
    std::vector<NodeId> chain = {pointer};
    while (graph.nodes[chain.back()].kind == NodeKind::op &&
           graph.nodes[chain.back()].op == Op::addptr)
        chain.push_back(graph.nodes[chain.back()].operands[0]);
    return chain;
}

// By what the pointers of a chain before this one moved it.
std::vector<NodeId> offsets_before(const Graph& graph, const std::vector<NodeId>& chain,
                                   NodeId pointer) {
    std::vector<NodeId> offsets;
    for (auto each = chain.begin(); *each != pointer; ++each)
        offsets.push_back(graph.nodes[*each].operands[1]);
    return offsets;
}

bool contains(const std::vector<NodeId>& nodes, NodeId node) {
    return std::ranges::find(nodes, node) != nodes.end();
}

}  // namespace

// --- what can be used where ----------------------------------------------------------------------

bool Trace::is_visible(NodeId node) const {
    return std::ranges::find(open_, graph_.nodes[node].region) != open_.end();
}

void Trace::check_visible(const std::vector<NodeId>& operands, const Loc& loc) const {
    for (NodeId operand : operands) {
        if (operand == kNoNode || is_visible(operand)) continue;
        RegionId region = graph_.nodes[operand].region;
        const Node& owner = graph_.nodes[graph_.regions[region].owner];
        fail("a value that was computed inside the " + std::string(info(owner.op).name) +
                 (owner.loc.known() ? " at line " + std::to_string(owner.loc.line) : "") +
                 " is used outside of it; only variables that are assigned there carry values out, "
                 "not lists or attributes",
             loc);
    }
}

TraceMark Trace::mark() const {
    TraceMark mark{graph_.nodes.size(), open_, graph_.regions.size(), {}};
    for (RegionId region : open_)
        mark.statements.push_back(graph_.regions[region].statements.size());
    return mark;
}

void Trace::rewind(const TraceMark& mark) {
    graph_.nodes.resize(mark.nodes);
    graph_.regions.resize(mark.regions);
    open_ = mark.open;
    for (size_t i = 0; i < open_.size(); ++i)
        graph_.regions[open_[i]].statements.resize(mark.statements[i]);
    std::erase_if(loops_, [&](const Loop& loop) { return loop.owner >= mark.nodes; });
}

// --- regions -------------------------------------------------------------------------------------

RegionId Trace::open_region(NodeId owner) {
    if (open_.size() > kMaxRegionDepth)
        fail("branches and loops nest at most " + std::to_string(kMaxRegionDepth) + " deep",
             graph_.nodes[owner].loc);
    GraphRegion region;
    region.parent = open_.back();
    region.owner = owner;
    graph_.regions.push_back(std::move(region));
    RegionId id = static_cast<RegionId>(graph_.regions.size() - 1);
    graph_.nodes[owner].regions.push_back(id);
    open_.push_back(id);
    return id;
}

NodeId Trace::open_op(Op op, std::vector<NodeId> operands, const Loc& loc) {
    NodeId owner = add_op(op, std::move(operands), Type(), loc);
    open_region(owner);
    return owner;
}

NodeId Trace::add_arg(Type type) {
    Node node{.kind = NodeKind::block_arg, .type = type};
    GraphRegion& region = graph_.regions[open_.back()];
    node.position = static_cast<uint32_t>(region.args.size());
    NodeId id = add(std::move(node));
    graph_.regions[open_.back()].args.push_back(id);
    return id;
}

NodeId Trace::add_result(NodeId owner, Type type, size_t position) {
    Node node{.kind = NodeKind::result, .type = type, .operands = {owner}};
    node.position = static_cast<uint32_t>(position);
    return add(std::move(node));
}

NodeId Trace::condition_of(NodeId value, const Loc& loc) {
    if (type(value).is_block() || type(value).is_pointer())
        fail("a condition must be a scalar, got " + type(value).str() + "; use tl.where on blocks",
             loc);
    return convert(value, Scalar::boolean, loc);
}

void Trace::begin_if(NodeId condition, const Loc& loc) {
    open_op(Op::if_, {condition_of(condition, loc)}, loc);
}

void Trace::begin_else() {
    NodeId owner = graph_.regions[open_.back()].owner;
    open_.pop_back();
    open_region(owner);
}

std::vector<NodeId> Trace::end_if(const std::vector<NodeId>& then_values,
                                  const std::vector<NodeId>& else_values) {
    NodeId owner = graph_.regions[open_.back()].owner;
    Loc loc = graph_.nodes[owner].loc;
    open_.pop_back();
    std::vector<NodeId> results;
    for (size_t i = 0; i < then_values.size(); ++i) {
        NodeId yes = then_values[i], no = else_values[i];
        bool pointers = type(yes == kNoNode ? no : yes).is_pointer();
        if (yes == kNoNode) yes = missing_in(owner, 0, no);
        if (no == kNoNode) no = missing_in(owner, 1, yes);
        if (type(yes) != type(no) && !pointers)
            throw InternalError("Trace::end_if", "values of two types are merged");
        if (yes == no) {
            results.push_back(yes);
            continue;
        }
        if (pointers) {
            results.push_back(merged_pointer(yes, no, owner, loc));
            continue;
        }
        const Node &a = graph_.nodes[yes], &b = graph_.nodes[no];
        bool constants = a.kind == NodeKind::constant && b.kind == NodeKind::constant;
        if (constants && a.type.is(Scalar::boolean) && a.bits != b.bits) {
            NodeId condition = graph_.nodes[owner].operands[0];
            results.push_back(a.bits ? condition : apply(Op::bit_not, {condition}, loc));
            continue;
        }
        yes = convert(yes, type(yes).scalar(), loc);
        no = convert(no, type(no).scalar(), loc);
        results.push_back(give(owner, yes, no));
    }
    return results;
}

// What nobody will look at: a zero; of a pointer, what it was moved from outside, so that its base
// stays in sight.
NodeId Trace::missing_in(NodeId owner, size_t arm, NodeId like) {
    if (type(like).is_pointer())
        for (NodeId each : chain_of(graph_, like))
            if (is_visible(each)) return each;
    open_.push_back(graph_.nodes[owner].regions[arm]);
    NodeId made = zero(type(like), graph_.nodes[owner].loc);
    open_.pop_back();
    return made;
}

// One more result of an if.
NodeId Trace::give(NodeId owner, NodeId yes, NodeId no) {
    std::vector<RegionId> regions = graph_.nodes[owner].regions;
    for (int arm : {0, 1}) {
        open_.push_back(regions[arm]);
        check_visible({arm ? no : yes}, graph_.nodes[owner].loc);
        open_.pop_back();
        graph_.regions[regions[arm]].yields.push_back(arm ? no : yes);
    }
    return add_result(owner, type(yes), graph_.regions[regions[0]].yields.size() - 1);
}

std::vector<NodeId> Trace::begin_for(NodeId start, NodeId stop, NodeId step,
                                     const std::vector<NodeId>& inits, const PointerForms& forms,
                                     const Loc& loc) {
    const char* const names[] = {"start", "stop", "step"};
    std::vector<NodeId> bounds = {start, stop, step};
    Promotable common{Scalar::i32};
    for (size_t i = 0; i < bounds.size(); ++i) {
        Type bound = type(bounds[i]);
        if (bound.is_pointer() || bound.is_block() || info(bound.scalar()).is_float())
            fail(std::string("range: ") + names[i] + " must be an int scalar, got " + bound.str(),
                 loc);
        Promotable each{bound.scalar()};
        if (info(each.scalar).bytes >= 4) common = promote_operands("range", common, each, false);
    }
    if (std::ranges::all_of(bounds, [&](NodeId id) { return type(id).is(Scalar::u32); }))
        common.scalar = Scalar::u32;
    for (NodeId& bound : bounds) bound = convert(bound, common.scalar, loc);
    std::vector<NodeId> operands = init_operands(inits, forms, loc);
    operands.insert(operands.begin(), bounds.begin(), bounds.end());
    NodeId owner = open_op(Op::for_, std::move(operands), loc);
    NodeId index = add_arg(Type::scalar(common.scalar));
    loops_.push_back({owner, inits, {}, forms});
    loops_.back().args = carried_args(inits, forms, loc);
    std::vector<NodeId> known = loops_.back().args;
    known.insert(known.begin(), index);
    return known;
}

std::vector<NodeId> Trace::begin_while(const std::vector<NodeId>& inits, const PointerForms& forms,
                                       const Loc& loc) {
    NodeId owner = open_op(Op::while_, init_operands(inits, forms, loc), loc);
    loops_.push_back({owner, inits, {}, forms});
    loops_.back().args = carried_args(inits, forms, loc);
    return loops_.back().args;
}

void Trace::condition(NodeId value, const Loc& loc) {
    add_op(Op::condition, {condition_of(value, loc)}, Type(), loc);
}

LoopEnd Trace::end_loop(const std::vector<NodeId>& values) {
    Loop loop = loops_.back();
    Loc loc = graph_.nodes[loop.owner].loc;
    LoopEnd end{std::vector<NodeId>(), loop.forms};
    std::vector<NodeId> yields;
    for (size_t i = 0; i < values.size(); ++i) {
        if (type(values[i]) != type(loop.args[i]))
            throw InternalError("Trace::end_loop", "a carried value changes its type");
        bool pointer = type(values[i]).is_pointer();
        yields.push_back(pointer ? yielded_pointer(values[i], i, end.forms[i], loc)
                                 : convert(values[i], type(values[i]).scalar(), loc));
    }
    if (end.forms != loop.forms) return {std::nullopt, end.forms};
    check_visible(yields, loc);
    graph_.regions[open_.back()].yields = yields;
    open_.pop_back();
    loops_.pop_back();
    for (size_t i = 0; i < values.size(); ++i) {
        end.results->push_back(add_result(loop.owner, type(yields[i]), i));
        if (!type(loop.inits[i]).is_pointer()) continue;
        NodeId& result = end.results->back();
        result = loop.forms[i] == PointerForm::address
                     ? cast_to_pointer(result, type(loop.inits[i]).scalar(), loc)
                     : moved(loop.inits[i], result, loc);
    }
    return end;
}

NodeId Trace::zero(Type wanted, const Loc& loc) {
    Scalar scalar = wanted.is_pointer() ? Scalar::i64 : wanted.scalar();
    NodeId zero = constant_as(int_constant(0), scalar, loc);
    if (wanted.is_block()) zero = splat(zero, wanted.shape(), loc);
    return wanted.is_pointer() ? cast_to_pointer(zero, wanted.scalar(), loc) : zero;
}

// --- pointers ------------------------------------------------------------------------------------

NodeId Trace::moved(NodeId pointer, NodeId offset, const Loc& loc) {
    return apply(Op::add, {pointer, offset}, loc);
}

// In 64 bits, which is what a chain of moves amounts to.
NodeId Trace::sum_of(const std::vector<NodeId>& offsets, const Loc& loc) {
    NodeId sum = kNoNode;
    for (NodeId each : offsets) {
        NodeId wide = convert(each, Scalar::i64, loc);
        sum = sum == kNoNode ? wide : apply(Op::add, {sum, wide}, loc);
    }
    return sum == kNoNode ? constant_as(int_constant(0), Scalar::i64, loc) : sum;
}

std::vector<NodeId> Trace::init_operands(const std::vector<NodeId>& inits,
                                         const PointerForms& forms, const Loc& loc) {
    std::vector<NodeId> operands;
    for (size_t i = 0; i < inits.size(); ++i) {
        Type wanted = type(inits[i]);
        if (!wanted.is_pointer()) {
            operands.push_back(convert(inits[i], wanted.scalar(), loc));
            continue;
        }
        NodeId zero = constant_as(int_constant(0), Scalar::i64, loc);
        if (forms[i] == PointerForm::address) zero = cast_to_address(inits[i], loc);
        if (forms[i] == PointerForm::lane_offset) zero = splat(zero, wanted.shape(), loc);
        operands.push_back(zero);
    }
    return operands;
}

std::vector<NodeId> Trace::carried_args(const std::vector<NodeId>& inits, const PointerForms& forms,
                                        const Loc& loc) {
    std::vector<NodeId> raw, args;
    size_t first = graph_.nodes[loops_.back().owner].op == Op::for_ ? kForInits : 0;
    for (size_t i = 0; i < inits.size(); ++i)
        raw.push_back(add_arg(type(graph_.nodes[loops_.back().owner].operands[first + i])));
    for (size_t i = 0; i < inits.size(); ++i) {
        Type wanted = type(inits[i]);
        if (!wanted.is_pointer())
            args.push_back(raw[i]);
        else if (forms[i] == PointerForm::address)
            args.push_back(cast_to_pointer(raw[i], wanted.scalar(), loc));
        else
            args.push_back(moved(inits[i], raw[i], loc));
    }
    return args;
}

// What the loop carries on for a pointer, or - in a form that does not serve - which one would.
NodeId Trace::yielded_pointer(NodeId value, size_t i, PointerForm& form, const Loc& loc) {
    if (form == PointerForm::address) return cast_to_address(value, loc);
    NodeId init = loops_.back().inits[i], arg = loops_.back().args[i];
    std::vector<NodeId> chain = chain_of(graph_, value);
    bool goes_on = contains(chain, arg);
    if (!goes_on && !contains(chain, init)) {
        form = PointerForm::address;
        return kNoNode;
    }
    std::vector<NodeId> offsets = offsets_before(graph_, chain, goes_on ? arg : init);
    bool lanes = std::ranges::any_of(offsets, [&](NodeId id) { return type(id).is_block(); });
    if (lanes && form == PointerForm::uniform_offset) {
        form = PointerForm::lane_offset;
        return kNoNode;
    }
    if (goes_on) offsets.push_back(graph_.nodes[arg].operands[1]);
    NodeId sum = sum_of(offsets, loc);
    bool spread = form == PointerForm::lane_offset && !type(sum).is_block();
    return spread ? splat(sum, type(value).shape(), loc) : sum;
}

// From the pointer that both were moved from, if there is one; else by their addresses. Moves that
// are equal in both stay outside, so that lanes which are consecutive remain so.
NodeId Trace::merged_pointer(NodeId then_value, NodeId else_value, NodeId owner, const Loc& loc) {
    std::vector<RegionId> regions = graph_.nodes[owner].regions;
    std::vector<NodeId> chains[2] = {chain_of(graph_, then_value), chain_of(graph_, else_value)};
    auto common = std::ranges::find_if(
        chains[0], [&](NodeId each) { return contains(chains[1], each) && is_visible(each); });
    bool related = common != chains[0].end();
    std::vector<NodeId> shared;
    NodeId merged[2];
    for (int arm : {0, 1}) {
        open_.push_back(regions[arm]);
        NodeId value = arm ? else_value : then_value;
        if (!related) {
            merged[arm] = cast_to_address(value, loc);
        } else {
            std::vector<NodeId> offsets = offsets_before(graph_, chains[arm], *common);
            std::vector<NodeId> others = offsets_before(graph_, chains[1 - arm], *common);
            shared.clear();
            std::erase_if(offsets, [&](NodeId each) {
                bool outside = graph_.nodes[each].region != regions[arm] && is_visible(each);
                if (!outside || !contains(others, each) || contains(shared, each)) return false;
                shared.push_back(each);
                return true;
            });
            merged[arm] = sum_of(offsets, loc);
        }
        open_.pop_back();
    }
    for (int arm : {0, 1}) {  // a sum of lane offsets beside one of uniform offsets
        if (!type(merged[1 - arm]).is_block() || type(merged[arm]).is_block()) continue;
        open_.push_back(regions[arm]);
        merged[arm] = splat(merged[arm], type(merged[1 - arm]).shape(), loc);
        open_.pop_back();
    }
    NodeId result = give(owner, merged[0], merged[1]);
    if (!related) return cast_to_pointer(result, type(then_value).scalar(), loc);
    NodeId pointer = moved(*common, result, loc);
    std::ranges::sort(shared);
    for (NodeId each : shared) pointer = moved(pointer, each, loc);
    return pointer;
}

}  // namespace mytriton
