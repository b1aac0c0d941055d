// The host emitter. Scalars are C++ scalars; a block is one vector of kLanes lanes at a time, and a
// stage's strips are printed twice: the interior with plain vector moves, the edge under masks and,
// where indices wrap around, lane by lane.
#include "cpu/emit.h"

#include <algorithm>

#include "cpu/spell.h"
#include "ir/literal.h"

namespace mytriton {

extern const char* const kPrelude;  // embedded by the build

namespace {

// The first line of a text whose vectors are to fill a register in f64.
constexpr std::string_view kF64Define = "#define MYTRITON_F64\n";

class Emitter {
  public:
    Emitter(const Kernel& kernel, const StripPlan& plan)
        : kernel_(kernel), plan_(plan), facts_(kernel), spell_(kernel) {}

    SourceText run() {
        if (plan_.computes_f64) out_.add(std::string(kF64Define));
        line("// " + kernel_.name());
        line("extern \"C\" void " + std::string(kCpuEntry) +
             "(const long long* mt_args, const long long* mt_grid,");
        line(
            "                       long long mt_first, long long mt_last, unsigned char* "
            "mt_scratch) {");
        ++depth_;
        emit_params();
        emit_buffers();
        line("for (long long mt_program = mt_first; mt_program < mt_last; ++mt_program) {");
        ++depth_;
        for (const Step& step : plan_.steps) {
            switch (step.kind) {
                case Step::Kind::scalar:
                    emit(step.inst, Part::scalar);
                    break;
                case Step::Kind::lane0:
                    emit(step.inst, Part::lane0);
                    break;
                case Step::Kind::stage:
                    emit_stage(plan_.stages[step.stage]);
                    break;
            }
        }
        --depth_;
        line("}");
        --depth_;
        line("}");
        return std::move(out_);
    }

  private:
    void line(const std::string& text) {
        out_.add(std::string(4 * depth_, ' ') + text + "\n", loc_);
    }

    // --- the frame -------------------------------------------------------------------------------

    void emit_params() {
        for (size_t i = 0; i < kernel_.params().size(); ++i) {
            Type type = kernel_.params()[i].type;
            std::string slot = "mt_args[" + std::to_string(i) + "]";
            const ScalarInfo& scalar = info(type.scalar());
            std::string memory(scalar.cxx_memory), name = spell_.param(i);
            std::string value = "(" + std::string(scalar.cxx) + ")" + slot;
            if (type.is(Scalar::f32)) value = "float_of((int)" + slot + ")";
            if (type.is(Scalar::f64)) value = "float_of(" + slot + ")";
            if (type.is(Scalar::boolean)) value = slot + " != 0";
            if (type.is_pointer())
                line(memory + "* const " + name + " = (" + memory + "*)" + slot + ";");
            else
                line("const " + std::string(scalar.cxx) + " " + name + " = " + value + ";");
        }
    }

    void emit_buffers() {
        for (const Buffer& buffer : plan_.buffers) {
            std::string element = Speller::lane_type(lane_scalar(kernel_.type(buffer.value)));
            line(element + "* const " + buffer_name(buffer.value) + " = (" + element +
                 "*)(mt_scratch + " + std::to_string(buffer.offset) + ");");
        }
    }

    std::string buffer_name(Value value) const {
        return "mt_buffer" + std::to_string(kernel_.data(value).number);
    }

    // --- stages ----------------------------------------------------------------------------------

    void emit_stage(const Stage& stage) {
        for (InstId id : reductions(stage)) declare_result(kernel_.inst(id));
        line("{");
        ++depth_;
        for (InstId id : reductions(stage)) declare_partials(kernel_.inst(id));
        int64_t whole_strips = stage.width / kStrip * kStrip;
        if (!stage.bound.empty() || !stage.contiguous.empty()) {
            emit_bounds(stage);
            emit_strips(stage, Part::interior, "0", "mt_inner");
            emit_strips(stage, Part::edge, "mt_inner", "mt_outer");
        } else {  // every lane takes its own way already: only a last, partial strip differs
            std::string inner = std::to_string(whole_strips), outer = std::to_string(stage.width);
            if (whole_strips > 0) emit_strips(stage, Part::interior, "0", inner);
            if (whole_strips < stage.width) emit_strips(stage, Part::edge, inner, outer);
        }
        for (InstId id : reductions(stage)) combine_partials(kernel_.inst(id));
        --depth_;
        line("}");
    }

