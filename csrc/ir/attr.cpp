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

std::string attr_value(const Attr& attr) {
    if (!takes_words(attr.key)) return std::to_string(attr.value);
    return std::string(row(attr.key).words.at(static_cast<size_t>(attr.value)));
}

}  // namespace mytriton
