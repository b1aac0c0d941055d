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

// An if has no else where that would be empty, and a yield of nothing is not shown.
bool is_shown(const Inst& inst) {
    return inst.op != Op::yield || !inst.operands.empty();
}

void print_region(const Kernel& kernel, RegionId id, const std::string& indent, bool with_locs,
                  SourceText& out) {
    for (InstId each : kernel.region(id).insts) {
        const Inst& inst = kernel.inst(each);
        if (!is_shown(inst)) continue;
        std::string line = indent + print_inst(kernel, inst, with_locs);
        if (inst.regions.empty()) {
            out.add(line + "\n", inst.loc);
            continue;
        }
        out.add(line + " {\n", inst.loc);
        print_region(kernel, inst.regions[0], indent + "    ", with_locs, out);
        if (inst.regions.size() > 1 &&
            std::ranges::any_of(kernel.region(inst.regions[1]).insts,
                                [&](InstId inner) { return is_shown(kernel.inst(inner)); })) {
            out.add(indent + "} else {\n", inst.loc);
            print_region(kernel, inst.regions[1], indent + "    ", with_locs, out);
        }
        out.add(indent + "}\n", inst.loc);
    }
}

// range(0, n, 1) and iter_args(%1 = 0.0), with what a loop's region takes.
std::string print_loop(const Kernel& kernel, const Inst& inst) {
    auto print = [&](Value value) { return print_value(kernel, value); };
    const std::vector<Value>& args = kernel.region(inst.regions[0]).args;
    size_t first = inst.op == Op::for_ ? kForInits : 0, skipped = first ? 1 : 0;
    std::string out, carried;
    if (first)
        out = " " + print(args[0]) + " in range(" + print(inst.operands[0]) + ", " +
              print(inst.operands[1]) + ", " + print(inst.operands[2]) + ")";
    for (size_t i = first; i < inst.operands.size(); ++i)
        carried += (carried.empty() ? "" : ", ") + print(args[i - first + skipped]) + " = " +
                   print(inst.operands[i]);
    return out + (carried.empty() ? "" : " iter_args(" + carried + ")");
}

std::string print_options(const KernelOptions& options) {
    return (options.num_warps ? " num_warps=" + std::to_string(options.num_warps) : "") +
           (options.lane_layout ? " layout=lane" : "") + (options.fast ? " accuracy=fast" : "");
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
    bool loop = inst.op == Op::for_ || inst.op == Op::while_;
    if (loop) out += print_loop(kernel, inst);
    // A text stands before the operands: print "x is", %3.
    if (takes_text(inst.op)) out += " " + quoted(inst.text) + (inst.operands.empty() ? "" : ",");
    if (!loop && !inst.operands.empty()) out += " " + join(inst.operands, print);
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
    SourceText out;
    print_region(kernel, 0, "", false, out);
    if (!out.text.empty()) out.text.pop_back();
    return out.text;
}

SourceText print_kernel_lines(const Kernel& kernel, bool with_locs) {
    std::string params = join(
        kernel.params(), [](const Param& p) { return print_name(p.name) + ": " + p.type.str(); });
    SourceText out;
    out.add("kernel " + print_name(kernel.name()) + "(" + params + ")" +
            print_options(kernel.options()) + " {\n");
    print_region(kernel, 0, "    ", with_locs, out);
    out.add("}");
    return out;
}

std::string print_kernel(const Kernel& kernel, bool with_locs) {
    return print_kernel_lines(kernel, with_locs).text;
}

}  // namespace mytriton
