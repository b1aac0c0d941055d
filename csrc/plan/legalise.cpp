// Implicit conversions become cast instructions, once for each value and type.
#include "plan/legalise.h"

#include <map>

#include "ir/apply.h"
#include "ir/rewrite.h"
#include "ir/typing.h"
#include "ir/verify.h"

namespace mytriton {

namespace {

class Legaliser {
  public:
    explicit Legaliser(const Kernel& kernel) : rewriter_(kernel) {}

    Kernel run() {
        for (InstId id : rewriter_.old().body()) {
            const Inst& inst = rewriter_.old().inst(id);
            Inst mapped = rewriter_.mapped(inst);
            cast_operands(mapped);
            rewriter_.keep(inst, std::move(mapped));
        }
        return rewriter_.finish();
    }

  private:
    Kernel& fresh() { return rewriter_.fresh(); }

    void cast_operands(Inst& inst) {
        if (info(inst.op).kind == OpKind::pure) {
            size_t first = info(inst.op).form == OpForm::Select ? 1 : 0;
            Scalar scalar = fresh().type(inst.operands[first]).scalar();
            for (size_t i = first; i < inst.operands.size(); ++i)
                scalar = *promote(scalar, fresh().type(inst.operands[i]).scalar());
            for (size_t i = first; i < inst.operands.size(); ++i)
                inst.operands[i] = as(inst.operands[i], scalar, inst.loc);
        }
        Scalar element{};
        if (inst.op == Op::load || inst.op == Op::store)
            element = fresh().type(inst.operands[0]).scalar();
        if (inst.op == Op::load) inst.operands[2] = as(inst.operands[2], element, inst.loc);
        if (inst.op == Op::store) inst.operands[1] = as(inst.operands[1], element, inst.loc);
    }

    Value as(Value value, Scalar to, LocId loc) {
        if (value.none() || fresh().type(value).scalar() == to) return value;
        Type from = fresh().type(value);
        if (fresh().is_constant(value))
            return fresh().constant(Type::scalar(to),
                                    apply_conversion(from.scalar(), to, fresh().data(value).bits));
        auto [known, is_new] = casts_.try_emplace({value.index, to});
        if (is_new) {
            Inst cast{.op = Op::cast, .operands = {value}, .loc = loc};
            InstId id = fresh().append(0, std::move(cast), {from.with_scalar(to)});
            known->second = fresh().inst(id).result();
        }
        return known->second;
    }

    Rewriter rewriter_;
    std::map<std::pair<uint32_t, Scalar>, Value> casts_;
};

}  // namespace

Kernel legalise(const Kernel& kernel) {
    Kernel legal = Legaliser(kernel).run();
    verify(legal);
    return legal;
}

}  // namespace mytriton
