// The evaluator: every value is a run of lanes held as bits; a pointer's bits are its address.
#include "cpu/evaluate.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cpu/evaluate_across.h"
#include "ir/apply.h"
#include "ir/literal.h"
#include "ir/movement.h"
#include "ir/range.h"

namespace mytriton {

namespace {

uint64_t read(Scalar scalar, uint64_t address) {
    const void* from = reinterpret_cast<const void*>(address);
    uint64_t bits = 0;
    std::memcpy(&bits, from, info(scalar).bytes);  // little-endian hosts only, as the backends are
    return scalar == Scalar::boolean ? bits != 0 : bits;
}

void write(Scalar scalar, uint64_t address, uint64_t bits) {
    std::memcpy(reinterpret_cast<void*>(address), &bits, info(scalar).bytes);
}

uint64_t max_steps() {
    const char* text = std::getenv("MYTRITON_MAX_STEPS");
    uint64_t steps = text ? std::strtoull(text, nullptr, 10) : 0;
    return steps ? steps : UINT64_MAX;
}

class Evaluator {
  public:
    Evaluator(const Kernel& kernel, const int64_t* args, const int64_t* grid, const Printer& print)
        : kernel_(kernel), grid_(grid), print_(print), values_(kernel.value_count()) {
        for (size_t i = 0; i < kernel.value_count(); ++i) {
            Value value{static_cast<uint32_t>(i)};
            if (kernel.is_constant(value)) values_[i] = {kernel.data(value).bits};
        }
        for (size_t i = 0; i < kernel.params().size(); ++i) {
            uint64_t bits = static_cast<uint64_t>(args[i]);
            Type type = kernel.params()[i].type;
            if (type.is(Scalar::boolean))
                bits = bits != 0;
            else if (!type.is_pointer())
                bits &= ~uint64_t{0} >> (64 - info(type.scalar()).bits());
            values_[kernel.param(i).index] = {bits};
        }
    }

    void run(int64_t program) {
        index_ = program;
        program_[0] = program % grid_[0];
        program_[1] = program / grid_[0] % grid_[1];
        program_[2] = program / grid_[0] / grid_[1];
        run_region(0);
    }

  private:
    // False where its condition failed: the while that it belongs to ends.
    bool run_region(RegionId region) {
        for (InstId id : kernel_.region(region).insts) {
            const Inst& inst = kernel_.inst(id);
            if (inst.op == Op::condition && !lanes(inst.operands[0])[0]) return false;
            if (++steps_ > max_steps_) stop(inst);
            step(inst);
        }
        return true;
    }

    [[noreturn]] void stop(const Inst& inst) const {
        const Loc& loc = kernel_.locs()[inst.loc];
        std::string place = loc.known() ? loc.file + ":" + std::to_string(loc.line) : "its text";
        throw RuntimeError("kernel " + kernel_.name() + ": stopped after " +
                           std::to_string(max_steps_) + " steps (MYTRITON_MAX_STEPS) at " + place +
                           ", in program " + std::to_string(index_));
    }

    const Inst& yield_of(RegionId region) const {
        return kernel_.inst(kernel_.region(region).insts.back());
    }

    // All are read before any is written: what is carried may be swapped.
    void assign(const std::vector<Value>& to, size_t first, const std::vector<Value>& from,
                size_t skipped) {
        std::vector<std::vector<uint64_t>> values;
        for (size_t i = skipped; i < from.size(); ++i) values.push_back(values_[from[i].index]);
        for (size_t i = 0; i < values.size(); ++i)
            values_[to[first + i].index] = std::move(values[i]);
    }

    void step_if(const Inst& inst) {
        RegionId taken = inst.regions[lanes(inst.operands[0])[0] ? 0 : 1];
        run_region(taken);
        assign(inst.results, 0, yield_of(taken).operands, 0);
    }

    void step_while(const Inst& inst) {
        const Region& region = kernel_.region(inst.regions[0]);
        assign(region.args, 0, inst.operands, 0);
        while (run_region(inst.regions[0]))
            assign(region.args, 0, yield_of(inst.regions[0]).operands, 0);
        assign(inst.results, 0, region.args, 0);
    }

