// A stage is cut into groups: loops over the lanes of a vector, with accesses to whole vectors
// between. What one group leaves to another is an array.
#include "cuda/emit_stage.h"

#include <algorithm>

#include "cuda/reduce.h"
#include "ir/across.h"
#include "ir/literal.h"
#include "ir/movement.h"

namespace mytriton {

namespace {

constexpr int64_t kMostUnrolled = 64;  // lanes of a thread

// A value, as text that stands alone.
std::string at(const std::string& array, const std::string& index) {
    return array + "[" + index + "]";
}

}  // namespace

std::string CudaStageEmitter::number(Value value) const {
    return std::to_string(kernel_.data(value).number);
}

std::string CudaStageEmitter::text(Value value) const {
    if (!is_block(value)) return CudaInstEmitter::text(value);
    std::string name = "v" + number(value);
    if (lane0_) return name + "_0";
    if (auto vector = vectors_.find(value.index); vector != vectors_.end())
        return lane_of(vector->second, kernel_.type(value).scalar());
    return arrays_.contains(value.index) ? at(name, k_) : name;
}

void CudaStageEmitter::declare(Value value, const std::string& expression, LocId loc) {
    if (is_block(value) && !lane0_ && arrays_.contains(value.index))
        add(text(value) + " = " + expression + ";\n", loc);
    else
        CudaInstEmitter::declare(value, expression, loc);
}

// --- the first lane of an index ------------------------------------------------------------------

void CudaStageEmitter::emit_lane0(const Step& step) {
    int slot = plan_.strips.slot_of[step.value.index];
    lane0_ = true;
    lane_ = "0";
    if (slot >= 0) {
        std::string once = "mt_once" + std::to_string(step.once);
        add("if (threadIdx.x == 0) {\n    " + once + " = " + slot_name(static_cast<size_t>(slot)) +
                "[0];\n}\n__syncthreads();\n",
            0);
        declare(step.value, once, 0);
    } else if (const Inst& inst = kernel_.inst(*facts_.definition(step.value)); is_across(inst)) {
        declare(step.value, at(shared_name(step.value), "0"), inst.loc);
    } else {
        emit_block_inst(inst);
    }
    lane0_ = false;
}

// --- stages --------------------------------------------------------------------------------------

void CudaStageEmitter::emit_stage(const Stage& stage) {
    stage_ = &stage;
    vector_ = plan_.vector(stage.width);
    for (InstId id : stage.body) {
        const Inst& inst = kernel_.inst(id);
        if (info(inst.op).kind != OpKind::reduce) continue;
        Scalar scalar = kernel_.type(inst.result()).scalar();
        std::string identity = spell_cxx(scalar, identity_bits(info(inst.op).identity, scalar));
        std::string values = identity;
        for (int64_t k = 1; k < vector_; ++k) values += ", " + identity;
        add(type(inst.result()) + " mt_partial" + number(inst.result()) + "[" +
                std::to_string(vector_) + "] = {" + values + "};\n",
            inst.loc);
    }
    std::string condition = interior_condition(stage);
    if (condition.empty()) {
        emit_rounds(stage, false);
    } else {
        add("if (" + condition + ") {\n", 0);
        ++depth_;
        emit_rounds(stage, true);
        --depth_;
        add("} else {\n", 0);
        ++depth_;
        emit_rounds(stage, false);
        --depth_;
        add("}\n", 0);
    }
    emit_reductions(stage);
}

// What holds where the stage's vectors can be loaded and stored whole, for all threads alike:
// empty where there are none.
std::string CudaStageEmitter::interior_condition(const Stage& stage) {
    std::string condition;
    auto require = [&](const std::string& test) {
        condition += (condition.empty() ? "" : " && ") + test;
    };
    if (!stage.bounded()) return "";
    lane0_ = true;
    std::string last = std::to_string(stage.width - 1);
    for (Value index : stage.may_wrap) {
        Scalar scalar = kernel_.type(index).scalar();
        require(text(index) + " <= " + spell_cxx(scalar, largest_int(scalar)) + " - " + last);
    }
    for (const PrefixTest& test : stage.bound)
        require(text(test.index) + " + " + last + (test.inclusive ? " <= " : " < ") +
                text(test.bound));
    for (InstId id : stage.body) {
        if (!plan_.vector_accesses.contains(id)) continue;
        const Inst& inst = kernel_.inst(id);
        int64_t bytes = info(kernel_.type(inst.operands[0]).scalar()).bytes * vector_;
        require("((unsigned long long)&" + element(inst.operands[0]) + " & " +
                std::to_string(std::min<int64_t>(bytes, 16) - 1) + ") == 0");
    }
    lane0_ = false;
    return condition;
}

void CudaStageEmitter::emit_rounds(const Stage& stage, bool interior) {
    interior_ = interior;
    int64_t rounds = plan_.rounds(stage.width);
    std::string first = "threadIdx.x";
    if (rounds > 1) {
        add(rounds * vector_ <= kMostUnrolled ? "#pragma unroll\n" : "#pragma unroll 1\n", 0);
        add("for (int mt_r = 0; mt_r < " + std::to_string(rounds) + "; ++mt_r) {\n", 0);
        first = "(mt_r * " + std::to_string(plan_.threads) + " + " + first + ")";
    } else {
        add("{\n", 0);
    }
    ++depth_;
    std::string name = vector_ == 1 ? "mt_lane" : "mt_first";
    add("const unsigned " + name + " = " + first +
            (vector_ == 1 ? "" : " * " + std::to_string(vector_)) + ";\n",
        0);
    bool partial = stage.width % (plan_.threads * vector_) != 0;
    if (partial) {
        add("if (" + name + " < " + std::to_string(stage.width) + ") {\n", 0);
        ++depth_;
    }
    emit_round(stage);
    if (partial) close();
    close();
}

void CudaStageEmitter::close() {
    --depth_;
    add("}\n", 0);
}

void CudaStageEmitter::emit_round(const Stage& stage) {
    std::vector<Items> groups;
    for (const Item& item : needed(items_of(stage))) {
        bool whole = is_whole(item);
        if (groups.empty() || whole || is_whole(groups.back().back())) groups.emplace_back();
        groups.back().push_back(item);
    }
    arrays_.clear();
    vectors_.clear();
    if (vector_ > 1) choose_arrays(groups);
    bool one_round = plan_.rounds(stage.width) == 1;
    std::string k = vector_ == 1 ? "" : "mt_k";
    index_ = one_round ? (k.empty() ? "0" : k)
                       : (k.empty() ? "mt_r" : "mt_r * " + std::to_string(vector_) + " + mt_k");
    lane_ = "mt_lane";
    k_ = "mt_k";
    for (const Items& group : groups) {
        if (is_whole(group[0]))
            emit_whole(group[0]);
        else
            emit_group(group);
    }
}

CudaStageEmitter::Items CudaStageEmitter::items_of(const Stage& stage) const {
    Items items;
    for (Value value : stage.from_buffer)
        items.push_back({.kind = Item::Kind::from_buffer, .value = value});
    for (Value value : stage.from_slot)
        items.push_back({.kind = Item::Kind::from_slot, .value = value});
    for (InstId id : stage.body)
        if (kernel_.inst(id).op != Op::addptr)
            items.push_back({.kind = Item::Kind::inst, .inst = id});
    for (Value value : stage.to_buffer)
        items.push_back({.kind = Item::Kind::to_buffer, .value = value});
    for (const Move& move : stage.moves)
        items.push_back({.kind = Item::Kind::to_slot, .value = move.from, .slot = move.slot});
    return items;
}

// Without what only the other form of the stage uses: indices and masks that whole vectors do not
// need.
CudaStageEmitter::Items CudaStageEmitter::needed(const Items& items) const {
    std::set<uint32_t> used;
    Items kept;
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
        Value result = result_of(*item);
        bool pure = item->kind != Item::Kind::inst || info(kernel_.inst(item->inst).op).has(kPure);
        if (is_block(result) && pure && !used.contains(result.index)) continue;
        for (Value use : uses_of(*item)) used.insert(use.index);
        kept.push_back(*item);
    }
    std::ranges::reverse(kept);
    return kept;
}

