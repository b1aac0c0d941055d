// The CUDA emitter: one C++ variable per thread for every SSA value, a block of C++ for a region.
#include "cuda/emit.h"

#include "cuda/emit_inst.h"
#include "cuda/replace.h"
#include "plan/counter.h"

namespace mytriton {

namespace {

// How many indices a range has; see range.h. The first serves all types but u64.
constexpr std::string_view kTrips =
    R"(static __device__ unsigned long long mt_trips_i64(long long start, long long stop,
                                                  long long step) {
    if (step == 0 || (step > 0 ? start >= stop : start <= stop)) {
        return 0;
    }
    const unsigned long long up = (unsigned long long)stop - (unsigned long long)start;
    const unsigned long long size = step;
    return step > 0 ? (up - 1) / size + 1 : (0 - up - 1) / (0 - size) + 1;
}
)";
constexpr std::string_view kUnsignedTrips =
    R"(static __device__ unsigned long long mt_trips_u64(unsigned long long start,
                                                  unsigned long long stop,
                                                  unsigned long long step) {
    return step == 0 || start >= stop ? 0 : (stop - start - 1) / step + 1;
}
)";

class Emitter : public CudaInstEmitter {
  public:
    using CudaInstEmitter::CudaInstEmitter;

    SourceText run() {
        for (const Param& param : kernel_.params()) define_type(param.type.scalar(), helpers_);
        emit_block(plan_.steps);
        SourceText out;
        for (const std::string& helper : helpers_) out.add(helper + "\n");
        out.add("extern \"C\" __global__\nvoid " + names_[0] + "(" + signature() + ") {\n");
        out.add(shared());
        out.text += body_.text;
        out.locs.insert(out.locs.end(), body_.locs.begin(), body_.locs.end());
        out.add("}");
        return out;
    }

    std::string entry() const { return names_[0]; }

  private:
    std::string signature() const {
        std::string out;
        for (size_t i = 0; i < kernel_.params().size(); ++i) {
            Type type = kernel_.params()[i].type;
            const ScalarInfo& scalar = info(type.scalar());
            out += (i ? ", " : "") +
                   (type.is_pointer() ? std::string(scalar.cxx_memory) + "*"
                                      : std::string(scalar.cxx)) +
                   " " + names_[i + 1];
        }
        return out;
    }

    std::string shared() const {
        std::string out;
        for (size_t i = 0; i < plan_.shared.size(); ++i)
            out += "    __shared__ " + std::string(info(plan_.shared[i]).cxx) + " mt_warps" +
                   std::to_string(i) + "[" + std::to_string(plan_.warps()) + "];\n";
        for (size_t i = 0; i < plan_.once.size(); ++i)
            out += "    __shared__ " + std::string(info(plan_.once[i]).cxx) + " mt_once" +
                   std::to_string(i) + ";\n";
        return out;
    }

    void emit_block(const std::vector<LaneStep>& steps) {
        for (const LaneStep& step : steps) emit(step);
    }

    void emit(const LaneStep& step) {
        const Inst& inst = kernel_.inst(step.inst);
        if (inst.op == Op::if_) return emit_if(inst, step);
        if (inst.op == Op::for_) return emit_for(inst, step);
        if (inst.op == Op::while_) return emit_while(inst, step);
        emit_inst(step);
    }

    // --- regions ---------------------------------------------------------------------------------
    //
    // What an op with regions gives is a variable that stands before it, and that the end of each
    // region sets. Carried values are copies of it: within a round they keep their value.

    void emit_if(const Inst& inst, const LaneStep& step) {
        for (Value result : inst.results) add(type(result) + " " + text(result) + ";\n", inst.loc);
        add("if (" + text(inst.operands[0]) + ") {\n", inst.loc);
        emit_region(inst, step.blocks[0]);
        if (step.blocks[1].size() > 1 || !inst.results.empty()) {
            add("} else {\n", inst.loc);
            emit_region(inst, step.blocks[1]);
        }
        add("}\n", inst.loc);
    }

