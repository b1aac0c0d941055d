// What the disk cache finds, refuses, drops and says.
#include "disk/cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

#include "cache_folder.h"
#include "messages.h"

namespace mytriton {
namespace {

using DiskCacheTest = CacheFolder;

TEST_F(DiskCacheTest, ABinaryIsFoundByAnotherCache) {
    cache().keep(request("a"), {std::string("\0image\xff", 7), "a warning"});
    const std::optional<Binary> found = cache().find(request("a"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->image, std::string("\0image\xff", 7));
    EXPECT_EQ(found->log, "a warning");
    EXPECT_EQ(said_, std::vector<std::string>());
    EXPECT_EQ(files(), 1u);
}

TEST_F(DiskCacheTest, LookingMakesNothing) {
    EXPECT_FALSE(cache().find(request("a")));
    EXPECT_TRUE(cache().list().empty());
    EXPECT_EQ(cache().clear(), 0u);
    EXPECT_FALSE(fs::exists(top_ / "above"));
    EXPECT_EQ(said_, std::vector<std::string>());
}

TEST_F(DiskCacheTest, FoldersAndFilesAreThisUsersAlone) {
    const mode_t before = umask(0);
    const fs::path file = kept("a", "image");
    umask(before);
    EXPECT_EQ(fs::status(file).permissions(), fs::perms(0600));
    EXPECT_EQ(fs::status(folder_).permissions(), fs::perms(0700));
    EXPECT_EQ(fs::status(folder_.parent_path()).permissions(), fs::perms(0700));
}

TEST_F(DiskCacheTest, EverythingInTheRequestButTheNameCounts) {
    const BinaryRequest first{"cpu", "k", "sm_80", {"text", "-O3"}};
    cache().keep(first, {"image", ""});
    const BinaryRequest others[] = {
        {"cuda", "k", "sm_80", {"text", "-O3"}}, {"cpu", "k", "sm_90", {"text", "-O3"}},
        {"cpu", "k", "sm_80", {"texts", "-O3"}}, {"cpu", "k", "sm_80", {"text", "-O2"}},
        {"cpu", "k", "sm_80", {"text-O3"}},      {"cpu", "k", "sm_80", {"text-", "O3"}},
        {"cpu", "k", "sm_80", {"text"}},         {"cpu", "k", "sm_80", {"text", "-O3", ""}},
        {"cpu", "k", "sm_80t", {"ext", "-O3"}},
    };
    for (const BinaryRequest& other : others) EXPECT_FALSE(cache().find(other));
    EXPECT_TRUE(cache().find({"cpu", "renamed", "sm_80", {"text", "-O3"}}));
}

// --- files that are not as they should be --------------------------------------------------------

TEST_F(DiskCacheTest, ADamagedFileIsOneWarningAndIsReplaced) {
    const fs::path file = kept("a", std::string(500, 'i'));
    const std::string good = contents(file);
    for (size_t at :
         {size_t{0}, size_t{16}, size_t{30}, size_t{90}, size_t{200}, good.size() - 1}) {
        std::string bad = good;
        bad[at] ^= 1;
        overwrite(file, bad);
        said_.clear();
        DiskCache damaged = cache();
        EXPECT_FALSE(damaged.find(request("a")));
        EXPECT_FALSE(damaged.find(request("a")));
        ASSERT_EQ(said_.size(), 1u) << at;
        expect_parts(said_[0], {"is damaged", "compiled again", file.string()});
        damaged.keep(request("a"), {std::string(500, 'i'), ""});
        EXPECT_EQ(contents(file), good);
        EXPECT_TRUE(damaged.find(request("a")));
        EXPECT_EQ(said_.size(), 1u);
    }
}

TEST_F(DiskCacheTest, ATruncatedFileIsDamaged) {
    const fs::path file = kept("a", std::string(500, 'i'));
    for (size_t length : {0, 1, 17, 18, 82, 83, 100, 200, 600}) {
        fs::resize_file(file, length);
        said_.clear();
        EXPECT_FALSE(cache().find(request("a")));
        ASSERT_EQ(said_.size(), 1u) << length;
        expect_parts(said_[0], {"is damaged"});
        kept("a", std::string(500, 'i'));
    }
}

TEST_F(DiskCacheTest, AnotherKernelsFileIsNotRun) {
    const fs::path a = kept("a", "image a"), b = kept("b", "image b");
    fs::copy_file(b, a, fs::copy_options::overwrite_existing);
    EXPECT_FALSE(cache().find(request("a")));
    ASSERT_EQ(said_.size(), 1u);
    expect_parts(said_[0], {"is another kernel's", a.string()});
    cache().keep(request("a"), {"image a", ""});
    EXPECT_EQ(cache().find(request("a"))->image, "image a");
    EXPECT_EQ(cache().find(request("b"))->image, "image b");
    EXPECT_EQ(said_.size(), 1u);
}

TEST_F(DiskCacheTest, LinksPipesAndFilesThatOthersCanWriteAreReplaced) {
    const fs::path file = kept("a", "image");
    const fs::path elsewhere = top_ / "elsewhere";
    fs::copy_file(file, elsewhere);
    const auto expect_refused = [&](const std::string& why) {
        said_.clear();
        EXPECT_FALSE(cache().find(request("a")));
        ASSERT_EQ(said_.size(), 1u) << why;
        expect_parts(said_[0], {why, file.string()});
        cache().keep(request("a"), {"image", ""});
        EXPECT_TRUE(cache().find(request("a"))) << why;
        EXPECT_EQ(said_.size(), 1u);
    };
    fs::remove(file);
    fs::create_symlink(elsewhere, file);
    expect_refused("is a link");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));
    fs::remove(file);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    expect_refused("is not a plain file");
    fs::permissions(file, fs::perms(0620));
    expect_refused("others can write to it (mode 0620)");
}

TEST_F(DiskCacheTest, AFileThatCannotBeReadIsReplaced) {
    const int status = in_child(
        [&] {
            const fs::path file = kept("a", "image");
            fs::permissions(file, fs::perms::none);
            DiskCache unreadable = cache();
            if (unreadable.find(request("a")) || said_.size() != 1) return 1;
            if (said_[0].find("Permission denied") == said_[0].npos) return 2;
            unreadable.keep(request("a"), {"image", ""});
            return unreadable.find(request("a")) && said_.size() == 1 ? 0 : 3;
        },
        kAsNobody);
    EXPECT_EQ(status, 0);
}

TEST_F(DiskCacheTest, AFolderInTheWayOnlyWarns) {
    const fs::path file = kept("a", "image");
    fs::remove(file);
    fs::create_directory(file);
    DiskCache blocked = cache();
    EXPECT_FALSE(blocked.find(request("a")));
    blocked.keep(request("a"), {"image", ""});
    EXPECT_EQ(said_.size(), 2u);
    EXPECT_EQ(files(), 1u);
}

// --- the folder ----------------------------------------------------------------------------------

TEST_F(DiskCacheTest, AFolderThatOthersCanWriteToIsRefused) {
    const fs::path file = kept("a", "image");
    for (int mode : {0770, 0702, 0722}) {
        fs::permissions(folder_, fs::perms(mode));
        said_.clear();
        DiskCache refused = cache();
        EXPECT_FALSE(refused.find(request("a")));
        refused.keep(request("b"), {"image", ""});
        ASSERT_EQ(said_.size(), 1u);
        expect_parts(said_[0], {"not used", folder_.string(), "others can write", "mode 07"});
        expect_parts(message_of<FileError>([&] { refused.list(); }), {"others can write"});
        expect_parts(message_of<FileError>([&] { refused.clear(); }), {"others can write"});
        EXPECT_EQ(files(), 1u);
    }
    fs::permissions(folder_, fs::perms(0755));  // others may look
    EXPECT_TRUE(cache().find(request("a")));
}

TEST_F(DiskCacheTest, AnotherUsersFolderIsRefused) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make one";
    kept("a", "image");
    const fs::path mine = file_of("a");
    ASSERT_EQ(chown(mine.c_str(), 1234, 1234), 0);
    EXPECT_FALSE(cache().find(request("a")));
    ASSERT_EQ(said_.size(), 1u);
    expect_parts(said_[0], {"belongs to user 1234, not 0"});
    ASSERT_EQ(chown(folder_.c_str(), 1234, 1234), 0);
    EXPECT_FALSE(cache().find(request("a")));
    ASSERT_EQ(said_.size(), 2u);
    expect_parts(said_[1], {"not used", "belongs to user 1234, not 0"});
}

