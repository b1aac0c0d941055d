// The tables behind op.h, made from ops.def.
#include "ir/op.h"

#include <cctype>

namespace mytriton {

namespace {

constexpr int form_operands(OpForm form) {
    return form == OpForm::Unary ? 1 : form == OpForm::Binary ? 2 : 3;
}

// Stringified before NA can be expanded; "NA" itself becomes the empty text.
constexpr std::string_view column(std::string_view text) {
    return text == "NA" ? "" : text;
}

constexpr OpInfo pure(Op op, std::string_view name, OpForm form, OpResult result, uint32_t traits,
                      std::string_view python, std::string_view torch, std::string_view doc,
                      std::string_view f, std::string_view i, std::string_view b,
                      Accuracy accuracy = {}) {
    OpInfo row{};
    row.op = row.combine = op;
    row.name = name;
    row.kind = OpKind::pure;
    row.form = form;
    row.result = result;
    row.operands = form_operands(form);
    row.results = 1;
    row.traits = kPure | traits;
    row.python = python;
    row.torch = torch;
    row.doc = doc;
    row.text[0] = column(f);
    row.text[1] = column(i);
    row.text[2] = column(b);
    row.accuracy = accuracy;
    return row;
}

constexpr OpInfo combining(OpKind kind, Op op, std::string_view name, Op combine, Identity identity,
                           std::string_view doc) {
    OpInfo row{};
    row.op = op;
    row.name = name;
    row.kind = kind;
    row.operands = row.results = 1;
    row.traits = kPure;
    row.python = "tl";
    row.doc = doc;
    row.combine = combine;
    row.identity = identity;
    return row;
}

constexpr OpInfo structural(Op op, std::string_view name, int operands, int results,
                            uint32_t traits, std::string_view doc) {
    OpInfo row{};
    row.op = row.combine = op;
    row.name = name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
    row.kind = OpKind::structural;
    row.operands = operands;
    row.results = results;
    row.traits = traits;
    row.doc = doc;
    return row;
}

constexpr auto make_ops() {
    auto rows = std::to_array<OpInfo>({
#define NA
#define PURE(name, form, result, traits, python, torch, doc, f, i, b) \
    pure(Op::name, #name, OpForm::form, OpResult::result, traits, python, torch, doc, #f, #i, #b),
#define MATH(name, form, python, torch, doc, f, cpu, cuda, cuda_f64)                             \
    pure(Op::name, #name, OpForm::form, OpResult::Same, kCostly, python, torch, doc, #f, "", "", \
         {cpu, cuda, cuda_f64}),
#define REDUCE(name, combine, identity, doc) \
    combining(OpKind::reduce, Op::name, #name, Op::combine, Identity::identity, doc),
#define SCAN(name, combine, identity, doc) \
    combining(OpKind::scan, Op::name, #name, Op::combine, Identity::identity, doc),
#define STRUCTURAL(name, operands, results, traits, doc) \
    structural(Op::name, #name, operands, results, traits, doc),
#include "ir/ops.def"
    });
#define PURE(...)
#define REDUCE(...)
#define SCAN(...)
#define STRUCTURAL(...)
#define DERIVATIVE(name, ...) rows[static_cast<size_t>(Op::name)].derivative = {__VA_ARGS__};
#define NO_DERIVATIVE(name, why) rows[static_cast<size_t>(Op::name)].no_derivative = why;
#include "ir/ops.def"
#undef NA
    return rows;
}

constexpr auto kOps = make_ops();

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

}  // namespace

const OpInfo& info(Op op) {
    return kOps[static_cast<size_t>(op)];
}

int op_count() {
    return static_cast<int>(std::size(kOps));
}

std::optional<Op> find_op(std::string_view name) {
    for (const OpInfo& row : kOps)
        if (row.name == name) return row.op;
    return std::nullopt;
}

bool accepts(Op op, Scalar scalar) {
    const OpInfo& row = info(info(op).combine);
    const ScalarInfo& type = info(scalar);
    if (row.text[static_cast<int>(type.type_class)].empty()) return false;
    return !row.has(kWide) || type.bytes >= 4;
}

std::string_view expression(Op op, Scalar scalar) {
    return info(op).text[static_cast<int>(info(scalar).type_class)];
}

Scalar result_scalar(Op op, Scalar operand) {
    switch (info(op).result) {
        case OpResult::Same:
            return operand;
        case OpResult::Bool:
            return Scalar::boolean;
        case OpResult::Count:
            return Scalar::i32;
    }
    return operand;
}

std::optional<Op> row_of(Rmw rmw) {
    switch (rmw) {
        case Rmw::add:
            return Op::add;
        case Rmw::max:
            return Op::maximum;
        case Rmw::min:
            return Op::minimum;
        case Rmw::bit_and:
            return Op::bit_and;
        case Rmw::bit_or:
            return Op::bit_or;
        case Rmw::bit_xor:
            return Op::bit_xor;
        case Rmw::xchg:
            return std::nullopt;
    }
    return std::nullopt;
}

std::string map_words(std::string_view expression,
                      const std::function<std::string(std::string_view, bool)>& replaced) {
    std::string out;
    for (size_t i = 0; i < expression.size();) {
        size_t end = i;
        while (end < expression.size() && is_word(expression[end])) ++end;
        if (end == i) {
            out += expression[i++];
            continue;
        }
        bool called = end < expression.size() && expression[end] == '(';
        out += replaced(expression.substr(i, end - i), called);
        i = end;
    }
    return out;
}

std::string substitute(std::string_view expression, const std::string& a, const std::string& b,
                       const std::string& c) {
    return map_words(expression, [&](std::string_view word, bool) {
        return word == "a" ? a : word == "b" ? b : word == "c" ? c : std::string(word);
    });
}

std::string accepted_types(Op op) {
    const OpInfo& row = info(info(op).combine);
    const char* const names[] = {"float", row.has(kWide) ? "int of 32 or 64 bits" : "int", "bool"};
    std::string out;
    for (int i = 0; i < 3; ++i)
        if (!row.text[i].empty()) out += (out.empty() ? "" : " or ") + std::string(names[i]);
    return out;
}

}  // namespace mytriton
