// The tables behind op.h, made from ops.def.
#include "ir/op.h"

#include <cctype>

#include "ir/error.h"

namespace mytriton {

namespace {

constexpr int form_operands(OpForm form) {
    return form == OpForm::Unary ? 1 : form == OpForm::Binary ? 2 : 3;
}

// Stringified before NA can be expanded; "NA" itself becomes the empty text.
constexpr std::string_view column(std::string_view text) {
    return text == "NA" ? "" : text;
}

constexpr OpInfo kOps[] = {
#define NA
#define PURE(name, form, result, traits, python, doc, f, i, b) \
    {Op::name,                                                 \
     #name,                                                    \
     OpKind::pure,                                             \
     OpForm::form,                                             \
     OpResult::result,                                         \
     form_operands(OpForm::form),                              \
     1,                                                        \
     kPure | traits,                                           \
     python,                                                   \
     doc,                                                      \
     Op::name,                                                 \
     {column(#f), column(#i), column(#b)}},
#define REDUCE(name, combine, f, i, doc)                                \
    {Op::name, #name, OpKind::reduce, OpForm::Unary, OpResult::Same, 1, \
     1,        kPure, "tl",           doc,           Op::combine,    {#f, #i, ""}},
#define CONVERT(...)
#define STRUCTURAL(name, operands, results, traits, doc) \
    {Op::name,      #name,          OpKind::structural,  \
     OpForm::Unary, OpResult::Same, operands,            \
     results,       traits,         "",                  \
     doc,           Op::name,       {}},
#include "ir/ops.def"
#undef NA
};

struct Conversion {
    std::string_view from, to, host, cuda;
};

constexpr Conversion kConversions[] = {
#define NA
#define PURE(...)
#define REDUCE(...)
#define CONVERT(from, to, host, cuda) {#from, #to, #host, cuda},
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
};

const Conversion& find_conversion(Scalar from, Scalar to) {
    for (const Conversion& row : kConversions)
        if (row.from == info(from).name && row.to == info(to).name) return row;
    throw InternalError("conversion", "no row converts " + std::string(info(from).name) + " to " +
                                          std::string(info(to).name));
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

}  // namespace

const OpInfo& info(Op op) {
    return kOps[static_cast<int>(op)];
}

int op_count() {
    return static_cast<int>(std::size(kOps));
}

std::optional<Op> find_op(std::string_view name) {
    for (const OpInfo& row : kOps)
        if (row.name == name) return row.op;
    return std::nullopt;
}

std::string_view expression(Op op, TypeClass type_class) {
    return info(op).text[static_cast<int>(type_class)];
}

std::string_view conversion(Scalar from, Scalar to) {
    return find_conversion(from, to).host;
}
std::string_view cuda_conversion(Scalar from, Scalar to) {
    return find_conversion(from, to).cuda;
}

std::string substitute(std::string_view expression, const std::string& a, const std::string& b,
                       const std::string& c) {
    std::string out;
    for (size_t i = 0; i < expression.size();) {
        size_t end = i;
        while (end < expression.size() && is_word(expression[end])) ++end;
        std::string_view word = expression.substr(i, end - i);
        if (word.empty()) {
            out += expression[i++];
            continue;
        }
        out += word == "a" ? a : word == "b" ? b : word == "c" ? c : std::string(word);
        i = end;
    }
    return out;
}

std::string accepted_types(Op op) {
    std::string out;
    for (int i = scalar_count() - 1; i >= 0; --i) {
        const ScalarInfo& scalar = info(static_cast<Scalar>(i));
        if (expression(op, scalar.type_class).empty()) continue;
        out += (out.empty() ? "" : " or ") + std::string(scalar.name);
    }
    return out;
}

}  // namespace mytriton
