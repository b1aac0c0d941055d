// The value map behind Rewriter.
#include "ir/rewrite.h"

namespace mytriton {

Rewriter::Rewriter(const Kernel& old)
    : old_(old), fresh_(old.name(), old.options()), map_(old.value_count()) {
    for (size_t i = 0; i < old.params().size(); ++i)
        replace(old.param(i), fresh_.add_param(old.params()[i].name, old.params()[i].type));
    for (const Loc& loc : old.locs()) fresh_.add_loc(loc);
    fresh_.skip_numbers(old.next_number());  // so that new values never take a kept number
}

Value Rewriter::find(Value old) {
    if (old.none()) return old;
    if (old_.is_constant(old)) return fresh_.constant(old_.type(old), old_.data(old).bits);
    return map_[old.index];
}

Value Rewriter::map(Value old) {
    Value fresh = find(old);
    if (fresh.none() && !old.none())
        throw InternalError("Rewriter::map", "a value is used before it is rebuilt");
    return fresh;
}

Inst Rewriter::mapped(const Inst& inst) {
    Inst copy = inst;
    copy.results.clear();
    copy.regions.clear();
    for (Value& operand : copy.operands) operand = map(operand);
    return copy;
}

InstId Rewriter::append(Inst mapped, const std::vector<Value>& old_results) {
    std::vector<Type> types;
    std::vector<uint32_t> numbers;
    for (Value result : old_results) {
        types.push_back(old_.type(result));
        if (!renumber_) numbers.push_back(old_.data(result).number);
    }
    InstId id = fresh_.append(target_, std::move(mapped), types, numbers);
    for (size_t i = 0; i < old_results.size(); ++i)
        replace(old_results[i], fresh_.inst(id).results[i]);
    return id;
}

RegionId Rewriter::copy_args(RegionId old, const std::vector<bool>& kept) {
    RegionId region = fresh_.add_region();
    const std::vector<Value>& args = old_.region(old).args;
    for (size_t i = 0; i < args.size(); ++i) {
        if (!kept.empty() && !kept[i]) continue;
        uint32_t number = renumber_ ? fresh_.next_number() : old_.data(args[i]).number;
        replace(args[i], fresh_.add_arg(region, old_.type(args[i]), number));
    }
    return region;
}

}  // namespace mytriton
