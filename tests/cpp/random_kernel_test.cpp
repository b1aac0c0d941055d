// Random kernels, evaluated and compiled: the two must agree in every bit. All seeds are fixed.
#include <random>

#include "both_engines.h"
#include "ir/conversion.h"
#include "passes/passes.h"

namespace mytriton {
namespace {

constexpr int64_t kPrograms = 3;

struct TypedOp {
    Op op;
    Scalar scalar;
};

const std::vector<Scalar>& all_scalars() {
    static const std::vector<Scalar> all = [] {
        std::vector<Scalar> out;
        for (int i = 0; i < scalar_count(); ++i) out.push_back(static_cast<Scalar>(i));
        return out;
    }();
    return all;
}

// Every pure op on every type that it takes, but that of math on 16 bits, which are done in f32,
// one type is tried.
std::vector<TypedOp> typed_ops() {
    std::vector<TypedOp> out;
    for (int i = 0; i < op_count(); ++i)
        for (Scalar scalar : all_scalars())
            if (const OpInfo& row = info(static_cast<Op>(i));
                row.kind == OpKind::pure && accepts(row.op, scalar) &&
                (row.has(kExact) || scalar != Scalar::bf16))
                out.push_back({row.op, scalar});
    return out;
}

// Builds a kernel of blocks of one width, and arguments for it. Results go to arrays of their own,
// so a plan may fuse everything; update() writes to an array that is also read, so it may not.
class RandomKernel : public HandBuilt {
  public:
    enum class Data { wild, tame };  // any bits at all; numbers that sums do not turn into NaN

    RandomKernel(unsigned seed, int64_t width, Data data)
        : random_(seed), width_(static_cast<int32_t>(width)), data_(data) {
        int64_t total = kPrograms * width;
        size_ = 3 * total + 8;
        for (Scalar scalar : all_scalars()) {
            std::string name(info(scalar).name);
            in_.push_back(array("in_" + name, scalar));
            for (int i = 0; i < 2; ++i) {
                scalars_[pool(scalar)].push_back(param(name + std::to_string(i), scalar));
                args.push_back(random_bits(scalar));
            }
        }
        n_ = param("n", Scalar::i32);
        args.push_back(bits_of(static_cast<int32_t>(total - width / 3)));
        edge_in_ = pointer("edge_in");
        args.push_back(filled(Scalar::f32, total - width / 3));
        lanes_ = offsets(width);
        prefix_ = op(Op::cmp_lt, {lanes_, n_});
        for (Scalar scalar : all_scalars()) load_block(scalar);
        blocks_[pool(Scalar::f32)].push_back(load(at(edge_in_, lanes_), prefix_, f32(0.5f)));
    }

    std::vector<Arg> args;

    void apply(TypedOp typed) {
        const OpInfo& row = info(typed.op);
        std::vector<Value> operands;
        for (int i = 0; i < row.operands; ++i) {
            bool condition = row.form == OpForm::Select && i == 0;
            operands.push_back(operand(condition ? Scalar::boolean : typed.scalar));
        }
        // An i32 beside an f32 is promoted.
        if (typed.scalar == Scalar::f32 && row.form == OpForm::Binary && chance(8))
            operands[chance(2)] = operand(Scalar::i32);
        keep(op(typed.op, operands));
    }

    void convert() {
        Scalar from = any_scalar(), to = any_scalar();
        if (from == to) return;
        Value value = operand(from);
        Type given = kernel.type(value), wanted = given.with_scalar(to);
        keep(cast(value, to));
        for (Op op : {Op::cast_rtz, Op::bitcast})
            if (is_castable(op, given, wanted)) keep(emit(op, {value}, wanted));
    }

    void load_block(Scalar scalar) {
        Value from = at_index(in_[pool(scalar)], chance(4) ? gather_index() : index());
        Value mask = any_mask();
        Scalar given = scalar == Scalar::f32 && chance(4) ? Scalar::i32 : scalar;
        Value other = mask.none() || chance(3) ? Value() : operand(given);
        blocks_[pool(scalar)].push_back(load(from, mask, other));
    }

    void reduce() {
        Scalar scalar = any_scalar();
        if (scalar == Scalar::boolean) scalar = Scalar::i32;
        constexpr Op kReductions[] = {Op::sum, Op::max, Op::min};
        Value result = op(kReductions[random_() % 3], {block(scalar)});
        scalars_[pool(scalar)].push_back(result);
        // A store ends the stage; without one, more may join it.
        if (chance(2)) store(array("out" + std::to_string(args.size()), scalar), result);
    }

