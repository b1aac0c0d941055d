// What stands around instructions in every layout: the kernel's head, and the heads of loops.
#include "cuda/emit_inst.h"
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

}  // namespace

SourceText CudaInstEmitter::finish(const std::string& shared) {
    SourceText out;
    for (const std::string& helper : helpers_) out.add(helper + "\n");
    out.add("extern \"C\" __global__\nvoid " + names_[0] + "(" + signature() + ") {\n");
    out.add(shared);
    out.text += body_.text;
    out.locs.insert(out.locs.end(), body_.locs.begin(), body_.locs.end());
    out.add("}");
    return out;
}

std::string CudaInstEmitter::signature() const {
    std::string out;
    for (size_t i = 0; i < kernel_.params().size(); ++i) {
        Type type = kernel_.params()[i].type;
        const ScalarInfo& scalar = info(type.scalar());
        out +=
            (i ? ", " : "") +
            (type.is_pointer() ? std::string(scalar.cxx_memory) + "*" : std::string(scalar.cxx)) +
            " " + names_[i + 1];
    }
    return out;
}

void CudaInstEmitter::open_for(const Inst& inst) {
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
std::string CudaInstEmitter::count_trips(const Inst& inst, const std::string& number) {
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

}  // namespace mytriton
