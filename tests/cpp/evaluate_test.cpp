// Known answers from the evaluator, and the same from compiled text: order within a program, sums,
// masks at the edge of memory, indices that wrap, grids.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "both_engines.h"

namespace mytriton {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Engines : public BothEngines, public HandBuilt {
  protected:
    std::vector<float> ramp(int count) const {
        std::vector<float> values(count);
        std::iota(values.begin(), values.end(), 1.0f);
        return values;
    }
    std::vector<Arg> run(const std::vector<Arg>& args, Grid grid = {1, 1, 1}) {
        return run_both(kernel, args, grid);
    }
};

// --- order within a program ----------------------------------------------------------------------

TEST_F(Engines, AnInPlaceReverseReverses) {
    Value x = pointer("x"), lanes = arange(0, 100);
    Value value = load(at(x, op(Op::sub, {i32(99), lanes})));
    store(at(x, lanes), value);
    std::vector<float> expected = ramp(100);
    std::vector<Arg> after = run({Arg::floats(expected)});
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(after[0].values<float>(), expected);
}

TEST_F(Engines, AShiftedCopyReadsAllBeforeItWrites) {
    Value x = pointer("x"), lanes = arange(0, 64);
    Value value = load(at(x, lanes));
    store(at(x, op(Op::add, {lanes, i32(1)})), value);
    std::vector<float> expected = ramp(65);
    std::vector<Arg> after = run({Arg::floats(expected)});
    std::copy_backward(expected.begin(), expected.end() - 1, expected.end());
    EXPECT_EQ(after[0].values<float>(), expected);
}

TEST_F(Engines, ALoadSeesEarlierStoresOfAnyLaneAndNoLaterOnes) {
    Value x = pointer("x"), out = pointer("out"), lanes = arange(0, 32);
    Value before = load(x);
    store(at(x, lanes), cast(lanes, Scalar::f32));
    Value last = load(at(x, i32(31)));
    store(at(x, i32(31)), f32(-1));
    store(at(out, lanes), op(Op::add, {before, last}));
    store(at(out, i32(32)), load(at(x, i32(31))));
    std::vector<Arg> after = run({Arg::floats(std::vector<float>(32, 7)), Arg(Scalar::f32, 33)});
    EXPECT_EQ(after[1].values<float>()[5], 7 + 31);
    EXPECT_EQ(after[1].values<float>()[32], -1);
}

TEST_F(Engines, OfLanesThatStoreToOnePlaceTheLastWins) {
    Value x = pointer("x", Scalar::i32), lanes = arange(0, 100);
    store(at(x, op(Op::div, {lanes, i32(40)})), lanes);
    EXPECT_EQ(run({Arg::ints({-1, -1, -1, -1})})[0].values<int32_t>(),
              (std::vector<int32_t>{39, 79, 99, -1}));
}

// --- reductions ----------------------------------------------------------------------------------

TEST_F(Engines, SumsHaveTheDocumentedOrder) {
    Value x = pointer("x"), out = pointer("out");
    store(out, op(Op::sum, {load(at(x, arange(0, 1000)))}));
    std::vector<float> values;
    for (int i = 0; i < 1000; ++i) values.push_back(std::ldexp(1.0f + i, i * 7 % 23));
    float partial[16] = {};
    for (int i = 0; i < 1000; ++i) partial[i % 16] += values[i];
    for (int half = 8; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) partial[k] += partial[k + half];
    std::vector<Arg> after = run({Arg::floats(values), Arg(Scalar::f32, 1)});
    EXPECT_EQ(after[1].values<float>()[0], partial[0]);
    EXPECT_NE(std::accumulate(values.begin(), values.end(), 0.0f), partial[0])
        << "these numbers would not show another order";
}

TEST_F(Engines, ReductionsOfSpecialFloats) {
    Value x = pointer("x"), out = pointer("out"), row = program_id();
    Value values = load(at(at(x, op(Op::mul, {row, i32(5)})), arange(0, 5)));
    int32_t place = 0;
    for (Op each : {Op::sum, Op::max, Op::min})
        store(at(at(out, op(Op::mul, {row, i32(3)})), i32(place++)), op(each, {values}));
    std::vector<Arg> after = run({Arg::floats({
                                      -0.0f,
                                      -0.0f,
                                      -0.0f,
                                      -0.0f,
                                      -0.0f,  //
                                      1,
                                      kNan,
                                      2,
                                      -kInf,
                                      kInf,  //
                                      -kInf,
                                      -kInf,
                                      -kInf,
                                      -kInf,
                                      -kInf,
                                  }),
                                  Arg(Scalar::f32, 9)},
                                 {3, 1, 1});
    std::vector<float> got = after[1].values<float>();
    for (int i : {0, 1, 2}) EXPECT_TRUE(got[i] == 0 && std::signbit(got[i])) << i;
    for (int i : {3, 4, 5}) EXPECT_TRUE(std::isnan(got[i])) << i;
    for (int i : {6, 7, 8}) EXPECT_EQ(got[i], -kInf) << i;
}

TEST_F(Engines, AnAddressMayComeFromAReduction) {
    Value steps = pointer("steps", Scalar::i32), out = pointer("out", Scalar::i32);
    Value lanes = arange(0, 64);
    Value moved = at(out, op(Op::sum, {load(at(steps, lanes))}));
    store(at(moved, lanes), lanes);
    std::vector<int32_t> ones(64, 1);
    std::vector<Arg> after = run({Arg::ints(ones), Arg(Scalar::i32, 128)});
    for (int i = 0; i < 128; ++i)
        EXPECT_EQ(after[1].values<int32_t>()[i], i < 64 ? 0 : i - 64) << i;
}

TEST_F(Engines, SoftmaxIsRight) {
    Value x = pointer("x"), out = pointer("out"), n = param("n", Scalar::i32);
    Value lanes = arange(0, 128), mask = op(Op::cmp_lt, {lanes, n});
    Value values = load(at(x, lanes), mask, f32(-kInf));
    Value powers = op(Op::exp, {op(Op::sub, {values, op(Op::max, {values})})});
    store(at(out, lanes), op(Op::div, {powers, op(Op::sum, {powers})}), mask);
    std::vector<float> in = ramp(100);
    for (float& value : in) value /= 8;
    std::vector<Arg> after = run({Arg::floats(in), Arg(Scalar::f32, 100), bits_of(100)});
    double total = 0;
    for (float value : in) total += std::exp(double{value});
    for (int i = 0; i < 100; ++i) {
        double expected = std::exp(double{in[i]}) / total;
        EXPECT_NEAR(after[1].values<float>()[i] / expected, 1, 1e-6) << i;
    }
}

// --- memory --------------------------------------------------------------------------------------

TEST_F(Engines, BoolsAreReadFromAnyByteAndWrittenAsZeroOrOne) {
    Value in = pointer("in", Scalar::boolean), out = pointer("out", Scalar::boolean);
    Value lanes = arange(0, 20);
    Value flags = load(at(in, lanes));
    store(at(out, lanes), flags);
    store(at(out, op(Op::add, {op(Op::mul, {lanes, i32(2)}), i32(20)})), flags);
    store(at(out, i32(60)), load(at(in, i32(1))));
    std::vector<unsigned char> bytes = {0, 2, 1, 255, 0, 128};
    bytes.resize(20, 4);
    std::vector<Arg> after = run({Arg::bools(bytes), Arg(Scalar::boolean, 61)});
    std::vector<unsigned char> got = after[1].values<unsigned char>();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(got[i], bytes[i] != 0) << i;
        EXPECT_EQ(got[20 + 2 * i], bytes[i] != 0) << i;
    }
    EXPECT_EQ(got[60], 1);
}

