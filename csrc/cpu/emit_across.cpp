// Ops across lanes as host C++: calls of vector_loop.h's and vector_across.h's functions.
#include "cpu/emit_stage.h"
#include "ir/across.h"

namespace mytriton {

namespace {

std::string arguments(const std::vector<int64_t>& numbers) {
    std::string out;
    for (int64_t number : numbers) out += (out.empty() ? "" : ", ") + std::to_string(number);
    return out;
}

std::string flag(const Inst& inst, AttrKey key) {
    return inst.find_attr(key).value_or(0) ? "true" : "false";
}

// See kUnsigned in vector_across.h. A bool's lanes are 0 and all ones.
std::string order_of(Scalar scalar) {
    if (scalar == Scalar::f64) return "52";
    if (scalar == Scalar::f32) return "23";
    if (scalar == Scalar::f16) return "10";
    if (scalar == Scalar::bf16) return "7";
    bool sign = info(scalar).is_int() && !info(scalar).is_unsigned();
    return sign ? "kSigned" : "kUnsigned";
}

std::string bits_type(Scalar scalar) {
    switch (scalar == Scalar::boolean ? 4 : info(scalar).bytes) {
        case 1:
            return "unsigned char";
        case 2:
            return "unsigned short";
        case 4:
            return "unsigned";
        default:
            return "unsigned long long";
    }
}

}  // namespace

std::string StageEmitter::combine_text(const Inst& inst) const {
    Scalar scalar = kernel_.type(inst.operands[0]).scalar();
    std::string combined = substitute(expression(info(inst.op).combine, scalar), "a", "b");
    if (scalar == Scalar::boolean) combined = "bool_lane" + combined;
    return "[](auto a, auto b) { return " + combined + "; }";
}

void StageEmitter::emit_in_memory(const Step& step) {
    const Inst& inst = kernel_.inst(step.inst);
    loc_ = inst.loc;
    line(across_text(inst, step.room) + ";");
    loc_ = 0;
}

std::string StageEmitter::across_text(const Inst& inst, int64_t room) const {
    Type type = kernel_.type(inst.operands[0]);
    std::string from = memory_name(inst.operands[0]), to = buffer_name(inst.result());
    std::string vector = Speller::vector_type(type.scalar());
    if (inst.op == Op::sort) {
        Runs runs = runs_along(type, last_axis(type));
        std::string bits = bits_type(type.scalar());
        return "sort_rows<" + bits + ", " + order_of(type.scalar()) + ", " +
               arguments({runs.outer, runs.count}) + ", " + flag(inst, AttrKey::descending) +
               ">((const " + bits + "*)" + from + ", (" + bits + "*)" + to + ", (" + bits +
               "*)(mt_scratch + " + std::to_string(room) + "))";
    }
    if (inst.op == Op::histogram) {
        bool masked = !inst.operands[1].none();
        return "count_lanes<" + arguments({type.lanes(), inst.attr(AttrKey::bins)}) + ">(" + from +
               ", " + (masked ? memory_name(inst.operands[1]) : "nullptr") + ", " + to + ")";
    }
    int64_t axis = inst.attr(AttrKey::axis);
    Runs runs = runs_along(type, axis);
    if (inst.op == Op::gather) {
        int64_t count = kernel_.type(inst.result()).shape()[axis];
        return "gather_axis<" + arguments({runs.outer, runs.count, count, runs.inner}) + ">(" +
               from + ", " + memory_name(inst.operands[1]) + ", " + to + ")";
    }
    std::string sizes = arguments({runs.outer, runs.count, runs.inner});
    std::string rest = from + ", " + to + ", " + identity(inst) + ", " + combine_text(inst) + ")";
    if (info(inst.op).kind == OpKind::reduce)
        return "reduce_axis<" + vector + ", " + sizes + ">(" + rest;
    return "scan_axis<" + vector + ", " + sizes + ", " + flag(inst, AttrKey::reverse) + ">(" + rest;
}

}  // namespace mytriton
