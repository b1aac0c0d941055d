// What a stage takes from other lanes, and its accesses to whole vectors.
#include <algorithm>

#include "cuda/emit_stage.h"
#include "cuda/replace.h"
#include "ir/literal.h"
#include "ir/movement.h"

namespace mytriton {

namespace {

constexpr std::string_view kVector = R"(struct alignas($align) $name {
    $T lane[$V];
};
)";

constexpr std::string_view kIsRow =
    R"(// Whether lanes from `first` to `last` lie as neighbours in memory, where a vector may.
static __device__ bool mt_is_row(const void* first, const void* last, int bytes, int align) {
    const unsigned long long from = (unsigned long long)first;
    return (unsigned long long)last - from == bytes && (from & (align - 1)) == 0;
}
)";

std::string source(const LaneMap& map, const std::string& lane) {
    std::string sum;
    for (const LaneMap::Term& term : map.terms) {
        std::string index = lane;
        if (term.divide != 1) index += " / " + std::to_string(term.divide);
        if (term.modulo) index += " % " + std::to_string(term.modulo);
        if (term.times != 1) index += " * " + std::to_string(term.times);
        sum += (sum.empty() ? "" : " + ") + index;
    }
    if (sum.empty() || map.offset) sum += (sum.empty() ? "" : " + ") + std::to_string(map.offset);
    return sum;
}

}  // namespace

// Of shared memory.
std::string CudaStageEmitter::moved(const Inst& inst) const {
    std::string from = shared_name(facts_.unreshaped(inst.operands[0]));
    if (inst.operands.size() == 1)
        return from + "[" +
               source(lane_map(inst.op, inst.attrs, kernel_.type(inst.operands[0]),
                               kernel_.type(inst.result())),
                      lane_) +
               "]";
    std::string other = shared_name(facts_.unreshaped(inst.operands[1]));
    if (inst.op == Op::join)
        return "(" + lane_ + " % 2 ? " + other + " : " + from + ")[" + lane_ + " / 2]";
    std::string count = std::to_string(kernel_.type(inst.operands[0]).lanes());
    return "(" + lane_ + " < " + count + " ? " + from + "[" + lane_ + "] : " + other + "[" + lane_ +
           " - " + count + "])";
}

// Lanes that are computed again: what the operand is made of, of the lane that it comes from.
void CudaStageEmitter::emit_movement(const Inst& inst) {
    if (!plan_.strips.recomputed[inst.result().index]) return assign(inst, moved(inst));
    Value result = inst.result(), operand = inst.operands[0];
    std::set<InstId> closure;
    std::vector<Value> pending = {operand};
    while (!pending.empty()) {
        Value value = pending.back();
        pending.pop_back();
        if (!is_block(value) || !closure.insert(*facts_.definition(value)).second) continue;
        const Inst& made = kernel_.inst(*facts_.definition(value));
        if (moves_lanes(made.op)) continue;  // which has a closure of its own
        pending.insert(pending.end(), made.operands.begin(), made.operands.end());
    }
    if (lane0_ || !arrays_.contains(result.index))
        add(type(result) + " " + text(result) + ";\n", inst.loc);
    std::string target = text(result);
    LaneMap map = lane_map(inst.op, inst.attrs, kernel_.type(operand), kernel_.type(result));
    std::string inner = "mt_lane" + std::to_string(++closures_);
    add("{\n    const unsigned " + inner + " = " + source(map, lane_) + ";\n", inst.loc);
    ++depth_;
    std::swap(lane_, inner);
    bool lane0 = std::exchange(lane0_, false), interior = std::exchange(interior_, false);
    auto arrays = std::exchange(arrays_, {});
    auto vectors = std::exchange(vectors_, {});
    for (InstId id : closure) emit_block_inst(kernel_.inst(id));
    add(target + " = " + text(operand) + ";\n", inst.loc);
    lane0_ = lane0;
    interior_ = interior;
    arrays_ = std::move(arrays);
    vectors_ = std::move(vectors);
    std::swap(lane_, inner);
    --closures_;
    close();
}

