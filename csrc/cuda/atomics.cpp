// Atomics on types that CUDA has none for go through those of ints of their width.
#include "cuda/atomics.h"

#include "cuda/replace.h"

namespace mytriton {

namespace {

// $B: the unsigned type of the same width, which atomicCAS takes.
constexpr std::string_view kCas = R"(static __device__ $T $name($T* at, $T compare, $T value) {
$before    const $B old = atomicCAS$_system(($B*)at, $bits(compare), $bits(value));
$after    return $value(old);
}
)";
constexpr std::string_view kDirect = R"(static __device__ $T $name($T* at, $T value) {
$before    const $T old = $call;
$after    return old;
}
)";
constexpr std::string_view kLoop = R"(static __device__ $T $name($T* at, $T value) {
$before    $B found = atomicCAS$_system(($B*)at, 0, 0);
    $B expected;
    do {
        expected = found;
        const $T old = $value(expected);
        found = atomicCAS$_system(($B*)at, expected, $bits($next));
    } while (found != expected);
$after    return $value(found);
}
)";

// The unsigned int of the type's width, in which its bits are compared.
Scalar bits_type(Scalar scalar) {
    switch (info(scalar).bytes) {
        case 2:
            return Scalar::u16;
        case 4:
            return Scalar::u32;
        default:
            return Scalar::u64;
    }
}

std::string fence(MemScope scope) {
    switch (scope) {
        case MemScope::cta:
            return "    __threadfence_block();\n";
        case MemScope::gpu:
            return "    __threadfence();\n";
        case MemScope::sys:
            return "    __threadfence_system();\n";
    }
    return "";
}

// Writes out each "$mark(x)" in the text as the bits of x in another type.
std::string write_out_bits(std::string text, std::string_view mark, Scalar from, Scalar to) {
    DeviceFunctions none;  // a bitcast needs none
    size_t at;
    while ((at = text.find(mark)) != std::string::npos) {
        size_t open = at + mark.size(), close = open;
        for (int depth = 0;; ++close) {
            depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
            if (depth == 0) break;
        }
        std::string inner = text.substr(open + 1, close - open - 1);
        text.replace(
            at, close + 1 - at,
            from == to ? "(" + inner + ")" : device_conversion(Op::bitcast, from, to, inner, none));
    }
    return text;
}

// What CUDA has for the type: "atomicAdd", or nothing.
std::string direct_call(Rmw rmw, Scalar scalar) {
    const ScalarInfo& type = info(scalar);
    switch (rmw) {
        case Rmw::add:
            return type.is_half() ? "" : "atomicAdd";
        case Rmw::max:
            return type.is_float() ? "" : "atomicMax";
        case Rmw::min:
            return type.is_float() ? "" : "atomicMin";
        case Rmw::bit_and:
            return "atomicAnd";
        case Rmw::bit_or:
            return "atomicOr";
        case Rmw::bit_xor:
            return "atomicXor";
        case Rmw::xchg:
            return scalar == Scalar::f64 ? "" : "atomicExch";
    }
    return "";
}

// atomicAdd and its bitwise kin exist for 64 bits unsigned only, and the sum of two's complement
// does not depend on the sign.
bool goes_unsigned(Rmw rmw, Scalar scalar) {
    return scalar == Scalar::i64 && rmw != Rmw::max && rmw != Rmw::min;
}

std::string next_value(Rmw rmw, Scalar scalar, DeviceFunctions& functions) {
    std::optional<Op> row = row_of(rmw);
    if (!row) return "value";
    if (!info(scalar).is_half())
        return device_expression(*row, scalar, true, {"old", "value", ""}, functions);
    auto wide = [&](const std::string& text) {
        return device_conversion(Op::cast, scalar, Scalar::f32, text, functions);
    };
    std::string sum =
        device_expression(*row, Scalar::f32, true, {wide("old"), wide("value"), ""}, functions);
    return device_conversion(Op::cast, Scalar::f32, scalar, sum, functions);
}

const char* const kLoadNames[] = {"__ldca", "__ldcg", "__ldcs", "__ldcv", "", ""};
const char* const kStoreNames[] = {"", "__stcg", "__stcs", "", "__stwb", "__stwt"};

