// The format of an entry: a line that names it, the SHA-256 of what follows, then each field as its
// length in decimal on a line, its bytes and a line's end. Nothing may follow the last.
#include "disk/entry.h"

#include <charconv>

#include "disk/sha256.h"

namespace mytriton {

namespace {

// Another layout of the file is another number.
constexpr std::string_view kMagic = "mytriton binary 1\n";
constexpr size_t kDigits = 64;

constexpr std::string CacheEntry::* kFields[] = {
    &CacheEntry::kind,   &CacheEntry::key, &CacheEntry::kernel,
    &CacheEntry::target, &CacheEntry::log, &CacheEntry::image,
};
constexpr size_t kHeadFields = 4;

bool take_line_end(std::string_view& rest) {
    if (!rest.starts_with('\n')) return false;
    rest.remove_prefix(1);
    return true;
}

bool take_field(std::string_view& rest, std::string& field) {
    size_t length = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    if (error != std::errc()) return false;
    rest.remove_prefix(end - rest.data());
    if (!take_line_end(rest) || rest.size() < length) return false;
    field = rest.substr(0, length);
    rest.remove_prefix(length);
    return take_line_end(rest);
}

}  // namespace

std::string write_entry(const CacheEntry& entry) {
    std::string body;
    for (auto field : kFields)
        body += std::to_string((entry.*field).size()) + "\n" + entry.*field + "\n";
    return std::string(kMagic) + sha256_hex(body) + "\n" + body;
}

std::optional<CacheEntry> read_entry(std::string_view file) {
    if (!file.starts_with(kMagic)) return std::nullopt;
    file.remove_prefix(kMagic.size());
    std::string_view sum = file.substr(0, kDigits);
    file.remove_prefix(sum.size());
    if (!take_line_end(file) || sha256_hex(file) != sum) return std::nullopt;
    CacheEntry entry;
    for (auto field : kFields)
        if (!take_field(file, entry.*field)) return std::nullopt;
    return file.empty() ? std::optional(std::move(entry)) : std::nullopt;
}

std::optional<CacheEntry> read_entry_head(std::string_view head) {
    if (!head.starts_with(kMagic) || head.size() <= kMagic.size() + kDigits) return std::nullopt;
    head.remove_prefix(kMagic.size() + kDigits);
    if (!take_line_end(head)) return std::nullopt;
    CacheEntry entry;
    for (size_t i = 0; i < kHeadFields; ++i)
        if (!take_field(head, entry.*kFields[i])) return std::nullopt;
    return entry;
}

}  // namespace mytriton
