// cpu/vector.h: agrees to the bit with ir/scalar.h, and touches no memory of masked-off lanes.
//
// Build this with the flags of emitted kernels, so that it tests the vectors they will use.
#include "ir/scalar.h"
// vector.h, as the text that it is, relies on scalar.h being there.
#include "cpu/vector.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace mytriton {
namespace {

using rows::f32v;
using rows::i32v;
using rows::i64v;
using rows::kLanes;

constexpr int kMin = std::numeric_limits<int>::min();
constexpr int kMax = std::numeric_limits<int>::max();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const float kFloats[] = {0.0f,       -0.0f, 1.0f,    -2.9f,    2.9f,      kInf,
                         -kInf,      kNan,  0x1p31f, -0x1p31f, 0x1p-149f, 0x1.fffffep30f,
                         -0x1.8p31f, 88.7f, -103.0f, -1e30f};
const int kInts[] = {0, 1, -1, 2, -2, 3, -3, 7, -7, 1000000007, kMax, kMax - 1, kMin, kMin + 1};

bool same(float a, float b) {
    return rows::bits_of(a) == rows::bits_of(b) || (std::isnan(a) && std::isnan(b));
}

// Memory between two pages that kill whoever touches them.
class Fenced {
  public:
    Fenced() : page_(sysconf(_SC_PAGESIZE)) {
        void* all = mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        start_ = static_cast<unsigned char*>(all) + page_;
        if (all == MAP_FAILED || mprotect(start_, page_, PROT_READ | PROT_WRITE) != 0) abort();
    }
    Fenced(const Fenced&) = delete;
    Fenced& operator=(const Fenced&) = delete;
    ~Fenced() { munmap(start_ - page_, 3 * page_); }

    template <class T>
    T* begin() {
        return reinterpret_cast<T*>(start_);
    }
    template <class T>
    T* end() {
        return reinterpret_cast<T*>(start_ + page_);
    }

