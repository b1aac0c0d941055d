// Typed SSA: kernels as data. Values, instructions and regions live in one arena per kernel and
// are named by integer ids, so a kernel is copied, kept and shown like any other value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/attr.h"
#include "ir/error.h"
#include "ir/op.h"
#include "ir/type.h"

namespace mytriton {

// An operand or a result. The default Value is the omitted operand, printed `none`.
struct Value {
    uint32_t index = UINT32_MAX;
    bool none() const { return index == UINT32_MAX; }
    friend bool operator==(Value a, Value b) = default;
};

enum class ValueKind : uint8_t {
    result,     // %number, defined by an instruction
    block_arg,  // %number, defined by a region: an index, or a carried value
    param,      // a kernel parameter, printed by name; number is its position
    constant,   // bits of its type, printed in place
};

struct ValueData {
    ValueKind kind;
    Type type;
    uint32_t number = 0;
    uint64_t bits = 0;  // of constants; see literal.h
};

using InstId = uint32_t;
using RegionId = uint32_t;
using LocId = uint32_t;  // 0: unknown

struct Inst {
    Op op;
    std::vector<Value> operands = {};
    std::vector<Value> results = {};
    std::vector<Attr> attrs = {};
    std::vector<RegionId> regions = {};
    std::string text = {};  // of ops that take one
    LocId loc = 0;

    Value result() const { return results.front(); }
    int64_t attr(AttrKey key) const;  // InternalError where it is absent
    std::optional<int64_t> find_attr(AttrKey key) const;
};

// A list of instructions that an op runs, of which the last is a yield - but for the body. What is
// defined in it is known only there.
//   for    operands start, stop, step, inits; one region, of the index and the carried values
//   if     operand condition; two regions without arguments
//   while  operands inits; one region of the carried values, with a condition somewhere in it
struct Region {
    std::vector<Value> args;
    std::vector<InstId> insts;
};

constexpr size_t kForInits = 3;       // where the initial values of a for begin
constexpr int kMaxRegionDepth = 200;  // more would overflow the stack of what walks them

struct Param {
    std::string name;
    Type type;
};

// What a launch asks of CUDA text. They stand in the kernel's header: num_warps=8 layout=lane.
struct KernelOptions {
    int num_warps = 0;         // a power of two; 0: not asked for
    bool lane_layout = false;  // one lane a thread, whatever the blocks
    bool fast = false;         // approximations of float32 functions; accuracy=fast
};

constexpr int kMaxWarps = 32;

// A kernel owns its arena. Region 0 is the body. Builders append; passes build a new kernel.
class Kernel {
  public:
    explicit Kernel(std::string name, KernelOptions options = {})
        : name_(std::move(name)), options_(options), regions_(1), locs_(1) {}

    const std::string& name() const { return name_; }
    const KernelOptions& options() const { return options_; }
    void set_options(KernelOptions options) { options_ = options; }
    const std::vector<Param>& params() const { return params_; }
    const std::vector<Loc>& locs() const { return locs_; }
    const std::vector<InstId>& body() const { return regions_[0].insts; }
    const Region& region(RegionId id) const { return regions_[id]; }
    const Inst& inst(InstId id) const { return insts_[id]; }
    const ValueData& data(Value value) const { return values_[value.index]; }
    Type type(Value value) const { return value.none() ? Type() : data(value).type; }
    Value param(size_t position) const { return param_values_[position]; }
    size_t value_count() const { return values_.size(); }
    uint32_t next_number() const { return next_number_; }
    bool is(Value value, ValueKind kind) const { return !value.none() && data(value).kind == kind; }
    bool is_constant(Value value) const { return is(value, ValueKind::constant); }

    Value add_param(const std::string& name, Type type);
    Value constant(Type type, uint64_t bits);  // the same constant is the same Value
    LocId add_loc(const Loc& loc);
    void skip_numbers(uint32_t below) { next_number_ = std::max(next_number_, below); }
    RegionId add_region();
    Value add_arg(RegionId region, Type type, uint32_t number);
    // A value that an instruction is going to define: its own results, or a forward reference.
    Value add_result(Type type, uint32_t number);
    // Appends an instruction to the region, before anything is appended to its own regions: ids of
    // instructions rise in program order. The second form makes results of these types, numbered
    // `numbers` or, where that is empty, from next_number() on.
    InstId append(RegionId region, Inst inst);
    InstId append(RegionId region, Inst inst, const std::vector<Type>& result_types,
                  const std::vector<uint32_t>& numbers = {});
    // Gives results to an instruction that was appended without: of an op with regions, whose
    // results are numbered after all that is in these.
    std::vector<Value> add_results(InstId inst, const std::vector<Type>& types);

    // Calls f(inst) on every instruction of the region and of those within, in program order.
    template <class F>
    void walk(RegionId id, const F& f) const {
        for (InstId each : regions_[id].insts) {
            f(each);
            for (RegionId inner : insts_[each].regions) walk(inner, f);
        }
    }
    template <class F>
    void walk(const F& f) const {
        walk(0, f);
    }

  private:
    Value add_value(ValueData data);

    std::string name_;
    KernelOptions options_;
    std::vector<Param> params_;
    std::vector<Value> param_values_;
    std::unordered_multimap<uint64_t, Value> constants_;  // by their bits
    std::vector<ValueData> values_;
    std::vector<Inst> insts_;
    std::vector<Region> regions_;
    std::vector<Loc> locs_;
    uint32_t next_number_ = 0;
};

}  // namespace mytriton
