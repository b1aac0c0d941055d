// Random kernels of nested branches and loops: every pass, and any order of them, must leave what
// the evaluator computes as it was, to the bit. All seeds are fixed.
#include <cstdlib>
#include <random>

#include "both_engines.h"
#include "passes/passes.h"

namespace mytriton {
namespace {

constexpr int64_t kLanes = 4;
constexpr int32_t kSize = 64;  // of both arrays
constexpr Grid kGrid = {2, 1, 1};
constexpr unsigned kKernels = 400;

// Builds a kernel of few types, so that values of the same meet often. All loops end soon: bounds
// are small, and a while counts down.
class RandomRegions : public HandBuilt {
  public:
    explicit RandomRegions(unsigned seed) : random_(seed) {
        for (Scalar scalar : {Scalar::i32, Scalar::f32}) {
            arrays_.push_back(pointer(scalar == Scalar::i32 ? "ints" : "floats", scalar));
            Arg memory(scalar, kSize);
            for (int i = 0; i < kSize; ++i)
                if (scalar == Scalar::i32)
                    memory.data<int32_t>()[i] = small();
                else
                    memory.data<float>()[i] = static_cast<float>(small()) / 4;
            args.push_back(memory);
        }
        for (Scalar scalar : {Scalar::i32, Scalar::i32, Scalar::f32, Scalar::boolean}) {
            known_.push_back(param("p" + std::to_string(args.size()), scalar));
            args.push_back(bits_of(small(), scalar));
        }
        known_.push_back(program_id());
        known_.push_back(arange(0, kLanes));
        known_.push_back(load(at(arrays_[1], known_.back())));
        statements(8);
        for (Value value : std::vector<Value>(known_)) store_somewhere(value);
    }

    std::vector<Arg> args;

  private:
    bool chance(unsigned of) { return random_() % of == 0; }
    int32_t small() { return static_cast<int32_t>(random_() % 9) - 3; }
    static uint64_t bits_of(int32_t value, Scalar scalar) {
        if (scalar == Scalar::boolean) return value & 1;
        return scalar == Scalar::f32 ? mytriton::bits_of(static_cast<float>(value))
                                     : mytriton::bits_of(value);
    }

    // --- values ----------------------------------------------------------------------------------

    Type any_type() {
        constexpr Scalar kScalars[] = {Scalar::i32, Scalar::f32, Scalar::boolean, Scalar::i32};
        Type type = Type::scalar(kScalars[random_() % 4]);
        return chance(2) ? type.with_shape({kLanes}) : type;
    }

    // A value of the type that is visible here, often a late one.
    Value any(Type type) {
        std::vector<Value> fitting;
        for (Value value : known_)
            if (kernel.type(value) == type) fitting.push_back(value);
        if (fitting.empty() || chance(8)) {
            Value scalar = kernel.constant(type.element(), bits_of(small(), type.scalar()));
            return type.is_block() ? emit(Op::splat, {scalar}, type) : scalar;
        }
        size_t late = std::min<size_t>(fitting.size(), 4);
        return fitting[chance(2) ? random_() % fitting.size()
                                 : fitting.size() - 1 - random_() % late];
    }
    Value any(Scalar scalar) { return any(Type::scalar(scalar)); }

    Value place_in_array(Type value) {
        Value where = any(value.with_scalar(Scalar::i32));
        return at(arrays_[value.is(Scalar::f32)], op(Op::bit_and, {where, i32(kSize - 1)}));
    }

    // Mostly added to what is there, so that what was stored before still shows.
    void store_somewhere(Value value) {
        if (kernel.type(value).is(Scalar::boolean)) value = cast(value, Scalar::i32);
        Type type = kernel.type(value);
        Value where = place_in_array(type);
        if (!chance(4)) {
            Value kept = type.is(Scalar::f32) ? f32(0.75f) : i32(3);
            value = op(Op::add, {op(Op::mul, {load(where), kept}), value});
        }
        store(where, value, chance(3) ? any(Scalar::boolean) : Value());
    }

