// One compiled kernel as a file: what it is, what it was made from, the binary, a checksum.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mytriton {

struct CacheEntry {
    std::string kind;    // cpu or cuda
    std::string key;     // the digest of all that the binary was made from
    std::string kernel;  // its name, for people
    std::string target;  // the machine it runs on, for people
    std::string log;     // the compiler's warnings
    std::string image;   // the shared object, cubin or PTX
};

std::string write_entry(const CacheEntry& entry);

// Nothing where a single bit is not as it was written.
std::optional<CacheEntry> read_entry(std::string_view file);

// The first kEntryHead bytes of a file are enough for kind, key, kernel and target of an entry
// whose strings are not absurdly long. Nothing is verified.
constexpr size_t kEntryHead = 4096;
std::optional<CacheEntry> read_entry_head(std::string_view head);

}  // namespace mytriton