    void emit_while(const Inst& inst, const LaneStep& step) {
        declare_results(inst, 0);
        add("while (true) {\n", inst.loc);
        ++depth_;
        copy_results(inst, 0);
        --depth_;
        emit_region(inst, step.blocks[0]);
        add("}\n", inst.loc);
    }

    void emit_for(const Inst& inst, const LaneStep& step) {
        declare_results(inst, kForInits);
        open_for(inst);
        ++depth_;
        copy_results(inst, 1);
        --depth_;
        emit_region(inst, step.blocks[0]);
        add("}\n", inst.loc);
    }

    void emit_region(const Inst& owner, const std::vector<LaneStep>& steps) {
        ++depth_;
        emit_block(steps);
        const Inst& yield = kernel_.inst(steps.back().inst);
        for (size_t i = 0; i < yield.operands.size(); ++i)
            add(text(owner.results[i]) + " = " + text(yield.operands[i]) + ";\n", yield.loc);
        --depth_;
    }

    void declare_results(const Inst& loop, size_t first_init) {
        for (size_t i = 0; i < loop.results.size(); ++i)
            declare(loop.results[i], text(loop.operands[first_init + i]), loop.loc);
    }

    void copy_results(const Inst& loop, size_t first_arg) {
        const std::vector<Value>& args = kernel_.region(loop.regions[0]).args;
        for (size_t i = 0; i < loop.results.size(); ++i)
            declare(args[first_arg + i], text(loop.results[i]), loop.loc);
    }

    // --- indices ---------------------------------------------------------------------------------

    // The loop's first line, and the index where the loop counts something else.
    void open_for(const Inst& inst) {
        Value index = kernel_.region(inst.regions[0]).args[0];
        std::string start = text(inst.operands[0]), stop = text(inst.operands[1]);
        std::string number = std::to_string(kernel_.data(index).number);
        Counter counter = counter_of(kernel_, inst);
        bool up = counter.step > 0;
        auto count = [&](const std::string& type, const std::string& name) {
            add("for (" + type + " " + name + " = " + start + "; " + name + (up ? " < " : " > ") +
                    stop + "; " + name + (up ? " += " : " -= ") +
                    std::to_string(up ? counter.step : -counter.step) + ") {\n",
                inst.loc);
        };
        std::string value = "mt_i" + number;
        switch (counter.form) {
            case Counter::Form::index:
                return count(type(index), text(index));
            case Counter::Form::wide:
                count("long long", value);
                break;
            case Counter::Form::rounds:
                value = count_trips(inst, number);
                break;
        }
        ++depth_;
        declare(index, "(" + type(index) + ")" + value, inst.loc);
        --depth_;
    }

    // Counts rounds. Gives the index, as an unsigned number that may have wrapped.
    std::string count_trips(const Inst& inst, const std::string& number) {
        bool wide = kernel_.type(inst.operands[0]).scalar() == Scalar::u64;
        helpers_.insert(std::string(wide ? kUnsignedTrips : kTrips));
        std::string bounds;
        for (int i = 0; i < 3; ++i) bounds += (i ? ", " : "") + text(inst.operands[i]);
        std::string trips = "mt_n" + number, trip = "mt_i" + number;
        std::string unsigned_type(info(Scalar::u64).cxx);
        add("const " + unsigned_type + " " + trips + " = mt_trips_" + (wide ? "u64" : "i64") + "(" +
                bounds + ");\n",
            inst.loc);
        add("for (" + unsigned_type + " " + trip + " = 0; " + trip + " < " + trips + "; " + trip +
                " += 1) {\n",
            inst.loc);
        auto wrapping = [&](int i) { return "(" + unsigned_type + ")" + text(inst.operands[i]); };
        const ValueData& start = kernel_.data(inst.operands[0]);
        bool from_zero = start.kind == ValueKind::constant && start.bits == 0;
        return "(" + (from_zero ? "" : wrapping(0) + " + ") + trip + " * " + wrapping(2) + ")";
    }
};

}  // namespace

SourceText emit_cuda(const Kernel& legal, const LanePlan& plan) {
    return Emitter(legal, plan).run();
}

std::string cuda_entry(const Kernel& kernel) {
    return Emitter(kernel, LanePlan{}).entry();
}

}  // namespace mytriton
