// Declarations, partial results of reductions, and one case for each op.
#include "cpu/emit_inst.h"

#include "ir/across.h"
#include "ir/literal.h"
#include "ir/movement.h"

namespace mytriton {

void InstEmitter::line(const std::string& text) {
    out_.add(std::string(4 * depth_, ' ') + text + "\n", loc_);
}

std::string InstEmitter::suffix(const Inst& inst) const {
    return std::to_string(kernel_.data(inst.result()).number);
}

std::string InstEmitter::identity(const Inst& inst) const {
    Scalar scalar = kernel_.type(inst.result()).scalar();
    return Speller::splat(scalar, spell_cxx(scalar, identity_bits(info(inst.op).identity, scalar)));
}

void InstEmitter::accumulate(const Inst& inst) {
    std::string value = spell_.vector(inst.operands[0]);
    Scalar scalar = kernel_.type(inst.result()).scalar();
    if (partial_)
        value = "(" + mask_as(scalar, "mt_exists") + " ? " + value + " : " + identity(inst) + ")";
    std::string partial = "mt_partial" + suffix(inst) + "[mt_part]";
    line(partial + " = mt_join" + suffix(inst) + "(" + partial + ", " + value + ");");
}

bool InstEmitter::has_own_mask(Scalar scalar) {
    return scalar != Scalar::boolean && info(scalar).bytes != 4;
}

std::string InstEmitter::mask_as(Scalar scalar, const std::string& mask) {
    if (!has_own_mask(scalar)) return mask;
    return "mask_of<" + Speller::vector_type(scalar) + ">(" + mask + ")";
}

void InstEmitter::declare_vector(Value value, const std::string& expression) {
    line("const " + Speller::vector_type(lane_scalar(kernel_.type(value))) + " " +
         spell_.name(value) + " = " + expression + ";");
}

void InstEmitter::declare(Value value, Part part, const std::string& expression) {
    if (part == Part::interior || part == Part::edge) return declare_vector(value, expression);
    Type type = kernel_.type(value);
    line((type.is_pointer() ? Speller::pointer_type(type) + " const "
                            : "const " + std::string(info(type.scalar()).cxx) + " ") +
         (part == Part::lane0 ? spell_.lane0(value) : spell_.name(value)) + " = " + expression +
         ";");
}

void InstEmitter::emit(InstId id, Part part) {
    const Inst& inst = kernel_.inst(id);
    inst_id_ = id;
    loc_ = inst.loc;
    emit_op(inst, part);
    loc_ = 0;
}

void InstEmitter::emit_op(const Inst& inst, Part part) {
    if (part == Part::interior && !inst.results.empty() && is_all_true(inst.result()))
        return declare_vector(inst.result(), "splat_bool(true)");
    if (part == Part::lane0 && is_across(inst))
        return declare(inst.result(), part, buffer_name(inst.result()) + "[0]");
    switch (inst.op) {
        case Op::program_id:
            return declare(inst.result(), part, program_id(inst.attr(AttrKey::axis)));
        case Op::num_programs:
            return declare(inst.result(), part,
                           "(int)mt_grid[" + std::to_string(inst.attr(AttrKey::axis)) + "]");
        case Op::arange:
            return declare(inst.result(), part, arange(inst, part));
        case Op::cast:
        case Op::cast_rtz:
        case Op::bitcast:
            return declare(inst.result(), part, converted(inst, part));
        case Op::splat:
            return declare(inst.result(), part, spell_.operand(inst.operands[0], part));
        case Op::reshape:
            return declare(inst.result(), part, spell_.operand(inst.operands[0], part));
        case Op::broadcast:
        case Op::permute:
        case Op::join:
        case Op::half:
        case Op::cat:
            return declare(inst.result(), part, moved(inst, part));
        case Op::sort:
        case Op::gather:
        case Op::histogram:
            throw InternalError("InstEmitter::emit_op", "the op is a step of its own");
        case Op::ptr_cast:
            return declare(inst.result(), part, pointer_cast(inst, part));
        case Op::addptr:
            return;  // folded into the accesses that use it
        case Op::for_:
        case Op::if_:
        case Op::while_:
        case Op::condition:
        case Op::yield:
            return;  // printed as what stands around their steps
        case Op::atomic_rmw:
        case Op::atomic_cas:
            return emit_atomic(inst, part);
        case Op::print:
            return emit_print(inst, part);
        case Op::device_assert:
            return emit_assert(inst, part);
        case Op::load:
            return emit_load(inst, part);
        case Op::store:
            return emit_store(inst, part);
#define NA
#define PURE(name, ...) case Op::name:
#define REDUCE(...)
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
            return emit_pure(inst, part);
#define PURE(...)
#define REDUCE(...)
#define SCAN(name, ...) case Op::name:
#define STRUCTURAL(...)
#include "ir/ops.def"
            throw InternalError("InstEmitter::emit_op", "the op is a step of its own");
#define PURE(...)
#define REDUCE(name, ...) case Op::name:
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
            return accumulate(inst);
    }
}

void InstEmitter::emit_pure(const Inst& inst, Part part) {
    size_t first = info(inst.op).first_value();
    Scalar scalar = kernel_.type(inst.operands[first]).scalar();
    bool strip = part == Part::interior || part == Part::edge;
    std::string operands[3];
    for (size_t i = 0; i < inst.operands.size(); ++i)
        operands[i] = spell_.operand(inst.operands[i], part);
    if (first == 1 && strip) operands[0] = mask_as(scalar, operands[0]);
    std::string text =
        substitute(expression(inst.op, scalar), operands[0], operands[1], operands[2]);
    bool compares = kernel_.type(inst.result()).is(Scalar::boolean);
    if (strip && compares && has_own_mask(scalar)) text = "to_mask(" + text + ")";
    declare(inst.result(), part, text);
}

std::string InstEmitter::converted(const Inst& inst, Part part) const {
    Scalar from = kernel_.type(inst.operands[0]).scalar();
    Scalar to = kernel_.type(inst.result()).scalar();
    std::string value = spell_.operand(inst.operands[0], part);
    std::string type = Speller::type(to, part);
    bool strip = part == Part::interior || part == Part::edge;
    // The bits of a constant are spelled as an int.
    if (info(from).is_half() && kernel_.is_constant(inst.operands[0]) && !strip)
        value = "(" + std::string(info(from).cxx) + ")" + value;
    if (inst.op == Op::bitcast) return "__builtin_bit_cast(" + type + ", " + value + ")";
    std::string rounding = inst.op == Op::cast_rtz ? "_rtz" : "";
    if (info(to).is_half()) {
        if (from == Scalar::f64)
            value = "f64_to_f32" + (rounding.empty() ? "_odd" : rounding) + "(" + value + ")";
        return "f32_to_" + std::string(info(to).name) + rounding + "(" + value + ")";
    }
    if (!rounding.empty()) return "f64_to_f32_rtz(" + value + ")";
    if (info(from).is_half()) return std::string(info(from).name) + "_to_f32(" + value + ")";
    if (to == Scalar::boolean) return "to_bool(" + value + ")";
    std::string function = from == Scalar::boolean ? "from_bool" : "convert";
    return function + "<" + type + ">(" + value + ")";
}

std::string InstEmitter::program_id(int64_t axis) {
    if (axis == 0) return "(int)(mt_program % mt_grid[0])";
    if (axis == 1) return "(int)(mt_program / mt_grid[0] % mt_grid[1])";
    return "(int)(mt_program / mt_grid[0] / mt_grid[1])";
}

std::string InstEmitter::buffer_name(Value value) const {
    return "mt_buffer" + std::to_string(kernel_.data(value).number);
}

std::string InstEmitter::moved(const Inst& inst, Part part) const {
    Type result = kernel_.type(inst.result());
    std::string from = memory_name(inst.operands[0]);
    std::string vector = Speller::vector_type(result.scalar());
    std::string lane = at_row_ ? "mt_row" : "mt_lane";
    if (inst.operands.size() == 2) {
        std::string other = memory_name(inst.operands[1]);
        std::string count = std::to_string(kernel_.type(inst.operands[0]).lanes());
        std::string pick =
            inst.op == Op::join
                ? "mt_i % 2 ? " + other + "[mt_i / 2] : " + from + "[mt_i / 2]"
                : "mt_i < " + count + " ? " + from + "[mt_i] : " + other + "[mt_i - " + count + "]";
        return "pick<" + vector + ", " + std::to_string(result.lanes()) +
               ">(mt_lane, [&](long long mt_i) { return " + pick + "; })";
    }
    LaneMap map = lane_map(inst.op, inst.attrs, kernel_.type(inst.operands[0]), result);
    auto source = [&](const std::string& of) {
        std::string sum = map.offset ? std::to_string(map.offset) : "";
        for (const LaneMap::Term& term : map.terms) {
            std::string index = of;
            bool of_row = stage_ && stage_->row && of != "mt_i";
            if (of_row && term.divide % stage_->row == 0) index = "mt_row";
            bool column = of_row && term.divide == 1 && term.modulo == stage_->row;
            if (column && at_row_) continue;  // the first
            if (column) index = "mt_column";
            if (term.divide != 1) index += " / " + std::to_string(term.divide);
            if (term.modulo && !column) index += " % " + std::to_string(term.modulo);
            if (term.times != 1) index += " * " + std::to_string(term.times);
            sum += (sum.empty() ? "" : " + ") + index;
        }
        return sum.empty() ? std::string("0") : sum;
    };
    if (part == Part::lane0)
        return from + "[" + (at_row_ ? source(lane) : std::to_string(map.source(0))) + "]";
    if (map.is_uniform(kStrip)) {
        std::string element = from + "[" + source(lane) + "]";
        bool is_bool = result.is(Scalar::boolean);
        return Speller::splat(result.scalar(), is_bool ? element + " != 0" : element);
    }
    if (map.is_consecutive(kStrip))
        return "load<" + vector + ">(" + from + " + " + source(lane) + ")";
    if (std::optional<int64_t> step = map.step(kStrip))
        return "strided<" + vector + ", " + std::to_string(*step) + ">(" + from + " + " +
               source(lane) + ")";
    return "pick<" + vector + ", " + std::to_string(result.lanes()) +
           ">(mt_lane, [&](long long mt_i) { return " + from + "[" + source("mt_i") + "]; })";
}

std::string InstEmitter::arange(const Inst& inst, Part part) const {
    std::string start =
        spell_cxx(Scalar::i32, bits_of(static_cast<int32_t>(inst.attr(AttrKey::start))));
    if (part == Part::lane0) return at_row_ ? "(int)(" + start + " + mt_row)" : start;
    return "iota() + (int)(" + start + " + mt_lane)";
}

}  // namespace mytriton
