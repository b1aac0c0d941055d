// The strips of a stage as host C++: its bounds, interior and edge, and its reductions.
#include "cpu/emit_stage.h"

#include <algorithm>

#include "ir/literal.h"
#include "ir/movement.h"

namespace mytriton {

void StageEmitter::emit_stage(const Stage& stage) {
    stage_ = &stage;
    for (InstId id : whole_reductions(stage)) declare_result(kernel_.inst(id));
    line("{");
    ++depth_;
    for (InstId id : whole_reductions(stage)) declare_partials(kernel_.inst(id));
    if (stage.row) {
        line("for (long long mt_row = 0; mt_row < " + std::to_string(stage.width) +
             "; mt_row += " + std::to_string(stage.row) + ") {");
        ++depth_;
        emit_row(stage);
        --depth_;
        line("}");
    } else {
        emit_loops(stage);
    }
    for (InstId id : whole_reductions(stage)) {
        const Inst& inst = kernel_.inst(id);
        line(spell_.name(inst.result()) + " = " + combined_partials(inst) + ";");
    }
    --depth_;
    line("}");
    stage_ = nullptr;
}

void StageEmitter::emit_row(const Stage& stage) {
    at_row_ = true;
    for (Value value : stage.row_starts) {
        bool buffered = std::ranges::find(stage.from_buffer, value) != stage.from_buffer.end();
        if (plan_.slot_of[value.index] >= 0)
            declare(value, Part::lane0, slot_lane0(value));
        else if (buffered)
            declare(value, Part::lane0, buffer_name(value) + "[mt_row]");
        else
            emit(*facts_.definition(value), Part::lane0);
    }
    for (InstId id : stage.body)
        if (is_of_row(stage, kernel_.inst(id))) emit(id, Part::edge);
    at_row_ = false;
    for (InstId id : row_reductions(stage)) declare_partials(kernel_.inst(id));
    emit_loops(stage);
    for (InstId id : row_reductions(stage)) {
        const Inst& inst = kernel_.inst(id);
        line(buffer_name(inst.result()) + "[mt_row / " + std::to_string(stage.row) +
             "] = " + combined_partials(inst) + ";");
    }
}

void StageEmitter::emit_loops(const Stage& stage) {
    int64_t whole_strips = stage.span() / kStrip * kStrip;
    if (stage.bounded()) emit_bounds(stage);
    if (stage.unrolled) {
        bool whole = stage.width % kStrip == 0;
        if (stage.bounded() && whole) {
            line("if (mt_inner == " + std::to_string(stage.width) + ") {");
            ++depth_;
            emit_all_strips(stage, Part::interior);
            --depth_;
            line("} else {");
            ++depth_;
            emit_all_strips(stage, Part::edge);
            --depth_;
            line("}");
        } else {
            emit_all_strips(stage, stage.bounded() || !whole ? Part::edge : Part::interior);
        }
    } else if (stage.bounded()) {
        emit_strips(stage, Part::interior, "0", "mt_inner");
        emit_strips(stage, Part::edge, "mt_inner", "mt_outer");
    } else {  // every lane takes its own way already: only a last, partial strip differs
        std::string inner = std::to_string(whole_strips), outer = std::to_string(stage.span());
        if (whole_strips > 0) emit_strips(stage, Part::interior, "0", inner);
        if (whole_strips < stage.span()) emit_strips(stage, Part::edge, inner, outer);
    }
}

bool StageEmitter::is_of_row(const Stage& stage, const Inst& inst) const {
    if (!stage.row || !moves_lanes(inst.op) || inst.operands.size() != 1) return false;
    return lane_map(inst.op, inst.attrs, kernel_.type(inst.operands[0]),
                    kernel_.type(inst.result()))
        .is_uniform(stage.row);
}

std::vector<InstId> StageEmitter::reductions(const Stage& stage) const {
    std::vector<InstId> found;
    for (InstId id : stage.body)
        if (info(kernel_.inst(id).op).kind == OpKind::reduce) found.push_back(id);
    return found;
}

std::vector<InstId> StageEmitter::whole_reductions(const Stage& stage) const {
    std::vector<InstId> found = reductions(stage);
    std::erase_if(found, [&](InstId id) { return kernel_.inst(id).find_attr(AttrKey::axis); });
    return found;
}

std::vector<InstId> StageEmitter::row_reductions(const Stage& stage) const {
    std::vector<InstId> found = reductions(stage);
    std::erase_if(found, [&](InstId id) { return !kernel_.inst(id).find_attr(AttrKey::axis); });
    return found;
}

void StageEmitter::emit_bounds(const Stage& stage) {
    std::string width = std::to_string(stage.span());
    line("long long mt_bound = " + width + ";");
    for (const PrefixTest& test : stage.bound)
        line("mt_bound = lanes_below(" + spell_.scalar(test.bound) + ", " +
             spell_.lane0(test.index) + ", " + (test.inclusive ? "true" : "false") +
             ", mt_bound);");
    std::string masks;
    for (Value mask : stage.row_masks) masks += (masks.empty() ? "" : " && ") + spell_.lane0(mask);
    if (!masks.empty()) line("if (!(" + masks + ")) mt_bound = 0;");
    line("const bool mt_wraps = " + wraps_text(stage, stage.may_wrap) + ";");
    line("const long long mt_inner = mt_wraps ? 0 : mt_bound & -" + std::to_string(kStrip) + ";");
    line("const long long mt_outer = " +
         (stage.stops_at_bound ? "mt_wraps ? " + width + " : mt_bound;" : width + ";"));
    if (!stage.repeats_past_bound) return;
    bool alike = stage.may_wrap.size() == stage.bound_may_wrap.size();
    line("const long long mt_past = " +
         (alike ? "mt_wraps" : "(" + wraps_text(stage, stage.bound_may_wrap) + ")") + " ? " +
         width + " : (mt_bound + " + std::to_string(kStrip - 1) + ") & -" + std::to_string(kStrip) +
         ";");
}

std::string StageEmitter::wraps_text(const Stage& stage, const std::vector<Value>& indices) const {
    std::string wraps;
    for (Value index : indices) {
        Scalar scalar = kernel_.type(index).scalar();
        wraps += (wraps.empty() ? "" : " || ") + spell_.lane0(index) + " > " +
                 spell_cxx(scalar, largest_int(scalar)) + " - " + std::to_string(stage.span() - 1);
    }
    return wraps.empty() ? "false" : wraps;
}

void StageEmitter::emit_strips(const Stage& stage, Part part, const std::string& from,
                               const std::string& to) {
    // A strip is long enough: g++ would write out every strip of a short block, and take several
    // times as long to compile that.
    line("#pragma GCC unroll 1");
    line("for (long long mt_strip = " + from + "; mt_strip < " + to +
         "; mt_strip += " + std::to_string(kStrip) + ") {");
    ++depth_;
    bool repeats = part == Part::edge && stage.repeats_past_bound;
    std::string settled = "mt_strip >= mt_past";
    if (repeats)
        for (InstId id : reductions(stage)) {
            std::string name = suffix(kernel_.inst(id));
            line("const auto mt_before" + name + " = partials(mt_partial" + name + ");");
            settled += " && same_bits(mt_before" + name + ", partials(mt_partial" + name + "))";
        }
    line("#pragma GCC unroll 4");
    line("for (int mt_part = 0; mt_part < kPartials; ++mt_part) {");
    ++depth_;
    line(std::string("const long long ") + (stage.row ? "mt_column" : "mt_lane") + " = " +
         (repeats ? "(mt_strip < mt_past ? mt_strip : mt_past)" : "mt_strip") +
         " + mt_part * kLanes;");
    if (stage.row) line("const long long mt_lane = mt_row + mt_column;");
    if (uses_registers(stage)) line("const long long mt_vector = mt_lane / kLanes;");
    emit_strip(stage, part);
    --depth_;
    line("}");
    if (repeats) line("if (" + settled + ") break;");
    --depth_;
    line("}");
}

// With indices that are constants, so that arrays of vectors become registers.
void StageEmitter::emit_all_strips(const Stage& stage, Part part) {
    int64_t lanes = (stage.width + kStrip - 1) / kStrip * kStrip;
    line("each<" + std::to_string(lanes) + " / kLanes>([&](auto mt_vector) MT_INLINE {");
    ++depth_;
    line("constexpr int mt_part = mt_vector % kPartials;");
    line("constexpr long long mt_lane = mt_vector * kLanes;");
    line("(void)mt_part, (void)mt_lane;");
    emit_strip(stage, part);
    --depth_;
    line("});");
}

bool StageEmitter::uses_registers(const Stage& stage) const {
    auto registers = [&](size_t slot) { return plan_.slots[slot].in_registers; };
    return std::ranges::any_of(stage.from_slot,
                               [&](Value v) { return registers(plan_.slot_of[v.index]); }) ||
           std::ranges::any_of(stage.moves, registers, &Move::slot);
}

std::string StageEmitter::slot_element(size_t slot) const {
    std::string name = "mt_slot" + std::to_string(slot);
    return name + (plan_.slots[slot].in_registers ? "[mt_vector]" : " + mt_lane");
}

std::string StageEmitter::slot_lane0(Value value) const {
    size_t slot = plan_.slot_of[value.index];
    return "mt_slot" + std::to_string(slot) +
           (plan_.slots[slot].in_registers ? "[0][0]"
            : at_row_                      ? "[mt_row]"
                                           : "[0]");
}

void StageEmitter::emit_strip(const Stage& stage, Part part) {
    partial_ = part == Part::edge && stage.width % kStrip != 0;
    if (partial_)
        line("const i32v mt_exists = iota() + (int)mt_lane < " + std::to_string(stage.width) + ";");
    for (Value value : stage.from_buffer)
        declare_vector(value, "load<" + Speller::vector_type(lane_scalar(kernel_.type(value))) +
                                  ">(" + buffer_name(value) + " + mt_lane)");
    for (Value value : stage.from_slot) {
        size_t slot = plan_.slot_of[value.index];
        std::string vector = Speller::vector_type(lane_scalar(kernel_.type(value)));
        bool registers = plan_.slots[slot].in_registers;
        declare_vector(value, registers ? slot_element(slot)
                                        : "load<" + vector + ">(" + slot_element(slot) + ")");
    }
    for (InstId id : stage.body) {
        const Inst& inst = kernel_.inst(id);
        bool known = part == Part::interior && !inst.results.empty() && is_all_true(inst.result());
        if (known || !is_of_row(stage, inst)) emit(id, part);
    }
    for (Value value : stage.to_buffer)
        line("store(" + buffer_name(value) + " + mt_lane, " + spell_.vector(value) + ");");
    for (const Move& move : stage.moves) {
        std::string to = slot_element(move.slot), from = spell_.vector(move.from);
        bool registers = plan_.slots[move.slot].in_registers;
        line(registers ? to + " = " + from + ";" : "store(" + to + ", " + from + ");");
    }
}

void StageEmitter::declare_result(const Inst& inst) {
    line(std::string(info(kernel_.type(inst.result()).scalar()).cxx) + " " +
         spell_.name(inst.result()) + ";");
}

void StageEmitter::declare_partials(const Inst& inst) {
    Type type = kernel_.type(inst.result());
    line("const auto mt_join" + suffix(inst) + " = " + combine_text(inst) + ";");
    line(Speller::vector_type(type.scalar()) + " mt_partial" + suffix(inst) + "[kPartials];");
    line("for (auto& mt_each : mt_partial" + suffix(inst) + ") mt_each = " + identity(inst) + ";");
}

std::string StageEmitter::combined_partials(const Inst& inst) const {
    return "halve(mt_partial" + suffix(inst) + ", mt_join" + suffix(inst) + ")";
}

}  // namespace mytriton