    void step_for(const Inst& inst) {
        const Region& region = kernel_.region(inst.regions[0]);
        Scalar scalar = kernel_.type(inst.operands[0]).scalar();
        uint64_t bounds[3];
        for (int i = 0; i < 3; ++i) bounds[i] = lanes(inst.operands[i])[0];
        uint64_t trips = trip_count(scalar, bounds[0], bounds[1], bounds[2]);
        assign(region.args, 1, inst.operands, kForInits);
        for (uint64_t index = bounds[0]; trips > 0; --trips) {
            values_[region.args[0].index] = {index};
            run_region(inst.regions[0]);
            assign(region.args, 1, yield_of(inst.regions[0]).operands, 0);
            index = next_index(scalar, index, bounds[2]);
        }
        assign(inst.results, 0, region.args, 1);
    }

    Lanes lanes(Value value) const {
        const std::vector<uint64_t>& bits = values_[value.index];
        return {bits.data(), kernel_.type(value).is_block() ? 1 : 0};
    }

    // The result's lanes, ready to be written.
    uint64_t* result(const Inst& inst) {
        std::vector<uint64_t>& bits = values_[inst.result().index];
        bits.resize(kernel_.type(inst.result()).lanes());
        return bits.data();
    }

    void step(const Inst& inst) {
        switch (inst.op) {
            case Op::program_id:
                *result(inst) = bits_of(static_cast<int32_t>(program_[inst.attr(AttrKey::axis)]));
                return;
            case Op::num_programs:
                *result(inst) = bits_of(static_cast<int32_t>(grid_[inst.attr(AttrKey::axis)]));
                return;
            case Op::arange:
                return step_arange(inst);
            case Op::cast:
            case Op::cast_rtz:
            case Op::bitcast:
                return step_cast(inst);
            case Op::reshape:
            case Op::broadcast:
            case Op::permute:
            case Op::half:
                return step_movement(inst);
            case Op::join:
            case Op::cat:
                return step_two(inst);
            case Op::sort:
                return evaluate_sort(kernel_, inst, lanes(inst.operands[0]), result(inst));
            case Op::gather:
                return evaluate_gather(kernel_, inst, lanes(inst.operands[0]),
                                       lanes(inst.operands[1]), result(inst));
            case Op::histogram:
                return step_histogram(inst);
            case Op::splat:
                return step_splat(inst);
            case Op::ptr_cast:
                return step_copy(inst);
            case Op::addptr:
                return step_addptr(inst);
            case Op::atomic_rmw:
            case Op::atomic_cas:
                return step_atomic(inst);
            case Op::print:
                return step_print(inst);
            case Op::device_assert:
                return step_assert(inst);
            case Op::for_:
                return step_for(inst);
            case Op::if_:
                return step_if(inst);
            case Op::while_:
                return step_while(inst);
            case Op::condition:
            case Op::yield:
                return;  // by the op whose region they end
            case Op::load:
                return step_load(inst);
            case Op::store:
                return step_store(inst);
#define NA
#define PURE(name, ...) case Op::name:
#define REDUCE(...)
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
                return step_pure(inst);
#define PURE(...)
#define REDUCE(...)
#define SCAN(name, ...) case Op::name:
#define STRUCTURAL(...)
#include "ir/ops.def"
                return evaluate_scan(kernel_, inst, lanes(inst.operands[0]), result(inst));
#define PURE(...)
#define REDUCE(name, ...) case Op::name:
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
                return step_reduce(inst);
        }
    }

    void step_arange(const Inst& inst) {
        int64_t start = inst.attr(AttrKey::start);
        int64_t count = kernel_.type(inst.result()).lanes();
        uint64_t* out = result(inst);
        for (int64_t i = 0; i < count; ++i) out[i] = bits_of(static_cast<int32_t>(start + i));
    }

    void step_cast(const Inst& inst) {
        Scalar from = kernel_.type(inst.operands[0]).scalar();
        Type to = kernel_.type(inst.result());
        Lanes operand = lanes(inst.operands[0]);
        uint64_t* out = result(inst);
        if (inst.op == Op::cast)
            return apply_conversion(from, to.scalar(), to.lanes(), operand, out);
        for (int64_t i = 0; i < to.lanes(); ++i)
            out[i] = inst.op == Op::bitcast ? operand[i]
                                            : apply_conversion_rtz(from, to.scalar(), operand[i]);
    }