// Eviction hints have no function in CUDA. `asm` names what it loads r, and its operand a.
std::string evicting_load(Eviction eviction, Scalar scalar, DeviceFunctions& functions) {
    const ScalarInfo& type = info(scalar);
    std::string hint = eviction == Eviction::evict_first ? "evict_first" : "evict_last";
    std::string name = "load_" + hint + "_" + std::string(type.name);
    std::string text = R"(static __device__ $T $name(const $T* a) {
    $R r;
    asm("ld.global.L1::$hint.b$bits %0, [%1];" : "=$c"(r) : "l"(a));
    return ($T)$back;
}
)";
    // PTX has no registers of 8 bits.
    std::string reg = type.bytes == 8   ? "unsigned long long"
                      : type.bytes == 4 ? "unsigned"
                                        : "unsigned short";
    Scalar bits = type.bytes == 8 ? Scalar::u64 : Scalar::u32;
    std::string back = type.is_float() && type.bytes >= 4
                           ? device_conversion(Op::bitcast, bits, scalar, "r", functions)
                           : "r";
    text = replace_all(text, "$name", name);
    text = replace_all(text, "$hint", hint);
    text = replace_all(text, "$bits", std::to_string(8 * type.bytes));
    text = replace_all(text, "$back", back);
    text = replace_all(text, "$c", type.bytes == 8 ? "l" : type.bytes == 4 ? "r" : "h");
    text = replace_all(text, "$R", reg);
    functions.insert(replace_all(text, "$T", type.cxx_memory));
    return name;
}

}  // namespace

std::string device_atomic(const Inst& inst, Scalar scalar, DeviceFunctions& functions) {
    const ScalarInfo& type = info(scalar);
    bool cas = inst.op == Op::atomic_cas;
    Rmw rmw = cas ? Rmw::xchg : static_cast<Rmw>(inst.attr(AttrKey::rmw));
    // Where SSA text leaves them out they are Triton's defaults.
    Attr sem_attr{AttrKey::sem, static_cast<int64_t>(MemSem::acq_rel)};
    Attr scope_attr{AttrKey::scope, static_cast<int64_t>(MemScope::gpu)};
    for (Attr* each : {&sem_attr, &scope_attr})
        each->value = inst.find_attr(each->key).value_or(each->value);
    MemSem sem = static_cast<MemSem>(sem_attr.value);
    MemScope scope = static_cast<MemScope>(scope_attr.value);
    std::string kind = cas ? "cas" : attr_value({AttrKey::rmw, static_cast<int64_t>(rmw)});
    std::string order = attr_value(sem_attr) + "_" + attr_value(scope_attr);
    std::string name = "mt_atomic_" + kind + "_" + std::string(type.name) + "_" + order;
    std::string direct = cas ? "" : direct_call(rmw, scalar);
    std::string text(cas ? kCas : direct.empty() ? kLoop : kDirect);
    std::string system = scope == MemScope::sys ? "_system" : "";
    if (!direct.empty()) {
        std::string call = direct + system + "(at, value)";
        if (goes_unsigned(rmw, scalar))
            call = "(long long)" + direct + system +
                   "((unsigned long long*)at, (unsigned long long)value)";
        text = replace_all(text, "$call", call);
    } else if (!cas) {
        text = replace_all(text, "$next", next_value(rmw, scalar, functions));
    }
    Scalar bits = bits_type(scalar);
    text = write_out_bits(text, "$bits", scalar, bits);
    text = write_out_bits(text, "$value", bits, scalar);
    bool before = sem == MemSem::release || sem == MemSem::acq_rel;
    bool after = sem == MemSem::acquire || sem == MemSem::acq_rel;
    text = replace_all(text, "$before", before ? fence(scope) : "");
    text = replace_all(text, "$after", after ? fence(scope) : "");
    text = replace_all(text, "$_system", system);
    text = replace_all(text, "$name", name);
    text = replace_all(text, "$B", info(bits).cxx);
    functions.insert(replace_all(text, "$T", type.cxx));
    return name;
}

std::string device_load(const Inst& inst, Scalar scalar, const std::string& element,
                        DeviceFunctions& functions) {
    std::string_view memory = info(scalar).cxx_memory;
    if (inst.find_attr(AttrKey::is_volatile))
        return "*(volatile " + std::string(memory) + "*)" + "&" + element;
    if (std::optional<int64_t> cache = inst.find_attr(AttrKey::cache))
        return std::string(kLoadNames[*cache]) + "(" + "&" + element + ")";
    if (std::optional<int64_t> evict = inst.find_attr(AttrKey::evict))
        return evicting_load(static_cast<Eviction>(*evict), scalar, functions) + "(" + "&" +
               element + ")";
    return element;
}

std::string device_store(const Inst& inst, const std::string& element, const std::string& value) {
    if (std::optional<int64_t> cache = inst.find_attr(AttrKey::cache))
        return std::string(kStoreNames[*cache]) + "(&" + element + ", " + value + ");\n";
    return element + " = " + value + ";\n";
}

}  // namespace mytriton
