// Implicit conversions become cast instructions, once for each value and type.
#include "plan/legalise.h"

#include <map>

#include "ir/conversion.h"
#include "ir/rewrite.h"
#include "ir/typing.h"
#include "ir/verify.h"

namespace mytriton {

namespace {

class Legaliser {
  public:
    explicit Legaliser(const Kernel& kernel) : rewriter_(kernel) {}

    Kernel run() {
        walk(0);
        return rewriter_.finish();
    }

  private:
    void walk(RegionId region) {
        size_t outer = made_.size();
        for (InstId id : rewriter_.old().region(region).insts) {
            const Inst& inst = rewriter_.old().inst(id);
            if (!inst.regions.empty()) {
                rewriter_.keep(inst, [&](RegionId inner) { walk(inner); });
                continue;
            }
            Inst mapped = rewriter_.mapped(inst);
            OpKind kind = info(inst.op).kind;
            if (inst.op == Op::cast) split_cast(mapped, rewriter_.old().type(inst.result()));
            if (inst.op == Op::load || inst.op == Op::store) cast_memory_operands(mapped);
            if (kind != OpKind::structural) cast_operands(mapped);
            bool half =
                kind != OpKind::structural && inst.op != Op::select && computes_half(mapped);
            if (half)
                keep_in_f32(inst, std::move(mapped));
            else
                rewriter_.keep(inst, std::move(mapped));
            if (inst.op == Op::cast) remember_cast(inst);
        }
        for (; made_.size() > outer; made_.pop_back()) casts_.erase(made_.back());
    }

    Kernel& fresh() { return rewriter_.fresh(); }

    // A cast that is there already serves whoever needs it below.
    void remember_cast(const Inst& old) {
        Value from = rewriter_.map(old.operands[0]), to = rewriter_.map(old.result());
        remember({from.index, fresh().type(to).scalar()}, to);
    }

    void remember(const std::pair<uint32_t, Scalar>& what, Value cast) {
        if (casts_.try_emplace(what, cast).second) made_.push_back(what);
    }

    void cast_memory_operands(Inst& inst) {
        Scalar element = fresh().type(inst.operands[0]).scalar();
        size_t value = inst.op == Op::load ? 2 : 1;
        inst.operands[value] = as(inst.operands[value], element, inst.loc);
    }

    void cast_operands(Inst& inst) {
        size_t first = info(inst.op).first_value();
        Scalar scalar = fresh().type(inst.operands[first]).scalar();
        for (size_t i = first; i < inst.operands.size(); ++i)
            scalar = *promote(scalar, fresh().type(inst.operands[i]).scalar());
        for (size_t i = first; i < inst.operands.size(); ++i)
            inst.operands[i] = as(inst.operands[i], scalar, inst.loc);
    }

    void split_cast(Inst& inst, Type to) {
        Scalar from = fresh().type(inst.operands[0]).scalar();
        if (std::optional<Scalar> step = conversion_step(from, to.scalar()))
            inst.operands[0] = as(inst.operands[0], *step, inst.loc);
    }

    // A select only moves values, so it needs no arithmetic.
    bool computes_half(const Inst& inst) {
        return info(fresh().type(inst.operands.back()).scalar()).is_half();
    }

    void keep_in_f32(const Inst& old, Inst inst) {
        for (Value& operand : inst.operands) operand = as(operand, Scalar::f32, inst.loc);
        Type result = rewriter_.old().type(old.result());
        if (!info(result.scalar()).is_half()) {
            rewriter_.keep(old, std::move(inst));
            return;
        }
        LocId loc = inst.loc;
        InstId id =
            fresh().append(rewriter_.target(), std::move(inst), {result.with_scalar(Scalar::f32)});
        Inst narrow{.op = Op::cast, .operands = {fresh().inst(id).result()}, .loc = loc};
        rewriter_.keep(old, std::move(narrow));
    }

    Value as(Value value, Scalar to, LocId loc) {
        if (value.none() || fresh().type(value).scalar() == to) return value;
        Type from = fresh().type(value);
        if (fresh().is_constant(value))
            return fresh().constant(Type::scalar(to),
                                    apply_conversion(from.scalar(), to, fresh().data(value).bits));
        if (auto known = casts_.find({value.index, to}); known != casts_.end())
            return known->second;
        Inst cast{.op = Op::cast, .operands = {value}, .loc = loc};
        InstId id = fresh().append(rewriter_.target(), std::move(cast), {from.with_scalar(to)});
        remember({value.index, to}, fresh().inst(id).result());
        return fresh().inst(id).result();
    }

    Rewriter rewriter_;
    std::map<std::pair<uint32_t, Scalar>, Value> casts_;
    std::vector<std::pair<uint32_t, Scalar>> made_;  // keys of casts_, as regions added them
};

}  // namespace

Kernel legalise(const Kernel& kernel) {
    Kernel legal = Legaliser(kernel).run();
    verify(legal);
    return legal;
}

}  // namespace mytriton
