// Declarations, memory, and one case for each op.
#include "cuda/emit_inst.h"

#include "cuda/atomics.h"
#include "cuda/replace.h"
#include "ir/literal.h"
#include "ir/names.h"

namespace mytriton {

namespace {

// As the contents of a C++ string literal.
std::string cxx_escaped(const std::string& text) {
    std::string out;
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? "\\n" : std::string(1, c);
    }
    return out;
}

std::string axis(const Inst& inst) {
    return std::string(1, "xyz"[inst.attr(AttrKey::axis)]);
}

}  // namespace

CudaInstEmitter::CudaInstEmitter(const Kernel& kernel) : kernel_(kernel), facts_(kernel) {
    helpers_.fast = kernel.options().fast;
    std::vector<std::string> names;
    for (const Param& param : kernel.params()) names.push_back(param.name);
    names_ = cxx_names(names);
    names_.insert(names_.begin(), cuda_function_name(kernel.name()));
    for (const Param& param : kernel.params()) define_type(param.type.scalar(), helpers_);
}

void CudaInstEmitter::add(const std::string& lines, LocId loc) {
    std::string indented;
    for (size_t from = 0, to; from < lines.size(); from = to) {
        to = lines.find('\n', from) + 1;
        indented += std::string(4 * depth_, ' ') + lines.substr(from, to - from);
    }
    body_.add(indented, loc);
}

std::string CudaInstEmitter::text(Value value) const {
    const ValueData& data = kernel_.data(value);
    switch (data.kind) {
        case ValueKind::result:
        case ValueKind::block_arg:
            return "v" + std::to_string(data.number);
        case ValueKind::param:
            return names_[data.number + 1];
        case ValueKind::constant:
            return spell_cxx(data.type.scalar(), data.bits);
    }
    return "";
}

std::string CudaInstEmitter::type(Value value) {
    Type type = kernel_.type(value);
    const ScalarInfo& scalar = info(type.scalar());
    define_type(type.scalar(), helpers_);
    return type.is_pointer() ? std::string(scalar.cxx_memory) + "*" : std::string(scalar.cxx);
}

void CudaInstEmitter::declare(Value value, const std::string& expression, LocId loc) {
    add(type(value) + " " + text(value) + " = " + expression + ";\n", loc);
}

void CudaInstEmitter::assign(const Inst& inst, const std::string& expression) {
    declare(inst.result(), expression, inst.loc);
}

// base[offset]. Constant offsets are added as they are, others in 64 bits: their sum may pass
// what an int holds.
std::string CudaInstEmitter::element(Value pointer) const {
    Address address = facts_.address(pointer);
    bool wide = false;
    int64_t sum = 0;
    for (Value offset : address.offsets) {
        const ValueData& data = kernel_.data(offset);
        bool narrow = data.type.is(Scalar::i32);
        if (narrow && kernel_.is_constant(offset)) sum += from_bits<int32_t>(data.bits);
        wide |= !narrow || !kernel_.is_constant(offset) || sum != static_cast<int32_t>(sum);
    }
    wide &= address.offsets.size() > 1;
    std::string index;
    for (Value offset : address.offsets) {
        if (index.empty())
            index = (wide ? "(long long)" : "") + text(offset);
        else
            index = "(" + index + " + " + text(offset) + ")";
    }
    return text(address.base) + "[" + (index.empty() ? "0" : index) + "]";
}

std::string CudaInstEmitter::pure_expression(const Inst& inst) {
    Type computed = kernel_.type(inst.operands[info(inst.op).first_value()]);
    std::string operands[3];
    for (size_t i = 0; i < inst.operands.size(); ++i) operands[i] = text(inst.operands[i]);
    return device_expression(inst.op, computed.scalar(), !facts_.is_index(inst.result()), operands,
                             helpers_);
}