TEST_F(DiskCacheTest, ALinkToAFolderIsFollowedIfItIsThisUsers) {
    kept("a", "image");
    const fs::path target = folder_;
    folder_ = top_ / "link";
    fs::create_directory_symlink(target, folder_);
    EXPECT_TRUE(cache().find(request("a")));
    if (geteuid() != 0) return;
    ASSERT_EQ(lchown(folder_.c_str(), 1234, 1234), 0);
    EXPECT_FALSE(cache().find(request("a")));
    ASSERT_EQ(said_.size(), 1u);
    expect_parts(said_[0], {"is a link of user 1234"});
}

TEST_F(DiskCacheTest, AFolderThatCannotBeMadeIsOneWarning) {
    overwrite(top_ / "above", "a file");
    DiskCache nowhere = cache();
    for (const char* text : {"a", "b"}) {
        EXPECT_FALSE(nowhere.find(request(text)));
        nowhere.keep(request(text), {"image", ""});
    }
    ASSERT_EQ(said_.size(), 1u);
    expect_parts(said_[0], {"cannot be made: Not a directory"});
    folder_ = top_ / "above";
    EXPECT_FALSE(cache().find(request("a")));
    cache().keep(request("a"), {"image", ""});
    ASSERT_EQ(said_.size(), 2u);
    expect_parts(said_[1], {"cannot be opened: Not a directory"});
}

