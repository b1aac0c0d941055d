// Constant folding and the algebraic identities that hold for every bit pattern.
#include "passes/fold_value.h"

#include "ir/apply.h"
#include "ir/literal.h"
#include "ir/typing.h"

namespace mytriton {

namespace {

// `op x, identity` is x; where `both`, so is `op identity, x`. Adding 0.0 is not here, since
// -0.0 + 0.0 is 0.0; multiplying and dividing by 1.0 keep every float. The identity is converted to
// the operands' type; -1 has all bits set.
struct IdentityRule {
    Op op;
    TypeClass type_class;
    int identity;
    bool both;
};

const IdentityRule kIdentities[] = {
    {Op::add, TypeClass::Int, 0, true},      {Op::sub, TypeClass::Int, 0, false},
    {Op::mul, TypeClass::Int, 1, true},      {Op::mul, TypeClass::Float, 1, true},
    {Op::div, TypeClass::Int, 1, false},     {Op::div, TypeClass::Float, 1, false},
    {Op::bit_and, TypeClass::Bool, 1, true}, {Op::bit_and, TypeClass::Int, -1, true},
    {Op::bit_or, TypeClass::Bool, 0, true},  {Op::bit_or, TypeClass::Int, 0, true},
    {Op::bit_xor, TypeClass::Int, 0, true},  {Op::shl, TypeClass::Int, 0, false},
    {Op::shr, TypeClass::Int, 0, false},
};

// Works on instructions whose operands are already those of the new kernel. A fold answers with
// the value that stands for the result, or none. Types never change: every rule that returns an
// operand asks for equal types, so that no block turns into a scalar and no f32 into an i32.
class Folder {
  public:
    Folder(Kernel& kernel, const Inst& inst, Type type)
        : kernel_(kernel), inst_(inst), type_(type) {}

    Value fold() {
        if (inst_.op == Op::cast || inst_.op == Op::cast_rtz || inst_.op == Op::bitcast)
            return fold_cast();
        if (inst_.op == Op::addptr) return fold_addptr();
        const OpInfo& row = info(inst_.op);
        if (row.kind != OpKind::pure) return {};
        if (Value value = fold_constants(row); !value.none()) return value;
        return inst_.op == Op::select ? fold_select() : fold_identity();
    }

  private:
    Value operand(size_t i) const { return inst_.operands[i]; }
    bool is_constant(Value value, Scalar scalar, uint64_t bits) const {
        return kernel_.is_constant(value) && kernel_.type(value).is(scalar) &&
               kernel_.data(value).bits == bits;
    }
    Value if_same_type(Value value) const { return kernel_.type(value) == type_ ? value : Value(); }

    uint64_t bits_as(Value value, Scalar scalar) const {
        return apply_conversion(kernel_.type(value).scalar(), scalar, kernel_.data(value).bits);
    }

    Value fold_cast() {
        Value from = operand(0);
        if (!kernel_.is_constant(from)) return {};
        Scalar source = kernel_.type(from).scalar(), target = type_.scalar();
        uint64_t bits = kernel_.data(from).bits;
        if (inst_.op == Op::cast) bits = apply_conversion(source, target, bits);
        if (inst_.op == Op::cast_rtz) bits = apply_conversion_rtz(source, target, bits);
        return kernel_.constant(type_, bits);
    }

    Value fold_addptr() {
        Value offset = operand(1);
        bool stays = kernel_.is_constant(offset) && kernel_.data(offset).bits == 0;
        return stays ? if_same_type(operand(0)) : Value();
    }

    Value fold_constants(const OpInfo& row) {
        if (!row.has(kExact)) return {};
        for (Value value : inst_.operands)
            if (!kernel_.is_constant(value)) return {};
        size_t first = row.first_value();
        Scalar scalar = kernel_.type(operand(first)).scalar();
        for (size_t i = first; i < inst_.operands.size(); ++i)
            scalar = *promote(scalar, kernel_.type(operand(i)).scalar());
        uint64_t bits[3] = {};
        for (size_t i = 0; i < inst_.operands.size(); ++i)
            bits[i] = i < first ? kernel_.data(operand(i)).bits : bits_as(operand(i), scalar);
        uint64_t folded = apply_row(inst_.op, scalar, bits[0], bits[1], bits[2]);
        return kernel_.constant(type_, canonical(type_.scalar(), folded));
    }

    Value fold_select() {
        Value condition = operand(0), yes = operand(1), no = operand(2);
        if (kernel_.is_constant(condition))
            return if_same_type(kernel_.data(condition).bits ? yes : no);
        return yes == no ? if_same_type(yes) : Value();
    }

    Value fold_identity() {
        if (Value decided = fold_logic(); !decided.none()) return decided;
        for (const IdentityRule& rule : kIdentities) {
            if (rule.op != inst_.op || rule.type_class != type_.type_class()) continue;
            Scalar scalar = type_.scalar();
            uint64_t identity = apply_conversion(Scalar::i32, scalar, bits_of(rule.identity));
            if (is_constant(operand(1), scalar, identity)) return if_same_type(operand(0));
            if (rule.both && is_constant(operand(0), scalar, identity))
                return if_same_type(operand(1));
        }
        return {};
    }

    // One operand decides: false of an and, true of an or.
    Value fold_logic() const {
        bool decisive = inst_.op == Op::bit_or;
        if ((inst_.op != Op::bit_and && !decisive) || !type_.is(Scalar::boolean)) return {};
        for (Value value : inst_.operands)
            if (is_constant(value, Scalar::boolean, decisive)) return if_same_type(value);
        return {};
    }

    Kernel& kernel_;
    const Inst& inst_;
    Type type_;
};

}  // namespace

Value fold_value(Kernel& kernel, const Inst& inst, Type type) {
    return Folder(kernel, inst, type).fold();
}

}  // namespace mytriton
