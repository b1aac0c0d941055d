// Builds SSA by hand, so that tests of one stage need none of the stages before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/ir.h"
#include "ir/literal.h"
#include "ir/typing.h"
#include "messages.h"

namespace mytriton {

inline const Type kBool = Type::scalar(Scalar::boolean);
inline const Type kI32 = Type::scalar(Scalar::i32);
inline const Type kF32 = Type::scalar(Scalar::f32);

inline Type vec(Scalar scalar, int64_t lanes) {
    return Type::scalar(scalar).with_shape({lanes});
}

// Appends to one region of a kernel named k: the body, unless told. Nothing is checked but what the
// type rules need.
class HandBuilt {
  public:
    Kernel kernel{"k"};
    RegionId target = 0;

    Value pointer(const std::string& name, Scalar to = Scalar::f32) {
        return kernel.add_param(name, Type::pointer(to));
    }
    Value param(const std::string& name, Scalar scalar) {
        return kernel.add_param(name, Type::scalar(scalar));
    }

    Value f32(float value) { return kernel.constant(kF32, bits_of(value)); }
    Value i32(int32_t value) { return kernel.constant(kI32, bits_of(value)); }
    Value boolean(bool value) { return kernel.constant(kBool, bits_of(value)); }

    // An instruction as it is told, right or wrong.
    Value emit(Op op, std::vector<Value> operands, Type result, std::vector<Attr> attrs = {}) {
        Inst inst{.op = op, .operands = std::move(operands), .attrs = std::move(attrs)};
        InstId id = kernel.append(target, std::move(inst), {result});
        return kernel.inst(id).result();
    }

    // A pure op or a reduction; its type follows from the rules.
    Value op(Op op, std::vector<Value> operands) {
        std::vector<Type> types;
        for (Value operand : operands) types.push_back(kernel.type(operand));
        Type result = result_type(op, types);
        return emit(op, std::move(operands), result);
    }

    Value program_id(int64_t axis = 0) {
        return emit(Op::program_id, {}, kI32, {{AttrKey::axis, axis}});
    }
    Value arange(int64_t start, int64_t end) {
        return emit(Op::arange, {}, vec(Scalar::i32, end - start),
                    {{AttrKey::start, start}, {AttrKey::end, end}});
    }
    Value cast(Value value, Scalar to) {
        return emit(Op::cast, {value}, kernel.type(value).with_scalar(to));
    }
    Value at(Value pointer, Value offset) { return op(Op::addptr, {pointer, offset}); }
    Value load(Value pointer, Value mask = {}, Value other = {}) {
        return op(Op::load, {pointer, mask, other});
    }
    void store(Value pointer, Value value, Value mask = {}) {
        kernel.append(target, Inst{.op = Op::store, .operands = {pointer, value, mask}}, {});
    }

    // program_id(0) * width + arange(0, width)
    Value offsets(int64_t width) {
        Value start = op(Op::mul, {program_id(), i32(static_cast<int32_t>(width))});
        return op(Op::add, {start, arange(0, width)});
    }
};

// The instruction that defines a result.
inline const Inst& definition(const Kernel& kernel, Value value) {
    for (InstId id : kernel.body())
        for (Value result : kernel.inst(id).results)
            if (result == value) return kernel.inst(id);
    throw InternalError("definition", "the value is no result");
}

}  // namespace mytriton