    std::vector<InstId> reductions(const Stage& stage) const {
        std::vector<InstId> found;
        for (InstId id : stage.body)
            if (info(kernel_.inst(id).op).kind == OpKind::reduce) found.push_back(id);
        return found;
    }

    // mt_inner: where the interior ends, a multiple of the strip. mt_outer: where the edge ends.
    // mt_wraps: an index passes 2**31 within the block, so that lanes are not consecutive.
    void emit_bounds(const Stage& stage) {
        std::string width = std::to_string(stage.width);
        line("long long mt_bound = " + width + ";");
        for (const PrefixTest& test : stage.bound)
            line("mt_bound = lanes_below(" + spell_.scalar(test.bound) + ", " +
                 spell_.lane0(test.index) + ", " + (test.inclusive ? "true" : "false") +
                 ", mt_bound);");
        std::string wraps;
        for (Value index : stage.may_wrap) {
            Scalar scalar = kernel_.type(index).scalar();
            wraps += (wraps.empty() ? "" : " || ") + spell_.lane0(index) + " > " +
                     spell_cxx(scalar, largest_int(scalar)) + " - " +
                     std::to_string(stage.width - 1);
        }
        line("const bool mt_wraps = " + wraps + ";");
        line("const long long mt_inner = mt_wraps ? 0 : mt_bound & -" + std::to_string(kStrip) +
             ";");
        line("const long long mt_outer = " +
             (stage.stops_at_bound ? "mt_wraps ? " + width + " : mt_bound;" : width + ";"));
    }

    void emit_strips(const Stage& stage, Part part, const std::string& from,
                     const std::string& to) {
        partial_ = part == Part::edge && stage.width % kStrip != 0;
        line("for (long long mt_strip = " + from + "; mt_strip < " + to +
             "; mt_strip += " + std::to_string(kStrip) + ") {");
        ++depth_;
        line("#pragma GCC unroll 4");
        line("for (int mt_part = 0; mt_part < kPartials; ++mt_part) {");
        ++depth_;
        line("const long long mt_lane = mt_strip + mt_part * kLanes;");
        if (partial_)
            line("const i32v mt_exists = iota() + (int)mt_lane < " + std::to_string(stage.width) +
                 ";");
        for (Value value : stage.from_buffer)
            declare_vector(value, "load<" + Speller::vector_type(lane_scalar(kernel_.type(value))) +
                                      ">(" + buffer_name(value) + " + mt_lane)");
        stage_ = &stage;
        for (InstId id : stage.body) emit(id, part);
        for (Value value : stage.to_buffer)
            line("store(" + buffer_name(value) + " + mt_lane, " + spell_.vector(value) + ");");
        --depth_;
        line("}");
        --depth_;
        line("}");
    }

    // --- reductions ------------------------------------------------------------------------------

    void declare_result(const Inst& inst) {
        line(std::string(info(kernel_.type(inst.result()).scalar()).cxx) + " " +
             spell_.name(inst.result()) + ";");
    }

    std::string suffix(const Inst& inst) const {
        return std::to_string(kernel_.data(inst.result()).number);
    }

    std::string identity(const Inst& inst) const {
        Scalar scalar = kernel_.type(inst.result()).scalar();
        return Speller::splat(scalar,
                              spell_cxx(scalar, identity_bits(info(inst.op).identity, scalar)));
    }

    void declare_partials(const Inst& inst) {
        Type type = kernel_.type(inst.result());
        std::string combine =
            substitute(expression(info(inst.op).combine, type.scalar()), "a", "b");
        line("const auto mt_join" + suffix(inst) + " = [](auto a, auto b) { return " + combine +
             "; };");
        line(Speller::vector_type(type.scalar()) + " mt_partial" + suffix(inst) + "[kPartials];");
        line("for (auto& mt_each : mt_partial" + suffix(inst) + ") mt_each = " + identity(inst) +
             ";");
    }

    void accumulate(const Inst& inst) {
        std::string value = spell_.vector(inst.operands[0]);
        Scalar scalar = kernel_.type(inst.result()).scalar();
        if (partial_)
            value =
                "(" + mask_as(scalar, "mt_exists") + " ? " + value + " : " + identity(inst) + ")";
        std::string partial = "mt_partial" + suffix(inst) + "[mt_part]";
        line(partial + " = mt_join" + suffix(inst) + "(" + partial + ", " + value + ");");
    }