    void compute() {
        Type type = any_type();
        Value a = any(type), b = chance(3) ? any(type.element()) : any(type);
        if (chance(8)) {
            known_.push_back(
                op(Op::select, {any(type.with_scalar(Scalar::boolean)), a, any(type)}));
        } else if (type.is(Scalar::boolean)) {
            constexpr Op kOps[] = {Op::bit_and, Op::bit_or, Op::bit_not, Op::bit_xor};
            Op chosen = kOps[random_() % 4];
            known_.push_back(
                op(chosen, chosen == Op::bit_not ? std::vector{a} : std::vector{a, b}));
        } else {
            constexpr Op kOps[] = {Op::add,    Op::sub,    Op::mul,     Op::add,   Op::div,
                                   Op::cmp_lt, Op::cmp_eq, Op::maximum, Op::cmp_ge};
            known_.push_back(op(kOps[random_() % 9], {a, b}));
        }
    }

    // --- statements ------------------------------------------------------------------------------

    void statements(int count) {
        for (; count > 0; --count) {
            switch (depth_ < 3 ? random_() % 9 : random_() % 6) {
                case 0:
                    store_somewhere(any(any_type()));
                    break;
                case 1: {
                    Type type = any_type();
                    if (!type.is(Scalar::boolean)) known_.push_back(load(place_in_array(type)));
                    break;
                }
                case 6:
                    add_if();
                    break;
                case 7:
                    add_for();
                    break;
                case 8:
                    add_while();
                    break;
                default:
                    compute();
            }
        }
    }

    std::vector<Type> some_types() {
        std::vector<Type> types;
        for (unsigned i = random_() % 4; i > 0; --i) types.push_back(any_type());
        return types;
    }

    // What f makes in the region is known in it alone.
    template <class F>
    void within(RegionId region, const F& f) {
        std::vector<Value> outside = known_;
        std::swap(target, region);
        ++depth_;
        f();
        --depth_;
        std::swap(target, region);
        known_ = outside;
    }

    void yield(std::vector<Value> values) {
        kernel.append(target, Inst{.op = Op::yield, .operands = std::move(values)});
    }

    void define_results(InstId id, const std::vector<Type>& types) {
        for (Value result : kernel.add_results(id, types)) known_.push_back(result);
    }

    // Often made of others, or beside one that is made of it: regions know these as well.
    Value any_condition() {
        Value condition = any(Scalar::boolean);
        if (chance(2)) return condition;
        known_.push_back(chance(3) ? op(Op::bit_not, {condition})
                                   : op(chance(2) ? Op::bit_and : Op::bit_or,
                                        {condition, any(Scalar::boolean)}));
        return chance(3) ? condition : known_.back();
    }

    void add_if() {
        std::vector<Type> types = some_types();
        Inst inst{.op = Op::if_, .operands = {any_condition()}};
        inst.regions = {kernel.add_region(), kernel.add_region()};
        std::vector<RegionId> regions = inst.regions;
        InstId id = kernel.append(target, std::move(inst));
        for (RegionId region : regions) {
            within(region, [&] {
                statements(chance(3) ? 0 : random_() % 4);
                if (chance(2)) store_somewhere(any(Scalar::boolean));
                std::vector<Value> values;
                for (Type type : types) values.push_back(any(type));
                yield(values);
            });
        }
        define_results(id, types);
    }

    // The next of a carried value: itself, what it began as, itself moved, or anything.
    Value next_of(Value arg, Value init) {
        Type type = kernel.type(arg);
        switch (random_() % 5) {
            case 0:
                return arg;
            case 1:
                return init;
            case 2:
                return any(type);
            default:
                if (type.is(Scalar::boolean)) return any(type);
                for (unsigned i = random_() % 3 + 1; i > 0; --i) {
                    Value by = chance(2) ? any(type.element()) : any(type);
                    std::vector<Value> pair = {arg, by};
                    if (chance(3)) std::swap(pair[0], pair[1]);
                    arg = op(chance(3) ? Op::sub : Op::add, pair);
                }
                return arg;
        }
    }

    Inst loop(Op op, const std::vector<Type>& types) {
        Inst inst{.op = op};
        if (op == Op::for_) {
            bool plain = chance(2);  // that is, of at least one round
            Value start = i32(plain ? -1 : small()), stop = i32(plain ? random_() % 4 : small());
            inst.operands = {start, stop, i32(plain ? 1 : small())};
            if (chance(2)) inst.operands[random_() % 3] = kernel.param(2 + random_() % 2);
        }
        for (Type type : types) inst.operands.push_back(any(type));
        return inst;
    }

