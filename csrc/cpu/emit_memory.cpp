// Loads, stores, atomics, pointers and printing in host text.
#include <algorithm>

#include "cpu/emit_inst.h"
#include "ir/literal.h"

namespace mytriton {

std::string InstEmitter::strip_mask(Value mask, Part part) const {
    bool all_true = mask.none() || (part == Part::interior && is_all_true(mask));
    std::string text = all_true ? "" : spell_.vector(mask);
    if (partial_) text = text.empty() ? "mt_exists" : "(" + text + " & mt_exists)";
    return text;
}

bool InstEmitter::is_all_true(Value mask) const {
    return stage_->is_all_true(mask);
}

std::string InstEmitter::fallback_text(const Inst& inst, Part part) const {
    if (!inst.operands[2].none()) return spell_.operand(inst.operands[2], part);
    Scalar scalar = kernel_.type(inst.result()).scalar();
    std::string zero = spell_cxx(scalar, 0);
    return part == Part::scalar ? zero : Speller::splat(scalar, zero);
}

// Whether each strip lies in one row of consecutive elements.
bool InstEmitter::has_rows(Value pointer, const Address& address) const {
    const std::vector<int64_t>& shape = kernel_.type(pointer).shape();
    return shape.size() > 1 && shape.back() % kStrip == 0 && facts_.has_contiguous_rows(address);
}

std::string InstEmitter::contiguous_pointer(InstId access, const Address& address) const {
    if (!stage_->row)
        return facts_.is_contiguous(address) ? spell_.contiguous_pointer(address) : "";
    bool found = std::ranges::find(stage_->row_accesses, access) != stage_->row_accesses.end();
    return found ? spell_.row_pointer(address) : "";
}

void InstEmitter::emit_load(const Inst& inst, Part part) {
    Address address = facts_.address(inst.operands[0]);
    Scalar scalar = kernel_.type(inst.result()).scalar();
    std::string suffix = Speller::memory_suffix(scalar);
    if (part == Part::scalar) {
        std::string value = "*" + spell_.uniform_pointer(address);
        if (scalar == Scalar::boolean) value = "(" + value + " != 0)";
        std::string mask = inst.operands[1].none() ? "true" : spell_.scalar(inst.operands[1]);
        return declare(inst.result(), part,
                       "(" + mask + " ? " + value + " : " + fallback_text(inst, part) + ")");
    }
    std::string mask = strip_mask(inst.operands[1], part);
    std::string other = fallback_text(inst, part);
    std::string gather = "gather" + suffix + "(" + spell_.addresses(address) + ", " +
                         (mask.empty() ? "splat_bool(true)" : mask) + ", " + other + ")";
    std::string pointer = contiguous_pointer(inst_id_, address);
    if (pointer.empty() && has_rows(inst.operands[0], address) && scalar != Scalar::boolean) {
        std::string row = "load_row<" + Speller::vector_type(scalar) + ">(" +
                          spell_.addresses(address) + ", " +
                          (mask.empty() ? "splat_bool(true)" : mask) + ", " + other + ")";
        return declare(inst.result(), part, row);
    }
    if (pointer.empty()) return declare(inst.result(), part, gather);
    std::string load =
        "load" + suffix + "(" + pointer + (mask.empty() ? "" : ", " + mask + ", " + other) + ")";
    declare(inst.result(), part,
            part == Part::interior ? load : "mt_wraps ? " + gather + " : " + load);
}

void InstEmitter::emit_store(const Inst& inst, Part part) {
    Address address = facts_.address(inst.operands[0]);
    std::string suffix = Speller::memory_suffix(kernel_.type(inst.operands[0]).scalar());
    if (part == Part::scalar) {
        std::string guard =
            inst.operands[2].none() ? "" : "if (" + spell_.scalar(inst.operands[2]) + ") ";
        return line(guard + "*" + spell_.uniform_pointer(address) + " = " +
                    spell_.scalar(inst.operands[1]) + ";");
    }
    std::string mask = strip_mask(inst.operands[2], part);
    std::string value = spell_.vector(inst.operands[1]);
    std::string scatter = "scatter" + suffix + "(" + spell_.addresses(address) + ", " +
                          (mask.empty() ? "splat_bool(true)" : mask) + ", " + value + ");";
    bool is_bool = kernel_.type(inst.operands[0]).scalar() == Scalar::boolean;
    std::string pointer = contiguous_pointer(inst_id_, address);
    if (pointer.empty() && has_rows(inst.operands[0], address) && !is_bool)
        return line("store_row(" + spell_.addresses(address) + ", " +
                    (mask.empty() ? "splat_bool(true)" : mask) + ", " + value + ");");
    if (pointer.empty()) return line(scatter);
    std::string store =
        "store" + suffix + "(" + pointer + ", " + (mask.empty() ? "" : mask + ", ") + value + ");";
    line(part == Part::interior ? store : "if (mt_wraps) " + scatter + " else " + store);
}

std::string InstEmitter::update_text(const Inst& inst) const {
    Scalar scalar = kernel_.type(inst.result()).scalar();
    Rmw rmw = static_cast<Rmw>(inst.attr(AttrKey::rmw));
    std::optional<Op> row = row_of(rmw);
    if (!row) return "[](auto, auto b) { return b; }";
    std::string text(expression(*row, scalar)), name(info(scalar).name);
    if (!info(scalar).is_half()) return "[](auto a, auto b) { return " + text + "; }";
    return "[](auto a, auto b) { return f32_to_" + name + "(" +
           substitute(text, name + "_to_f32(a)", name + "_to_f32(b)") + "); }";
}

std::string InstEmitter::report(const std::string& lane, const std::string& values) const {
    return "print_lane(mt_args + " + std::to_string(kernel_.params().size()) + ", " +
           std::to_string(inst_id_) + ", mt_program, " + lane + values + ");";
}

void InstEmitter::emit_print(const Inst& inst, Part part) {
    std::string values;
    for (Value operand : inst.operands) {
        Type type = kernel_.type(operand);
        if (type.is_block())
            values += ", (" + Speller::lane_type(type.scalar()) + ")" + spell_.name(operand) +
                      "[mt_k]" + (type.is(Scalar::boolean) ? " != 0" : "");
        else
            values += ", " + spell_.scalar(operand);
    }
    if (part == Part::scalar) return line(report("-1", values));
    line("for (int mt_k = 0; mt_k < kLanes; ++mt_k)");
    line(std::string("    ") + (partial_ ? "if (mt_exists[mt_k]) " : "") +
         report("mt_lane + mt_k", values));
}

// What has failed ends the whole run: the launch then tells of it.
void InstEmitter::emit_assert(const Inst& inst, Part part) {
    Value condition = inst.operands[0];
    if (part == Part::scalar)
        return line("if (!" + spell_.scalar(condition) + ") { " + report("-1") + " return; }");
    line("for (int mt_k = 0; mt_k < kLanes; ++mt_k)");
    line(std::string("    if (") + (partial_ ? "mt_exists[mt_k] && " : "") + "!" +
         spell_.name(condition) + "[mt_k]) { " + report("mt_lane + mt_k") + " return; }");
}

void InstEmitter::emit_atomic(const Inst& inst, Part part) {
    Address address = facts_.address(inst.operands[0]);
    bool cas = inst.op == Op::atomic_cas;
    Value mask = cas ? Value() : inst.operands[2];
    std::string call = cas ? "atomic_cas(" : "atomic_rmw(";
    std::string rest =
        cas ? spell_.operand(inst.operands[1], part) + ", " +
                  spell_.operand(inst.operands[2], part) + ")"
            : spell_.operand(inst.operands[1], part) + ", " + update_text(inst) + ")";
    if (part == Part::scalar) {
        std::string done = call + spell_.uniform_pointer(address) + ", " + rest;
        if (!mask.none())
            done = "(" + spell_.scalar(mask) + " ? " + done + " : " +
                   spell_cxx(kernel_.type(inst.result()).scalar(), 0) + ")";
        return declare(inst.result(), part, done);
    }
    std::string on = strip_mask(mask, part);
    declare(inst.result(), part,
            call + spell_.addresses(address) + ", " + (on.empty() ? "splat_bool(true)" : on) +
                ", " + rest);
}

std::string InstEmitter::pointer_cast(const Inst& inst, Part part) const {
    Value from = inst.operands[0];
    Type to = kernel_.type(inst.result());
    bool strip = part == Part::interior || part == Part::edge;
    std::string value = spell_.operand(from, part);
    if (kernel_.type(from).is_pointer())
        value = strip ? spell_.addresses(facts_.address(from))
                      : spell_.uniform_pointer(facts_.address(from));
    if (strip) return value;
    return "(" + (to.is_pointer() ? Speller::pointer_type(to) : "long long") + ")" + value;
}

}  // namespace mytriton
