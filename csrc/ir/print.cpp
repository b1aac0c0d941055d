// The printer of typed SSA.
#include "ir/print.h"

#include "ir/literal.h"

namespace mytriton {

namespace {

std::string_view attr_name(AttrKey key) {
    switch (key) {
        case AttrKey::axis:
            return "axis";
        case AttrKey::start:
            return "start";
        case AttrKey::end:
            return "end";
    }
    return "";
}

template <class Items, class Print>
std::string join(const Items& items, Print print) {
    std::string out;
    for (const auto& item : items) out += (out.empty() ? "" : ", ") + print(item);
    return out;
}

std::string print_region(const Kernel& kernel, const Region& region, const std::string& indent) {
    std::string out;
    for (InstId id : region.insts) {
        if (!out.empty()) out += "\n";
        out += indent + print_inst(kernel, kernel.inst(id));
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
            return kernel.params()[data.number].name;
        case ValueKind::constant:
            return spell(data.type.scalar(), data.bits);
    }
    return "";
}

std::string print_inst(const Kernel& kernel, const Inst& inst) {
    auto print = [&](Value value) { return print_value(kernel, value); };
    std::string out;
    if (!inst.results.empty()) out = join(inst.results, print) + " = ";
    out += info(inst.op).name;
    if (!inst.operands.empty()) out += " " + join(inst.operands, print);
    if (!inst.attrs.empty())
        out += " {" +
               join(inst.attrs,
                    [](const Attr& attr) {
                        return std::string(attr_name(attr.key)) + "=" + std::to_string(attr.value);
                    }) +
               "}";
    if (!inst.results.empty())
        out += " : " + join(inst.results, [&](Value value) { return kernel.type(value).str(); });
    return out;
}

std::string print_body(const Kernel& kernel) {
    return print_region(kernel, kernel.region(0), "");
}

std::string print_kernel(const Kernel& kernel) {
    std::string params =
        join(kernel.params(), [](const Param& p) { return p.name + ": " + p.type.str(); });
    std::string body = print_region(kernel, kernel.region(0), "    ");
    return "kernel " + kernel.name() + "(" + params + ") {\n" + body + (body.empty() ? "" : "\n") +
           "}";
}

}  // namespace mytriton
