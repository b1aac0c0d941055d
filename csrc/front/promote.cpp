// The rules, one after the other.
#include "front/promote.h"

namespace mytriton {

namespace {

int kind(Scalar scalar) {
    switch (info(scalar).type_class) {
        case TypeClass::Bool:
            return 0;
        case TypeClass::Int:
            return 1;
        case TypeClass::Float:
            return 2;
    }
    return 2;
}

Scalar promote_ints(const std::string& op, Scalar a, Scalar b, bool division) {
    const ScalarInfo &left = info(a), &right = info(b);
    if (!left.is_int() || !right.is_int()) return left.is_int() ? a : b;
    if (left.is_unsigned() == right.is_unsigned()) return left.bytes > right.bytes ? a : b;
    if (division)
        throw TypingError(op + " cannot combine " + std::string(left.name) + " and " +
                          std::string(right.name) + ", as one is signed; cast one of them");
    const ScalarInfo& is_unsigned = left.is_unsigned() ? left : right;
    const ScalarInfo& is_signed = left.is_unsigned() ? right : left;
    return is_unsigned.bytes >= is_signed.bytes ? is_unsigned.scalar : is_signed.scalar;
}

}  // namespace

Promotable promote_operands(const std::string& op, Promotable a, Promotable b, bool division) {
    if (a.weak != b.weak) {
        Promotable weak = a.weak ? a : b, strong = a.weak ? b : a;
        if (kind(weak.scalar) <= kind(strong.scalar)) {
            bool half = division && info(strong.scalar).is_half();
            return {half ? Scalar::f32 : strong.scalar};
        }
    }
    bool weak = a.weak && b.weak;
    auto either = [&](auto holds) { return holds(a.scalar) || holds(b.scalar); };
    auto one_is = [&](Scalar scalar) { return a.scalar == scalar || b.scalar == scalar; };
    bool any_float = either([](Scalar scalar) { return info(scalar).is_float(); });
    if (one_is(Scalar::f64)) return {Scalar::f64, weak};
    if (any_float && (division || one_is(Scalar::f32))) return {Scalar::f32, weak};
    if (one_is(Scalar::f16)) return {Scalar::f16, weak};
    if (any_float) return {a.scalar == b.scalar ? Scalar::bf16 : Scalar::f32, weak};
    return {promote_ints(op, a.scalar, b.scalar, division), weak};
}

Scalar promote_reduced(Op op, Scalar scalar) {
    const ScalarInfo& type = info(scalar);
    if (type.bytes >= 4) return scalar;
    bool adds_up = op == Op::sum || info(op).kind == OpKind::scan;
    if (type.is_float()) return adds_up ? scalar : Scalar::f32;
    return adds_up && type.is_unsigned() ? Scalar::u32 : Scalar::i32;
}

}  // namespace mytriton
