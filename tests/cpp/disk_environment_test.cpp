// Which cache the environment names, and what tells machines and compilers apart.
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <optional>
#include <set>

#include "cache_folder.h"
#include "disk/machine.h"
#include "messages.h"

namespace mytriton {
namespace {

constexpr const char* kVariables[] = {"MYTRITON_CACHE_DIR", "MYTRITON_CACHE_SIZE", "XDG_CACHE_HOME",
                                      "HOME"};

class DiskEnvironment : public CacheFolder {
  protected:
    void SetUp() override {
        CacheFolder::SetUp();
        for (const char* name : kVariables) {
            const char* value = std::getenv(name);
            before_.push_back(value ? std::optional<std::string>(value) : std::nullopt);
            unsetenv(name);
        }
        set_cache_warning([this](const std::string& text) { said_.push_back(text); });
    }
    void TearDown() override {
        for (size_t i = 0; i < before_.size(); ++i)
            before_[i] ? setenv(kVariables[i], before_[i]->c_str(), 1) : unsetenv(kVariables[i]);
        set_cache_warning([](const std::string&) {});
        CacheFolder::TearDown();
    }
    static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

    std::vector<std::optional<std::string>> before_;
};

TEST_F(DiskEnvironment, TheFolderIsTheFirstThatIsSet) {
    EXPECT_EQ(disk_cache(), nullptr);
    set("HOME", "");
    EXPECT_EQ(disk_cache(), nullptr);
    set("HOME", "/home/me");
    EXPECT_EQ(disk_cache()->folder(), "/home/me/.cache/mytriton");
    set("XDG_CACHE_HOME", "relative");  // which its specification says to ignore
    EXPECT_EQ(disk_cache()->folder(), "/home/me/.cache/mytriton");
    set("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(disk_cache()->folder(), "/caches/mytriton");
    set("MYTRITON_CACHE_DIR", "/mine");
    EXPECT_EQ(disk_cache()->folder(), "/mine");
    EXPECT_EQ(disk_cache(), disk_cache());
    for (const char* off : {"", "0"}) {
        set("MYTRITON_CACHE_DIR", off);
        EXPECT_EQ(disk_cache(), nullptr);
    }
}

TEST_F(DiskEnvironment, TheBoundIsBytesOrANumberWithAUnit) {
    set("MYTRITON_CACHE_DIR", folder_.string());
    const auto keeps = [&](const char* bound, size_t size) {
        set("MYTRITON_CACHE_SIZE", bound);
        const BinaryRequest request{"cpu", "k", "", {bound, std::to_string(size)}};
        disk_cache()->keep(request, {std::string(size, 'i'), ""});
        return disk_cache()->find(request).has_value();
    };
    EXPECT_TRUE(keeps("2000", 1500));
    EXPECT_FALSE(keeps("2000", 2500));
    EXPECT_TRUE(keeps("2K", 1500));
    EXPECT_FALSE(keeps("2K", 2500));
    EXPECT_TRUE(keeps("1M", 1'000'000));
    EXPECT_FALSE(keeps("1M", 1'100'000));
    EXPECT_TRUE(keeps("1G", 1'100'000));
    EXPECT_TRUE(keeps("", 1'100'000));
    EXPECT_EQ(said_.size(), 3u);
    set("MYTRITON_CACHE_SIZE", "0");
    EXPECT_EQ(disk_cache(), nullptr);
}

TEST_F(DiskEnvironment, ABoundThatIsNoneIsOneWarning) {
    set("MYTRITON_CACHE_DIR", folder_.string());
    for (const char* wrong :
         {"lots", "-1", "1.5G", "G", "1GB", "99999999999999999999", "99999999999999G", " 1"}) {
        set("MYTRITON_CACHE_SIZE", wrong);
        said_.clear();
        ASSERT_NE(disk_cache(), nullptr);
        ASSERT_NE(disk_cache(), nullptr);
        ASSERT_EQ(said_.size(), 1u) << wrong;
        expect_parts(said_[0], {"MYTRITON_CACHE_SIZE is " + std::string(wrong), "taken as 1G"});
    }
}

TEST_F(DiskEnvironment, AFileThatChangesIsAnotherOne) {
    const fs::path file = top_ / "compiler";
    EXPECT_EQ(file_identity(file), "");
    overwrite(file, "one");
    const std::string first = file_identity(file);
    EXPECT_EQ(first, file_identity(file));
    overwrite(file, "longer");
    const std::string second = file_identity(file);
    EXPECT_NE(first, second);
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_NE(second, file_identity(file));
    fs::copy_file(file, top_ / "copy");
    EXPECT_NE(file_identity(file), file_identity(top_ / "copy"));
}

// In a process that has not asked before, as each test is one under ctest.
TEST_F(DiskEnvironment, TheHostIsTheSameOnEachOfItsCores) {
    const auto asked_on = [](int core) {
        return in_child([&] {
            cpu_set_t cores;
            CPU_ZERO(&cores);
            CPU_SET(core, &cores);
            if (sched_setaffinity(0, sizeof cores, &cores) != 0) return 0;  // not one of ours
            return 1 + static_cast<int>(std::hash<std::string>()(host_target()) % 97);
        });
    };
    std::set<int> answers;
    for (int core = 0; core < 16; ++core) answers.insert(asked_on(core));
    answers.erase(0);
    EXPECT_EQ(answers.size(), 1u);
    expect_parts(host_target(), {" glibc "});
}

}  // namespace
}  // namespace mytriton
