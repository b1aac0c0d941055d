// Which folder and which bound the environment asks for.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "disk/cache.h"

namespace mytriton {

namespace {

constexpr uint64_t kDefaultBound = uint64_t{1} << 30;

std::mutex warning_mutex;

CacheWarning& warning() {
    static auto* current = new CacheWarning(
        [](const std::string& text) { std::fprintf(stderr, "mytriton: %s\n", text.c_str()); });
    return *current;
}

void warn_now(const std::string& text) {
    CacheWarning warn;
    {
        std::lock_guard lock(warning_mutex);
        warn = warning();
    }
    warn(text);
}

// Empty where there is no home.
std::string default_folder() {
    const char* caches = std::getenv("XDG_CACHE_HOME");
    if (caches && *caches == '/') return std::string(caches) + "/mytriton";
    const char* home = std::getenv("HOME");
    if (home && *home) return std::string(home) + "/.cache/mytriton";
    return "";
}

std::string folder_of_environment() {
    const char* chosen = std::getenv("MYTRITON_CACHE_DIR");
    if (!chosen) return default_folder();
    return std::string(chosen) == "0" ? "" : chosen;
}

// Nothing where the text is not a size.
std::optional<uint64_t> to_bytes(std::string_view text) {
    int shift = 0;
    if (text.ends_with('K')) shift = 10;
    if (text.ends_with('M')) shift = 20;
    if (text.ends_with('G')) shift = 30;
    if (shift) text.remove_suffix(1);
    uint64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number << shift >> shift == number ? std::optional(number << shift) : std::nullopt;
}

}  // namespace

void set_cache_warning(CacheWarning warn) {
    std::lock_guard lock(warning_mutex);
    warning() = std::move(warn);
}

DiskCache* disk_cache() {
    static std::mutex mutex;
    static auto* known = new std::map<std::pair<std::string, std::string>, DiskCache*>();
    const char* given = std::getenv("MYTRITON_CACHE_SIZE");
    const std::pair<std::string, std::string> key = {folder_of_environment(), given ? given : ""};
    if (key.first.empty()) return nullptr;
    std::optional<uint64_t> bound = key.second.empty() ? kDefaultBound : to_bytes(key.second);
    if (bound == 0u) return nullptr;
    DiskCache* cache = nullptr;
    bool is_new = false;
    {
        std::lock_guard lock(mutex);
        DiskCache*& place = (*known)[key];
        is_new = !place;
        if (is_new) place = new DiskCache(key.first, bound.value_or(kDefaultBound), warn_now);
        cache = place;
    }
    if (is_new && !bound)
        warn_now("MYTRITON_CACHE_SIZE is " + key.second +
                 "; expected bytes, or a number and K, M or G: it is taken as 1G");
    return cache;
}

}  // namespace mytriton
