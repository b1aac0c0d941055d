// Spelling of values and addresses.
#include "cpu/spell.h"

#include "ir/literal.h"
#include "ir/names.h"

namespace mytriton {

Speller::Speller(const Kernel& kernel) : kernel_(kernel) {
    std::vector<std::string> names;
    for (const Param& param : kernel.params()) names.push_back(param.name);
    params_ = cxx_names(names);
}

std::string Speller::name(Value value) const {
    return "v" + std::to_string(kernel_.data(value).number);
}

std::string Speller::scalar(Value value) const {
    const ValueData& data = kernel_.data(value);
    switch (data.kind) {
        case ValueKind::result:
        case ValueKind::block_arg:
            return name(value);
        case ValueKind::param:
            return params_[data.number];
        case ValueKind::constant:
            return spell_cxx(data.type.scalar(), data.bits);
    }
    return "";
}

std::string Speller::lane0(Value value) const {
    return is_block(value) ? name(value) + "_0" : scalar(value);
}

std::string Speller::vector(Value value) const {
    return is_block(value) ? name(value) : splat(kernel_.type(value).scalar(), scalar(value));
}

std::string Speller::operand(Value value, Part part) const {
    if (part == Part::scalar) return scalar(value);
    return part == Part::lane0 ? lane0(value) : vector(value);
}

std::string Speller::splat(Scalar scalar, const std::string& value) {
    if (scalar == Scalar::boolean) return "splat_bool(" + value + ")";
    return "splat<" + vector_type(scalar) + ">(" + value + ")";
}

std::string Speller::vector_type(Scalar scalar) {
    if (scalar == Scalar::boolean) return "i32v";
    return info(scalar).is_half() ? "u16v" : std::string(info(scalar).name) + "v";
}

std::string Speller::lane_type(Scalar scalar) {
    return scalar == Scalar::boolean ? "int" : std::string(info(scalar).cxx);
}

std::string Speller::type(Scalar scalar, Part part) {
    bool strip = part == Part::interior || part == Part::edge;
    return strip ? vector_type(scalar) : std::string(info(scalar).cxx);
}

std::string Speller::pointer_type(Type pointer) {
    return std::string(info(pointer.scalar()).cxx_memory) + "*";
}

std::string Speller::memory_suffix(Scalar scalar) {
    return scalar == Scalar::boolean ? "_bool" : "<" + vector_type(scalar) + ">";
}

std::string Speller::uniform_pointer(const Address& address, const std::string& lane_offset) const {
    std::string sum = lane_offset;
    for (Value offset : address.offsets)
        if (!is_block(offset)) sum += (sum.empty() ? "(long long)" : " + ") + scalar(offset);
    std::string base = scalar(address.base);
    return sum.empty() ? base : "(" + base + " + (" + sum + "))";
}

std::string Speller::lane_offsets(const Address& address) const {
    if (address.lane_offsets.size() == 1) return name(address.lane_offsets[0]);
    std::string sum;
    for (Value offset : address.lane_offsets)
        sum += (sum.empty() ? "" : " + ") + ("resize<i64v>(" + name(offset) + ")");
    return sum.empty() ? "i64v{}" : sum;
}

std::string Speller::addresses(const Address& address) const {
    if (!is_block(address.base))
        return "addresses(" + uniform_pointer(address) + ", " + lane_offsets(address) + ")";
    // A block of pointers: its lanes are addresses already.
    std::string out = name(address.base);
    std::string bytes = " * " + std::to_string(info(kernel_.type(address.base).scalar()).bytes);
    for (Value offset : address.offsets)
        out += " + " +
               (is_block(offset) ? "resize<i64v>(" + name(offset) + ")"
                                 : "(long long)" + scalar(offset)) +
               bytes;
    return out;
}

std::string Speller::contiguous_pointer(const Address& address) const {
    return uniform_pointer(address, lane0(address.lane_offsets[0]) + " + mt_lane");
}

std::string Speller::row_pointer(const Address& address) const {
    std::string sum = "mt_column";  // in 64 bits, as all that is added to it then is
    for (Value offset : address.lane_offsets) sum += " + " + lane0(offset);
    return uniform_pointer(address, sum);
}

}  // namespace mytriton
