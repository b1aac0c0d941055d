// The printer of typed SSA.
#include "ir/print.h"

#include <algorithm>
#include <cctype>

#include "ir/literal.h"

namespace mytriton {

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? "\\n" : std::string(1, c);
    }
    return out + "\"";
}

// A name as it is where it reads back as one, else in quotes.
std::string print_name(const std::string& name) {
    bool plain = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
    for (unsigned char c : name) plain &= std::isalnum(c) || c == '_' || c >= 0x80;
    return plain && name != "none" && !parse_constant(name) ? name : quoted(name);
}

std::string print_loc(const Loc& loc) {
    auto place = [](int line, int column) {
        return std::to_string(line) + ":" + std::to_string(column);
    };
    return " loc(" + quoted(loc.file) + ":" + place(loc.line, loc.col) + ":" +
           place(loc.end_line, loc.end_col) + ")";
}

template <class Items, class Print>
std::string join(const Items& items, Print print) {
    std::string out;
    for (const auto& item : items) out += (out.empty() ? "" : ", ") + print(item);
    return out;
}

std::string print_region(const Kernel& kernel, const Region& region, const std::string& indent,
                         bool with_locs) {
    std::string out;
    for (InstId id : region.insts) {
        if (!out.empty()) out += "\n";
        out += indent + print_inst(kernel, kernel.inst(id), with_locs);
    }
    return out;
}

}  // namespace

std::string print_value(const Kernel& kernel, Value value) {
    if (value.none()) return "none";
    const ValueData& data = kernel.data(value);
    switch (data.kind) {
        case ValueKind::result:
        case ValueKind::block_arg:
            return "%" + std::to_string(data.number);
        case ValueKind::param:
            return print_name(kernel.params()[data.number].name);
        case ValueKind::constant:
            return spell(data.type.scalar(), data.bits);
    }
    return "";
}

std::string print_inst(const Kernel& kernel, const Inst& inst, bool with_loc) {
    auto print = [&](Value value) { return print_value(kernel, value); };
    std::string out;
    if (!inst.results.empty()) out = join(inst.results, print) + " = ";
    out += info(inst.op).name;
    // A text stands before the operands: print "x is", %3.
    if (takes_text(inst.op)) out += " " + quoted(inst.text) + (inst.operands.empty() ? "" : ",");
    if (!inst.operands.empty()) out += " " + join(inst.operands, print);
    if (!inst.attrs.empty())
        out += " {" +
               join(inst.attrs,
                    [](const Attr& attr) {
                        return std::string(attr_name(attr.key)) + "=" + attr_value(attr);
                    }) +
               "}";
    if (!inst.results.empty())
        out += " : " + join(inst.results, [&](Value value) { return kernel.type(value).str(); });
    if (with_loc && inst.loc != 0) out += print_loc(kernel.locs()[inst.loc]);
    return out;
}

std::string print_body(const Kernel& kernel) {
    return print_region(kernel, kernel.region(0), "", false);
}

std::string print_kernel(const Kernel& kernel, bool with_locs) {
    std::string params = join(
        kernel.params(), [](const Param& p) { return print_name(p.name) + ": " + p.type.str(); });
    std::string body = print_region(kernel, kernel.region(0), "    ", with_locs);
    return "kernel " + print_name(kernel.name()) + "(" + params + ") {\n" + body +
           (body.empty() ? "" : "\n") + "}";
}

}  // namespace mytriton