  private:
    long page_;
    unsigned char* start_;
};

TEST(Vector, ExpfAgreesWithScalar) {
    int different = 0;
    std::uint64_t bits = 0;
    while (bits < (std::uint64_t{1} << 32)) {
        f32v x = {};
        for (int k = 0; k < kLanes; ++k, bits += 1009)
            x[k] = rows::float_of(int(std::uint32_t(bits)));
        f32v got = rows::expf(x);
        for (int k = 0; k < kLanes; ++k) different += !same(got[k], rows::expf(x[k]));
    }
    EXPECT_EQ(different, 0);
}

TEST(Vector, FloatOpsAgreeWithScalar) {
    for (float x : kFloats) {
        SCOPED_TRACE(x);
        f32v v = rows::splat_f32(x);
        // The last lane stands for all: they have the same argument.
        constexpr int k = kLanes - 1;
        EXPECT_EQ(rows::bits_of(v)[k], rows::bits_of(x));
        EXPECT_TRUE(same(rows::float_of(rows::bits_of(v))[k], x));
        EXPECT_TRUE(same(rows::expf(v)[k], rows::expf(x)));
        EXPECT_TRUE(same(rows::sqrtf(v)[k], rows::sqrtf(x)));
        EXPECT_EQ(rows::isnan(v)[k], -int(rows::isnan(x)));
        EXPECT_EQ(rows::f32_to_i32(v)[k], rows::f32_to_i32(x));
        EXPECT_EQ(rows::f32_to_bool(v)[k], -int(rows::f32_to_bool(x)));
        f32v low = rows::splat_f32(-1.5f);
        f32v high = rows::splat_f32(100.0f);
        EXPECT_TRUE(same(rows::bounded(v, low, high)[k], rows::bounded(x, -1.5f, 100.0f)));
        for (float y : kFloats) {
            f32v got = rows::fma(v, rows::splat_f32(y), low);
            EXPECT_TRUE(same(got[k], rows::fma(x, y, -1.5f)));
        }
    }
    f32v one_rounding = rows::fma(rows::splat_f32(1 + 0x1p-12f), rows::splat_f32(1 - 0x1p-12f),
                                  rows::splat_f32(-1));
    EXPECT_EQ(one_rounding[0], -0x1p-24f);
}

TEST(Vector, DivisionAgreesWithScalar) {
    std::vector<int> values(std::begin(kInts), std::end(kInts));
    unsigned random = 1;
    for (int n = 0; n < 200; ++n) {
        random = random * 1664525u + 1013904223u;
        values.push_back(int(random) >> (n % 28));
    }
    for (int a : values) {
        for (int b : values) {
            i32v x = rows::splat_i32(1);
            i32v y = rows::splat_i32(1);
            x[1] = a;
            y[1] = b;
            ASSERT_EQ(rows::idiv(x, y)[1], rows::idiv(a, b)) << a << " // " << b;
            ASSERT_EQ(rows::irem(x, y)[1], rows::irem(a, b)) << a << " % " << b;
        }
    }
}

TEST(Vector, IntAndBoolConversionsAgreeWithScalar) {
    for (int x : kInts) {
        i32v v = rows::splat_i32(x);
        EXPECT_EQ(rows::i32_to_f32(v)[0], rows::i32_to_f32(x));
        EXPECT_EQ(rows::i32_to_bool(v)[0], -int(rows::i32_to_bool(x)));
        EXPECT_EQ(rows::widen(v)[kLanes - 1], x);
    }
    for (bool x : {false, true}) {
        EXPECT_EQ(rows::splat_bool(x)[kLanes - 1], -int(x));
        EXPECT_EQ(rows::bool_to_f32(rows::splat_bool(x))[0], rows::bool_to_f32(x));
        EXPECT_EQ(rows::bool_to_i32(rows::splat_bool(x))[0], rows::bool_to_i32(x));
    }
    EXPECT_EQ(rows::splat_i64(1LL << 40)[kLanes - 1], 1LL << 40);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(rows::iota()[k], k);
}

TEST(Vector, ContiguousAccessNeedsNoAlignment) {
    float floats[kLanes + 1];
    int ints[kLanes + 1];
    for (int k = 0; k <= kLanes; ++k) {
        floats[k] = float(k);
        ints[k] = -k;
    }
    f32v f = rows::load_f32(floats + 1);
    i32v i = rows::load_i32(ints + 1);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(f[k], float(k + 1));
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(i[k], -k - 1);
    rows::store_f32(floats, f);
    rows::store_i32(ints, i);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(floats[k], float(k + 1));
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(ints[k], -k - 1);
}

TEST(Vector, BoolsAreBytes) {
    unsigned char bytes[kLanes + 1];
    for (int k = 0; k <= kLanes; ++k) bytes[k] = (unsigned char)(k % 3 * 127);  // 0, 127, 254
    i32v v = rows::load_bool(bytes + 1);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(v[k], (k + 1) % 3 ? -1 : 0);
    rows::store_bool(bytes, v);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(bytes[k], (k + 1) % 3 ? 1 : 0);
    EXPECT_EQ(bytes[kLanes], kLanes % 3 * 127);
}

// Runs `check(first, count)` for masks that are on for lanes [first, first + count), with memory
// only there: up to the fence behind it or from the fence before it on.
template <class T, class Check>
void with_fences(Check check) {
    Fenced memory;
    for (int count = 0; count <= kLanes; ++count) {
        check(memory.end<T>() - count, 0, count);
        check(memory.begin<T>() - (kLanes - count), kLanes - count, count);
    }
}

i32v lanes_between(int first, int count) {
    return (rows::iota() >= first) & (rows::iota() < first + count);
}

TEST(Vector, MaskedF32TouchesNoOtherLane) {
    with_fences<float>([](float* base, int first, int count) {
        i32v mask = lanes_between(first, count);
        for (int k = first; k < first + count; ++k) base[k] = float(k);
        f32v got = rows::load_f32(base, mask, rows::splat_f32(-5.0f));
        f32v gathered = rows::gather_f32(base, rows::iota(), mask, rows::splat_f32(-5.0f));
        for (int k = 0; k < kLanes; ++k) EXPECT_EQ(got[k], mask[k] ? float(k) : -5.0f);
        for (int k = 0; k < kLanes; ++k) EXPECT_EQ(gathered[k], got[k]);
        rows::store_f32(base, mask, got + 1.0f);
        for (int k = first; k < first + count; ++k) EXPECT_EQ(base[k], float(k + 1));
        rows::scatter_f32(base, rows::iota(), mask, got + 2.0f);
        for (int k = first; k < first + count; ++k) EXPECT_EQ(base[k], float(k + 2));
    });
}

TEST(Vector, MaskedI32TouchesNoOtherLane) {
    with_fences<int>([](int* base, int first, int count) {
        i32v mask = lanes_between(first, count);
        // 0x7f800001 would be a signalling NaN if it passed through float arithmetic.
        for (int k = first; k < first + count; ++k) base[k] = 0x7f800001 + k;
        i32v got = rows::load_i32(base, mask, rows::splat_i32(-5));
        i32v gathered = rows::gather_i32(base, rows::iota(), mask, rows::splat_i32(-5));
        for (int k = 0; k < kLanes; ++k) EXPECT_EQ(got[k], mask[k] ? 0x7f800001 + k : -5);
        for (int k = 0; k < kLanes; ++k) EXPECT_EQ(gathered[k], got[k]);
        rows::store_i32(base, mask, got + 1);
        for (int k = first; k < first + count; ++k) EXPECT_EQ(base[k], 0x7f800002 + k);
        rows::scatter_i32(base, rows::iota(), mask, got + 2);
        for (int k = first; k < first + count; ++k) EXPECT_EQ(base[k], 0x7f800003 + k);
    });
}

TEST(Vector, MaskedBoolTouchesNoOtherLane) {
    with_fences<unsigned char>([](unsigned char* base, int first, int count) {
        i32v mask = lanes_between(first, count);
        for (int other : {0, -1}) {
            for (int k = first; k < first + count; ++k) base[k] = (unsigned char)(k % 2 * 9);
            i32v got = rows::load_bool(base, mask, rows::splat_i32(other));
            i32v gathered = rows::gather_bool(base, rows::iota(), mask, rows::splat_i32(other));
            for (int k = 0; k < kLanes; ++k) EXPECT_EQ(got[k], mask[k] ? -(k % 2) : other);
            for (int k = 0; k < kLanes; ++k) EXPECT_EQ(gathered[k], got[k]);
            rows::store_bool(base, mask, ~got);
            for (int k = first; k < first + count; ++k) EXPECT_EQ(base[k], 1 - k % 2);
            rows::scatter_bool(base, rows::iota(), mask, got);
            for (int k = first; k < first + count; ++k) EXPECT_EQ(base[k], k % 2);
        }
    });
}

TEST(Vector, MaskedStoreKeepsWhatLiesBetween) {
    i32v odd = (rows::iota() & 1) != 0;
    float floats[kLanes] = {};
    unsigned char bytes[kLanes];
    std::memset(bytes, 77, sizeof bytes);
    rows::store_f32(floats, odd, rows::splat_f32(3.0f));
    rows::store_bool(bytes, odd, rows::splat_bool(true));
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(floats[k], k % 2 ? 3.0f : 0.0f);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(bytes[k], k % 2 ? 1 : 77);
}

TEST(Vector, GatherTakesFarAndNegativeOffsets) {
    std::vector<float> table(1000);
    for (int k = 0; k < 1000; ++k) table[k] = float(k);
    const float* middle = table.data() + 500;
    i32v on = rows::splat_bool(true);
    i32v offset = rows::iota() * 61 - 450;
    f32v narrow = rows::gather_f32(middle, offset, on, f32v{});
    f32v wide = rows::gather_f32(middle, rows::widen(offset), on, f32v{});
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(narrow[k], float(k * 61 + 50));
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(wide[k], float(k * 61 + 50));

    // A lane that is on may be anywhere in 64 bits; one that is off may point to nowhere.
    i32v first = rows::iota() == 0;
    i64v far = rows::splat_i64(1LL << 40);
    far[0] = 3;
    f32v got = rows::gather_f32(table.data(), far, first, rows::splat_f32(kNan));
    EXPECT_EQ(got[0], 3.0f);
    EXPECT_TRUE(std::isnan(got[kLanes - 1]));
}

TEST(Vector, LastLaneWinsInScatter) {
    float floats[2] = {-1.0f, -1.0f};
    int ints[2] = {-1, -1};
    unsigned char bytes[2] = {9, 9};
    i32v offset = rows::iota() & 1;
    i32v not_last = rows::iota() < kLanes - 1;
    rows::scatter_f32(floats, offset, not_last, rows::i32_to_f32(rows::iota()));
    rows::scatter_i32(ints, rows::widen(offset), not_last, rows::iota());
    rows::scatter_bool(bytes, offset, not_last, rows::iota() == kLanes - 2);
    EXPECT_EQ(floats[0], float(kLanes - 2));
    EXPECT_EQ(floats[1], float(kLanes - 3));
    EXPECT_EQ(ints[0], kLanes - 2);
    EXPECT_EQ(ints[1], kLanes - 3);
    EXPECT_EQ(bytes[0], 1);
    EXPECT_EQ(bytes[1], 0);
}

TEST(Vector, HalveFollowsTheTree) {
    float values[16];
    for (int k = 0; k < 16; ++k) values[k] = std::ldexp(1.0f + float(k) / 7, (k * 5) % 23);
    f32v partial[rows::kPartials];
    std::memcpy(partial, values, sizeof values);
    float got = rows::halve(partial, [](auto a, auto b) { return a + b; });
    for (int width : {8, 4, 2, 1}) {
        for (int k = 0; k < width; ++k) values[k] = values[k] + values[k + width];
    }
    EXPECT_EQ(got, values[0]);
}

TEST(Vector, HalveKeepsTheSidesOfItsArguments) {
    i32v partial[rows::kPartials];
    for (int k = 0; k < rows::kPartials; ++k) partial[k] = rows::iota() + k * kLanes;
    // Neither commutes nor associates, so any other order gives another result.
    auto combine = [](auto a, auto b) { return a * 31 - b; };
    int p[16];
    for (int k = 0; k < 16; ++k) p[k] = k;
    for (int width : {8, 4, 2, 1}) {
        for (int k = 0; k < width; ++k) p[k] = combine(p[k], p[k + width]);
    }
    EXPECT_EQ(rows::halve(partial, combine), p[0]);
}

}  // namespace
}  // namespace mytriton
