// Spells a line of output.
#include "cpu/print_line.h"

#include <cstdio>

#include "ir/literal.h"

namespace mytriton {

namespace {

std::string spell_value(Scalar scalar, uint64_t bits, bool hex) {
    const ScalarInfo& type = info(scalar);
    bits &= ~uint64_t{0} >> (64 - type.bits());
    if (hex && type.is_int()) {
        char text[24];
        std::snprintf(text, sizeof text, "0x%0*llx", 2 * type.bytes,
                      static_cast<unsigned long long>(bits));
        return text;
    }
    std::string text = spell(scalar, bits);
    return text.substr(0, text.find('_'));  // without the type
}

}  // namespace

std::string print_line(const Kernel& legal, const Inst& print, const int64_t* grid, int64_t program,
                       int64_t lane, const int64_t* bits) {
    std::string out = "pid (" + std::to_string(program % grid[0]) + ", " +
                      std::to_string(program / grid[0] % grid[1]) + ", " +
                      std::to_string(program / grid[0] / grid[1]) + ") idx (" +
                      (lane < 0 ? "" : std::to_string(lane)) + ")";
    if (print.op == Op::device_assert) {
        const Loc& loc = legal.locs()[print.loc];
        out += " assertion failed" + (print.text.empty() ? "" : ": " + print.text);
        return loc.known() ? out + " (" + loc.file + ":" + std::to_string(loc.line) + ")" : out;
    }
    if (!print.text.empty()) out += " " + print.text;
    for (size_t i = 0; i < print.operands.size(); ++i)
        out += (i == 0 ? " " : ", ") + spell_value(legal.type(print.operands[i]).scalar(),
                                                   static_cast<uint64_t>(bits[i]),
                                                   print.find_attr(AttrKey::hex).has_value());
    return out;
}

}  // namespace mytriton
