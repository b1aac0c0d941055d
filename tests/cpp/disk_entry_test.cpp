// The file format of compiled kernels: what is written reads back, and nothing else does.
#include "disk/entry.h"

#include <gtest/gtest.h>

#include <string>

#include "disk/sha256.h"

namespace mytriton {
namespace {

CacheEntry example() {
    std::string image;
    for (int i = 0; i < 1000; ++i) image.push_back(static_cast<char>(i * 7));
    return {"cpu", std::string(64, 'a'), "a_kernel", "x86_64", "a warning\n", image};
}

TEST(Sha256, GivesTheDigestsOfTheStandard) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PartsOfAnyLengthAreOneText) {
    const std::string text(300, 'x');
    for (size_t part = 1; part < 200; ++part) {
        Sha256 sum;
        for (size_t at = 0; at < text.size(); at += part) sum.add(text.substr(at, part));
        ASSERT_EQ(sum.hex(), sha256_hex(text)) << part;
    }
}

TEST(CacheEntry, ReadsBack) {
    const CacheEntry entry = example();
    const std::optional<CacheEntry> read = read_entry(write_entry(entry));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, entry.kind);
    EXPECT_EQ(read->key, entry.key);
    EXPECT_EQ(read->kernel, entry.kernel);
    EXPECT_EQ(read->target, entry.target);
    EXPECT_EQ(read->log, entry.log);
    EXPECT_EQ(read->image, entry.image);
    EXPECT_TRUE(read_entry(write_entry({})));
}

TEST(CacheEntry, NoBitMayDiffer) {
    const std::string file = write_entry(example());
    for (size_t at = 0; at < file.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = file;
            damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
            ASSERT_FALSE(read_entry(damaged)) << "byte " << at << ", bit " << bit;
        }
}

TEST(CacheEntry, NoByteMayLackOrFollow) {
    const std::string file = write_entry(example());
    for (size_t length = 0; length < file.size(); ++length)
        ASSERT_FALSE(read_entry(file.substr(0, length))) << length;
    EXPECT_FALSE(read_entry(file + '\n'));
    EXPECT_FALSE(read_entry(file.substr(1)));
}

// With a checksum that is right, for a file that is wrong all the same.
TEST(CacheEntry, FieldsAreCheckedToo) {
    const auto file = [](const std::string& body) {
        return "mytriton binary 1\n" + sha256_hex(body) + "\n" + body;
    };
    const std::string fields = "1\na\n1\nb\n1\nc\n1\nd\n1\ne\n1\nf\n";
    EXPECT_TRUE(read_entry(file(fields)));
    EXPECT_FALSE(read_entry(file(fields + "1\ng\n")));
    EXPECT_FALSE(read_entry(file("1\na\n1\nb\n1\nc\n1\nd\n1\ne\n")));
    EXPECT_FALSE(read_entry(file("1\na\n1\nb\n1\nc\n1\nd\n1\ne\n99\nf\n")));
    EXPECT_FALSE(read_entry(file("1\na\n1\nb\n1\nc\n1\nd\n1\ne\n18446744073709551616\nf\n")));
    EXPECT_FALSE(read_entry(file("1\na\n1\nb\n1\nc\n1\nd\n1\ne\n-1\nf\n")));
}

TEST(CacheEntry, AnotherVersionOfTheFormatIsNotRead) {
    std::string file = write_entry(example());
    file[file.find('1')] = '2';
    EXPECT_FALSE(read_entry(file));
    EXPECT_FALSE(read_entry_head(file));
}

TEST(CacheEntry, TheHeadIsEnoughForAListing) {
    CacheEntry entry = example();
    entry.image.resize(100'000);
    const std::string file = write_entry(entry);
    const std::optional<CacheEntry> head = read_entry_head(file.substr(0, kEntryHead));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->kind, "cpu");
    EXPECT_EQ(head->kernel, "a_kernel");
    EXPECT_EQ(head->target, "x86_64");
    for (size_t length = 0; length < 90; ++length)
        ASSERT_FALSE(read_entry_head(file.substr(0, length))) << length;
}

}  // namespace
}  // namespace mytriton
