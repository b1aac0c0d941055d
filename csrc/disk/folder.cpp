// Works through a descriptor of the folder, so that what was checked is what is used.
#include "disk/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

namespace mytriton {

namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

std::string because(int error) {
    return std::string(": ") + std::strerror(error);
}

std::string octal(mode_t mode) {
    char text[8];
    std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
    return text;
}

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    int get() const { return fd_; }
    // False where the file system had kept an error for now, as some do.
    bool finish() { return close(std::exchange(fd_, -1)) == 0; }

  private:
    int fd_;
};

// Makes the folder and those above it that are not there; why the last one was not made, or 0.
int make_folders(const std::string& path) {
    for (size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1))
        mkdir(path.substr(0, end).c_str(), 0700);
    return mkdir(path.c_str(), 0700) == 0 ? 0 : errno;
}

// What is wrong with who owns it and who may write to it; empty where nothing is.
std::string distrust(const struct stat& info) {
    if (info.st_uid != geteuid())
        return "belongs to user " + std::to_string(info.st_uid) + ", not " +
               std::to_string(geteuid());
    if (info.st_mode & kOthersWrite)
        return "others can write to it (mode " + octal(info.st_mode) + ")";
    return "";
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

std::string unfinished_name() {
    std::random_device random;
    return std::string(kUnfinished) + std::to_string(getpid()) + "-" + std::to_string(random()) +
           std::to_string(random());
}

}  // namespace

PrivateFolder::PrivateFolder(std::string path, bool create) : path_(std::move(path)) {
    const int not_made = create ? make_folders(path_) : 0;
    struct stat link{};
    if (lstat(path_.c_str(), &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid != geteuid())
        throw FileError(path_ + " is a link of user " + std::to_string(link.st_uid));
    Descriptor folder(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) {
        const bool missing = errno == ENOENT || errno == ENOTDIR;
        if (missing && !create) return;
        if (missing && not_made && not_made != EEXIST)
            throw FileError(path_ + " cannot be made" + because(not_made));
        throw FileError(path_ + " cannot be opened" + because(errno));
    }
    struct stat info{};
    if (fstat(folder.get(), &info) != 0)
        throw FileError(path_ + " cannot be looked at" + because(errno));
    if (std::string wrong = distrust(info); !wrong.empty()) throw FileError(path_ + ": " + wrong);
    fd_ = fcntl(folder.get(), F_DUPFD_CLOEXEC, 0);
    if (fd_ < 0) throw FileError(path_ + " cannot be opened" + because(errno));
}

PrivateFolder::~PrivateFolder() {
    if (fd_ >= 0) close(fd_);
}

std::optional<std::string> PrivateFolder::read(const std::string& name, size_t limit) const {
    const std::string where = path_ + "/" + name;
    // Not blocking: what lies there may be a pipe.
    Descriptor file(openat(fd_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0) {
        if (errno == ENOENT) return std::nullopt;
        if (errno == ELOOP) throw FileError(where + " is a link");
        throw FileError(where + " cannot be opened" + because(errno));
    }
    struct stat info{};
    if (fstat(file.get(), &info) != 0)
        throw FileError(where + " cannot be looked at" + because(errno));
    if (!S_ISREG(info.st_mode)) throw FileError(where + " is not a plain file");
    if (std::string wrong = distrust(info); !wrong.empty()) throw FileError(where + ": " + wrong);
    std::string bytes(std::min(static_cast<size_t>(info.st_size), limit), '\0');
    size_t done = 0;
    while (done < bytes.size()) {
        ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw FileError(where + " cannot be read" + because(errno));
        if (got == 0) break;
        done += static_cast<size_t>(got);
    }
    bytes.resize(done);
    return bytes;
}

void PrivateFolder::write(const std::string& name, std::string_view bytes) const {
    const std::string unfinished = unfinished_name();
    const auto fail = [&](int error) {
        unlinkat(fd_, unfinished.c_str(), 0);
        throw FileError(path_ + " cannot be written" + because(error));
    };
    Descriptor file(openat(fd_, unfinished.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0) throw FileError(path_ + " cannot be written" + because(errno));
    if (!write_all(file.get(), bytes) || !file.finish()) fail(errno);
    if (renameat(fd_, unfinished.c_str(), fd_, name.c_str()) != 0) fail(errno);
}

void PrivateFolder::touch(const std::string& name) const {
    utimensat(fd_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

bool PrivateFolder::remove(const std::string& name) const {
    return unlinkat(fd_, name.c_str(), 0) == 0;
}

std::vector<FileInfo> PrivateFolder::files() const {
    std::vector<FileInfo> found;
    int fd = openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::unique_ptr<DIR, int (*)(DIR*)> listing(fd < 0 ? nullptr : fdopendir(fd), closedir);
    if (!listing) {
        const int error = errno;
        if (fd >= 0) close(fd);
        throw FileError(path_ + " cannot be listed" + because(error));
    }
    while (const dirent* each = readdir(listing.get())) {
        struct stat info{};
        if (fstatat(fd_, each->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (S_ISDIR(info.st_mode)) continue;
        found.push_back({each->d_name, static_cast<uint64_t>(info.st_size), info.st_mtim});
    }
    return found;
}

}  // namespace mytriton