    void step_pure(const Inst& inst) {
        size_t first = info(inst.op).first_value();
        Lanes operands[3] = {};
        for (size_t i = 0; i < inst.operands.size(); ++i) operands[i] = lanes(inst.operands[i]);
        apply_row(inst.op, kernel_.type(inst.operands[first]).scalar(),
                  kernel_.type(inst.result()).lanes(), operands[0], operands[1], operands[2],
                  result(inst));
    }

    void step_reduce(const Inst& inst) {
        Scalar scalar = kernel_.type(inst.result()).scalar();
        Type block = kernel_.type(inst.operands[0]);
        int64_t count = block.lanes(), inner = 1;
        if (std::optional<int64_t> axis = inst.find_attr(AttrKey::axis)) {
            count = block.shape()[*axis];
            for (size_t i = *axis + 1; i < block.shape().size(); ++i) inner *= block.shape()[i];
        }
        Lanes operand = lanes(inst.operands[0]);
        uint64_t* out = result(inst);
        for (int64_t i = 0; i < block.lanes() / count; ++i)
            out[i] = reduced(inst.op, scalar, operand, i / inner * count * inner + i % inner, count,
                             inner);
    }

    // Of `count` lanes from `first` on, `step` apart.
    static uint64_t reduced(Op op, Scalar scalar, Lanes lanes, int64_t first, int64_t count,
                            int64_t step) {
        Op combine = info(op).combine;
        uint64_t partial[16];
        for (uint64_t& each : partial) each = identity_bits(info(op).identity, scalar);
        for (int64_t i = 0; i < count; ++i)
            partial[i % 16] = apply_row(combine, scalar, partial[i % 16], lanes[first + i * step]);
        for (int half = 8; half > 0; half /= 2)
            for (int k = 0; k < half; ++k)
                partial[k] = apply_row(combine, scalar, partial[k], partial[k + half]);
        return partial[0];
    }

    void step_histogram(const Inst& inst) {
        Value mask = inst.operands[1];
        evaluate_histogram(kernel_, inst, lanes(inst.operands[0]),
                           mask.none() ? Lanes{} : lanes(mask), result(inst));
    }

    void step_splat(const Inst& inst) {
        uint64_t bits = lanes(inst.operands[0])[0];
        int64_t count = kernel_.type(inst.result()).lanes();
        std::fill_n(result(inst), count, bits);
    }

    void step_movement(const Inst& inst) {
        Type from = kernel_.type(inst.operands[0]), to = kernel_.type(inst.result());
        LaneMap map = lane_map(inst.op, inst.attrs, from, to);
        Lanes operand = lanes(inst.operands[0]);
        uint64_t* out = result(inst);
        for (int64_t i = 0; i < to.lanes(); ++i) out[i] = operand[map.source(i)];
    }

    // join: lane by lane from one and the other; cat: one after the other.
    void step_two(const Inst& inst) {
        Lanes a = lanes(inst.operands[0]), b = lanes(inst.operands[1]);
        int64_t count = kernel_.type(inst.operands[0]).lanes();
        int64_t all = kernel_.type(inst.result()).lanes();
        uint64_t* out = result(inst);
        for (int64_t i = 0; i < all; ++i)
            out[i] = inst.op == Op::cat ? (i < count ? a[i] : b[i - count])
                                        : (i % 2 ? b[i / 2] : a[i / 2]);
    }

    void step_copy(const Inst& inst) {
        Lanes from = lanes(inst.operands[0]);
        int64_t count = kernel_.type(inst.result()).lanes();
        uint64_t* out = result(inst);
        for (int64_t i = 0; i < count; ++i) out[i] = from[i];
    }

    void step_print(const Inst& inst) {
        if (!print_) return;
        std::vector<int64_t> bits(inst.operands.size());
        Type block;
        for (Value operand : inst.operands)
            if (kernel_.type(operand).is_block()) block = kernel_.type(operand);
        int64_t count = block.none() ? 1 : block.lanes();
        for (int64_t lane = 0; lane < count; ++lane) {
            for (size_t i = 0; i < bits.size(); ++i)
                bits[i] = static_cast<int64_t>(lanes(inst.operands[i])[lane]);
            print_(print_line(kernel_, inst, grid_, index_, block.none() ? -1 : lane, bits.data()));
        }
    }

    void step_assert(const Inst& inst) {
        Type type = kernel_.type(inst.operands[0]);
        for (int64_t lane = 0; lane < type.lanes(); ++lane)
            if (!lanes(inst.operands[0])[lane])
                throw AssertionFailed(
                    print_line(kernel_, inst, grid_, index_, type.is_block() ? lane : -1, nullptr));
    }

