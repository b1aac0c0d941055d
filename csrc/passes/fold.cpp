// Constant folding and the algebraic identities that hold for every bit pattern.
#include "ir/apply.h"
#include "ir/literal.h"
#include "ir/rewrite.h"
#include "ir/typing.h"
#include "passes/passes.h"

namespace mytriton {

namespace {

// `op x, identity` is x; where `both`, so is `op identity, x`. Adding 0.0 is not here, since
// -0.0 + 0.0 is 0.0; multiplying and dividing by 1.0 keep every float.
struct Identity {
    Op op;
    TypeClass type_class;
    uint64_t identity;
    bool both;
};

const Identity kIdentities[] = {
    {Op::add, TypeClass::Int, bits_of(0), true},
    {Op::sub, TypeClass::Int, bits_of(0), false},
    {Op::mul, TypeClass::Int, bits_of(1), true},
    {Op::mul, TypeClass::Float, bits_of(1.0f), true},
    {Op::div, TypeClass::Int, bits_of(1), false},
    {Op::div, TypeClass::Float, bits_of(1.0f), false},
    {Op::bit_and, TypeClass::Bool, bits_of(true), true},
    {Op::bit_and, TypeClass::Int, bits_of(-1), true},
    {Op::bit_or, TypeClass::Bool, bits_of(false), true},
    {Op::bit_or, TypeClass::Int, bits_of(0), true},
    {Op::bit_xor, TypeClass::Int, bits_of(0), true},
};

// Works on instructions whose operands are already those of the new kernel. A fold answers with
// the value that stands for the result, or none. Types never change: every rule that returns an
// operand asks for equal types, so that no block turns into a scalar and no f32 into an i32.
class Folder {
  public:
    Folder(Kernel& kernel, const Inst& inst, Type type)
        : kernel_(kernel), inst_(inst), type_(type) {}

    Value fold() {
        if (inst_.op == Op::cast) return fold_cast();
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
        return kernel_.constant(type_, bits_as(from, type_.scalar()));
    }

    Value fold_constants(const OpInfo& row) {
        if (!row.has(kExact)) return {};
        for (Value value : inst_.operands)
            if (!kernel_.is_constant(value)) return {};
        size_t first = row.form == OpForm::Select ? 1 : 0;
        Scalar scalar = kernel_.type(operand(first)).scalar();
        for (size_t i = first; i < inst_.operands.size(); ++i)
            scalar = *promote(scalar, kernel_.type(operand(i)).scalar());
        uint64_t bits[3] = {};
        for (size_t i = 0; i < inst_.operands.size(); ++i)
            bits[i] = i < first ? kernel_.data(operand(i)).bits : bits_as(operand(i), scalar);
        TypeClass type_class = info(scalar).type_class;
        uint64_t folded = apply_row(inst_.op, type_class, bits[0], bits[1], bits[2]);
        return kernel_.constant(type_, canonical(type_.scalar(), folded));
    }

    Value fold_select() {
        Value condition = operand(0), yes = operand(1), no = operand(2);
        if (kernel_.is_constant(condition))
            return if_same_type(kernel_.data(condition).bits ? yes : no);
        return yes == no ? if_same_type(yes) : Value();
    }

    Value fold_identity() {
        for (const Identity& rule : kIdentities) {
            if (rule.op != inst_.op || rule.type_class != type_.type_class()) continue;
            Scalar scalar = type_.scalar();
            if (is_constant(operand(1), scalar, rule.identity)) return if_same_type(operand(0));
            if (rule.both && is_constant(operand(0), scalar, rule.identity))
                return if_same_type(operand(1));
        }
        return {};
    }

    Kernel& kernel_;
    const Inst& inst_;
    Type type_;
};

}  // namespace

Kernel constant_fold(const Kernel& kernel) {
    Rewriter rewriter(kernel);
    for (InstId id : kernel.body()) {
        const Inst& inst = kernel.inst(id);
        Inst mapped = rewriter.mapped(inst);
        Value folded;
        if (!inst.results.empty())
            folded = Folder(rewriter.fresh(), mapped, kernel.type(inst.result())).fold();
        if (folded.none())
            rewriter.keep(inst, std::move(mapped));
        else
            rewriter.replace(inst.result(), folded);
    }
    return rewriter.finish();
}

}  // namespace mytriton