bool CudaStageEmitter::is_whole(const Item& item) const {
    if (item.kind != Item::Kind::inst) return false;
    return plan_.row_accesses.contains(item.inst) ||
           (interior_ && plan_.vector_accesses.contains(item.inst));
}

Value CudaStageEmitter::result_of(const Item& item) const {
    if (item.kind == Item::Kind::inst) {
        const Inst& inst = kernel_.inst(item.inst);
        return inst.results.empty() ? Value() : inst.result();
    }
    bool comes = item.kind == Item::Kind::from_buffer || item.kind == Item::Kind::from_slot;
    return comes ? item.value : Value();
}

// The blocks whose lanes it takes where it stands: of pointers, what addresses are made of.
std::vector<Value> CudaStageEmitter::uses_of(const Item& item) const {
    if (item.kind == Item::Kind::to_buffer || item.kind == Item::Kind::to_slot) return {item.value};
    if (item.kind != Item::Kind::inst) return {};
    const Inst& inst = kernel_.inst(item.inst);
    if (moves_lanes(inst.op)) return {};
    std::vector<Value> uses;
    bool whole = interior_ && plan_.vector_accesses.contains(item.inst);
    size_t mask = inst.op == Op::load ? 1 : 2;
    for (size_t i = 0; i < inst.operands.size(); ++i) {
        Value operand = inst.operands[i];
        if (operand.none() || (whole && i >= mask)) continue;
        if (!kernel_.type(operand).is_pointer()) {
            uses.push_back(operand);
            continue;
        }
        Address address = facts_.address(operand);
        uses.push_back(address.base);
        uses.insert(uses.end(), address.offsets.begin(), address.offsets.end());
    }
    return uses;
}