TEST_F(Engines, IndicesWrapAroundAsInts) {
    // lanes + start passes INT_MAX at lane 20; 2**31 elements further on stands element 0.
    Value out = pointer("out"), start = param("start", Scalar::i32);
    Value index = op(Op::add, {arange(0, 64), start});
    Value far = at(at(out, i32(INT32_MAX)), i32(1));
    Value mask = op(Op::cmp_lt, {index, i32(20 + INT32_MIN)});
    store(at(far, index), f32(1), mask);
    std::vector<Arg> after = run({Arg(Scalar::f32, 64), bits_of(INT32_MAX - 19)});
    for (int i = 0; i < 64; ++i) EXPECT_EQ(after[0].values<float>()[i], i < 20) << i;
}

TEST_F(Engines, ASharedPointerUnderAMaskOfLanesGivesABlock) {
    Value x = pointer("x"), out = pointer("out"), n = param("n", Scalar::i32);
    Value lanes = arange(0, 20);
    store(at(out, lanes), load(x, op(Op::cmp_lt, {lanes, n}), cast(lanes, Scalar::f32)));
    std::vector<Arg> after = run({Arg::floats({5}), Arg(Scalar::f32, 20), bits_of(3)});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(after[1].values<float>()[i], i < 3 ? 5 : i) << i;
}

