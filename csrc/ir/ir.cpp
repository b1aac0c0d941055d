// The kernel arena: how values, constants, locations and instructions come into being.
#include "ir/ir.h"

#include <algorithm>

namespace mytriton {

std::optional<int64_t> Inst::find_attr(AttrKey key) const {
    for (const Attr& attr : attrs)
        if (attr.key == key) return attr.value;
    return std::nullopt;
}

int64_t Inst::attr(AttrKey key) const {
    if (std::optional<int64_t> value = find_attr(key)) return *value;
    throw InternalError("Inst::attr", std::string(info(op).name) + " lacks an attribute");
}

Value Kernel::add_value(ValueData data) {
    values_.push_back(data);
    return Value{static_cast<uint32_t>(values_.size() - 1)};
}

Value Kernel::add_param(const std::string& name, Type type) {
    uint32_t position = static_cast<uint32_t>(params_.size());
    params_.push_back({name, type});
    param_values_.push_back(add_value({ValueKind::param, type, position, 0}));
    return param_values_.back();
}

Value Kernel::constant(Type type, uint64_t bits) {
    auto [first, last] = constants_.equal_range(bits);
    for (auto known = first; known != last; ++known)
        if (data(known->second).type == type) return known->second;
    Value value = add_value({ValueKind::constant, type, 0, bits});
    constants_.emplace(bits, value);
    return value;
}

LocId Kernel::add_loc(const Loc& loc) {
    if (!loc.known()) return 0;
    locs_.push_back(loc);
    return static_cast<LocId>(locs_.size() - 1);
}

RegionId Kernel::add_region() {
    regions_.emplace_back();
    return static_cast<RegionId>(regions_.size() - 1);
}

Value Kernel::add_arg(RegionId region, Type type, uint32_t number) {
    next_number_ = std::max(next_number_, number + 1);
    regions_[region].args.push_back(add_value({ValueKind::block_arg, type, number, 0}));
    return regions_[region].args.back();
}

Value Kernel::add_result(Type type, uint32_t number) {
    next_number_ = std::max(next_number_, number + 1);
    return add_value({ValueKind::result, type, number, 0});
}

InstId Kernel::append(RegionId region, Inst inst) {
    insts_.push_back(std::move(inst));
    InstId id = static_cast<InstId>(insts_.size() - 1);
    regions_[region].insts.push_back(id);
    return id;
}

InstId Kernel::append(RegionId region, Inst inst, const std::vector<Type>& result_types,
                      const std::vector<uint32_t>& numbers) {
    for (size_t i = 0; i < result_types.size(); ++i)
        inst.results.push_back(
            add_result(result_types[i], numbers.empty() ? next_number_ : numbers[i]));
    return append(region, std::move(inst));
}

std::vector<Value> Kernel::add_results(InstId id, const std::vector<Type>& types) {
    for (Type type : types) insts_[id].results.push_back(add_result(type, next_number_));
    return insts_[id].results;
}

}  // namespace mytriton
