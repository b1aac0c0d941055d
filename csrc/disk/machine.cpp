// Asks the processor itself: /proc/cpuinfo takes milliseconds to read on many cores.
#include "disk/machine.h"

#include <gnu/libc-version.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "disk/sha256.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace mytriton {

namespace {

#if defined(__x86_64__) || defined(__i386__)

struct Leaf {
    unsigned number, part;
    bool eax, ebx, ecx, edx;  // the registers that say what the processor can do
};

// What differs between the cores of one machine is left out: their numbers, the sizes of caches.
constexpr Leaf kLeaves[] = {
    {1, 0, false, false, true, true},
    {7, 0, true, true, true, true},
    {7, 1, true, true, true, true},
    {7, 2, true, true, true, true},
    {0xd, 1, true, false, false, false},
    {0x14, 0, false, true, false, false},
    {0x19, 0, false, true, false, false},
    {0x24, 0, true, true, false, false},
    {0x80000001, 0, false, false, true, true},
    {0x80000008, 0, false, true, false, false},
};

// What the operating system saves of the registers; without it their instructions cannot be used.
std::string saved_state() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned kOsxsave = 1u << 27;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kOsxsave)) return "none";
    uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::to_string(uint64_t{high} << 32 | low);
}

std::string processor() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    char vendor[13] = {};
    __get_cpuid(0, &a, &b, &c, &d);
    std::memcpy(vendor, &b, 4);
    std::memcpy(vendor + 4, &d, 4);
    std::memcpy(vendor + 8, &c, 4);
    __get_cpuid(1, &a, &b, &c, &d);
    unsigned family = a >> 8 & 15, model = a >> 4 & 15;
    if (family == 6 || family == 15) model += (a >> 16 & 15) << 4;
    if (family == 15) family += a >> 20 & 255;
    return std::string(vendor) + " " + std::to_string(family) + "." + std::to_string(model);
}

std::string features() {
    std::string words = saved_state();
    for (const Leaf& leaf : kLeaves) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        if (!__get_cpuid_count(leaf.number, leaf.part, &a, &b, &c, &d)) a = b = c = d = 0;
        for (auto [counts, value] : {std::pair(leaf.eax, a), std::pair(leaf.ebx, b),
                                     std::pair(leaf.ecx, c), std::pair(leaf.edx, d)})
            words += counts ? "," + std::to_string(value) : "";
    }
    return words;
}

#else

std::string processor() {
    return "processor";
}

std::string features() {
    return std::to_string(getauxval(AT_HWCAP)) + "," + std::to_string(getauxval(AT_HWCAP2));
}

#endif

std::string describe_host() {
    utsname name{};
    uname(&name);
    return std::string(name.machine) + " " + processor() + " glibc " + gnu_get_libc_version() +
           " " + sha256_hex(features()).substr(0, 16);
}

}  // namespace

const std::string& host_target() {
    static const auto* target = new std::string(describe_host());
    return *target;
}

std::string file_identity(const std::string& path) {
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) return "";
    return path + " " + std::to_string(info.st_size) + " " + std::to_string(info.st_mtim.tv_sec) +
           "." + std::to_string(info.st_mtim.tv_nsec);
}

}  // namespace mytriton