    // A mask beside vectors of this type.
    static std::string mask_as(Scalar scalar, const std::string& mask) {
        bool narrow_or_wide = scalar != Scalar::boolean && info(scalar).bytes != 4;
        return narrow_or_wide ? "mask_of<" + Speller::vector_type(scalar) + ">(" + mask + ")"
                              : mask;
    }

    void combine_partials(const Inst& inst) {
        line(spell_.name(inst.result()) + " = halve(mt_partial" + suffix(inst) + ", mt_join" +
             suffix(inst) + ");");
    }

    // --- declarations ----------------------------------------------------------------------------

    void declare_vector(Value value, const std::string& expression) {
        line("const " + Speller::vector_type(lane_scalar(kernel_.type(value))) + " " +
             spell_.name(value) + " = " + expression + ";");
    }

    void declare(Value value, Part part, const std::string& expression) {
        if (part == Part::interior || part == Part::edge) return declare_vector(value, expression);
        Type type = kernel_.type(value);
        line((type.is_pointer() ? Speller::pointer_type(type) + " const "
                                : "const " + std::string(info(type.scalar()).cxx) + " ") +
             (part == Part::lane0 ? spell_.lane0(value) : spell_.name(value)) + " = " + expression +
             ";");
    }

    // --- memory ----------------------------------------------------------------------------------

    // The mask of a memory op in a strip; empty where every lane takes part.
    std::string strip_mask(Value mask, Part part) const {
        bool all_true = mask.none() || (part == Part::interior && is_all_true(mask));
        std::string text = all_true ? "" : spell_.vector(mask);
        if (partial_) text = text.empty() ? "mt_exists" : "(" + text + " & mt_exists)";
        return text;
    }

    bool is_all_true(Value mask) const {
        return std::ranges::binary_search(stage_->all_true, mask.index, {}, &Value::index);
    }

    std::string fallback_text(const Inst& inst, Part part) const {
        if (!inst.operands[2].none()) return spell_.operand(inst.operands[2], part);
        Scalar scalar = kernel_.type(inst.result()).scalar();
        std::string zero = spell_cxx(scalar, 0);
        return part == Part::scalar ? zero : Speller::splat(scalar, zero);
    }

    void emit_load(const Inst& inst, Part part) {
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
        if (!facts_.is_contiguous(address)) return declare(inst.result(), part, gather);
        std::string load = "load" + suffix + "(" + spell_.contiguous_pointer(address) +
                           (mask.empty() ? "" : ", " + mask + ", " + other) + ")";
        declare(inst.result(), part,
                part == Part::interior ? load : "mt_wraps ? " + gather + " : " + load);
    }

    void emit_store(const Inst& inst, Part part) {
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
        if (!facts_.is_contiguous(address)) return line(scatter);
        std::string store = "store" + suffix + "(" + spell_.contiguous_pointer(address) + ", " +
                            (mask.empty() ? "" : mask + ", ") + value + ");";
        line(part == Part::interior ? store : "if (mt_wraps) " + scatter + " else " + store);
    }

    // What an atomic_rmw leaves, as a function of the old value and its operand.
    std::string update_text(const Inst& inst) const {
        Scalar scalar = kernel_.type(inst.result()).scalar();
        Rmw rmw = static_cast<Rmw>(inst.attr(AttrKey::rmw));
        std::optional<Op> row = row_of(rmw);
        if (!row) return "[](auto, auto b) { return b; }";
        std::string a = "a", b = "b";
        std::string name(info(scalar).name);
        if (!info(scalar).is_half())
            return "[](auto a, auto b) { return " + substitute(expression(*row, scalar), a, b) +
                   "; }";
        return "[](auto a, auto b) { return f32_to_" + name + "(" +
               substitute(expression(*row, scalar), name + "_to_f32(a)", name + "_to_f32(b)") +
               "); }";
    }