// --- whole vectors -------------------------------------------------------------------------------

std::string CudaStageEmitter::vector_type(Value pointer) {
    const ScalarInfo& scalar = info(kernel_.type(pointer).scalar());
    define_type(scalar.scalar, helpers_);
    std::string name = "mt_" + std::string(scalar.name) + "x" + std::to_string(vector_);
    std::string definition = replace_all(std::string(kVector), "$name", name);
    definition = replace_all(definition, "$align",
                             std::to_string(std::min<int64_t>(16, scalar.bytes * vector_)));
    definition = replace_all(definition, "$V", std::to_string(vector_));
    helpers_.insert(replace_all(definition, "$T", scalar.cxx_memory));
    return name;
}

std::string CudaStageEmitter::lane_of(const std::string& vector, Scalar scalar) const {
    std::string lane = vector + ".lane[" + k_ + "]";
    return scalar == Scalar::boolean ? "(" + lane + " != 0)" : lane;
}

void CudaStageEmitter::emit_whole(const Item& item) {
    const Inst& inst = kernel_.inst(item.inst);
    bool load = inst.op == Op::load;
    std::string vector =
        "mt_" + std::string(load ? "v" + number(inst.result()) : "s" + std::to_string(item.inst));
    if (plan_.row_accesses.contains(item.inst)) return emit_row(inst, vector);
    if (load) {
        emit_vector_load(inst, vector);
        vectors_[inst.result().index] = vector;
    } else {
        emit_vector_store(inst, vector);
    }
}

void CudaStageEmitter::emit_vector_load(const Inst& inst, const std::string& vector) {
    std::string type = vector_type(inst.operands[0]);
    k_ = "0";
    add("const " + type + " " + vector + " = *(const " + type + "*)&" + element(inst.operands[0]) +
            ";\n",
        inst.loc);
    k_ = "mt_k";
}

void CudaStageEmitter::emit_vector_store(const Inst& inst, const std::string& vector) {
    std::string type = vector_type(inst.operands[0]);
    add(type + " " + vector + ";\n", inst.loc);
    open_lanes();
    add(vector + ".lane[mt_k] = " + text(inst.operands[1]) + ";\n", inst.loc);
    close();
    k_ = "0";
    add("*(" + type + "*)&" + element(inst.operands[0]) + " = " + vector + ";\n", inst.loc);
    k_ = "mt_k";
}

// Where a test tells that the vector's lanes all take part and are neighbours; else lane by lane.
void CudaStageEmitter::emit_row(const Inst& inst, const std::string& vector) {
    bool load = inst.op == Op::load;
    Value pointer = inst.operands[0], mask = inst.operands[load ? 1 : 2];
    int64_t bytes = info(kernel_.type(pointer).scalar()).bytes;
    helpers_.insert(std::string(kIsRow));
    if (load) {
        arrays_.insert(inst.result().index);
        add(type(inst.result()) + " " + "v" + number(inst.result()) + "[" +
                std::to_string(vector_) + "];\n",
            inst.loc);
    }
    k_ = "0";
    std::string test = "mt_is_row(&" + element(pointer) + ", &";
    k_ = std::to_string(vector_ - 1);
    test += element(pointer) + ", " + std::to_string(bytes * (vector_ - 1)) + ", " +
            std::to_string(std::min<int64_t>(16, bytes * vector_)) + ")";
    for (int64_t k = 0; !mask.none() && k < vector_; ++k) {
        k_ = std::to_string(k);
        test += " && " + text(mask);
    }
    k_ = "mt_k";
    add("if (" + test + ") {\n", inst.loc);
    ++depth_;
    if (load) {
        emit_vector_load(inst, vector);
        open_lanes();
        add(text(inst.result()) + " = " + lane_of(vector, kernel_.type(inst.result()).scalar()) +
                ";\n",
            inst.loc);
        close();
    } else {
        emit_vector_store(inst, vector);
    }
    --depth_;
    add("} else {\n", inst.loc);
    ++depth_;
    open_numbered_lanes();
    emit_inst(inst);
    close();
    close();
}

}  // namespace mytriton