std::string CudaInstEmitter::load_expression(const Inst& inst) {
    Scalar scalar = kernel_.type(inst.result()).scalar();
    std::string value = device_load(inst, scalar, element(inst.operands[0]), helpers_);
    if (scalar == Scalar::boolean) value = "(" + value + " != 0)";
    std::string mask = inst.operands[1].none() ? "true" : text(inst.operands[1]);
    std::string other = inst.operands[2].none() ? spell_cxx(scalar, 0) : text(inst.operands[2]);
    return "(" + mask + " ? " + value + " : " + other + ")";
}

void CudaInstEmitter::emit_store(const Inst& inst, const Doer& doer) {
    std::string guard = doer.one_thread ? "threadIdx.x == 0" : "";
    if (!inst.operands[2].none()) guard += (guard.empty() ? "" : " && ") + text(inst.operands[2]);
    std::string write = device_store(inst, element(inst.operands[0]), text(inst.operands[1]));
    if (!guard.empty()) write = "if (" + guard + ") {\n    " + write + "}\n";
    add(write, inst.loc);
}

// printf's directive for a value of this type, and the value as it takes it.
std::pair<std::string, std::string> CudaInstEmitter::printed(Value value, bool hex) {
    Scalar scalar = kernel_.type(value).scalar();
    const ScalarInfo& type = info(scalar);
    if (type.is_half())
        return {"%g", device_conversion(Op::cast, scalar, Scalar::f32, text(value), helpers_)};
    if (type.is_float()) return {type.bytes == 8 ? "%.17g" : "%.9g", text(value)};
    std::string size = type.bytes == 8 ? "ll" : "";
    if (hex && type.is_int())
        return {"0x%0" + std::to_string(2 * type.bytes) + size + "x", text(value)};
    return {"%" + size + (type.is_unsigned() ? "u" : "d"), text(value)};
}

void CudaInstEmitter::emit_print(const Inst& inst, const Doer& doer) {
    std::string format = "pid (%d, %d, %d) idx (" + std::string(doer.one_thread ? "" : "%d") + ")";
    std::string values = ", blockIdx.x, blockIdx.y, blockIdx.z";
    if (!doer.one_thread) values += ", " + lane_;
    if (!inst.text.empty()) format += " " + replace_all(inst.text, "%", "%%");
    for (size_t i = 0; i < inst.operands.size(); ++i) {
        auto [directive, value] =
            printed(inst.operands[i], inst.find_attr(AttrKey::hex).has_value());
        format += (i == 0 ? " " : ", ") + directive;
        values += ", " + value;
    }
    std::string call = "printf(\"" + cxx_escaped(format) + "\\n\"" + values + ");\n";
    if (doer.one_thread) call = "if (threadIdx.x == 0) {\n    " + call + "}\n";
    add(call, inst.loc);
}

void CudaInstEmitter::emit_assert(const Inst& inst, const Doer& doer) {
    std::string format = "pid (%d, %d, %d) idx (" + std::string(doer.one_thread ? "" : "%d") +
                         ") assertion failed: " + replace_all(inst.text, "%", "%%");
    std::string values = ", blockIdx.x, blockIdx.y, blockIdx.z";
    if (!doer.one_thread) values += ", " + lane_;
    std::string guard = doer.one_thread ? "threadIdx.x == 0 && " : "";
    add("if (" + guard + "!" + text(inst.operands[0]) + ") {\n    printf(\"" + cxx_escaped(format) +
            "\\n\"" + values + ");\n    __trap();\n}\n",
        inst.loc);
}

std::string CudaInstEmitter::atomic_expression(const Inst& inst) {
    Scalar scalar = kernel_.type(inst.result()).scalar();
    define_type(scalar, helpers_);
    bool cas = inst.op == Op::atomic_cas;
    std::string call = device_atomic(inst, scalar, helpers_) + "(&" + element(inst.operands[0]) +
                       ", " + text(inst.operands[1]) + (cas ? ", " + text(inst.operands[2]) : "") +
                       ")";
    Value mask = cas ? Value() : inst.operands[2];
    if (mask.none()) return call;
    return "(" + text(mask) + " ? " + call + " : " + spell_cxx(scalar, 0) + ")";
}

