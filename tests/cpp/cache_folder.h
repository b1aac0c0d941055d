// A folder for a test's cache, and what the cache said.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "disk/cache.h"
#include "no_disk_cache.h"

namespace mytriton {

namespace fs = std::filesystem;

class CacheFolder : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "mytriton-test-XXXXXX").string();
        ASSERT_TRUE(mkdtemp(pattern.data()));
        top_ = pattern;
        fs::permissions(top_, fs::perms(0777));  // for children that are nobody
        folder_ = top_ / "above" / "cache";
    }
    void TearDown() override {
        std::error_code ignored;
        fs::remove_all(top_, ignored);
    }

    DiskCache cache(uint64_t bound = 1 << 30) {
        return DiskCache(folder_.string(), bound, [this](const std::string& text) {
            std::lock_guard lock(mutex_);
            said_.push_back(text);
        });
    }

    static BinaryRequest request(const std::string& text) {
        return {"cpu", "kernel_of_" + text, "a machine", {text, "-O3"}};
    }

    // Written by a cache that says nothing.
    fs::path kept(const std::string& text, const std::string& image) {
        cache().keep(request(text), {image, ""});
        return file_of(text);
    }
    fs::path file_of(const std::string& text) {
        for (const ListedBinary& each : cache().list())
            if (each.kernel == "kernel_of_" + text) return folder_ / each.file;
        return "";
    }

    static std::string contents(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void overwrite(const fs::path& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    }
    size_t files() const {
        if (!fs::exists(folder_)) return 0;
        return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
    }

    fs::path top_, folder_;
    std::mutex mutex_;
    std::vector<std::string> said_;
};

// Runs `work` in a child process; its exit status. As nobody: without root's rights, if this is
// root, which may read and write whatever the modes say.
constexpr bool kAsNobody = true;
inline int in_child(const std::function<int()>& work, bool as_nobody = false) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        constexpr uid_t kNobody = 65534;
        if (as_nobody && geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0))
            _exit(99);
        _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace mytriton