TEST_F(DiskCacheTest, AReadOnlyFolderServesAndWarnsOnceOfWrites) {
    const int status = in_child(
        [&] {
            kept("a", "image");
            fs::permissions(folder_, fs::perms(0500));
            DiskCache fixed = cache();
            if (!fixed.find(request("a")) || !said_.empty()) return 1;
            fixed.keep(request("b"), {"image", ""});
            fixed.keep(request("c"), {"image", ""});
            if (said_.size() != 1 || files() != 1) return 2;
            if (said_[0].find("cannot be written: Permission denied") == said_[0].npos) return 3;
            return fixed.find(request("a")) ? 0 : 4;
        },
        kAsNobody);
    EXPECT_EQ(status, 0);
}

// --- room ----------------------------------------------------------------------------------------

TEST_F(DiskCacheTest, AFullDiskOnlyWarnsAndLeavesNothing) {
    const int status = in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        DiskCache full = cache();
        full.keep(request("a"), {std::string(5000, 'i'), ""});
        full.keep(request("b"), {std::string(5000, 'i'), ""});
        if (said_.size() != 1 || files() != 0) return 1;
        if (said_[0].find("cannot be written: File too large") == said_[0].npos) return 2;
        full.keep(request("c"), {"small", ""});
        return full.find(request("c")) ? 0 : 3;
    });
    EXPECT_EQ(status, 0);
}

