// Compiled kernels on disk, found again by later processes: docs/caching.md is the contract.
//
// A binary is named by the SHA-256 of all that it was made from, and read only if its own checksum
// holds; a file that is damaged, or is another kernel's, costs a warning and a compile. Nothing
// that goes wrong here is an error of a launch. Threads and processes may share a folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "disk/entry.h"
#include "disk/folder.h"

namespace mytriton {

// The version of this package, which is part of each key.
constexpr const char* kVersion = "0.1.0";

struct BinaryRequest {
    std::string kind;                 // cpu or cuda
    std::string kernel;               // its name, for people: not part of the key
    std::string target;               // the CPU or GPU architecture
    std::vector<std::string> inputs;  // text, options, compiler: all else that decides the binary
};

struct Binary {
    std::string image;
    std::string log;  // the compiler's warnings
};

struct ListedBinary {
    std::string file;
    std::string kind, kernel, target;  // kind is "damaged" where the file's head cannot be read
    uint64_t size = 0;
    double used = 0;  // seconds since 1970
};

using CacheWarning = std::function<void(const std::string&)>;

class DiskCache {
  public:
    // Files together are kept to about `bound` bytes. `warn` gets each text once, while no lock is
    // held; it may throw, and what it throws comes out of find() and keep().
    DiskCache(std::string folder, uint64_t bound, CacheWarning warn);

    // The folder is not made.
    std::optional<Binary> find(const BinaryRequest& request);
    // What this process has written to the folder since it last looked at all of it may lie beyond
    // the bound, up to 1/64 of that. The binaries that were used longest ago go first.
    void keep(const BinaryRequest& request, const Binary& binary);
    // For a caller that cannot use what it found.
    void report_damage(const BinaryRequest& request, const std::string& what);

    // Oldest use first. FileError where the folder is not to be trusted or not to be read.
    std::vector<ListedBinary> list() const;
    // Removes all binaries, and the files that killed processes left; how many. FileError as list.
    size_t clear() const;

    const std::string& folder() const { return folder_; }

  private:
    void say(const std::string& message);
    std::optional<std::string> read(const std::string& name);
    void make_room(const PrivateFolder& folder, uint64_t written);

    const std::string folder_;
    const uint64_t bound_;
    const CacheWarning warn_;
    std::mutex mutex_;  // guards what follows
    std::set<std::string> said_;
    std::optional<uint64_t> unseen_;  // bytes written since the last look at the whole folder
};

// The cache that the environment names now, the same object each time; null where it is off.
//   MYTRITON_CACHE_DIR   the folder; $XDG_CACHE_HOME/mytriton or ~/.cache/mytriton where it is not
//                        set; off where it is empty or 0
//   MYTRITON_CACHE_SIZE  the bound: bytes, or a number and K, M or G; 1G where it is not set; off
//                        where it is 0
DiskCache* disk_cache();

// Where the warnings of disk_cache() go; standard error until then.
void set_cache_warning(CacheWarning warn);

}  // namespace mytriton