// Lanes of a vector are kept where another group needs them, and by accesses to whole vectors.
void CudaStageEmitter::choose_arrays(const std::vector<Items>& groups) {
    std::unordered_map<uint32_t, size_t> made;
    for (size_t i = 0; i < groups.size(); ++i)
        for (const Item& item : groups[i]) {
            for (Value use : uses_of(item))
                if (auto found = made.find(use.index); found != made.end() && found->second != i)
                    arrays_.insert(use.index);
            if (Value result = result_of(item); is_block(result)) made[result.index] = i;
        }
}

void CudaStageEmitter::open_lanes() {
    add("#pragma unroll\nfor (int mt_k = 0; mt_k < " + std::to_string(vector_) + "; ++mt_k) {\n",
        0);
    ++depth_;
}

void CudaStageEmitter::open_numbered_lanes() {
    open_lanes();
    add("const unsigned mt_lane = mt_first + mt_k;\n", 0);
}

void CudaStageEmitter::emit_group(const Items& group) {
    for (const Item& item : group)
        if (Value result = result_of(item); is_block(result) && arrays_.contains(result.index))
            add(type(result) + " " + at("v" + number(result), std::to_string(vector_)) + ";\n", 0);
    if (vector_ > 1) open_numbered_lanes();
    for (const Item& item : group) emit_lane(item);
    if (vector_ > 1) close();
}

void CudaStageEmitter::emit_lane(const Item& item) {
    auto buffer = [&](Value value) {
        bool shared = plan_.shared.contains(value.index);
        return shared ? at(shared_name(value), lane_) : at(buffer_name(value), index_);
    };
    switch (item.kind) {
        case Item::Kind::inst:
            return emit_block_inst(kernel_.inst(item.inst));
        case Item::Kind::from_buffer:
            return declare(item.value, buffer(item.value), 0);
        case Item::Kind::from_slot: {
            size_t slot = static_cast<size_t>(plan_.strips.slot_of[item.value.index]);
            return declare(item.value, at(slot_name(slot), index_), 0);
        }
        case Item::Kind::to_buffer:
            return add(buffer(item.value) + " = " + text(item.value) + ";\n", 0);
        case Item::Kind::to_slot:
            return add(at(slot_name(item.slot), index_) + " = " + text(item.value) + ";\n", 0);
    }
}

void CudaStageEmitter::emit_block_inst(const Inst& inst) {
    if (moves_lanes(inst.op)) return emit_movement(inst);
    bool holds =
        interior_ && !lane0_ && !inst.results.empty() && stage_->is_all_true(inst.result());
    if (holds) return assign(inst, "true");
    if (info(inst.op).kind != OpKind::reduce) return emit_inst(inst);
    Scalar scalar = kernel_.type(inst.result()).scalar();
    std::string partial = at("mt_partial" + number(inst.result()), vector_ == 1 ? "0" : k_);
    add(partial + " = " + combined(inst.op, scalar, partial, text(inst.operands[0]), helpers_) +
            ";\n",
        inst.loc);
}

void CudaStageEmitter::emit_reductions(const Stage& stage) {
    std::vector<std::pair<const Inst*, std::string>> found;
    for (InstId id : stage.body) {
        const Inst& inst = kernel_.inst(id);
        if (info(inst.op).kind != OpKind::reduce) continue;
        std::string name = thread_reduction(inst.op, kernel_.type(inst.result()).scalar(),
                                            plan_.threads, helpers_);
        std::string words = "mt_words" + std::to_string(plan_.words.at(id));
        add(name + "_put(mt_partial" + number(inst.result()) + ", " + words + ");\n", inst.loc);
        found.emplace_back(&inst, name + "_get(" + words + ")");
    }
    if (!found.empty()) add("__syncthreads();\n", 0);
    for (const auto& [inst, expression] : found) assign(*inst, expression);
}

}  // namespace mytriton
