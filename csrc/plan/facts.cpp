// One walk forwards, where facts follow from operands', and one backwards, where they follow from
// uses.
#include "plan/facts.h"

#include <algorithm>
#include <unordered_set>

#include "ir/literal.h"
#include "ir/movement.h"

namespace mytriton {

Facts::Facts(const Kernel& kernel)
    : kernel_(kernel), facts_(kernel.value_count()), varies_(kernel.value_count()) {
    while (!walk(0)) {
    }
    std::vector<InstId> order;
    kernel.walk([&](InstId id) { order.push_back(id); });
    for (auto id = order.rbegin(); id != order.rend(); ++id) mark_data(kernel.inst(*id));
}

// Carried values are taken to keep the stride that they begin with. False where one turns out not
// to: what was derived from it is then wrong.
bool Facts::walk(RegionId region) {
    for (InstId id : kernel_.region(region).insts) {
        const Inst& inst = kernel_.inst(id);
        bool loop = inst.op == Op::for_ || inst.op == Op::while_;
        if (loop) {
            size_t first = inst.op == Op::for_ ? kForInits : 0, skipped = first ? 1 : 0;
            const std::vector<Value>& args = kernel_.region(inst.regions[0]).args;
            for (size_t i = 0; i < inst.results.size(); ++i) {
                Value arg = args[skipped + i];
                facts_[arg.index] = {};
                if (!varies_[arg.index])
                    facts_[arg.index].stride = row_stride(inst.operands[first + i]);
            }
        }
        for (RegionId inner : inst.regions)
            if (!walk(inner)) return false;
        if (loop && !settle(inst)) return false;
        if (inst.op == Op::if_) merge(inst);
        if (!inst.regions.empty()) continue;
        for (Value result : inst.results)
            facts_[result.index] = {stride_of(inst), makes_equal_rows(inst), has_index_leaves(inst),
                                    false, id};
    }
    return true;
}

bool Facts::settle(const Inst& loop) {
    const Region& region = kernel_.region(loop.regions[0]);
    const std::vector<Value>& yields = kernel_.inst(region.insts.back()).operands;
    bool kept = true;
    for (size_t i = 0; i < yields.size(); ++i) {
        Value arg = region.args[region.args.size() - yields.size() + i];
        if (!kernel_.type(arg).is_block() || !row_stride(arg)) continue;
        if (row_stride(yields[i]) != row_stride(arg)) {
            varies_[arg.index] = true;
            kept = false;
        }
        facts_[loop.results[i].index].stride = row_stride(arg);
    }
    return kept;
}

void Facts::merge(const Inst& branch) {
    const Inst& yes = kernel_.inst(kernel_.region(branch.regions[0]).insts.back());
    const Inst& no = kernel_.inst(kernel_.region(branch.regions[1]).insts.back());
    for (size_t i = 0; i < branch.results.size(); ++i)
        if (row_stride(yes.operands[i]) == row_stride(no.operands[i]))
            facts_[branch.results[i].index].stride = row_stride(yes.operands[i]);
}

std::optional<int64_t> Facts::stride(Value value) const {
    Type type = kernel_.type(value);
    bool one_row = !type.is_block() || type.lanes() == type.shape().back();
    return one_row ? row_stride(value) : std::nullopt;
}

std::optional<int64_t> Facts::row_stride(Value value) const {
    if (!kernel_.type(value).is_block()) return 0;
    return facts_[value.index].stride;
}

bool Facts::has_equal_rows(Value value) const {
    Type type = kernel_.type(value);
    return !type.is_block() || type.shape().back() == 1 || facts_[value.index].equal_rows;
}

bool Facts::is_index(Value value) const {
    const Fact& fact = facts_[value.index];
    return kernel_.is_constant(value) || (fact.index_leaves && !fact.data);
}

std::optional<InstId> Facts::definition(Value value) const {
    return value.none() ? std::nullopt : facts_[value.index].definition;
}

std::optional<int64_t> Facts::stride_of(const Inst& inst) const {
    Type type = kernel_.type(inst.result());
    bool wide = type.is(Scalar::i64);
    if (!type.is(Scalar::i32) && !wide) return std::nullopt;
    if (is_movement(inst.op)) return moved_stride(inst);
    if (inst.op == Op::arange) return 1;
    if (inst.op == Op::splat) return 0;
    if (inst.op == Op::cast) {
        Value from = inst.operands[0];
        std::optional<int64_t> narrow = row_stride(from);
        bool holds = wide && kernel_.type(from).is(Scalar::i32) && (narrow == 0 || narrow == 1);
        return holds ? narrow : std::nullopt;
    }
    std::vector<std::optional<int64_t>> strides;
    for (Value operand : inst.operands)
        if (!operand.none()) strides.push_back(row_stride(operand));
    auto known = [&](size_t i) { return strides[i].has_value(); };
    auto constant = [&](size_t i) -> std::optional<int64_t> {
        if (!kernel_.is_constant(inst.operands[i])) return std::nullopt;
        return signed_value(type.scalar(), kernel_.data(inst.operands[i]).bits);
    };
    auto wrap = [&](int64_t stride) { return wide ? stride : static_cast<int32_t>(stride); };
    if (inst.op == Op::neg && known(0)) return wrap(-*strides[0]);
    if (inst.op == Op::add && known(0) && known(1)) return wrap(*strides[0] + *strides[1]);
    if (inst.op == Op::sub && known(0) && known(1)) return wrap(*strides[0] - *strides[1]);
    if (inst.op == Op::mul && known(0) && constant(1)) return wrap(*strides[0] * *constant(1));
    if (inst.op == Op::mul && known(1) && constant(0)) return wrap(*strides[1] * *constant(0));
    return std::nullopt;
}

std::optional<int64_t> Facts::moved_stride(const Inst& inst) const {
    const std::vector<int64_t>& from = kernel_.type(inst.operands[0]).shape();
    const std::vector<int64_t>& to = kernel_.type(inst.result()).shape();
    if (to.back() == 1) return 0;
    std::optional<int64_t> stride = row_stride(inst.operands[0]);
    if (inst.op == Op::reshape && from.back() % to.back() == 0) return stride;
    if (inst.op == Op::broadcast) return from.back() == to.back() ? stride : 0;
    if (inst.op == Op::permute) {
        int64_t last = unpack_order(inst.attr(AttrKey::order)).back();
        if (last == static_cast<int64_t>(to.size()) - 1) return stride;
    }
    return std::nullopt;
}

bool Facts::makes_equal_rows(const Inst& inst) const {
    auto equal = [&](Value v) { return v.none() || has_equal_rows(v); };
    if (inst.op == Op::splat) return true;
    if (inst.op == Op::broadcast || inst.op == Op::reshape || inst.op == Op::permute) {
        const std::vector<int64_t>& from = kernel_.type(inst.operands[0]).shape();
        const std::vector<int64_t>& to = kernel_.type(inst.result()).shape();
        bool last_stays =
            inst.op != Op::permute ||
            unpack_order(inst.attr(AttrKey::order)).back() == static_cast<int64_t>(to.size()) - 1;
        bool divides = inst.op != Op::reshape || from.back() % to.back() == 0;
        return last_stays && divides && equal(inst.operands[0]);
    }
    bool lanewise = info(inst.op).kind == OpKind::pure || inst.op == Op::cast;
    return lanewise && std::ranges::all_of(inst.operands, equal);
}

std::vector<Value> Facts::may_wrap(Value index) const {
    std::vector<Value> found = {index};
    std::vector<Value> pending = {index};
    std::unordered_set<uint32_t> seen;
    while (!pending.empty()) {
        Value value = pending.back();
        pending.pop_back();
        std::optional<InstId> id = definition(value);
        if (!id || !kernel_.type(value).is_block() || !seen.insert(value.index).second) continue;
        const Inst& inst = kernel_.inst(*id);
        if (is_movement(inst.op) && row_stride(value) == 0) continue;  // equal in all lanes
        if (inst.op == Op::cast) found.push_back(inst.operands[0]);
        pending.insert(pending.end(), inst.operands.begin(), inst.operands.end());
    }
    return found;
}

bool Facts::has_index_leaves(const Inst& inst) const {
    if (inst.op == Op::program_id || inst.op == Op::arange) return true;
    if (!info(inst.op).has(kWraps) || !kernel_.type(inst.result()).is(Scalar::i32)) return false;
    return std::ranges::all_of(inst.operands, [&](Value operand) {
        return kernel_.is_constant(operand) || facts_[operand.index].index_leaves;
    });
}

void Facts::mark_data(const Inst& inst) {
    const OpInfo& row = info(inst.op);
    bool compares = row.kind == OpKind::pure && row.result == OpResult::Bool;
    bool moves_pointer = inst.op == Op::addptr;
    bool goes_on = row.has(kWraps) && is_index(inst.result());
    if (compares || moves_pointer || goes_on) return;
    for (Value operand : inst.operands)
        if (!operand.none()) facts_[operand.index].data = true;
}

Value Facts::unreshaped(Value block) const {
    while (std::optional<InstId> id = definition(block)) {
        if (kernel_.inst(*id).op != Op::reshape) break;
        block = kernel_.inst(*id).operands[0];
    }
    return block;
}

Value Facts::root(Value pointer) const {
    while (std::optional<InstId> id = definition(pointer)) {
        const Inst& inst = kernel_.inst(*id);
        if (!kernel_.type(pointer).is_pointer()) return {};
        pointer = inst.operands[0];
    }
    return kernel_.type(pointer).is_pointer() ? pointer : Value();
}

Address Facts::address(Value pointer) const {
    Address address;
    while (std::optional<InstId> id = definition(pointer)) {
        const Inst& inst = kernel_.inst(*id);
        if (inst.op == Op::ptr_cast) break;
        if (inst.op != Op::addptr)
            throw InternalError("Facts::address",
                                "a pointer comes from " + std::string(info(inst.op).name));
        address.offsets.push_back(inst.operands[1]);
        pointer = inst.operands[0];
    }
    address.base = pointer;
    address.root = root(pointer);
    std::ranges::reverse(address.offsets);
    for (Value offset : address.offsets)
        if (kernel_.type(offset).is_block()) address.lane_offsets.push_back(offset);
    return address;
}

bool Facts::is_contiguous(const Address& address) const {
    if (kernel_.type(address.base).is_block()) return false;
    return address.lane_offsets.size() == 1 && stride(address.lane_offsets[0]) == 1;
}

bool Facts::has_contiguous_rows(const Address& address) const {
    if (kernel_.type(address.base).is_block() || address.lane_offsets.empty()) return false;
    int64_t sum = 0;
    for (Value offset : address.lane_offsets) {
        std::optional<int64_t> step = row_stride(offset);
        if (!step) return false;
        sum += *step;
    }
    return sum == 1;
}

Value Facts::row_index(const Address& address) const {
    Value found;
    if (kernel_.type(address.base).is_block()) return {};
    for (Value offset : address.lane_offsets) {
        std::optional<int64_t> step = row_stride(offset);
        bool rises = step == 1 && found.none();
        if (!rises && step != 0) return {};
        if (rises) found = offset;
    }
    return found;
}

bool Facts::is_injective(const Address& address) const {
    if (address.lane_offsets.size() != 1 || kernel_.type(address.base).is_block()) return false;
    std::optional<int64_t> step = stride(address.lane_offsets[0]);
    // A large stride may wrap around to the same element; ranges are at most 2**20 lanes wide.
    return step && *step != 0 && *step > -4096 && *step < 4096;
}

std::vector<PrefixTest> Facts::prefix_tests(Value mask) const {
    std::vector<PrefixTest> tests;
    std::vector<Value> pending = {mask};
    std::unordered_set<uint32_t> seen;
    while (!pending.empty()) {
        Value value = pending.back();
        pending.pop_back();
        if (!seen.insert(value.index).second) continue;
        std::optional<InstId> id = definition(value);
        if (!id) return {};
        const Inst& inst = kernel_.inst(*id);
        if (inst.op == Op::bit_and) {
            pending.insert(pending.end(), {inst.operands[1], inst.operands[0]});
            continue;
        }
        std::optional<PrefixTest> test = prefix_test(inst);
        if (!test || stride(test->index) != 1) return {};
        tests.push_back(*test);
    }
    return tests;
}

std::optional<PrefixTest> Facts::prefix_test(const Inst& compare) const {
    bool less = compare.op == Op::cmp_lt || compare.op == Op::cmp_gt;
    bool less_or_equal = compare.op == Op::cmp_le || compare.op == Op::cmp_ge;
    if (!less && !less_or_equal) return std::nullopt;
    Value a = compare.operands[0], b = compare.operands[1];
    if (compare.op == Op::cmp_gt || compare.op == Op::cmp_ge) std::swap(a, b);
    bool index = kernel_.type(a).is(Scalar::i32) || kernel_.type(a).is(Scalar::i64);
    if (!index || !kernel_.type(a).is_block() || kernel_.type(b).is_block()) return std::nullopt;
    return PrefixTest{a, b, less_or_equal};
}

std::optional<RowTests> Facts::row_tests(Value mask, int64_t row) const {
    RowTests found;
    int64_t width = kernel_.type(mask).lanes();
    std::vector<Value> pending = {mask};
    std::unordered_set<uint32_t> seen;
    while (!pending.empty()) {
        Value value = pending.back();
        pending.pop_back();
        if (!seen.insert(value.index).second) continue;
        std::optional<InstId> id = definition(value);
        Type type = kernel_.type(value);
        if (!id || !type.is_block()) return std::nullopt;
        if (type.lanes() != row && type.shape().back() % row != 0) return std::nullopt;
        const Inst& inst = kernel_.inst(*id);
        if (type.lanes() == width && has_equal_rows(value)) {
            found.rows.push_back(value);
        } else if (inst.op == Op::bit_and) {
            pending.insert(pending.end(), {inst.operands[1], inst.operands[0]});
        } else if (inst.op == Op::reshape) {
            pending.push_back(inst.operands[0]);
        } else if (inst.op == Op::broadcast && kernel_.type(inst.operands[0]).lanes() == row) {
            pending.push_back(inst.operands[0]);  // each row is the operand
        } else {
            std::optional<PrefixTest> test = prefix_test(inst);
            if (!test || row_stride(test->index) != 1) return std::nullopt;
            found.tests.push_back(*test);
        }
    }
    return found;
}

}  // namespace mytriton
