// Prints strip plans: a line a step, stages with what they compute, regions indented.
#include <string>

#include "ir/print.h"
#include "plan/strips.h"

namespace mytriton {

namespace {

class Printer {
  public:
    Printer(const Kernel& kernel, const StripPlan& plan, const Notes& notes)
        : kernel_(kernel), plan_(plan), notes_(notes) {}

    std::string run() {
        for (size_t i = 0; i < plan_.slots.size(); ++i) {
            const Slot& slot = plan_.slots[i];
            if (kernel_.type(slot.value).is_block())
                line("slot " + std::to_string(i) + ": " + kernel_.type(slot.value).str() +
                     (slot.in_registers ? " in registers" : " in scratch"));
        }
        print(plan_.steps);
        return std::move(out_);
    }

  private:
    void line(const std::string& text) { out_ += std::string(4 * depth_, ' ') + text + "\n"; }

    std::string inst(InstId id) const {
        std::string note = notes_ ? notes_(id) : "";
        return print_inst(kernel_, kernel_.inst(id)) + (note.empty() ? "" : "  ; " + note);
    }

    std::string name(Value value) const { return print_value(kernel_, value); }

    void print(const Steps& steps) {
        for (const Step& step : steps) {
            if (step.barrier_before) line("barrier");
            std::string once = step.once >= 0 ? ", then in once " + std::to_string(step.once) : "";
            switch (step.kind) {
                case Step::Kind::scalar:
                    line(inst(step.inst) + (step.one_thread ? "  ; thread 0 only" : "") + once);
                    break;
                case Step::Kind::lane0:
                    line("lane 0 of " + name(step.value) + once);
                    break;
                case Step::Kind::stage:
                    print_stage(plan_.stages[step.stage]);
                    break;
                case Step::Kind::memory:
                    line("in memory: " + inst(step.inst));
                    break;
                case Step::Kind::control:
                    print_control(step);
                    break;
            }
        }
    }

    void print_control(const Step& step) {
        const Inst& inst = kernel_.inst(step.inst);
        line(print_inst(kernel_, inst) + " {");
        for (size_t i = 0; i < step.blocks.size(); ++i) {
            const Inst& yield = kernel_.inst(kernel_.region(inst.regions[i]).insts.back());
            if (i > 0 && step.blocks[i].empty() && yield.operands.empty()) break;
            if (i > 0) line("} else {");
            ++depth_;
            print(step.blocks[i]);
            if (!yield.operands.empty()) line(print_inst(kernel_, yield));
            --depth_;
        }
        line("}");
    }

    void list(const char* title, const std::vector<Value>& values) {
        std::string out;
        for (Value value : values) out += (out.empty() ? title : ", ") + name(value);
        if (!out.empty()) line(out);
    }

    void print_stage(const Stage& stage) {
        std::string out = "stage of " + std::to_string(stage.width) + " lanes";
        if (stage.row) out += " in rows of " + std::to_string(stage.row);
        std::string tests;
        for (Value mask : stage.row_masks)
            tests += (tests.empty() ? ", interior while " : " and ") + name(mask);
        for (const PrefixTest& test : stage.bound)
            tests += (tests.empty() ? ", interior while " : " and ") + name(test.index) +
                     (test.inclusive ? " <= " : " < ") + name(test.bound);
        line(out + tests + (stage.stops_at_bound ? ", then stop" : "") +
             (stage.repeats_past_bound ? ", then until nothing changes" : ""));
        ++depth_;
        list("at the start of each row: ", stage.row_starts);
        list("contiguous: ", stage.contiguous);
        list("from buffer: ", stage.from_buffer);
        list("from slot: ", stage.from_slot);
        for (InstId id : stage.body) line(inst(id));
        list("to buffer: ", stage.to_buffer);
        for (const Move& move : stage.moves)
            line("to slot " + std::to_string(move.slot) + ": " + name(move.from));
        --depth_;
    }

    const Kernel& kernel_;
    const StripPlan& plan_;
    const Notes& notes_;
    std::string out_;
    int depth_ = 0;
};

}  // namespace

std::string print_steps(const Kernel& legal, const StripPlan& plan, const Notes& notes) {
    return Printer(legal, plan, notes).run();
}

std::string print_plan(const Kernel& legal, const StripPlan& plan) {
    return "strips of " + std::to_string(kStrip) + " lanes, " + std::to_string(plan.scratch_bytes) +
           " bytes of scratch\n" + print_steps(legal, plan);
}

}  // namespace mytriton
