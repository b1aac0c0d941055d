// Operations as data: the enum and the facts that ops.def states about each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "ir/attr.h"
#include "ir/type.h"

namespace mytriton {

// Rows may be called min, max or add without meeting anything else: Op is a scoped enum.
enum class Op : uint8_t {
#define NA
#define PURE(name, ...) name,
#define REDUCE(name, ...) name,
#define SCAN(name, ...) name,
#define STRUCTURAL(name, ...) name,
#include "ir/ops.def"
#undef NA
};

enum class OpKind : uint8_t { pure, reduce, scan, structural };
enum class OpForm : uint8_t { Unary, Binary, Ternary, Select };
enum class OpResult : uint8_t { Same, Bool, Count };

// What a reduction or a scan starts from: -0.0 and 0; 1; -inf and the least int; inf and the
// largest int.
enum class Identity : uint8_t { zero, one, lowest, highest };

enum OpTraits : uint32_t {
    kNoTraits = 0,
    kPure = 1 << 0,
    kExact = 1 << 1,
    kWraps = 1 << 2,
    kCostly = 1 << 3,
    kReads = 1 << 4,
    kWrites = 1 << 5,
    kWide = 1 << 6,
    kOrdered = 1 << 7,
    kRegions = 1 << 8,
};

// The most ulp that a result is off; all 0: it is fixed to the bit.
struct Accuracy {
    double cpu, cuda, cuda_f64;
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
    std::string_view torch;
    std::string_view doc;
    std::array<std::string_view, 3> derivative;  // of pure ops: what flows to each operand
    std::string_view no_derivative;              // of pure ops: why there is none, though of floats
    Op combine;                // of reduce and scan ops: the pure row that joins two lanes
    Identity identity;         // of reduce and scan ops
    std::string_view text[3];  // of pure ops, by TypeClass: the expression; empty: not defined
    Accuracy accuracy;         // of pure ops
    bool has(uint32_t trait) const { return (traits & trait) != 0; }
    int first_value() const { return form == OpForm::Select ? 1 : 0; }  // operand of the op's type
};

const OpInfo& info(Op op);

// print and device_assert stand with a text.
inline bool takes_text(Op op) {
    return op == Op::print || op == Op::device_assert;
}
std::optional<Op> find_op(std::string_view name);
int op_count();

// Whether a pure op takes operands of this type. A reduce or scan op takes what its
// `combine` takes.
bool accepts(Op op, Scalar scalar);

// The expression of a pure op for a type that it accepts.
std::string_view expression(Op op, Scalar scalar);

// The element type of a pure op's result.
Scalar result_scalar(Op op, Scalar operand);

// The pure row that an atomic_rmw applies to the old value and its operand; nothing for xchg.
std::optional<Op> row_of(Rmw rmw);

// Replaces each word of a C++ expression by what `replaced` answers; it is told whether the word is
// called, that is, followed by "(".
std::string map_words(std::string_view expression,
                      const std::function<std::string(std::string_view, bool)>& replaced);

// Replaces the letters a, b and c of a row's expression, where they stand alone, by operand texts.
std::string substitute(std::string_view expression, const std::string& a, const std::string& b = "",
                       const std::string& c = "");

// "float", "float or int", "int of 32 or 64 bits": what a pure, reduce or scan op takes,
// for messages.
std::string accepted_types(Op op);

}  // namespace mytriton
