// The verifier on SSA built by hand: what it accepts, and every sentence it refuses with.
#include "ir/verify.h"

#include <gtest/gtest.h>

#include <functional>

#include "hand_built.h"

namespace mytriton {
namespace {

// Appends an instruction that the builder's own methods would not make.
void append(HandBuilt& b, Inst inst, const std::vector<Type>& results = {},
            const std::vector<uint32_t>& numbers = {}) {
    b.kernel.append(0, std::move(inst), results, numbers);
}

std::string refusal(const HandBuilt& b, std::optional<int64_t> lane_width = {}) {
    return message_of<CompileError>([&] { verify(b.kernel, lane_width); });
}

// The refusal of one wrong instruction in a kernel with values of every kind. Its position is 2.
class OneWrong : public HandBuilt {
  public:
    Value p = pointer("p");
    Value q = pointer("q", Scalar::boolean);
    Value n = param("n", Scalar::i32);
    Value x = param("x", Scalar::f32);
    Value on = param("on", Scalar::boolean);
    Value lanes = arange(0, 8);
    Value pointers = at(p, lanes);

    std::string refusal_of(Op op, const std::vector<Value>& operands, Type result,
                           const std::vector<Attr>& attrs = {}) {
        emit(op, operands, result, attrs);
        return refusal(*this);
    }
    std::string refusal_of_store(Value to, Value value, Value mask) {
        store(to, value, mask);
        return refusal(*this);
    }
};

std::string at_2(const char* op, const std::string& message) {
    return "ssa-verifier: op #2 '" + std::string(op) + "': " + message;
}

TEST(Verify, AcceptsAKernelWithEveryKindOfOp) {
    HandBuilt b;
    Value x = b.pointer("x"), out = b.pointer("out"), n = b.param("n", Scalar::i32);
    Value offsets = b.offsets(256);
    Value mask = b.op(Op::cmp_lt, {offsets, n});
    Value value = b.load(b.at(x, offsets), mask, b.i32(0));  // an int serves as an f32
    Value scaled = b.op(Op::mul, {value, b.i32(2)});         // and promotes
    Value chosen = b.op(Op::select, {mask, b.op(Op::exp, {scaled}), b.f32(0)});
    Value total = b.op(Op::sum, {chosen});
    Value count = b.op(Op::sum, {b.cast(mask, Scalar::i32)});
    b.store(b.at(out, offsets), b.op(Op::div, {chosen, total}), mask);
    b.store(out, count);
    b.emit(Op::num_programs, {}, kI32, {{AttrKey::axis, 2}});
    EXPECT_EQ(refusal(b), "no error");
    EXPECT_EQ(refusal(b, 256), "no error");
}

TEST(Verify, OperandAndResultCounts) {
    HandBuilt few;
    append(few, {.op = Op::exp, .operands = {}}, {kF32});
    EXPECT_EQ(refusal(few), "ssa-verifier: op #0 'exp': expected 1 operands, got 0");
    HandBuilt many;
    append(many, {.op = Op::neg, .operands = {many.i32(1), many.i32(2)}}, {kI32});
    EXPECT_EQ(refusal(many), "ssa-verifier: op #0 'neg': expected 1 operands, got 2");
    HandBuilt silent;
    append(silent, {.op = Op::neg, .operands = {silent.i32(1)}});
    EXPECT_EQ(refusal(silent), "ssa-verifier: op #0 'neg': invalid result declaration");
    HandBuilt double_result;
    append(double_result, {.op = Op::neg, .operands = {double_result.i32(1)}}, {kI32, kI32});
    EXPECT_EQ(refusal(double_result), "ssa-verifier: op #0 'neg': invalid result declaration");
    HandBuilt store;
    append(store, {.op = Op::store, .operands = {store.pointer("p"), store.f32(1), {}}}, {kF32});
    EXPECT_EQ(refusal(store), "ssa-verifier: op #0 'store': invalid result declaration");
}

TEST(Verify, OpsTakeNoRegionYet) {
    HandBuilt b;
    append(b, {.op = Op::neg, .operands = {b.i32(1)}, .regions = {0}}, {kI32});
    EXPECT_EQ(refusal(b), "ssa-verifier: op #0 'neg': takes no region");
}

TEST(Verify, UseBeforeDefinition) {
    HandBuilt b;
    Value out = b.pointer("out"), one = b.f32(1);
    // Values are numbered as they come into being, so the next one can be named beforehand.
    Value later{static_cast<uint32_t>(b.kernel.value_count())};
    b.store(out, later);
    ASSERT_EQ(b.op(Op::exp, {one}), later);
    EXPECT_EQ(refusal(b), "ssa-verifier: op #0 'store': %0 used before definition");

    HandBuilt own;
    Value zero = own.i32(0);
    append(own, {.op = Op::add, .operands = {zero, {own.kernel.next_number() + 1}}}, {kI32});
    EXPECT_EQ(refusal(own), "ssa-verifier: op #0 'add': %0 used before definition");
}

TEST(Verify, DuplicateDefinition) {
    HandBuilt b;
    append(b, {.op = Op::neg, .operands = {b.i32(1)}}, {kI32}, {7});
    append(b, {.op = Op::neg, .operands = {b.i32(2)}}, {kI32}, {7});
    EXPECT_EQ(refusal(b), "ssa-verifier: op #1 'neg': duplicate definition of %7");
}

TEST(Verify, OnlyMaskAndFallbackMayBeMissing) {
    OneWrong a, b, c, d;
    EXPECT_EQ(a.refusal_of(Op::add, {a.n, {}}, kI32), at_2("add", "operand 1 is missing"));
    EXPECT_EQ(b.refusal_of(Op::load, {{}, {}, {}}, kF32), at_2("load", "operand 0 is missing"));
    EXPECT_EQ(c.refusal_of_store(c.p, {}, {}), at_2("store", "operand 1 is missing"));
    EXPECT_EQ(d.refusal_of(Op::load, {d.p, {}, {}}, kF32), "no error");
}

TEST(Verify, ResultTypesFollowFromOperands) {
    OneWrong a, b, c, d, e, f;
    EXPECT_EQ(a.refusal_of(Op::add, {a.n, a.x}, kI32), at_2("add", "result must be f32, got i32"));
    EXPECT_EQ(b.refusal_of(Op::mul, {b.lanes, b.x}, vec(Scalar::i32, 8)),
              at_2("mul", "result must be vector<8 x f32>, got vector<8 x i32>"));
    EXPECT_EQ(c.refusal_of(Op::cmp_lt, {c.lanes, c.n}, kBool),
              at_2("cmp_lt", "result must be vector<8 x bool>, got bool"));
    EXPECT_EQ(d.refusal_of(Op::load, {d.p, {}, {}}, kI32),
              at_2("load", "result must be f32, got i32"));
    EXPECT_EQ(e.refusal_of(Op::sum, {e.lanes}, vec(Scalar::i32, 8)),
              at_2("sum", "result must be i32, got vector<8 x i32>"));
    EXPECT_EQ(f.refusal_of(Op::addptr, {f.p, f.lanes}, Type::pointer(Scalar::f32)),
              at_2("addptr", "result must be vector<8 x ptr<f32>>, got ptr<f32>"));
}

TEST(Verify, SelectTakesABoolAndTwoOfAKind) {
    OneWrong a, b, c, d;
    EXPECT_EQ(a.refusal_of(Op::select, {a.i32(1), a.f32(2), a.f32(3)}, kF32),
              at_2("select", "condition must be bool, got i32"));
    EXPECT_EQ(b.refusal_of(Op::select, {b.p, b.f32(2), b.f32(3)}, kF32),
              at_2("select", "condition must be bool, got ptr<f32>"));
    EXPECT_EQ(c.refusal_of(Op::select, {c.on, c.p, c.p}, kF32),
              at_2("select", "select requires float or int or bool, got ptr<f32>"));
    EXPECT_EQ(d.refusal_of(Op::select, {d.on, d.on, d.x}, kF32),
              at_2("select", "select cannot combine bool and f32"));
}

TEST(Verify, OpsTakeOnlyTheElementTypesOfTheirRow) {
    OneWrong a, b, c, d, e;
    EXPECT_EQ(a.refusal_of(Op::exp, {a.i32(1)}, kI32), at_2("exp", "exp requires float, got i32"));
    EXPECT_EQ(b.refusal_of(Op::shl, {b.x, b.n}, kF32), at_2("shl", "shl requires int, got f32"));
    EXPECT_EQ(c.refusal_of(Op::neg, {c.p}, kF32),
              at_2("neg", "neg requires float or int, got ptr<f32>"));
    EXPECT_EQ(d.refusal_of(Op::add, {d.n, d.pointers}, kI32),
              at_2("add", "add requires float or int or bool, got vector<8 x ptr<f32>>"));
    EXPECT_EQ(e.refusal_of(Op::add, {e.on, e.n}, kI32),
              at_2("add", "add cannot combine bool and i32"));
}

TEST(Verify, BlocksOfAnOpHaveOneShape) {
    HandBuilt b;
    Value wide = b.arange(0, 16), narrow = b.arange(0, 8);
    b.emit(Op::add, {wide, narrow}, vec(Scalar::i32, 16));
    EXPECT_EQ(refusal(b), at_2("add", "incompatible shapes: vector<16 x i32>, vector<8 x i32>"));
    OneWrong load, store, select;
    Value mask = load.kernel.constant(vec(Scalar::boolean, 4), 1);
    EXPECT_EQ(load.refusal_of(Op::load, {load.pointers, mask, {}}, vec(Scalar::f32, 8)),
              at_2("load", "incompatible shapes: vector<8 x ptr<f32>>, vector<4 x bool>"));
    Value value = store.kernel.constant(vec(Scalar::f32, 4), 0);
    EXPECT_EQ(store.refusal_of_store(store.pointers, value, {}),
              at_2("store", "incompatible shapes: vector<8 x ptr<f32>>, vector<4 x f32>"));
    Value grid = select.kernel.constant(kF32.with_shape({2, 4}), 0);
    EXPECT_EQ(select.refusal_of(Op::select, {select.on, select.lanes, grid}, kF32),
              at_2("select", "incompatible shapes: bool, vector<8 x i32>, block<2x4 x f32>"));
}

TEST(Verify, ReductionsTakeABlockOfNumbers) {
    OneWrong a, b, c;
    EXPECT_EQ(a.refusal_of(Op::sum, {a.x}, kF32), at_2("sum", "sum requires a block, got f32"));
    EXPECT_EQ(b.refusal_of(Op::max, {b.pointers}, kF32),
              at_2("max", "max requires float or int, got vector<8 x ptr<f32>>"));
    Value mask = c.kernel.constant(vec(Scalar::boolean, 8), 1);
    EXPECT_EQ(c.refusal_of(Op::max, {mask}, kBool),
              at_2("max", "max requires float or int, got vector<8 x bool>"));
}

TEST(Verify, Loads) {
    OneWrong a, b, c, d;
    EXPECT_EQ(a.refusal_of(Op::load, {a.x, {}, {}}, kF32),
              at_2("load", "expected pointer, got f32"));
    EXPECT_EQ(b.refusal_of(Op::load, {b.p, b.n, {}}, kF32),
              at_2("load", "mask must be bool, got i32"));
    EXPECT_EQ(c.refusal_of(Op::load, {c.p, c.on, c.on}, kF32),
              at_2("load", "load fallback must be convertible to f32, got bool"));
    EXPECT_EQ(d.refusal_of(Op::load, {d.q, d.on, d.p}, kBool),
              at_2("load", "load fallback must be convertible to bool, got ptr<f32>"));
}

TEST(Verify, Stores) {
    OneWrong a, b, c, d, e, f, g;
    EXPECT_EQ(a.refusal_of_store(a.x, a.x, {}), at_2("store", "expected pointer, got f32"));
    EXPECT_EQ(b.refusal_of_store(b.p, b.x, b.x), at_2("store", "mask must be bool, got f32"));
    EXPECT_EQ(c.refusal_of_store(c.q, c.n, {}),
              at_2("store", "stored value must be convertible to bool, got i32"));
    EXPECT_EQ(d.refusal_of_store(d.p, d.q, {}),
              at_2("store", "stored value must be convertible to f32, got ptr<bool>"));
    EXPECT_EQ(e.refusal_of_store(e.p, e.lanes, {}),
              at_2("store", "a scalar pointer stores a scalar, got value vector<8 x i32>"));
    Value mask = f.kernel.constant(vec(Scalar::boolean, 8), 1);
    EXPECT_EQ(
        f.refusal_of_store(f.p, f.n, mask),
        at_2("store", "a scalar pointer stores a scalar, got value i32 and mask vector<8 x bool>"));
    EXPECT_EQ(g.refusal_of_store(g.pointers, g.n, g.on), "no error") << "an i32 stores as f32";
}

TEST(Verify, PointerArithmetic) {
    OneWrong a, b;
    EXPECT_EQ(a.refusal_of(Op::addptr, {a.x, a.n}, kF32),
              at_2("addptr", "expected pointer, got f32"));
    EXPECT_EQ(b.refusal_of(Op::addptr, {b.p, b.x}, Type::pointer(Scalar::f32)),
              at_2("addptr", "pointer offset must be an int, got f32"));
}

TEST(Verify, PointersMoveByAnyInt) {
    for (int i = 0; i < scalar_count(); ++i) {
        const ScalarInfo& type = info(static_cast<Scalar>(i));
        for (int64_t width : {0, 8}) {
            OneWrong b;
            Value offset = b.param("offset", type.scalar);
            if (width) offset = b.kernel.constant(vec(type.scalar, width), 0);
            Type result = Type::pointer(Scalar::f32);
            if (width) result = result.with_shape({width});
            EXPECT_EQ(b.refusal_of(Op::addptr, {b.p, offset}, result),
                      type.is_int() ? "no error"
                                    : at_2("addptr", "pointer offset must be an int, got " +
                                                         b.kernel.type(offset).str()));
        }
    }
    OneWrong pointer;
    EXPECT_EQ(pointer.refusal_of(Op::addptr, {pointer.p, pointer.p}, Type::pointer(Scalar::f32)),
              at_2("addptr", "pointer offset must be an int, got ptr<f32>"));
}

TEST(Verify, OnlyI32AndF32MixByThemselves) {
    for (int i = 0; i < scalar_count(); ++i)
        for (int j = 0; j < scalar_count(); ++j) {
            const ScalarInfo &a = info(static_cast<Scalar>(i)), &b = info(static_cast<Scalar>(j));
            OneWrong add, store;
            Value x = add.param("a", a.scalar), y = add.param("b", b.scalar);
            bool mixes = promote(a.scalar, b.scalar).has_value();
            EXPECT_EQ(mixes, a.scalar == b.scalar || (a.name == "i32" && b.name == "f32") ||
                                 (a.name == "f32" && b.name == "i32"));
            Type result = Type::scalar(promote(a.scalar, b.scalar).value_or(a.scalar));
            EXPECT_EQ(add.refusal_of(Op::add, {x, y}, result),
                      mixes ? "no error"
                            : at_2("add", "add cannot combine " + std::string(a.name) + " and " +
                                              std::string(b.name)));
            Value to = store.pointer("to", b.scalar);
            EXPECT_EQ(
                store.refusal_of_store(to, store.param("a", a.scalar), {}),
                is_storable(a.scalar, b.scalar)
                    ? "no error"
                    : at_2("store", "stored value must be convertible to " + std::string(b.name) +
                                        ", got " + std::string(a.name)));
        }
}

TEST(Verify, BitCountsAndHighProductsAreOfWideInts) {
    OneWrong a, b, c, d;
    Value byte = a.param("byte", Scalar::u8), wide = b.param("wide", Scalar::u64);
    EXPECT_EQ(a.refusal_of(Op::popc, {byte}, kI32),
              at_2("popc", "popc requires int of 32 or 64 bits, got u8"));
    EXPECT_EQ(b.refusal_of(Op::clz, {wide}, Type::scalar(Scalar::u64)),
              at_2("clz", "result must be i32, got u64"));
    EXPECT_EQ(c.refusal_of(Op::umulhi, {c.x, c.x}, kF32),
              at_2("umulhi", "umulhi requires int of 32 or 64 bits, got f32"));
    EXPECT_EQ(d.refusal_of(Op::isnan, {d.x}, kF32), at_2("isnan", "result must be bool, got f32"));
}

TEST(Verify, AxisOfProgramIds) {
    OneWrong a, b, c;
    EXPECT_EQ(a.refusal_of(Op::program_id, {}, kI32, {{AttrKey::axis, 3}}),
              at_2("program_id", "axis must be 0, 1 or 2, got 3"));
    EXPECT_EQ(b.refusal_of(Op::num_programs, {}, kI32),
              "ssa-verifier: op #2 'num_programs': "
              "attribute axis is missing");
    EXPECT_EQ(c.refusal_of(Op::program_id, {}, kF32, {{AttrKey::axis, 0}}),
              at_2("program_id", "result must be i32, got f32"));
}

TEST(Verify, Ranges) {
    OneWrong a, b, c, d;
    EXPECT_EQ(a.refusal_of(Op::arange, {}, kI32, {{AttrKey::end, 8}}),
              at_2("arange", "attribute start is missing"));
    EXPECT_EQ(b.refusal_of(Op::arange, {}, kI32, {{AttrKey::start, 0}}),
              at_2("arange", "attribute end is missing"));
    EXPECT_EQ(c.refusal_of(Op::arange, {}, kI32, {{AttrKey::start, 4}, {AttrKey::end, 4}}),
              at_2("arange", "range must not be empty, got width 0"));
    EXPECT_EQ(
        d.refusal_of(Op::arange, {}, vec(Scalar::i32, 8), {{AttrKey::start, 4}, {AttrKey::end, 8}}),
        at_2("arange", "result must be vector<4 x i32>, got vector<8 x i32>"));
}

TEST(Verify, RangeWidthIsTheBlockSizeOfTheLaneLayout) {
    HandBuilt b;
    b.arange(128, 256);
    EXPECT_EQ(refusal(b, 256),
              "ssa-verifier: op #0 'arange': range width 128 does not match CUDA block size 256");
    EXPECT_EQ(refusal(b, 128), "no error");
    EXPECT_EQ(refusal(b), "no error") << "other layouts take any width";
}

TEST(Verify, CastsKeepTheShapeAndChangeTheType) {
    OneWrong a, b, c, d;
    EXPECT_EQ(a.refusal_of(Op::cast, {a.p}, kF32), at_2("cast", "cannot cast ptr<f32> to f32"));
    EXPECT_EQ(b.refusal_of(Op::cast, {b.n}, Type::pointer(Scalar::f32)),
              at_2("cast", "cannot cast i32 to ptr<f32>"));
    EXPECT_EQ(c.refusal_of(Op::cast, {c.n}, vec(Scalar::f32, 8)),
              at_2("cast", "cannot cast i32 to vector<8 x f32>"));
    EXPECT_EQ(d.refusal_of(Op::cast, {d.n}, kI32), at_2("cast", "cannot cast i32 to i32"));
}

TEST(Verify, CastsTowardsZeroNarrowAFloat) {
    for (int i = 0; i < scalar_count(); ++i)
        for (int j = 0; j < scalar_count(); ++j) {
            const ScalarInfo &from = info(static_cast<Scalar>(i)),
                             &to = info(static_cast<Scalar>(j));
            OneWrong b;
            bool narrows = from.is_float() && to.is_float() && to.bytes < from.bytes;
            EXPECT_EQ(
                b.refusal_of(Op::cast_rtz, {b.param("a", from.scalar)}, Type::scalar(to.scalar)),
                narrows ? "no error"
                        : at_2("cast_rtz", "cannot cast " + std::string(from.name) + " to " +
                                               std::string(to.name)));
        }
}

TEST(Verify, BitcastsKeepTheWidth) {
    for (int i = 0; i < scalar_count(); ++i)
        for (int j = 0; j < scalar_count(); ++j) {
            const ScalarInfo &from = info(static_cast<Scalar>(i)),
                             &to = info(static_cast<Scalar>(j));
            OneWrong b;
            bool fits = i != j && from.bits() == to.bits();
            EXPECT_EQ(
                b.refusal_of(Op::bitcast, {b.param("a", from.scalar)}, Type::scalar(to.scalar)),
                fits ? "no error"
                     : at_2("bitcast", "cannot cast " + std::string(from.name) + " to " +
                                           std::string(to.name)));
        }
    OneWrong a, b, c;
    EXPECT_EQ(a.refusal_of(Op::bitcast, {a.p}, Type::scalar(Scalar::i64)),
              at_2("bitcast", "cannot cast ptr<f32> to i64"));
    EXPECT_EQ(b.refusal_of(Op::bitcast, {b.lanes}, kF32),
              at_2("bitcast", "cannot cast vector<8 x i32> to f32"));
    EXPECT_EQ(c.refusal_of(Op::bitcast, {c.lanes}, vec(Scalar::u32, 8)), "no error");
}

// What text cannot say; tests/ir/verify shows the rest.
TEST(Verify, RegionsOfTheRightNumberEndInAYield) {
    auto refusal_of = [](int regions, const std::function<void(HandBuilt&, RegionId)>& fill) {
        HandBuilt b;
        Inst inst{.op = Op::if_, .operands = {b.boolean(true)}};
        for (int i = 0; i < regions; ++i) inst.regions.push_back(b.kernel.add_region());
        std::vector<RegionId> made = inst.regions;
        append(b, std::move(inst));
        for (RegionId region : made) fill(b, region);
        return refusal(b);
    };
    auto yield = [](HandBuilt& b, RegionId region) {
        b.kernel.append(region, Inst{.op = Op::yield});
    };
    auto print = [](HandBuilt& b, RegionId region) {
        b.kernel.append(region, Inst{.op = Op::print, .text = "here"});
    };
    auto take = [](HandBuilt& b, RegionId region) {
        b.kernel.add_arg(region, kI32, b.kernel.next_number());
        b.kernel.append(region, Inst{.op = Op::yield});
    };
    EXPECT_EQ(refusal_of(2, yield), "no error");
    EXPECT_EQ(refusal_of(1, yield), "ssa-verifier: op #0 'if': expected 2 regions");
    EXPECT_EQ(refusal_of(2, [](HandBuilt&, RegionId) {}),
              "ssa-verifier: op #0 'if': expected a yield in each of its regions");
    EXPECT_EQ(refusal_of(2, print),
              "ssa-verifier: op #1 'print': expected a yield after it, at the region's end");
    EXPECT_EQ(refusal_of(2, take), "ssa-verifier: op #0 'if': its regions take no arguments");

    HandBuilt b;
    append(b, {.op = Op::print, .regions = {b.kernel.add_region()}, .text = "here"});
    EXPECT_EQ(refusal(b), "ssa-verifier: op #0 'print': takes no region");
}

TEST(Verify, ErrorsCarryTheInstructionsLocation) {
    HandBuilt b;
    LocId loc = b.kernel.add_loc({"kernel.py", 12, 12, 4, 9});
    append(b, {.op = Op::exp, .operands = {b.i32(1)}, .loc = loc}, {kI32});
    try {
        verify(b.kernel);
        FAIL() << "not refused";
    } catch (const CompileError& error) {
        EXPECT_EQ(error.loc().file, "kernel.py");
        EXPECT_EQ(error.loc().line, 12);
    }
}

TEST(Typing, OpsThatCarryTheirTypeHaveNoInferredOne) {
    EXPECT_EQ(message_of<InternalError>([] { result_type(Op::arange, {}); }),
              "mytriton internal error in result_type: arange has no inferred type");
}

}  // namespace
}  // namespace mytriton
