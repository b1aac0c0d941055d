// Constant folding over every type: rows, conversions and identities give the bits of a run.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "hand_built.h"
#include "ir/apply.h"
#include "ir/conversion.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/passes.h"

namespace mytriton {
namespace {

std::vector<Scalar> all_scalars() {
    std::vector<Scalar> out;
    for (int i = 0; i < scalar_count(); ++i) out.push_back(static_cast<Scalar>(i));
    return out;
}

uint64_t low_bits(Scalar scalar, uint64_t bits) {
    return bits & (~uint64_t{0} >> (64 - info(scalar).bits()));
}

// Ends of the type, small values, and any bits at all.
uint64_t random_bits(Scalar scalar, std::mt19937_64& random) {
    uint64_t any = random(), ones = ~uint64_t{0};
    const uint64_t chosen[] = {0,   1,  ones, ones >> 1, uint64_t{1} << (info(scalar).bits() - 1),
                               any, any};
    if (info(scalar).is_float() && random() % 2) {
        double value = double(int(any % 64)) / 8 - 4;
        return apply_conversion(Scalar::f64, scalar, bits_of(value));
    }
    if (info(scalar).is_int() && random() % 2) any >>= random() % 64;
    return low_bits(scalar, chosen[random() % std::size(chosen)]);
}

class FoldTypes : public HandBuilt {
  public:
    Value constant(Scalar scalar, uint64_t bits) {
        return kernel.constant(Type::scalar(scalar), bits);
    }
    Value one_op(Op op, Value from, Scalar to) {
        return emit(op, {from}, kernel.type(from).with_scalar(to));
    }