    // Makes the region's arguments, which follow `skipped` others, and fills it.
    std::vector<Value> add_args(RegionId region, const std::vector<Type>& types) {
        std::vector<Value> made;
        for (Type type : types) made.push_back(kernel.add_arg(region, type, kernel.next_number()));
        return made;
    }

    void add_for() {
        std::vector<Type> types = some_types();
        Inst inst = loop(Op::for_, types);
        std::vector<Value> inits(inst.operands.begin() + kForInits, inst.operands.end());
        RegionId region = kernel.add_region();
        inst.regions = {region};
        InstId id = kernel.append(target, std::move(inst));
        within(region, [&] {
            known_.push_back(kernel.add_arg(region, kI32, kernel.next_number()));
            std::vector<Value> args = add_args(region, types), values;
            known_.insert(known_.end(), args.begin(), args.end());
            statements(random_() % 5);
            if (!args.empty()) store_somewhere(args[0]);
            for (size_t i = 0; i < args.size(); ++i) values.push_back(next_of(args[i], inits[i]));
            yield(values);
        });
        define_results(id, types);
    }

    void add_while() {
        std::vector<Type> types = some_types();
        types.insert(types.begin(), kI32);
        Inst inst = loop(Op::while_, types);
        inst.operands[0] = chance(2) ? i32(small()) : kernel.param(2);
        std::vector<Value> inits = inst.operands;
        RegionId region = kernel.add_region();
        inst.regions = {region};
        InstId id = kernel.append(target, std::move(inst));
        within(region, [&] {
            std::vector<Value> args = add_args(region, types), values;
            known_.insert(known_.end(), args.begin(), args.end());
            statements(random_() % 3);
            Value more = op(Op::cmp_gt, {args[0], i32(0)});
            if (chance(3)) more = op(Op::bit_and, {more, any(Scalar::boolean)});
            known_.push_back(more);
            kernel.append(target, Inst{.op = Op::condition, .operands = {more}});
            statements(random_() % 4);
            store_somewhere(args.back());
            values.push_back(op(Op::sub, {args[0], i32(1)}));
            for (size_t i = 1; i < args.size(); ++i) values.push_back(next_of(args[i], inits[i]));
            yield(values);
        });
        define_results(id, types);
    }

    std::mt19937 random_;
    int depth_ = 0;
    std::vector<Value> arrays_, known_;
};

// A loop that no longer ends is stopped: the longest run takes less than 5,000 steps.
class RandomRegionKernels : public testing::Test {
  protected:
    void SetUp() override { setenv("MYTRITON_MAX_STEPS", "100000", 1); }
    void TearDown() override { unsetenv("MYTRITON_MAX_STEPS"); }
};

void expect_same(const Kernel& before, const Kernel& after, std::vector<Arg>& expected,
                 const std::vector<Arg>& args, const std::string& what) {
    std::vector<Arg> got = evaluated(after, args, kGrid);
    for (size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i].difference(expected[i]), std::nullopt)
            << what << " changes " << before.params()[i].name << " of\n"
            << print_kernel(before) << "\nand gives\n"
            << print_kernel(after);
}

TEST_F(RandomRegionKernels, EveryPassKeepsEveryBit) {
    for (unsigned seed = 0; seed < kKernels; ++seed) {
        RandomRegions random(seed);
        std::vector<Arg> expected = evaluated(random.kernel, random.args, kGrid);
        for (const Pass& pass : default_passes()) {
            Kernel after = run_passes(random.kernel, {pass});
            expect_same(random.kernel, after, expected, random.args, pass.name);
            if (HasFatalFailure()) return;
        }
    }
}

TEST_F(RandomRegionKernels, PassesInAnyOrderKeepEveryBit) {
    for (unsigned seed = 0; seed < kKernels; ++seed) {
        RandomRegions random(seed);
        std::vector<Arg> expected = evaluated(random.kernel, random.args, kGrid);
        std::vector<Pass> passes = default_passes();
        std::mt19937 order(seed);
        if (seed % 2) std::shuffle(passes.begin(), passes.end(), order);
        Kernel before = random.kernel;
        for (const Pass& pass : passes) {
            Kernel after = run_passes(before, {pass});
            expect_same(before, after, expected, random.args, pass.name);
            if (HasFatalFailure()) return;
            before = std::move(after);
        }
    }
}

}  // namespace
}  // namespace mytriton
