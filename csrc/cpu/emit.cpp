// The host emitter. Scalars are C++ scalars; a block is one vector of kLanes lanes at a time, and a
// stage's strips are printed twice: the interior with plain vector moves, the edge under masks and,
// where indices wrap around, lane by lane. Regions are loops and branches of C++.
#include "cpu/emit.h"

#include <algorithm>

#include "cpu/emit_stage.h"
#include "ir/literal.h"
#include "plan/counter.h"

namespace mytriton {

extern const char* const kPrelude;  // embedded by the build

namespace {

// The first line of a text whose vectors are to fill a register in f64.
constexpr std::string_view kF64Define = "#define MYTRITON_F64\n";

class Emitter : public StageEmitter {
  public:
    using StageEmitter::StageEmitter;

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
        emit_slots();
        emit_steps(plan_.steps);
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

    void emit_slots() {
        for (size_t i = 0; i < plan_.slots.size(); ++i) {
            const Slot& slot = plan_.slots[i];
            Type type = kernel_.type(slot.value);
            std::string name = "mt_slot" + std::to_string(i);
            int64_t lanes = (type.lanes() + kStrip - 1) / kStrip * kStrip;
            std::string element = Speller::lane_type(lane_scalar(type));
            line(slot.in_registers ? Speller::vector_type(lane_scalar(type)) + " " + name + "[" +
                                         std::to_string(lanes) + " / kLanes];"
                                   : element + "* const " + name + " = (" + element +
                                         "*)(mt_scratch + " + std::to_string(slot.offset) + ");");
        }
    }

    void emit_steps(const Steps& steps) {
        for (const Step& step : steps) {
            switch (step.kind) {
                case Step::Kind::scalar:
                    if (kernel_.inst(step.inst).op == Op::condition)
                        emit_condition(kernel_.inst(step.inst));
                    else
                        emit(step.inst, Part::scalar);
                    break;
                case Step::Kind::lane0:
                    if (plan_.slot_of[step.value.index] >= 0)
                        declare(step.value, Part::lane0, slot_lane0(step.value));
                    else
                        emit(*facts_.definition(step.value), Part::lane0);
                    break;
                case Step::Kind::stage:
                    emit_stage(plan_.stages[step.stage]);
                    break;
                case Step::Kind::memory:
                    emit_in_memory(step);
                    break;
                case Step::Kind::control:
                    emit_control(step);
                    break;
            }
        }
    }

    // --- ops with regions: what they carry and give as scalars is assigned to, blocks are in slots
    // -

    void emit_control(const Step& step) {
        const Inst& inst = kernel_.inst(step.inst);
        bool is_if = inst.op == Op::if_;
        size_t first = inst.op == Op::for_ ? kForInits : 0;
        for (size_t i = 0; i < inst.results.size(); ++i) {
            Value result = inst.results[i];
            if (kernel_.type(result).is_block()) continue;
            std::string init = is_if ? "" : " = " + spell_.scalar(inst.operands[first + i]);
            line_at(inst, scalar_type(result) + " " + spell_.name(result) + init + ";");
        }
        if (is_if) line_at(inst, "if (" + spell_.scalar(inst.operands[0]) + ") {");
        if (inst.op == Op::while_) line_at(inst, "while (true) {");
        if (inst.op == Op::for_) open_for(inst);
        ++depth_;
        emit_block(inst, step, 0);
        if (is_if && !(step.blocks[1].empty() && inst.results.empty())) {
            --depth_;
            line("} else {");
            ++depth_;
            emit_block(inst, step, 1);
        }
        --depth_;
        line("}");
    }

    void emit_block(const Inst& inst, const Step& step, size_t which) {
        const Region& region = kernel_.region(inst.regions[which]);
        size_t skipped = region.args.size() - (inst.op == Op::if_ ? 0 : inst.results.size());
        if (inst.op != Op::if_)
            for (size_t i = 0; i < inst.results.size(); ++i)
                if (Value arg = region.args[skipped + i]; !kernel_.type(arg).is_block())
                    declare(arg, Part::scalar, spell_.name(inst.results[i]));
        emit_steps(step.blocks[which]);
        const Inst& yield = kernel_.inst(region.insts.back());
        for (size_t i = 0; i < inst.results.size(); ++i)
            if (!kernel_.type(inst.results[i]).is_block())
                line_at(inst, spell_.name(inst.results[i]) + " = " +
                                  spell_.scalar(yield.operands[i]) + ";");
    }

    // The loop's first line, and the index where the loop counts something else.
    void open_for(const Inst& inst) {
        Value index = kernel_.region(inst.regions[0]).args[0];
        std::string type = scalar_type(index), name = spell_.name(index);
        std::string start = spell_.scalar(inst.operands[0]), stop = spell_.scalar(inst.operands[1]);
        std::string number = std::to_string(kernel_.data(index).number);
        std::string other = "mt_index" + number, trips = "mt_trips" + number;
        std::string step = spell_.scalar(inst.operands[2]);
        Counter counter = counter_of(kernel_, inst);
        auto count = [&](const std::string& counted, const std::string& by) {
            line_at(inst, "for (" + counted + " " + by + " = " + start + "; " + by +
                              (counter.step > 0 ? " < " : " > ") + stop + "; " + by +
                              " += " + step + ") {");
        };
        switch (counter.form) {
            case Counter::Form::index:
                return count(type, name);
            case Counter::Form::wide:
                count("long long", other);
                break;
            case Counter::Form::rounds:
                line_at(inst, type + " " + other + " = " + start + ";");
                line_at(inst, "for (unsigned long long " + trips + " = trip_count(" + start + ", " +
                                  stop + ", " + step + "); " + trips + " > 0; --" + trips + ", " +
                                  other + " += " + step + ") {");
                break;
        }
        ++depth_;
        line_at(inst, "const " + type + " " + name + " = (" + type + ")" + other + ";");
        --depth_;
    }

    void emit_condition(const Inst& inst) {
        line_at(inst, "if (!" + spell_.scalar(inst.operands[0]) + ") break;");
    }

    std::string scalar_type(Value value) const {
        return std::string(info(kernel_.type(value).scalar()).cxx);
    }

    void line_at(const Inst& inst, const std::string& text) {
        loc_ = inst.loc;
        line(text);
        loc_ = 0;
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
