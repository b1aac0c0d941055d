// The verifier: one walk over the body, one case per family of ops.
#include "ir/verify.h"

#include <algorithm>
#include <unordered_set>

#include "ir/across.h"
#include "ir/literal.h"
#include "ir/movement.h"
#include "ir/print.h"
#include "ir/typing.h"

namespace mytriton {

namespace {

class Verifier {
  public:
    Verifier(const Kernel& kernel, std::optional<int64_t> lane_width)
        : kernel_(kernel), lane_width_(lane_width) {}

    void run() { check_region(0, nullptr); }

  private:
    // What the region defines is known in it and in those within, and forgotten afterwards.
    void check_region(RegionId id, const Inst* owner) {
        const Region& region = kernel_.region(id);
        std::vector<Value> known;
        for (Value arg : region.args) define(*owner, arg, known);
        if (owner && region.insts.empty()) fail(*owner, "expected a yield in each of its regions");
        for (InstId each : region.insts) {
            const Inst& inst = kernel_.inst(each);
            size_t index = index_ = next_index_++;
            check_counts(inst);
            check_operands(inst);
            try {
                check_types(inst);
            } catch (const TypingError& error) {
                fail(inst, error.what());
            }
            check_place(inst, owner, each == region.insts.back());
            for (RegionId inner : inst.regions) check_region(inner, &inst);
            index_ = index;
            if (inst.op == Op::while_ && count(inst.regions[0], Op::condition) != 1)
                fail(inst, "expected one condition in its region");
            for (Value result : inst.results) define(inst, result, known);
        }
        for (Value value : known) defined_.erase(value.index);
    }

    size_t count(RegionId region, Op op) const {
        return std::ranges::count_if(kernel_.region(region).insts,
                                     [&](InstId id) { return kernel_.inst(id).op == op; });
    }

    // A yield stands at the end of every region, and only there; a condition in a while.
    void check_place(const Inst& inst, const Inst* owner, bool last) const {
        bool yields = inst.op == Op::yield;
        if (yields && (!owner || !last)) fail(inst, "expected at the end of a region only");
        if (!yields && owner && last) fail(inst, "expected a yield after it, at the region's end");
        if (inst.op == Op::condition && (!owner || owner->op != Op::while_))
            fail(inst, "expected in the region of a while only");
        if (!yields || !owner) return;
        if (inst.operands.size() != owner->results.size())
            fail(inst, "expected " + std::to_string(owner->results.size()) + " values, got " +
                           std::to_string(inst.operands.size()));
        for (size_t i = 0; i < inst.operands.size(); ++i)
            require_type(inst, i, kernel_.type(owner->results[i]));
    }

    void require_type(const Inst& inst, size_t operand, Type expected) const {
        Type got = kernel_.type(inst.operands[operand]);
        if (got != expected)
            fail(inst, "operand " + std::to_string(operand) + " must be " + expected.str() +
                           ", got " + got.str());
    }

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
        if (row.results >= 0 && static_cast<int>(inst.results.size()) != row.results)
            fail(inst, "invalid result declaration");
        size_t regions = row.has(kRegions) ? (inst.op == Op::if_ ? 2 : 1) : 0;
        if (inst.regions.size() != regions)
            fail(inst,
                 regions ? "expected " + std::to_string(regions) + " regions" : "takes no region");
        for (RegionId region : inst.regions)
            if (inst.op == Op::if_ && !kernel_.region(region).args.empty())
                fail(inst, "its regions take no arguments");
    }

    void check_operands(const Inst& inst) const {
        for (Value operand : inst.operands) {
            bool local =
                kernel_.is(operand, ValueKind::result) || kernel_.is(operand, ValueKind::block_arg);
            if (local && !defined_.contains(operand.index))
                fail(inst, print_value(kernel_, operand) + " used before definition");
        }
    }

    void define(const Inst& inst, Value value, std::vector<Value>& known) {
        if (!numbers_.insert(kernel_.data(value).number).second)
            fail(inst, "duplicate definition of " + print_value(kernel_, value));
        defined_.insert(value.index);
        known.push_back(value);
    }