void CudaInstEmitter::emit_once(const Inst& inst, const Doer& doer, const std::string& expression) {
    if (!doer.one_thread) return assign(inst, expression);
    std::string once = doer.once < 0 ? "" : "mt_once" + std::to_string(doer.once);
    add("if (threadIdx.x == 0) {\n    " + (once.empty() ? "" : once + " = ") + expression +
            ";\n}\n",
        inst.loc);
    if (once.empty()) return;
    add("__syncthreads();\n", inst.loc);
    assign(inst, once);
}

// A pointer as an address or as another pointer, or an address as a pointer.
std::string CudaInstEmitter::pointer_cast(const Inst& inst) const {
    Type to = kernel_.type(inst.result());
    Value from = inst.operands[0];
    std::string value = kernel_.type(from).is_pointer() ? "&" + element(from) : text(from);
    std::string type =
        to.is_pointer() ? std::string(info(to.scalar()).cxx_memory) + "*" : "long long";
    return "(" + type + ")" + value;
}

void CudaInstEmitter::emit_inst(const Inst& inst, const Doer& doer) {
    switch (inst.op) {
        case Op::program_id:
            return assign(inst, "blockIdx." + axis(inst));
        case Op::num_programs:
            return assign(inst, "gridDim." + axis(inst));
        case Op::arange: {
            int64_t start = inst.attr(AttrKey::start);
            std::string first = spell_cxx(Scalar::i32, bits_of(static_cast<int32_t>(start)));
            return assign(inst, start == 0 ? lane_ : "(" + first + " + " + lane_ + ")");
        }
        case Op::cast:
        case Op::cast_rtz:
        case Op::bitcast: {
            Scalar from = kernel_.type(inst.operands[0]).scalar();
            Scalar to = kernel_.type(inst.result()).scalar();
            return assign(inst,
                          device_conversion(inst.op, from, to, text(inst.operands[0]), helpers_));
        }
        case Op::splat:
        case Op::reshape:
            return assign(inst, text(inst.operands[0]));
        case Op::broadcast:
        case Op::permute:
        case Op::join:
        case Op::half:
        case Op::cat:
            throw InternalError("CudaInstEmitter::emit_inst", "the op moves lanes");
        case Op::sort:
        case Op::gather:
        case Op::histogram:
            throw InternalError("CudaInstEmitter::emit_inst", "the op works across lanes");
        case Op::ptr_cast:
            return assign(inst, pointer_cast(inst));
        case Op::addptr:
            return;  // folded into the accesses that use it
        case Op::for_:
        case Op::if_:
        case Op::while_:
            throw InternalError("CudaInstEmitter::emit_inst", "the op has regions");
        case Op::condition:
            return add("if (!" + text(inst.operands[0]) + ") {\n    break;\n}\n", inst.loc);
        case Op::yield:
            return;  // printed with the op that takes its values
        case Op::atomic_rmw:
        case Op::atomic_cas:
            return emit_once(inst, doer, atomic_expression(inst));
        case Op::print:
            return emit_print(inst, doer);
        case Op::device_assert:
            return emit_assert(inst, doer);
        case Op::load:
            return emit_once(inst, doer, load_expression(inst));
        case Op::store:
            return emit_store(inst, doer);
#define NA
#define PURE(name, ...) case Op::name:
#define REDUCE(...)
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
            return assign(inst, pure_expression(inst));
#define PURE(...)
#define REDUCE(...)
#define SCAN(name, ...) case Op::name:
#define STRUCTURAL(...)
#include "ir/ops.def"
            throw InternalError("emit_inst", "the lane plan let a scan pass");
#define PURE(...)
#define REDUCE(name, ...) case Op::name:
#define SCAN(...)
#define STRUCTURAL(...)
#include "ir/ops.def"
#undef NA
            throw InternalError("CudaInstEmitter::emit_inst", "the op reduces");
    }
}

}  // namespace mytriton