TEST_F(Engines, BoundsTakeTheirLastLaneOrNot) {
    Value under = pointer("under"), up_to = pointer("up_to"), n = param("n", Scalar::i32);
    Value lanes = arange(0, 40);
    store(at(under, lanes), f32(1), op(Op::cmp_gt, {n, lanes}));
    store(at(up_to, arange(0, 48)), f32(1), op(Op::cmp_le, {arange(0, 48), n}));
    for (int32_t bound : {INT32_MIN, -1, 0, 1, 15, 16, 17, 39, 40, 47, 48, INT32_MAX}) {
        std::vector<Arg> after = run({Arg(Scalar::f32, 40), Arg(Scalar::f32, 48), bits_of(bound)});
        for (int i = 0; i < 40; ++i) EXPECT_EQ(after[0].values<float>()[i], i < bound) << bound;
        for (int i = 0; i < 48; ++i) EXPECT_EQ(after[1].values<float>()[i], i <= bound) << bound;
    }
}

// One page between two that may not be touched.
class GuardedPage {
  public:
    GuardedPage() : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
        memory_ = mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(begin(), page_, PROT_READ | PROT_WRITE);
    }
    ~GuardedPage() { munmap(memory_, 3 * page_); }
    GuardedPage(const GuardedPage&) = delete;
    char* begin() const { return static_cast<char*>(memory_) + page_; }
    char* end() const { return begin() + page_; }

  private:
    size_t page_;
    void* memory_;
};

// Once with lanes past the end of the arrays, once with lanes before their beginning. A breach is
// a crash.
TEST_F(Engines, MaskedLanesTouchNoMemory) {
    Value x = pointer("x"), flags = pointer("flags", Scalar::boolean), n = param("n", Scalar::i32);
    for (auto [first, last] : {std::pair(0, 256), std::pair(-9, 27)}) {
        Value lanes = arange(first, last);
        Value mask = op(Op::cmp_lt, {lanes, n});
        if (first < 0) mask = op(Op::bit_and, {mask, op(Op::cmp_ge, {lanes, i32(0)})});
        Value flag = load(at(flags, lanes), mask);
        store(at(x, lanes), op(Op::add, {load(at(x, lanes), mask), f32(1)}), mask);
        store(at(flags, lanes), op(Op::bit_not, {flag}), mask);
    }
    GuardedPage floats, bytes;
    for (int32_t count : {0, 1, 15, 16, 17, 101}) {
        for (bool at_end : {true, false}) {
            float* values = reinterpret_cast<float*>(at_end ? floats.end() : floats.begin());
            char* bits = at_end ? bytes.end() : bytes.begin();
            values -= at_end ? count : 0;
            bits -= at_end ? count : 0;
            std::fill(values, values + count, 0.0f);
            std::fill(bits, bits + count, 1);
            std::vector<Arg> args = {reinterpret_cast<uint64_t>(values),
                                     reinterpret_cast<uint64_t>(bits), bits_of(count)};
            evaluated(kernel, args, {1, 1, 1});
            compiled(kernel, args, {1, 1, 1});
            for (int i = 0; i < count; ++i) {
                EXPECT_EQ(values[i], i < 27 ? 4 : 2) << i << " of " << count;
                EXPECT_EQ(bits[i], 1) << i << " of " << count;
            }
        }
    }
}