TEST_F(DiskCacheTest, WhatWasNotUsedForLongestGoesFirst) {
    DiskCache small = cache(10'000);
    const auto keep = [&](const std::string& text) {
        small.keep(request(text), {std::string(2000, 'i'), ""});
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
    };
    for (const char* text : {"a", "b", "c", "d"}) keep(text);
    EXPECT_EQ(files(), 4u);
    EXPECT_TRUE(small.find(request("a")));
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    keep("e");  // 5 of them are more than 10,000 bytes; 7/8 of that stay
    EXPECT_TRUE(small.find(request("a")));
    EXPECT_FALSE(small.find(request("b")));
    EXPECT_TRUE(small.find(request("e")));
    for (int i = 0; i < 50; ++i)
        small.keep(request(std::to_string(i)), {std::string(700, 'i'), ""});
    uint64_t total = 0;
    for (const ListedBinary& each : small.list()) total += each.size;
    EXPECT_LE(total, 10'000u);
    EXPECT_GE(total, 6'000u);
    EXPECT_EQ(said_, std::vector<std::string>());
}

TEST_F(DiskCacheTest, WhatIsLargerThanTheBoundIsNotKept) {
    DiskCache tiny = cache(1000);
    tiny.keep(request("a"), {std::string(2000, 'i'), ""});
    EXPECT_EQ(files(), 0u);
    ASSERT_EQ(said_.size(), 1u);
    expect_parts(said_[0], {"kernel_of_a is not kept", "MYTRITON_CACHE_SIZE is 1000"});
}

TEST_F(DiskCacheTest, OnlyOldFilesOfKilledWritersAndOwnFilesAreRemoved) {
    kept("a", "image");
    overwrite(folder_ / ".unfinished-old", "x");
    overwrite(folder_ / ".unfinished-new", "x");
    overwrite(folder_ / "autotune_x.json", "x");
    fs::last_write_time(folder_ / ".unfinished-old",
                        fs::file_time_type::clock::now() - std::chrono::hours(2));
    kept("b", "image");
    EXPECT_FALSE(fs::exists(folder_ / ".unfinished-old"));
    EXPECT_TRUE(fs::exists(folder_ / ".unfinished-new"));
    EXPECT_EQ(cache().list().size(), 2u);
    EXPECT_EQ(cache().clear(), 2u);
    EXPECT_EQ(files(), 1u);
    EXPECT_TRUE(fs::exists(folder_ / "autotune_x.json"));
}

TEST_F(DiskCacheTest, AListingSaysWhatIsThere) {
    const fs::path a = kept("a", "image");
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    kept("b", "image");
    overwrite(a, "not an entry");
    fs::last_write_time(a, fs::file_time_type::clock::now() - std::chrono::hours(2));
    const std::vector<ListedBinary> list = cache().list();
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].kind, "damaged");
    EXPECT_EQ(list[0].file, a.filename());
    EXPECT_EQ(list[0].size, 12u);
    EXPECT_EQ(list[1].kind, "cpu");
    EXPECT_EQ(list[1].kernel, "kernel_of_b");
    EXPECT_EQ(list[1].target, "a machine");
    EXPECT_NEAR(list[1].used, static_cast<double>(std::time(nullptr)), 100);
    EXPECT_NEAR(list[1].used - list[0].used, 7200, 100);
}

// --- threads and processes -----------------------------------------------------------------------

// Finds and keeps the same few binaries in a cache that is too small for them; whether each that
// was found was right.
bool crowd(DiskCache& cache, int seed) {
    for (int i = 0; i < 200; ++i) {
        const std::string text = std::to_string((i * 7 + seed) % 13);
        const BinaryRequest request{"cpu", text, "", {text}};
        const std::string image(900 + text.size(), text[0]);
        const std::optional<Binary> found = cache.find(request);
        if (found && found->image != image) return false;
        if (!found) cache.keep(request, {image, ""});
    }
    return true;
}

TEST_F(DiskCacheTest, ThreadsAndProcessesShareAFolder) {
    DiskCache shared = cache(8000);
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = fork();
        if (child == 0) _exit(crowd(shared, i) && said_.empty() ? 0 : 1);
        children.push_back(child);
    }
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { right += crowd(shared, i); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 4);
    for (pid_t child : children) {
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(said_, std::vector<std::string>());
}

TEST_F(DiskCacheTest, AKilledWriterHarmsNobody) {
    kept("a", "image");
    std::vector<pid_t> writers;
    for (int i = 0; i < 8; ++i) {
        const pid_t child = fork();
        if (child == 0)
            for (DiskCache own = cache();;) own.keep(request("b"), {std::string(200'000, 'b'), ""});
        writers.push_back(child);
    }
    for (pid_t writer : writers) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        kill(writer, SIGKILL);
        waitpid(writer, nullptr, 0);
    }
    EXPECT_TRUE(cache().find(request("a")));
    const std::optional<Binary> found = cache().find(request("b"));
    EXPECT_TRUE(!found || found->image == std::string(200'000, 'b'));
    EXPECT_EQ(said_, std::vector<std::string>());
    cache().clear();
    EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace mytriton
