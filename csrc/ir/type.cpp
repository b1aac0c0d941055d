// Interning and printing of types, and the table of element types.
#include "ir/type.h"

#include <mutex>
#include <set>

namespace mytriton {

namespace {

constexpr ScalarInfo kScalars[] = {
#define DTYPE(name, text, type_class, bytes, cxx, memory, language, short_name, torch) \
    {Scalar::name, text, TypeClass::type_class, bytes, #cxx, #memory, language, short_name},
#include "ir/dtypes.def"
};

}  // namespace

const ScalarInfo& info(Scalar scalar) {
    return kScalars[static_cast<int>(scalar)];
}

int scalar_count() {
    return static_cast<int>(std::size(kScalars));
}

std::optional<Scalar> find_scalar(std::string_view name) {
    for (const ScalarInfo& row : kScalars)
        if (row.name == name) return row.scalar;
    return std::nullopt;
}

// Interned types live for ever: a handle stays good in any thread and after any kernel is gone.
Type Type::intern(Data data) {
    static std::mutex mutex;
    static auto* types = new std::set<Data>();
    Type type;
    std::lock_guard lock(mutex);
    type.data_ = &*types->insert(std::move(data)).first;
    return type;
}

Type Type::scalar(Scalar scalar) {
    return intern({scalar, false, {}});
}
Type Type::pointer(Scalar pointee) {
    return intern({pointee, true, {}});
}

Type Type::with_shape(const std::vector<int64_t>& shape) const {
    return shape == data_->shape ? *this : intern({data_->scalar, data_->pointer, shape});
}

Type Type::with_scalar(Scalar scalar) const {
    return intern({scalar, false, data_->shape});
}

int64_t Type::lanes() const {
    int64_t lanes = 1;
    for (int64_t size : data_->shape) lanes *= size;
    return lanes;
}

std::string Type::str() const {
    if (none()) return "none";
    std::string element(info(data_->scalar).name);
    if (data_->pointer) element = "ptr<" + element + ">";
    if (data_->shape.empty()) return element;
    std::string sizes;
    for (int64_t size : data_->shape) sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
    return (data_->shape.size() == 1 ? "vector<" : "block<") + sizes + " x " + element + ">";
}

}  // namespace mytriton
