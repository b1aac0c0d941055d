// Attributes of instructions: a key and a whole number, which for some keys stands for a word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mytriton {

enum class AttrKey : uint8_t {
    axis,
    start,
    end,
    cache,
    evict,
    is_volatile,
    rmw,
    sem,
    scope,
    hex,
    order,
    index,
    reverse,
    descending,
    bins
};

// Which value an atomic_rmw leaves, of the old one and its operand; maximum and minimum as the
// rows.
enum class Rmw : uint8_t { add, max, min, bit_and, bit_or, bit_xor, xchg };
enum class MemSem : uint8_t { relaxed, acquire, release, acq_rel };
enum class MemScope : uint8_t { cta, gpu, sys };
// How a load or store uses caches: PTX's operators.
enum class CacheUse : uint8_t { ca, cg, cs, cv, wb, wt };
enum class Eviction : uint8_t { evict_first, evict_last };

struct Attr {
    AttrKey key;
    int64_t value;
    friend bool operator==(const Attr&, const Attr&) = default;
};

std::string_view attr_name(AttrKey key);
std::optional<AttrKey> find_attr_key(std::string_view name);

// The value of an attribute whose values are words: {rmw=add}. Nothing where there is no such word,
// or the key takes numbers.
std::optional<int64_t> find_attr_word(AttrKey key, std::string_view word);
bool takes_words(AttrKey key);
int64_t word_count(AttrKey key);
std::string attr_value(const Attr& attr);  // as it is printed

// An order of axes as an attribute's value, and back: printed 1x0.
int64_t pack_order(const std::vector<int64_t>& order);
std::vector<int64_t> unpack_order(int64_t packed);

}  // namespace mytriton
