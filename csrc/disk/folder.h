// A folder that nobody but this user can write to: what lies in it is code that will be run.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mytriton {

// What the file system or the folder's owner does not allow; the text says what and why.
class FileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct FileInfo {
    std::string name;
    uint64_t size = 0;
    timespec used{};  // when it was written or last touched
};

// Names of files are plain: relative to the folder, without '/'. Nothing here takes a lock, so that
// a process can be killed at any time: files appear whole, by a rename.
class PrivateFolder {
  public:
    // Opens the folder; with `create` makes it, and those above it, with mode 0700. FileError where
    // it belongs to another user, where others can write to it, where it is a link that another
    // user made, and where it cannot be opened or made.
    PrivateFolder(std::string path, bool create);
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;

    // False where there is no such folder; then nothing below may be called.
    bool exists() const { return fd_ >= 0; }

    // The file's first `limit` bytes; nothing where there is none. FileError where it cannot be
    // read, is not a plain file of this user, or can be written by others.
    std::optional<std::string> read(const std::string& name, size_t limit = SIZE_MAX) const;

    // Makes or replaces a file, at once for all who look. FileError, and no trace, where it cannot.
    void write(const std::string& name, std::string_view bytes) const;

    // Sets the time of use to now, where that is allowed.
    void touch(const std::string& name) const;

    // Whether the file was there and is not any more.
    bool remove(const std::string& name) const;

    // All that is not a folder, in no order.
    std::vector<FileInfo> files() const;

  private:
    std::string path_;
    int fd_ = -1;
};

// Files that write() has not finished begin with this; one of a killed process stays.
constexpr std::string_view kUnfinished = ".unfinished-";

}  // namespace mytriton