    // Writes into an input; what is loaded afterwards must see it.
    void update() {
        Scalar scalar = any_scalar();
        store(at_index(in_[pool(scalar)], chance(3) ? gather_index() : index()), operand(scalar),
              any_mask());
        load_block(scalar);
    }

  private:
    static int pool(Scalar scalar) { return static_cast<int>(scalar); }

    bool chance(unsigned of) { return random_() % of == 0; }
    Scalar any_scalar() { return all_scalars()[random_() % all_scalars().size()]; }

    uint64_t random_bits(Scalar scalar) {
        if (scalar == Scalar::boolean) return chance(2);
        auto converted = [&](double value) {
            return apply_conversion(Scalar::f64, scalar, bits_of(value));
        };
        if (data_ == Data::tame) return converted((int(random_() % 201) - 100) / 8.0);
        constexpr double kMost = std::numeric_limits<double>::infinity();
        static const double kFloats[] = {0,    -0.0, 1,      -1,    kMost, -kMost, NAN,
                                         1e38, 6e4,  1e-310, 1e-38, 6e-8,  88.5,   -103.5};
        static const double kInts[] = {0, 1, -1, 2, 7, -3, 15, 16, 31, 32, 63, 64, kMost, -kMost};
        if (chance(2)) {
            uint64_t any = uint64_t{random_()} << 32 | random_();
            return any & (~uint64_t{0} >> (64 - info(scalar).bits()));
        }
        if (info(scalar).is_float()) return converted(kFloats[random_() % std::size(kFloats)]);
        return converted(kInts[random_() % std::size(kInts)]);
    }

    Arg filled(Scalar scalar, size_t count) {
        Arg arg(scalar, count);
        static const unsigned char kBools[] = {0, 0, 1, 2, 255};
        for (size_t i = 0; i < count; ++i) {
            uint64_t bits = scalar == Scalar::boolean ? kBools[random_() % 5] : random_bits(scalar);
            std::memcpy(arg.data<char>() + i * info(scalar).bytes, &bits, info(scalar).bytes);
        }
        return arg;
    }

    Value array(const std::string& name, Scalar scalar) {
        args.push_back(filled(scalar, static_cast<size_t>(size_)));
        return pointer(name, scalar);
    }

    // Indices that differ from lane to lane, of every program, below size_ - 4.
    Value index() {
        Value narrow = narrow_index();
        constexpr Scalar kWide[] = {Scalar::i64, Scalar::u32, Scalar::u64};
        return chance(3) ? cast(narrow, kWide[random_() % 3]) : narrow;
    }
    Value narrow_index() {
        switch (random_() % 4) {
            case 0:
                return op(Op::mul, {lanes_, i32(3)});
            case 1:
                return op(Op::sub, {i32(static_cast<int32_t>(kPrograms) * width_ - 1), lanes_});
            case 2:
                return op(Op::add, {lanes_, i32(1)});
            default:
                return lanes_;
        }
    }

    // Indices that follow no rule and may meet.
    Value gather_index() {
        int32_t ones = 1;
        while (2 * ones + 1 < size_ - 4) ones = 2 * ones + 1;
        return op(Op::bit_and, {block(Scalar::i32), i32(ones)});
    }

    Value at_index(Value base, Value index) {
        switch (random_() % 4) {
            case 0:  // a reduction's result, often
                return at(at(base, op(Op::bit_and, {one_of(scalars_[pool(Scalar::i32)]), i32(3)})),
                          index);
            case 1:
                return at(at(at(base, n_), index), op(Op::neg, {n_}));
            case 2:  // three offsets by lane
                return at(at(at(base, op(Op::neg, {lanes_})), index), lanes_);
            default:
                return at(base, index);
        }
    }

    Value any_mask() {
        switch (random_() % 6) {
            case 0:
                return prefix_;
            case 1:
                return op(Op::bit_and, {prefix_, op(Op::cmp_ge, {n_, lanes_})});
            case 2:
                return block(Scalar::boolean);
            case 3:
                return op(Op::bit_and, {prefix_, operand(Scalar::boolean)});
            case 4:
                return scalars_[pool(Scalar::boolean)].back();
            default:
                return {};
        }
    }

