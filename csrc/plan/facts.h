// What is known of each value before planning: how lanes relate, and where pointers point.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ir.h"

namespace mytriton {

// A pointer is a base moved by a list of int offsets, in the order they were added. `lane_offsets`
// are those that are blocks; the others are the same for all lanes.
struct Address {
    Value base;  // a parameter, or what a ptr_cast made: then perhaps a block of pointers
    Value root;  // the parameter that the base was made of; none: an address from elsewhere
    std::vector<Value> offsets;
    std::vector<Value> lane_offsets;
};

// A mask that holds for the leading lanes only: index < bound (or <=, where `inclusive`), with an
// index that rises by one from lane to lane and a bound that is the same for all.
struct PrefixTest {
    Value index;
    Value bound;
    bool inclusive;
    friend bool operator==(const PrefixTest&, const PrefixTest&) = default;
};

// The same for each row of a mask: it holds for the leading lanes of a row if all of `rows` hold
// there, which are masks that are equal throughout each row, else for none.
struct RowTests {
    std::vector<PrefixTest> tests;  // an index of one row, or of as many lanes as the mask
    std::vector<Value> rows;
};

class Facts {
  public:
    explicit Facts(const Kernel& kernel);

    // Lane k holds (lane 0's value) + k * stride, as wrapping i32 or i64. 0 for what is not a
    // block. An i64 made of an i32 has its stride of 0 or 1 too, unless that i32 wraps; see
    // may_wrap().
    std::optional<int64_t> stride(Value value) const;
    // The same along the last axis: of each of its rows by itself.
    std::optional<int64_t> row_stride(Value value) const;
    // All lanes of each row, along the last axis, are equal.
    bool has_equal_rows(Value value) const;

    // The blocks that, of all that `index` is computed from, must not wrap for its stride to hold:
    // those of i32 that are cast to i64, and `index` itself.
    std::vector<Value> may_wrap(Value index) const;

    // Every leaf of the expression is program_id, arange or a constant, and it serves only as an
    // index: in addresses, comparisons and other such expressions. Where it wraps around, the
    // kernel is wrong whatever the value.
    bool is_index(Value value) const;

    // The instruction that defines a result; nothing for parameters and constants, and for what
    // regions take and give.
    std::optional<InstId> definition(Value value) const;

    // The block of the same lanes in the shape in which it was computed: ops that take lanes from
    // memory find them there whatever their shape is called meanwhile.
    Value unreshaped(Value block) const;

    Address address(Value pointer) const;
    Value root(Value pointer) const;                   // see Address
    bool is_contiguous(const Address& address) const;  // lane k stands k elements after lane 0
    // The same of each row of the address, where no index wraps.
    bool has_contiguous_rows(const Address& address) const;
    // The lane offset of such an address that rises by one, if all others are equal in a row.
    Value row_index(const Address& address) const;

    // Distinct lanes have distinct addresses.
    bool is_injective(const Address& address) const;

    // The tests whose conjunction the mask is; empty where it is not of that form.
    std::vector<PrefixTest> prefix_tests(Value mask) const;
    // The same for rows of `row` lanes, which divide those of the mask's type.
    std::optional<RowTests> row_tests(Value mask, int64_t row) const;

  private:
    struct Fact {
        std::optional<int64_t> stride = {};  // of a row
        bool equal_rows = false;
        bool index_leaves = false;
        bool data = false;  // used for more than indexing
        std::optional<InstId> definition = {};
    };
    bool walk(RegionId region);
    bool settle(const Inst& loop);
    void merge(const Inst& branch);
    std::optional<int64_t> stride_of(const Inst& inst) const;
    std::optional<int64_t> moved_stride(const Inst& inst) const;
    bool makes_equal_rows(const Inst& inst) const;
    std::optional<PrefixTest> prefix_test(const Inst& compare) const;
    bool has_index_leaves(const Inst& inst) const;
    void mark_data(const Inst& inst);

    const Kernel& kernel_;
    std::vector<Fact> facts_;
    std::vector<bool> varies_;  // by value: a carried one whose stride is not that of its first
};

}  // namespace mytriton
