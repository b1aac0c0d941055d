// How emitted host text names values and addresses, in each part of a program.
#pragma once

#include <string>
#include <vector>

#include "ir/ir.h"
#include "plan/facts.h"

namespace mytriton {

// Where text is being printed: between stages (scalar), before a stage for its lane 0 (lane0), or
// in the strips of a stage.
enum class Part { scalar, lane0, interior, edge };

// A scalar value is v3 or a parameter's name; a block is v3 too, a vector inside strips, and v3_0
// its lane 0. A scalar beside vectors is splatted.
class Speller {
  public:
    explicit Speller(const Kernel& kernel);

    const std::string& param(size_t position) const { return params_[position]; }
    std::string name(Value value) const;
    std::string scalar(Value value) const;
    std::string lane0(Value value) const;
    std::string vector(Value value) const;
    std::string operand(Value value, Part part) const;

    static std::string splat(Scalar scalar, const std::string& value);
    static std::string vector_type(Scalar scalar);  // f32v; of bool i32v, of f16 and bf16 u16v
    static std::string lane_type(Scalar scalar);    // the element of that vector, in C++
    // A value of that type outside or inside strips: float or f32v.
    static std::string type(Scalar scalar, Part part);
    static std::string pointer_type(Type pointer);  // float*
    // "_bool" or "<f32v>": how a function on memory is told what it moves.
    static std::string memory_suffix(Scalar scalar);

    // base, or (base + ((long long)a + b)), of the offsets that are the same for all lanes.
    std::string uniform_pointer(const Address& address, const std::string& lane_offset = "") const;
    // The offsets that differ: one vector of ints, or their sum as an i64v.
    std::string lane_offsets(const Address& address) const;
    // The addresses of all lanes, as an i64v.
    std::string addresses(const Address& address) const;
    // Where the strip's first lane stands, when lanes are consecutive and no index wraps.
    std::string contiguous_pointer(const Address& address) const;
    // The same in a stage of rows.
    std::string row_pointer(const Address& address) const;

  private:
    bool is_block(Value value) const { return kernel_.type(value).is_block(); }

    const Kernel& kernel_;
    std::vector<std::string> params_;
};

}  // namespace mytriton
