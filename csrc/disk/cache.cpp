// Names, finds and keeps binaries, and drops the ones that were not used for longest.
#include "disk/cache.h"

#include <algorithm>
#include <ctime>
#include <tuple>

#include "disk/sha256.h"

namespace mytriton {

namespace {

constexpr std::string_view kSuffix = ".binary";
constexpr size_t kNameLength = 64 + kSuffix.size();
const std::string kNotUsed = "the cache of compiled kernels is not used: ";
constexpr time_t kAbandoned = 3600;  // seconds: no compiler's output takes that long to write

// Each field with its length, so that no two requests are one text.
std::string digest(const BinaryRequest& request) {
    Sha256 sum;
    const auto add = [&](std::string_view field) {
        sum.add(std::to_string(field.size()) + ":");
        sum.add(field);
    };
    for (const std::string& field : {std::string(kVersion), request.kind, request.target})
        add(field);
    for (const std::string& field : request.inputs) add(field);
    return sum.hex();
}

std::string name_of(const BinaryRequest& request) {
    return digest(request) + std::string(kSuffix);
}

bool is_binary(const FileInfo& file) {
    return file.name.size() == kNameLength && file.name.ends_with(kSuffix);
}

bool is_unfinished(const FileInfo& file) {
    return file.name.starts_with(kUnfinished);
}

bool used_before(const FileInfo& a, const FileInfo& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
}

}  // namespace

DiskCache::DiskCache(std::string folder, uint64_t bound, CacheWarning warn)
    : folder_(std::move(folder)), bound_(bound), warn_(std::move(warn)) {}

void DiskCache::say(const std::string& message) {
    {
        std::lock_guard lock(mutex_);
        if (!said_.insert(message).second) return;
    }
    warn_(message);
}

void DiskCache::report_damage(const BinaryRequest& request, const std::string& what) {
    say("a kernel in the cache " + what + ", and is compiled again: " + folder_ + "/" +
        name_of(request));
}

std::optional<Binary> DiskCache::find(const BinaryRequest& request) {
    std::string wrong;
    try {
        PrivateFolder folder(folder_, false);
        if (!folder.exists()) return std::nullopt;
        try {
            const std::string name = name_of(request);
            std::optional<std::string> file = folder.read(name);
            if (!file) return std::nullopt;
            std::optional<CacheEntry> entry = read_entry(*file);
            if (entry && entry->kind == request.kind && name == entry->key + std::string(kSuffix)) {
                folder.touch(name);
                return Binary{std::move(entry->image), std::move(entry->log)};
            }
            wrong = entry ? "is another kernel's" : "is damaged";
        } catch (const FileError& error) {
            wrong = std::string("is not used (") + error.what() + ")";
        }
    } catch (const FileError& error) {
        say(kNotUsed + error.what());
        return std::nullopt;
    }
    report_damage(request, wrong);
    return std::nullopt;
}

void DiskCache::keep(const BinaryRequest& request, const Binary& binary) {
    const CacheEntry entry{request.kind,   digest(request), request.kernel,
                           request.target, binary.log,      binary.image};
    const std::string file = write_entry(entry);
    if (file.size() > bound_)
        return say("the kernel " + request.kernel + " is not kept in " + folder_ + ": it has " +
                   std::to_string(file.size()) + " bytes, and MYTRITON_CACHE_SIZE is " +
                   std::to_string(bound_));
    std::string wrong;
    try {
        PrivateFolder folder(folder_, true);
        try {
            folder.write(name_of(request), file);
            make_room(folder, file.size());
        } catch (const FileError& error) {
            wrong = std::string("compiled kernels are not kept: ") + error.what();
        }
    } catch (const FileError& error) {
        wrong = kNotUsed + error.what();
    }
    if (!wrong.empty()) say(wrong);
}

// Other processes may do the same at the same time: who comes second finds a file gone, and who
// has a file open keeps it.
void DiskCache::make_room(const PrivateFolder& folder, uint64_t written) {
    {
        std::lock_guard lock(mutex_);
        if (unseen_ && *unseen_ + written <= bound_ / 64) {
            *unseen_ += written;
            return;
        }
        unseen_ = 0;
    }
    std::vector<FileInfo> files = folder.files();
    const time_t now = std::time(nullptr);
    uint64_t total = 0;
    for (const FileInfo& file : files) {
        if (is_unfinished(file) && file.used.tv_sec + kAbandoned < now)
            folder.remove(file.name);
        else if (is_binary(file) || is_unfinished(file))
            total += file.size;
    }
    if (total <= bound_) return;
    std::erase_if(files, [](const FileInfo& file) { return !is_binary(file); });
    std::sort(files.begin(), files.end(), used_before);
    // More than has to go, so that the next binary does not look at all files again.
    for (const FileInfo& file : files) {
        if (total <= bound_ - bound_ / 8) break;
        folder.remove(file.name);
        total -= file.size;
    }
}

std::vector<ListedBinary> DiskCache::list() const {
    std::vector<ListedBinary> out;
    PrivateFolder folder(folder_, false);
    if (!folder.exists()) return out;
    std::vector<FileInfo> files = folder.files();
    std::erase_if(files, [](const FileInfo& file) { return !is_binary(file); });
    std::sort(files.begin(), files.end(), used_before);
    for (const FileInfo& file : files) {
        ListedBinary listed{file.name, "damaged", "", "", file.size, 0};
        listed.used = static_cast<double>(file.used.tv_sec) + 1e-9 * file.used.tv_nsec;
        try {
            std::optional<std::string> head = folder.read(file.name, kEntryHead);
            if (!head) continue;  // removed meanwhile
            if (std::optional<CacheEntry> entry = read_entry_head(*head))
                std::tie(listed.kind, listed.kernel, listed.target) =
                    std::tie(entry->kind, entry->kernel, entry->target);
        } catch (const FileError&) {
            // cannot be read: damaged, too
        }
        out.push_back(std::move(listed));
    }
    return out;
}

size_t DiskCache::clear() const {
    PrivateFolder folder(folder_, false);
    if (!folder.exists()) return 0;
    size_t removed = 0;
    for (const FileInfo& file : folder.files()) {
        if (is_binary(file)) removed += folder.remove(file.name);
        if (is_unfinished(file)) folder.remove(file.name);
    }
    return removed;
}

}  // namespace mytriton