    // What is stored after folding, in place of `value`. The result must still verify.
    std::string folded(Value value) {
        Value to = pointer("to", kernel.type(value).scalar());
        if (kernel.type(value).is_block()) to = at(to, arange(0, kernel.type(value).lanes()));
        store(to, value);
        verify(kernel);
        Kernel after = constant_fold(kernel);
        verify(after);
        return print_value(after, after.inst(after.body().back()).operands[1]);
    }
};

TEST(FoldTypes, EveryExactRowOfConstantsIsWhatARunGives) {
    std::mt19937_64 random(1);
    for (int i = 0; i < op_count(); ++i) {
        const OpInfo& row = info(static_cast<Op>(i));
        for (Scalar scalar : all_scalars()) {
            if (row.kind != OpKind::pure || !accepts(row.op, scalar)) continue;
            for (int n = 0; n < 40; ++n) {
                FoldTypes b;
                uint64_t bits[3] = {};
                std::vector<Value> operands;
                for (int k = 0; k < row.operands; ++k) {
                    Scalar type = k < row.first_value() ? Scalar::boolean : scalar;
                    bits[k] = random_bits(type, random);
                    operands.push_back(b.constant(type, bits[k]));
                }
                Scalar result = result_scalar(row.op, scalar);
                uint64_t expected = apply_row(row.op, scalar, bits[0], bits[1], bits[2]);
                Value value = b.op(row.op, operands);
                std::string before = print_value(b.kernel, value);
                ASSERT_EQ(b.folded(value),
                          row.has(kExact) ? spell(result, canonical(result, expected)) : before)
                    << print_body(b.kernel);
            }
        }
    }
}

TEST(FoldTypes, EveryCastOfAConstantIsItsConversion) {
    std::mt19937_64 random(2);
    for (Scalar from : all_scalars())
        for (Scalar to : all_scalars())
            for (int n = 0; n < 20 && from != to; ++n) {
                uint64_t bits = random_bits(from, random);
                FoldTypes plain, truncating, reinterpreting;
                EXPECT_EQ(plain.folded(plain.cast(plain.constant(from, bits), to)),
                          spell(to, apply_conversion(from, to, bits)))
                    << spell(from, bits);
                Type source = Type::scalar(from), target = Type::scalar(to);
                if (is_castable(Op::cast_rtz, source, target)) {
                    Value value = truncating.constant(from, bits);
                    EXPECT_EQ(truncating.folded(truncating.one_op(Op::cast_rtz, value, to)),
                              spell(to, apply_conversion_rtz(from, to, bits)));
                }
                if (is_castable(Op::bitcast, source, target)) {
                    Value value = reinterpreting.constant(from, bits);
                    EXPECT_EQ(reinterpreting.folded(reinterpreting.one_op(Op::bitcast, value, to)),
                              spell(to, bits));
                }
            }
}

struct Identity {
    Op op;
    int value;
    bool both;
};

// `op x, value` and, where both, `op value, x` are x.
std::vector<Identity> identities_of(TypeClass type_class) {
    switch (type_class) {
        case TypeClass::Float:
            return {{Op::mul, 1, true}, {Op::div, 1, false}};
        case TypeClass::Int:
            return {{Op::add, 0, true},      {Op::sub, 0, false},   {Op::mul, 1, true},
                    {Op::div, 1, false},     {Op::bit_or, 0, true}, {Op::bit_xor, 0, true},
                    {Op::bit_and, -1, true}, {Op::shl, 0, false},   {Op::shr, 0, false}};
        case TypeClass::Bool:
            return {{Op::bit_and, 1, true}, {Op::bit_or, 0, true}};
    }
    return {};
}

TEST(FoldTypes, IdentitiesOfEveryTypeAndNothingElse) {
    for (Scalar scalar : all_scalars())
        for (int i = 0; i < op_count(); ++i) {
            const OpInfo& row = info(static_cast<Op>(i));
            if (row.form != OpForm::Binary || !accepts(row.op, scalar) || row.kind != OpKind::pure)
                continue;
            for (int value : {0, 1, -1, 2}) {
                bool left = false, right = false;
                uint64_t bits = apply_conversion(Scalar::i32, scalar, bits_of(value));
                for (const Identity& rule : identities_of(info(scalar).type_class))
                    if (rule.op == row.op &&
                        apply_conversion(Scalar::i32, scalar, bits_of(rule.value)) == bits) {
                        right = true;
                        left = rule.both;
                    }
                // Of bools, an operand that decides is the result: x & false, x | true.
                bool decides = scalar == Scalar::boolean && (row.op == Op::bit_and  ? bits == 0
                                                             : row.op == Op::bit_or ? bits == 1
                                                                                    : false);
                FoldTypes a, b;
                Value x = a.param("x", scalar), y = b.param("x", scalar);
                Value after = a.op(row.op, {x, a.constant(scalar, bits)});
                Value before = b.op(row.op, {b.constant(scalar, bits), y});
                std::string other = decides ? spell(scalar, bits) : "%0";
                EXPECT_EQ(a.folded(after), right ? "x" : other) << print_body(a.kernel);
                EXPECT_EQ(b.folded(before), left ? "x" : other) << print_body(b.kernel);
            }
        }
}

// An identity that holds for every value of a type: by running it.
TEST(FoldTypes, IdentitiesHoldForAllBits) {
    std::mt19937_64 random(3);
    for (Scalar scalar : all_scalars())
        for (const Identity& rule : identities_of(info(scalar).type_class)) {
            uint64_t bits = apply_conversion(Scalar::i32, scalar, bits_of(rule.value));
            for (int n = 0; n < 2000; ++n) {
                uint64_t x = random_bits(scalar, random);
                EXPECT_EQ(canonical(scalar, apply_row(rule.op, scalar, x, bits)),
                          canonical(scalar, x))
                    << info(rule.op).name << " of " << spell(scalar, x);
                if (!rule.both) continue;
                EXPECT_EQ(canonical(scalar, apply_row(rule.op, scalar, bits, x)),
                          canonical(scalar, x));
            }
        }
}

TEST(FoldTypes, AnOperandOfAnotherShapeNeverStandsForTheResult) {
    for (Scalar scalar : all_scalars())
        for (const Identity& rule : identities_of(info(scalar).type_class)) {
            uint64_t bits = apply_conversion(Scalar::i32, scalar, bits_of(rule.value));
            FoldTypes scalar_left, block;
            Value x = scalar_left.param("x", scalar);
            Value ones = scalar_left.kernel.constant(vec(scalar, 8), bits);
            EXPECT_EQ(scalar_left.folded(scalar_left.op(rule.op, {x, ones})), "%0");
            Value lanes = block.load(block.at(block.pointer("p", scalar), block.arange(0, 8)));
            EXPECT_EQ(block.folded(block.op(rule.op, {lanes, block.constant(scalar, bits)})),
                      print_value(block.kernel, lanes));
        }
}

TEST(FoldTypes, SelectsOfEveryType) {
    for (Scalar scalar : all_scalars()) {
        FoldTypes yes, no, equal, open;
        for (FoldTypes* b : {&yes, &no, &equal, &open}) {
            b->param("x", scalar);
            b->param("y", scalar);
            b->param("on", Scalar::boolean);
        }
        auto param = [](FoldTypes& b, int i) { return b.kernel.param(i); };
        EXPECT_EQ(yes.folded(yes.op(Op::select, {yes.boolean(true), param(yes, 0), param(yes, 1)})),
                  "x");
        EXPECT_EQ(no.folded(no.op(Op::select, {no.boolean(false), param(no, 0), param(no, 1)})),
                  "y");
        EXPECT_EQ(
            equal.folded(equal.op(Op::select, {param(equal, 2), param(equal, 1), param(equal, 1)})),
            "y");
        EXPECT_EQ(
            open.folded(open.op(Op::select, {param(open, 2), param(open, 0), param(open, 1)})),
            "%0");
    }
}

}  // namespace
}  // namespace mytriton