    // Other threads may run other programs meanwhile, so these are atomic here too.
    void step_atomic(const Inst& inst) {
        Type type = kernel_.type(inst.result());
        bool cas = inst.op == Op::atomic_cas;
        Lanes pointer = lanes(inst.operands[0]), first = lanes(inst.operands[1]);
        uint64_t* out = result(inst);
        for (int64_t i = 0; i < type.lanes(); ++i) {
            out[i] = 0;
            if (cas) {
                uint64_t compare = first[i], value = lanes(inst.operands[2])[i];
                out[i] = exchange_if(type.scalar(), pointer[i], compare, value);
            } else if (is_on(inst.operands[2], i)) {
                out[i] = update(type.scalar(), pointer[i], first[i],
                                static_cast<Rmw>(inst.attr(AttrKey::rmw)));
            }
        }
    }

    static uint64_t update(Scalar scalar, uint64_t address, uint64_t value, Rmw rmw) {
        std::optional<Op> row = row_of(rmw);
        for (uint64_t old = read(scalar, address);;) {
            uint64_t next = row ? apply_row(*row, scalar, old, value) : value;
            uint64_t found = exchange_if(scalar, address, old, next);
            if (found == old) return old;
            old = found;
        }
    }

    // Writes `value` where the bits are `compare`; gives those that were there.
    static uint64_t exchange_if(Scalar scalar, uint64_t address, uint64_t compare, uint64_t value) {
        switch (info(scalar).bytes) {
            case 2:
                return exchange_bits<uint16_t>(address, compare, value);
            case 4:
                return exchange_bits<uint32_t>(address, compare, value);
            default:
                return exchange_bits<uint64_t>(address, compare, value);
        }
    }

    template <class Bits>
    static uint64_t exchange_bits(uint64_t address, uint64_t compare, uint64_t value) {
        Bits expected = static_cast<Bits>(compare);
        __atomic_compare_exchange_n(reinterpret_cast<Bits*>(address), &expected,
                                    static_cast<Bits>(value), false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
        return expected;
    }

    void step_addptr(const Inst& inst) {
        Lanes pointer = lanes(inst.operands[0]), offset = lanes(inst.operands[1]);
        Type type = kernel_.type(inst.result());
        int64_t bytes = info(type.scalar()).bytes;
        Scalar index = kernel_.type(inst.operands[1]).scalar();
        bool is_unsigned = info(index).is_unsigned();
        uint64_t* out = result(inst);
        for (int64_t i = 0; i < type.lanes(); ++i)
            out[i] =
                pointer[i] + (is_unsigned ? offset[i] : signed_value(index, offset[i])) * bytes;
    }

    bool is_on(Value mask, int64_t lane) const { return mask.none() || lanes(mask)[lane] != 0; }

    void step_load(const Inst& inst) {
        Lanes pointer = lanes(inst.operands[0]);
        Type type = kernel_.type(inst.result());
        uint64_t* out = result(inst);
        for (int64_t i = 0; i < type.lanes(); ++i) {
            if (is_on(inst.operands[1], i))
                out[i] = read(type.scalar(), pointer[i]);
            else
                out[i] = inst.operands[2].none() ? 0 : lanes(inst.operands[2])[i];
        }
    }

    void step_store(const Inst& inst) {
        Lanes pointer = lanes(inst.operands[0]), value = lanes(inst.operands[1]);
        Type type = kernel_.type(inst.operands[0]);
        for (int64_t i = 0; i < type.lanes(); ++i)
            if (is_on(inst.operands[2], i)) write(type.scalar(), pointer[i], value[i]);
    }

    const Kernel& kernel_;
    const int64_t* grid_;
    const Printer& print_;
    uint64_t steps_ = 0;  // instructions, of all programs
    uint64_t max_steps_ = max_steps();
    int64_t index_ = 0;  // of the program
    int64_t program_[3] = {};
    std::vector<std::vector<uint64_t>> values_;
};

}  // namespace

void evaluate(const Kernel& legal, const int64_t* args, const int64_t* grid, int64_t first,
              int64_t last, const Printer& print) {
    Evaluator evaluator(legal, args, grid, print);
    for (int64_t program = first; program < last; ++program) evaluator.run(program);
}

}  // namespace mytriton