    void emit_print(const Inst& inst, Part part) {
        std::string slots = "mt_args + " + std::to_string(kernel_.params().size());
        auto call = [&](const std::string& lane, auto spelled) {
            std::string values;
            for (Value operand : inst.operands) values += ", " + spelled(operand);
            return "print_lane(" + slots + ", " + std::to_string(print_id_) + ", mt_program, " +
                   lane + values + ");";
        };
        if (part == Part::scalar)
            return line(call("-1", [&](Value v) { return spell_.scalar(v); }));
        line("for (int mt_k = 0; mt_k < kLanes; ++mt_k)");
        std::string exists = partial_ ? "if (mt_exists[mt_k]) " : "";
        line("    " + exists + call("mt_lane + mt_k", [&](Value v) {
                 Type type = kernel_.type(v);
                 if (!type.is_block()) return spell_.scalar(v);
                 return "(" + Speller::lane_type(type.scalar()) + ")" + spell_.name(v) + "[mt_k]" +
                        (type.is(Scalar::boolean) ? " != 0" : "");
             }));
    }

    void emit_atomic(const Inst& inst, Part part) {
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

    // A pointer as an address or as another pointer, or an address as a pointer.
    std::string pointer_cast(const Inst& inst, Part part) const {
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

    // --- instructions ----------------------------------------------------------------------------

    void emit(InstId id, Part part) {
        const Inst& inst = kernel_.inst(id);
        print_id_ = id;
        loc_ = inst.loc;
        emit_op(inst, part);
        loc_ = 0;
    }

    void emit_op(const Inst& inst, Part part) {
        if (part == Part::interior && !inst.results.empty() && is_all_true(inst.result()))
            return declare_vector(inst.result(), "splat_bool(true)");
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
            case Op::ptr_cast:
                return declare(inst.result(), part, pointer_cast(inst, part));
            case Op::addptr:
                return;  // folded into the accesses that use it
            case Op::atomic_rmw:
            case Op::atomic_cas:
                return emit_atomic(inst, part);
            case Op::print:
                return emit_print(inst, part);
            case Op::load:
                return emit_load(inst, part);
            case Op::store:
                return emit_store(inst, part);
#define NA
#define PURE(name, ...) case Op::name:
#define REDUCE(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
                return emit_pure(inst, part);
#define PURE(...)
#define REDUCE(name, ...) case Op::name:
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
                return accumulate(inst);
        }
    }

    void emit_pure(const Inst& inst, Part part) {
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
        if (strip && compares && mask_as(scalar, "") != "") text = "to_mask(" + text + ")";
        declare(inst.result(), part, text);
    }

    // A legal kernel has single conversions only.
    std::string converted(const Inst& inst, Part part) const {
        Scalar from = kernel_.type(inst.operands[0]).scalar();
        Scalar to = kernel_.type(inst.result()).scalar();
        std::string value = spell_.operand(inst.operands[0], part);
        std::string type = Speller::type(to, part);
        // The bits of a constant are spelled as an int.
        if (info(from).is_half() && kernel_.is_constant(inst.operands[0]) && part == Part::scalar)
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

    // Programs are counted along axis 0 first.
    static std::string program_id(int64_t axis) {
        if (axis == 0) return "(int)(mt_program % mt_grid[0])";
        if (axis == 1) return "(int)(mt_program / mt_grid[0] % mt_grid[1])";
        return "(int)(mt_program / mt_grid[0] / mt_grid[1])";
    }

    static std::string arange(const Inst& inst, Part part) {
        std::string start =
            spell_cxx(Scalar::i32, bits_of(static_cast<int32_t>(inst.attr(AttrKey::start))));
        return part == Part::lane0 ? start : "iota() + (int)(" + start + " + mt_lane)";
    }

    const Kernel& kernel_;
    const StripPlan& plan_;
    Facts facts_;
    Speller spell_;
    SourceText out_;
    LocId loc_ = 0;        // of the instruction being printed
    InstId print_id_ = 0;  // how a print names itself at run time
    int depth_ = 0;
    const Stage* stage_ = nullptr;  // whose strips are being printed
    bool partial_ = false;          // lanes past the stage's width occur in these strips
};

}  // namespace

SourceText emit_cpu(const Kernel& legal, const StripPlan& plan) {
    return Emitter(legal, plan).run();
}

std::string cpu_translation_unit(const std::string& kernel_text) {
    size_t text = kernel_text.starts_with(kF64Define) ? kF64Define.size() : 0;
    return kernel_text.substr(0, text) + kPrelude + "\nnamespace mytriton::rows {\n" +
           kernel_text.substr(text) + "}\n";
}

}  // namespace mytriton