// --- programs ------------------------------------------------------------------------------------

TEST_F(Engines, ProgramsOfAThreeDimensionalGrid) {
    Value out = pointer("out", Scalar::i32);
    auto size = [&](int64_t axis) {
        return emit(Op::num_programs, {}, kI32, {{AttrKey::axis, axis}});
    };
    Value row = op(Op::add, {op(Op::mul, {program_id(2), size(1)}), program_id(1)});
    Value index = op(Op::add, {op(Op::mul, {row, size(0)}), program_id(0)});
    Value digits = op(
        Op::add, {op(Op::mul, {program_id(2), i32(100)}), op(Op::mul, {program_id(1), i32(10)})});
    store(at(out, index), op(Op::add, {digits, program_id(0)}));
    std::vector<Arg> after = run({Arg(Scalar::i32, 24)}, {4, 3, 2});
    for (int i = 0; i < 24; ++i)
        EXPECT_EQ(after[0].values<int32_t>()[i], i / 12 * 100 + i / 4 % 3 * 10 + i % 4) << i;
}

TEST_F(Engines, ScalarParametersArriveByTheirBits) {
    Value out = pointer("out"), ints = pointer("ints", Scalar::i32),
          bools = pointer("bools", Scalar::boolean);
    store(out, param("x", Scalar::f32));
    store(ints, param("n", Scalar::i32));
    store(bools, param("on", Scalar::boolean));
    // What stands above the 32 bits is not looked at.
    uint64_t noise = uint64_t{0xabcdef01} << 32;
    std::vector<Arg> after = run({Arg(Scalar::f32, 1), Arg(Scalar::i32, 1), Arg(Scalar::boolean, 1),
                                  bits_of(-0.5f) | noise, bits_of(-7) | noise, 1});
    EXPECT_EQ(after[0].values<float>()[0], -0.5f);
    EXPECT_EQ(after[1].values<int32_t>()[0], -7);
    EXPECT_EQ(after[2].values<unsigned char>()[0], 1);
}

TEST_F(Engines, BitcastsOfConstantsParametersAndBlocksKeepTheBits) {
    std::vector<Arg> args;
    std::vector<std::pair<Scalar, uint64_t>> expected;
    Value lanes = arange(0, 20);
    for (int i = 0; i < scalar_count(); ++i)
        for (int j = 0; j < scalar_count(); ++j) {
            Scalar from = static_cast<Scalar>(i), to = static_cast<Scalar>(j);
            if (!is_castable(Op::bitcast, Type::scalar(from), Type::scalar(to))) continue;
            std::string name = std::to_string(i) + "_" + std::to_string(j);
            uint64_t bits = uint64_t{0x4123456789abb827} & (~uint64_t{0} >> (64 - info(to).bits()));
            Value in = pointer("in" + name, from), given = param("a" + name, from);
            Value out = pointer("out" + name, to);
            Value constant = kernel.constant(Type::scalar(from), bits);
            store(out, emit(Op::bitcast, {constant}, Type::scalar(to)));
            store(at(out, i32(1)), emit(Op::bitcast, {given}, Type::scalar(to)));
            store(at(at(out, i32(2)), lanes),
                  emit(Op::bitcast, {load(at(in, lanes))}, vec(to, 20)));
            Arg array(from, 20);
            for (int k = 0; k < 20; ++k)
                std::memcpy(array.data<char>() + k * info(from).bytes, &bits, info(from).bytes);
            args.insert(args.end(), {array, bits, Arg(to, 22)});
            expected.push_back({to, bits});
        }
    std::vector<Arg> after = run(args);
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t k = 0; k < 22; ++k)
            EXPECT_EQ(after[3 * i + 2].element(k), expected[i].second)
                << info(expected[i].first).name << ' ' << k;
}

}  // namespace
}  // namespace mytriton
