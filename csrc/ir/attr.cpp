// The table of attributes.
#include "ir/attr.h"

#include <vector>

namespace mytriton {

namespace {

struct Row {
    std::string_view name;
    std::vector<std::string_view> words;  // empty: the value is a number
};

// In the order of AttrKey.
const std::vector<Row>& rows() {
    static const auto* rows = new std::vector<Row>{
        {"axis", {}},
        {"start", {}},
        {"end", {}},
        {"cache", {"ca", "cg", "cs", "cv", "wb", "wt"}},
        {"evict", {"evict_first", "evict_last"}},
        {"volatile", {}},
        {"rmw", {"add", "max", "min", "and", "or", "xor", "xchg"}},
        {"sem", {"relaxed", "acquire", "release", "acq_rel"}},
        {"scope", {"cta", "gpu", "sys"}},
        {"hex", {}},
        {"order", {}},
        {"index", {}},
        {"reverse", {}},
        {"descending", {}},
        {"bins", {}},
    };
    return *rows;
}

const Row& row(AttrKey key) {
    return rows()[static_cast<size_t>(key)];
}

}  // namespace

std::string_view attr_name(AttrKey key) {
    return row(key).name;
}

std::optional<AttrKey> find_attr_key(std::string_view name) {
    for (size_t i = 0; i < rows().size(); ++i)
        if (rows()[i].name == name) return static_cast<AttrKey>(i);
    return std::nullopt;
}

std::optional<int64_t> find_attr_word(AttrKey key, std::string_view word) {
    const std::vector<std::string_view>& words = row(key).words;
    for (size_t i = 0; i < words.size(); ++i)
        if (words[i] == word) return static_cast<int64_t>(i);
    return std::nullopt;
}

bool takes_words(AttrKey key) {
    return !row(key).words.empty();
}

int64_t word_count(AttrKey key) {
    return static_cast<int64_t>(row(key).words.size());
}

// A digit an axis behind a 1, which keeps leading zeros.
int64_t pack_order(const std::vector<int64_t>& order) {
    int64_t packed = 1;
    for (int64_t axis : order) packed = packed * 10 + axis;
    return packed;
}

std::vector<int64_t> unpack_order(int64_t packed) {
    std::vector<int64_t> order;
    for (; packed > 1; packed /= 10) order.insert(order.begin(), packed % 10);
    return order;
}

std::string attr_value(const Attr& attr) {
    if (attr.key == AttrKey::order) {
        std::string out;
        for (int64_t axis : unpack_order(attr.value))
            out += (out.empty() ? "" : "x") + std::to_string(axis);
        return out;
    }
    if (!takes_words(attr.key)) return std::to_string(attr.value);
    return std::string(row(attr.key).words.at(static_cast<size_t>(attr.value)));
}

}  // namespace mytriton
