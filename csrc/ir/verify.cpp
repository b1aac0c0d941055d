// The verifier: one walk over the body, one case per family of ops.
#include "ir/verify.h"

#include <unordered_set>

#include "ir/literal.h"
#include "ir/print.h"
#include "ir/typing.h"

namespace mytriton {

namespace {

class Verifier {
  public:
    Verifier(const Kernel& kernel, std::optional<int64_t> lane_width)
        : kernel_(kernel), lane_width_(lane_width) {}

    void run() {
        for (InstId id : kernel_.body()) {
            const Inst& inst = kernel_.inst(id);
            check_counts(inst);
            check_definitions(inst);
            try {
                check_types(inst);
            } catch (const TypingError& error) {
                fail(inst, error.what());
            }
            ++index_;
        }
    }

  private:
    [[noreturn]] void fail(const Inst& inst, const std::string& message) const {
        throw CompileError("ssa-verifier: op #" + std::to_string(index_) + " '" +
                               std::string(info(inst.op).name) + "': " + message,
                           kernel_.locs()[inst.loc]);
    }

    void check_counts(const Inst& inst) const {
        const OpInfo& row = info(inst.op);
        if (row.operands >= 0 && static_cast<int>(inst.operands.size()) != row.operands)
            fail(inst, "expected " + std::to_string(row.operands) + " operands, got " +
                           std::to_string(inst.operands.size()));
        if (static_cast<int>(inst.results.size()) != row.results)
            fail(inst, "invalid result declaration");
        if (!inst.regions.empty()) fail(inst, "takes no region");
    }

    void check_definitions(const Inst& inst) {
        for (Value operand : inst.operands) {
            bool local =
                kernel_.is(operand, ValueKind::result) || kernel_.is(operand, ValueKind::block_arg);
            if (local && !defined_.contains(operand.index))
                fail(inst, print_value(kernel_, operand) + " used before definition");
        }
        for (Value result : inst.results) {
            if (!numbers_.insert(kernel_.data(result).number).second)
                fail(inst, "duplicate definition of " + print_value(kernel_, result));
            defined_.insert(result.index);
        }
    }

    // Only the mask and the fallback of a memory op may be left out.
    void check_present(const Inst& inst) const {
        for (size_t i = 0; i < inst.operands.size(); ++i) {
            bool optional = (inst.op == Op::load && i >= 1) || (inst.op == Op::store && i == 2) ||
                            (inst.op == Op::atomic_rmw && i == 2);
            if (inst.operands[i].none() && !optional)
                fail(inst, "operand " + std::to_string(i) + " is missing");
        }
    }

    void require_result(const Inst& inst, Type expected) const {
        Type got = kernel_.type(inst.result());
        if (got != expected) fail(inst, "result must be " + expected.str() + ", got " + got.str());
    }

    int64_t require_attr(const Inst& inst, AttrKey key, const char* name) const {
        if (std::optional<int64_t> value = inst.find_attr(key)) return *value;
        fail(inst, std::string("attribute ") + name + " is missing");
    }

    void check_types(const Inst& inst) const {
        check_present(inst);
        std::vector<Type> types;
        for (Value operand : inst.operands) types.push_back(kernel_.type(operand));
        switch (inst.op) {
            case Op::program_id:
            case Op::num_programs:
                return check_axis(inst);
            case Op::arange:
                return check_arange(inst);
            case Op::cast:
            case Op::cast_rtz:
            case Op::bitcast:
                return check_cast(inst, types[0]);
            case Op::store:
                return check_store(types[0], types[1], types[2]);
            case Op::print:
                common_shape(types);
                for (Type type : types)
                    if (type.is_pointer()) fail(inst, "cannot print " + type.str());
                return;
            case Op::device_assert:
                if (!types[0].is(Scalar::boolean))
                    fail(inst, "condition must be bool, got " + types[0].str());
                return;
            case Op::splat:
                return check_splat(inst, types[0]);
            case Op::ptr_cast:
                if (!is_pointer_cast(types[0], kernel_.type(inst.result())))
                    fail(inst, "cannot cast " + types[0].str() + " to " +
                                   kernel_.type(inst.result()).str());
                return;
            case Op::atomic_rmw: {
                Rmw rmw = static_cast<Rmw>(require_attr(inst, AttrKey::rmw, "rmw"));
                return require_result(inst, atomic_type(rmw, types[0], types[1], types[2]));
            }
#define NA
#define PURE(name, ...) case Op::name:
#define REDUCE(name, ...) case Op::name:
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
            case Op::load:
            case Op::addptr:
            case Op::atomic_cas:
                return require_result(inst, result_type(inst.op, types));
        }
    }

    void check_axis(const Inst& inst) const {
        int64_t axis = require_attr(inst, AttrKey::axis, "axis");
        if (axis < 0 || axis > 2) fail(inst, "axis must be 0, 1 or 2, got " + std::to_string(axis));
        require_result(inst, Type::scalar(Scalar::i32));
    }

    void check_arange(const Inst& inst) const {
        int64_t start = require_attr(inst, AttrKey::start, "start");
        int64_t width = require_attr(inst, AttrKey::end, "end") - start;
        if (width < 1) fail(inst, "range must not be empty, got width " + std::to_string(width));
        if (lane_width_ && width != *lane_width_)
            fail(inst, "range width " + std::to_string(width) + " does not match CUDA block size " +
                           std::to_string(*lane_width_));
        require_result(inst, Type::scalar(Scalar::i32).with_shape({width}));
    }

    void check_splat(const Inst& inst, Type value) const {
        Type block = kernel_.type(inst.result());
        if (value.is_block() || value.is_pointer() || !block.is_block())
            fail(inst, "cannot make " + block.str() + " of " + value.str());
        require_result(inst, value.with_shape(block.shape()));
    }

    void check_cast(const Inst& inst, Type from) const {
        Type to = kernel_.type(inst.result());
        if (!is_castable(inst.op, from, to))
            fail(inst, "cannot cast " + from.str() + " to " + to.str());
    }

    const Kernel& kernel_;
    std::optional<int64_t> lane_width_;
    size_t index_ = 0;
    std::unordered_set<uint32_t> defined_;
    std::unordered_set<uint32_t> numbers_;
};

}  // namespace

void verify(const Kernel& kernel, std::optional<int64_t> lane_width) {
    Verifier(kernel, lane_width).run();
}

}  // namespace mytriton
