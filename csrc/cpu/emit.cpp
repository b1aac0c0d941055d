// The host emitter. Scalars are C++ scalars; a block is one vector of kLanes lanes at a time, and a
// stage's strips are printed twice: the interior with plain vector moves, the edge under masks and,
// where indices wrap around, lane by lane.
#include "cpu/emit.h"

#include <algorithm>

#include "cpu/emit_inst.h"
#include "ir/literal.h"

namespace mytriton {

extern const char* const kPrelude;  // embedded by the build

namespace {

// The first line of a text whose vectors are to fill a register in f64.
constexpr std::string_view kF64Define = "#define MYTRITON_F64\n";

class Emitter : public InstEmitter {
  public:
    using InstEmitter::InstEmitter;

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

    void combine_partials(const Inst& inst) {
        line(spell_.name(inst.result()) + " = halve(mt_partial" + suffix(inst) + ", mt_join" +
             suffix(inst) + ");");
    }
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
