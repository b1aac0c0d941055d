// Operations as data: the enum and the facts that ops.def states about each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/type.h"

namespace mytriton {

// Rows may be called min, max or add without meeting anything else: Op is a scoped enum.
enum class Op : uint8_t {
#define NA
#define PURE(name, ...) name,
#define REDUCE(name, ...) name,
#define CONVERT(...)
#define STRUCTURAL(name, ...) name,
#include "ir/ops.def"
#undef NA
};

enum class OpKind : uint8_t { pure, reduce, structural };
enum class OpForm : uint8_t { Unary, Binary, Select };
enum class OpResult : uint8_t { Same, Bool };

enum OpTraits : uint32_t {
    kNoTraits = 0,
    kPure = 1 << 0,
    kExact = 1 << 1,
    kWraps = 1 << 2,
    kCostly = 1 << 3,
    kReads = 1 << 4,
    kWrites = 1 << 5,
};

struct OpInfo {
    Op op;
    std::string_view name;
    OpKind kind;
    OpForm form;      // of pure ops
    OpResult result;  // of pure ops
    int operands;
    int results;
    uint32_t traits;
    std::string_view python;
    std::string_view doc;
    Op combine;                // of reduce ops: the pure row that joins two lanes
    std::string_view text[3];  // by TypeClass: a pure op's expression, a reduce op's identity;
                               // empty: not defined
    bool has(uint32_t trait) const { return (traits & trait) != 0; }
};

const OpInfo& info(Op op);
std::optional<Op> find_op(std::string_view name);
int op_count();

// The expression of a pure op for operands of one type class, or the identity of a reduce op;
// empty where the op does not take it.
std::string_view expression(Op op, TypeClass type_class);

// The conversion of `cast`: host text calls a function of scalar.h, CUDA text may spell it
// otherwise.
std::string_view conversion(Scalar from, Scalar to);
std::string_view cuda_conversion(Scalar from, Scalar to);

// Replaces the letters a, b and c of a row's expression, where they stand alone, by operand texts.
std::string substitute(std::string_view expression, const std::string& a, const std::string& b = "",
                       const std::string& c = "");

// "f32", "i32 or f32": the element types that a pure op takes, for messages.
std::string accepted_types(Op op);

}  // namespace mytriton