    // Only the mask and the fallback of a memory op may be left out.
    void check_present(const Inst& inst) const {
        for (size_t i = 0; i < inst.operands.size(); ++i) {
            bool optional = (inst.op == Op::load && i >= 1) || (inst.op == Op::store && i == 2) ||
                            (inst.op == Op::atomic_rmw && i == 2) ||
                            (inst.op == Op::histogram && i == 1);
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

    // A flag that is not there is 0.
    void check_flag(const Inst& inst, AttrKey key) const {
        int64_t flag = inst.find_attr(key).value_or(0);
        if (flag != 0 && flag != 1)
            fail(inst,
                 std::string(attr_name(key)) + " must be 0 or 1, got " + std::to_string(flag));
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
            case Op::condition:
            case Op::if_:
                if (types[0] != Type::scalar(Scalar::boolean))
                    fail(inst, "condition must be a bool scalar, got " + types[0].str());
                return check_results(inst);
            case Op::for_:
                return check_for(inst);
            case Op::while_:
                return check_carried(inst, 0, 0);
            case Op::yield:
                return;
            case Op::reshape:
                refuse_pointers(inst);
                check_reshape(types[0], kernel_.type(inst.result()).shape());
                return require_result(inst,
                                      types[0].with_shape(kernel_.type(inst.result()).shape()));
            case Op::broadcast:
                refuse_pointers(inst);
                check_broadcast(types[0], kernel_.type(inst.result()).shape());
                if (types[0].shape().size() != kernel_.type(inst.result()).shape().size())
                    fail(inst, "expected as many axes, got " + types[0].str() + " to " +
                                   kernel_.type(inst.result()).str());
                return require_result(inst,
                                      types[0].with_shape(kernel_.type(inst.result()).shape()));
            case Op::permute:
                refuse_pointers(inst);
                return require_result(
                    inst, permuted_type(types[0],
                                        unpack_order(require_attr(inst, AttrKey::order, "order"))));
            case Op::join:
                refuse_pointers(inst);
                return require_result(inst, joined_type(types[0], types[1]));
            case Op::half: {
                int64_t index = require_attr(inst, AttrKey::index, "index");
                if (index != 0 && index != 1) fail(inst, "index must be 0 or 1");
                refuse_pointers(inst);
                return require_result(inst, half_type(types[0]));
            }
            case Op::cat:
                refuse_pointers(inst);
                return require_result(inst, concatenated_type(types[0], types[1]));
            case Op::sort:
                check_flag(inst, AttrKey::descending);
                return require_result(inst, sorted_type(types[0]));
            case Op::gather:
                return require_result(
                    inst,
                    gathered_type(types[0], types[1], require_attr(inst, AttrKey::axis, "axis")));
            case Op::histogram:
                return require_result(
                    inst,
                    histogram_type(types[0], types[1], require_attr(inst, AttrKey::bins, "bins")));
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
#define PURE(...)
#define REDUCE(name, ...) case Op::name:
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
                return require_result(
                    inst, reduced_type(inst.op, types[0], inst.find_attr(AttrKey::axis)));
#define PURE(...)
#define REDUCE(...)
#define SCAN(name, ...) case Op::name:
#define STRUCTURAL(...)
#include "ir/ops.def"
                check_flag(inst, AttrKey::reverse);
                return require_result(
                    inst,
                    scanned_type(inst.op, types[0], require_attr(inst, AttrKey::axis, "axis")));
#define PURE(name, ...) case Op::name:
#define REDUCE(...)
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
            case Op::load:
            case Op::addptr:
            case Op::atomic_cas:
                return require_result(inst, result_type(inst.op, types));
        }
    }

    void check_results(const Inst& inst) const {
        for (Value result : inst.results)
            if (kernel_.type(result).is_pointer())
                fail(inst, "regions give numbers, not " + kernel_.type(result).str());
    }

    void check_for(const Inst& inst) const {
        if (inst.operands.size() < kForInits) fail(inst, "expected start, stop and step");
        Type index = kernel_.type(inst.operands[0]);
        if (index.is_pointer() || index.is_block() || !info(index.scalar()).is_int())
            fail(inst, "bounds must be int scalars, got " + index.str());
        require_type(inst, 1, index);
        require_type(inst, 2, index);
        const std::vector<Value>& args = kernel_.region(inst.regions[0]).args;
        if (args.empty() || kernel_.type(args[0]) != index)
            fail(inst, "expected an index of " + index.str());
        check_carried(inst, kForInits, 1);
    }

    // Initial values, the region's arguments and the results are of the same types.
    void check_carried(const Inst& inst, size_t first, size_t skipped) const {
        check_results(inst);
        const std::vector<Value>& args = kernel_.region(inst.regions[0]).args;
        size_t count = inst.results.size();
        if (inst.operands.size() - first != count || args.size() - skipped != count)
            fail(inst, "expected as many initial and carried values as results, " +
                           std::to_string(count));
        for (size_t i = 0; i < count; ++i) {
            require_type(inst, first + i, kernel_.type(inst.results[i]));
            if (kernel_.type(args[skipped + i]) != kernel_.type(inst.results[i]))
                fail(inst, "a carried value has another type than its result");
        }
    }

    // A pointer keeps its base and offsets in sight: it is these that are moved.
    void refuse_pointers(const Inst& inst) const {
        for (Value operand : inst.operands)
            if (kernel_.type(operand).is_pointer())
                fail(inst, "lanes of pointers are not moved, got " + kernel_.type(operand).str());
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
    size_t index_ = 0;  // of the instruction that is being checked
    size_t next_index_ = 0;
    std::unordered_set<uint32_t> defined_;
    std::unordered_set<uint32_t> numbers_;
};

}  // namespace

void verify(const Kernel& kernel, std::optional<int64_t> lane_width) {
    Verifier(kernel, lane_width).run();
}

}  // namespace mytriton