    // Of the few latest half of the time, so that expressions grow deep.
    Value one_of(const std::vector<Value>& values) {
        size_t recent = std::min<size_t>(values.size(), 3);
        return chance(2) ? values[random_() % values.size()]
                         : values[values.size() - 1 - random_() % recent];
    }
    Value block(Scalar scalar) {
        const std::vector<Value>& known = blocks_[pool(scalar)];
        if (known.empty())
            return scalar == Scalar::i32       ? lanes_
                   : scalar == Scalar::boolean ? prefix_
                                               : cast(lanes_, scalar);
        return one_of(known);
    }
    Value operand(Scalar scalar) {
        if (chance(4)) return one_of(scalars_[pool(scalar)]);
        if (chance(6)) return kernel.constant(Type::scalar(scalar), random_bits(scalar));
        return block(scalar);
    }

    void keep(Value value) {
        Type type = kernel.type(value);
        (type.is_block() ? blocks_ : scalars_)[pool(type.scalar())].push_back(value);
        Value out = array("out" + std::to_string(args.size()), type.scalar());
        if (type.is_block())
            store(at_index(out, index()), value, any_mask());
        else
            store(at(out, program_id()), value);
    }

    std::mt19937 random_;
    int32_t width_;
    Data data_;
    int64_t size_ = 0;
    std::vector<Value> in_;
    Value n_, edge_in_, lanes_, prefix_;
    std::vector<Value> blocks_[13], scalars_[13];
};

class RandomKernels : public BothEngines, public testing::WithParamInterface<int> {};

// g++ takes seconds for a kernel of many ops, so they are dealt to eight, each a test of its own.
// The width that brings both parts of a stage into play gets every second of them, the other widths
// one.
class EveryPureOp : public RandomKernels {};

TEST_P(EveryPureOp, OfEveryTypeAgrees) {
    constexpr int kWidths[] = {100, 1, 100, 7, 100, 16, 100, 256};
    std::vector<TypedOp> ops = typed_ops();
    ASSERT_GT(ops.size(), 350u);
    RandomKernel random(GetParam(), kWidths[GetParam()], RandomKernel::Data::wild);
    for (size_t i = GetParam(); i < ops.size(); i += std::size(kWidths)) {
        random.apply(ops[i]);
        if (i % 3 == 0) random.convert();
        if (i % 5 == 0) random.load_block(ops[i].scalar);
    }
    run_both(random.kernel, random.args, {kPrograms, 1, 1});
}

INSTANTIATE_TEST_SUITE_P(Part, EveryPureOp, testing::Range(0, 8));

TEST_P(RandomKernels, ReductionsAndUpdatesInPlaceAgree) {
    std::vector<TypedOp> ops = typed_ops();
    for (unsigned seed = 0; seed < (GetParam() < 16 ? 1u : 2u); ++seed) {
        RandomKernel random(seed, GetParam(), RandomKernel::Data::tame);
        std::mt19937 choice(seed);
        for (int i = 0; i < 8; ++i) {
            random.apply(ops[choice() % ops.size()]);
            if (choice() % 2) random.reduce();
            if (choice() % 2) random.update();
        }
        run_both(random.kernel, random.args, {kPrograms, 1, 1});
    }
}

TEST_P(RandomKernels, PassesKeepEveryBit) {
    std::vector<TypedOp> ops = typed_ops();
    for (unsigned seed = 0; seed < 10; ++seed) {
        RandomKernel random(seed, GetParam(), RandomKernel::Data::wild);
        std::mt19937 choice(seed);
        for (int i = 0; i < 30; ++i) {
            random.apply(ops[choice() % ops.size()]);
            if (choice() % 3 == 0) random.reduce();
            if (choice() % 3 == 0) random.update();
        }
        Kernel better = run_passes(random.kernel);
        std::vector<Arg> expected = evaluated(random.kernel, random.args, {kPrograms, 1, 1});
        std::vector<Arg> got = evaluated(better, random.args, {kPrograms, 1, 1});
        for (size_t i = 0; i < got.size(); ++i)
            EXPECT_EQ(got[i].difference(expected[i]), std::nullopt) << print_kernel(random.kernel);
    }
}

INSTANTIATE_TEST_SUITE_P(Width, RandomKernels, testing::Values(1, 7, 16, 100, 256),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace mytriton
