// Types of the IR: scalars, pointers and blocks of them, interned so that equality is identity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mytriton {

constexpr int64_t kMaxLanes = 1 << 20;  // of a block; more is a mistake in every kernel seen
constexpr size_t kMaxRank = 5;

enum class Scalar : uint8_t {
#define DTYPE(name, ...) name,
#include "ir/dtypes.def"
};

// Types that share one column of ops.def.
enum class TypeClass : uint8_t { Float, Int, Bool };

struct ScalarInfo {
    Scalar scalar;
    std::string_view name;
    TypeClass type_class;
    int bytes;
    std::string_view cxx;         // a value of it in emitted text
    std::string_view cxx_memory;  // an element of it behind a pointer
    std::string_view language;    // tl.float32
    std::string_view short_name;  // fp32, as Triton's signatures spell it
    int bits() const { return type_class == TypeClass::Bool ? 1 : 8 * bytes; }
    bool is_float() const { return type_class == TypeClass::Float; }
    bool is_int() const { return type_class == TypeClass::Int; }
    bool is_unsigned() const { return name[0] == 'u'; }
    bool is_half() const { return is_float() && bytes == 2; }  // f16 or bf16
};

const ScalarInfo& info(Scalar scalar);
std::optional<Scalar> find_scalar(std::string_view name);
int scalar_count();

// A handle on an interned type; copying is free and == compares identity. Default: no type.
// A block (rank > 0) prints as vector<256 x f32> at rank 1 and block<16x32 x f32> above.
class Type {
  public:
    Type() = default;
    static Type scalar(Scalar scalar);
    static Type pointer(Scalar pointee);
    Type with_shape(const std::vector<int64_t>& shape) const;  // this element type, another shape
    Type element() const { return with_shape({}); }
    Type with_scalar(Scalar scalar) const;  // a value of `scalar` in this shape

    bool none() const { return data_ == nullptr; }
    bool is_pointer() const { return data_->pointer; }
    bool is_block() const { return !data_->shape.empty(); }
    bool is(Scalar scalar) const { return !data_->pointer && data_->scalar == scalar; }
    Scalar scalar() const { return data_->scalar; }  // of a pointer: what it points to
    TypeClass type_class() const { return info(data_->scalar).type_class; }
    const std::vector<int64_t>& shape() const { return data_->shape; }
    int64_t lanes() const;  // product of the shape; 1 for scalars
    std::string str() const;

    friend bool operator==(Type a, Type b) { return a.data_ == b.data_; }
    friend bool operator!=(Type a, Type b) { return a.data_ != b.data_; }

  private:
    struct Data {
        Scalar scalar;
        bool pointer;
        std::vector<int64_t> shape;
        friend auto operator<=>(const Data&, const Data&) = default;
    };
    static Type intern(Data data);
    const Data* data_ = nullptr;
};

}  // namespace mytriton
