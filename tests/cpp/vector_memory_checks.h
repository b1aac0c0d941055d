// Loads, stores and combination across lanes of cpu/vector_memory.h; no memory of masked-off lanes
// is touched. Included by the vector tests, which name their SUITE first.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "vector_prelude.h"

namespace mytriton::rows {
namespace {

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

// A value of any bits for each place: NaNs with payloads, of either sign, among them.
template <class T>
T pattern(int place) {
    const unsigned long long bits =
        place % 3 == 0 ? 0x7ff0000000000001ull * (place + 1) : 0xff8000017f800001ull + place;
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Equal in every bit, NaNs too.
template <class T>
bool same_bits(T a, T b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
[[gnu::noinline]] VectorOfType<T> pattern_from(int place) {
    T lanes[kLanes];
    for (int k = 0; k < kLanes; ++k) lanes[k] = pattern<T>(place + k);
    VectorOfType<T> v;
    std::memcpy(&v, lanes, sizeof v);
    return v;
}

template <class T>
[[gnu::noinline]] T lane(VectorOfType<T> v, int k) {
    T lanes[kLanes];
    std::memcpy(lanes, &v, sizeof v);
    return lanes[k];
}

TEST(SUITE, ContiguousAccessNeedsNoAlignment) {
    for_each_type([]<class T>() {
        using V = VectorOfType<T>;
        T values[kLanes + 1];
        for (int k = 0; k <= kLanes; ++k) values[k] = pattern<T>(k);
        const V v = load<V>(values + 1);
        for (int k = 0; k < kLanes; ++k) EXPECT_TRUE(same_bits(lane<T>(v, k), pattern<T>(k + 1)));
        store(values, v);
        for (int k = 0; k < kLanes; ++k) EXPECT_TRUE(same_bits(values[k], pattern<T>(k + 1)));
        EXPECT_TRUE(same_bits(values[kLanes], pattern<T>(kLanes)));
    });
}

TEST(SUITE, BoolsAreBytes) {
    unsigned char bytes[kLanes + 1];
    for (int k = 0; k <= kLanes; ++k) bytes[k] = (unsigned char)(k % 3 * 127);  // 0, 127, 254
    i32v v = load_bool(bytes + 1);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(v[k], (k + 1) % 3 ? -1 : 0);
    store_bool(bytes, v);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(bytes[k], (k + 1) % 3 ? 1 : 0);
    EXPECT_EQ(bytes[kLanes], kLanes % 3 * 127);
}

// Runs `check(base, first, count)` for masks that are on for lanes [first, first + count), with
// memory only there: up to the fence behind it or from the fence before it on.
template <class T, class Check>
void with_fences(Check check) {
    Fenced memory;
    for (int count = 0; count <= kLanes; ++count) {
        check(memory.end<T>() - count, 0, count);
        check(memory.begin<T>() - (kLanes - count), kLanes - count, count);
    }
}

i32v lanes_between(int first, int count) {
    return (iota() >= first) & (iota() < first + count);
}

TEST(SUITE, MaskedAccessTouchesNoOtherLane) {
    for_each_type([]<class T>() {
        using V = VectorOfType<T>;
        with_fences<T>([](T* base, int first, int count) {
            i32v mask = lanes_between(first, count);
            const V other = pattern_from<T>(100);
            for (int k = first; k < first + count; ++k) base[k] = pattern<T>(k);
            const V got = load<V>(base, mask, other);
            const V gathered = gather<V>(base, iota(), mask, other);
            for (int k = 0; k < kLanes; ++k) {
                T expected = pattern<T>(mask[k] ? k : 100 + k);
                EXPECT_TRUE(same_bits(lane<T>(got, k), expected));
                EXPECT_TRUE(same_bits(lane<T>(gathered, k), expected));
            }
            store(base, mask, pattern_from<T>(200));
            for (int k = first; k < first + count; ++k)
                EXPECT_TRUE(same_bits(base[k], pattern<T>(200 + k)));
            scatter(base, iota(), mask, pattern_from<T>(300));
            for (int k = first; k < first + count; ++k)
                EXPECT_TRUE(same_bits(base[k], pattern<T>(300 + k)));
        });
    });
}

TEST(SUITE, MaskedBoolsTouchNoOtherLane) {
    with_fences<unsigned char>([](unsigned char* base, int first, int count) {
        i32v mask = lanes_between(first, count);
        for (int other : {0, -1}) {
            for (int k = first; k < first + count; ++k) base[k] = (unsigned char)(k % 2 * 9);
            i32v got = load_bool(base, mask, splat<i32v>(other));
            i32v gathered = gather_bool(base, iota(), mask, splat<i32v>(other));
            for (int k = 0; k < kLanes; ++k) EXPECT_EQ(got[k], mask[k] ? -(k % 2) : other);
            for (int k = 0; k < kLanes; ++k) EXPECT_EQ(gathered[k], got[k]);
            store_bool(base, mask, ~got);
            for (int k = first; k < first + count; ++k) EXPECT_EQ(base[k], 1 - k % 2);
            scatter_bool(base, iota(), mask, got);
            for (int k = first; k < first + count; ++k) EXPECT_EQ(base[k], k % 2);
        }
    });
}

TEST(SUITE, MaskedStoresKeepWhatLiesBetween) {
    i32v odd = (iota() & 1) != 0;
    for_each_type([&]<class T>() {
        T values[kLanes];
        for (int k = 0; k < kLanes; ++k) values[k] = pattern<T>(k);
        store(values, odd, pattern_from<T>(50));
        for (int k = 0; k < kLanes; ++k)
            EXPECT_TRUE(same_bits(values[k], pattern<T>(k % 2 ? 50 + k : k)));
    });
    unsigned char bytes[kLanes];
    std::memset(bytes, 77, sizeof bytes);
    store_bool(bytes, odd, splat_bool(true));
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(bytes[k], k % 2 ? 1 : 77);
}

// Offsets 100 + 3 k, or for signed types 7 - 5 k, for values of type T.
template <class T, class Offset>
[[gnu::noinline]] void check_offsets(int start, int step) {
    using V = VectorOfType<T>;
    std::vector<T> table(400);
    for (int k = 0; k < 400; ++k) table[k] = pattern<T>(k);
    T* middle = table.data() + 100;
    const auto offset = convert<VectorOfType<Offset>>(iota() * step + start);
    const i32v on = (iota() & 3) != 1;
    const V got = gather<V>(middle, offset, on, pattern_from<T>(1000));
    scatter(middle, offset, on, pattern_from<T>(2000));
    int different = 0;
    for (int k = 0; k < kLanes; ++k) {
        int place = 100 + start + k * step;
        different += !same_bits(lane<T>(got, k), pattern<T>(on[k] ? place : 1000 + k));
        different += !same_bits(table[place], pattern<T>(on[k] ? 2000 + k : place));
    }
    EXPECT_EQ(different, 0) << 8 * sizeof(T) << " bits at offsets of " << 8 * sizeof(Offset);
}

TEST(SUITE, OffsetsAreOfAnyIntType) {
    for_each_type([]<class T>() {
        for_each_int([]<class Offset>() {
            check_offsets<T, Offset>(80, 3);
            if (Offset(-1) < 0) check_offsets<T, Offset>(7, -5);
        });
    });
}

// Addresses are reserved, not used, but for the pages that are written.
TEST(SUITE, UnsignedOffsetsReachWhatSignedOnesOfTheirWidthDoNot) {
    constexpr size_t kBytes = size_t{5} << 30;
    void* all = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) GTEST_SKIP() << "no 5 GiB of addresses";
    auto* bytes = static_cast<unsigned char*>(all);
    const u32v far = splat<u32v>(0xffffffffu) - (u32v)iota() * 4096;
    for (int k = 0; k < kLanes; ++k) bytes[far[k]] = (unsigned char)(k + 1);
    const u8v got = gather<u8v>(bytes, far, splat_bool(true), u8v{});
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(got[k], k + 1);
    scatter(bytes, far, splat_bool(true), got + (unsigned char)1);
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(bytes[far[k]], k + 2);
    // Elements of 8 bytes pass 4 GiB in bytes, at offsets that an int holds.
    auto* wide = static_cast<double*>(all);
    const i32v past = splat<i32v>((1 << 29) + 5) + iota() * 512;
    scatter(wide, past, splat_bool(true), convert<f64v>(iota()));
    for (int k = 0; k < kLanes; ++k) EXPECT_EQ(wide[past[k]], k);
    munmap(all, kBytes);
}

TEST(SUITE, ALaneThatIsOffMayPointToNowhere) {
    float value = 3.0f;
    const i32v first = iota() == 0;
    i64v far = splat<i64v>(1LL << 40);
    far[0] = 0;
    const f32v got = gather(&value, far, first, splat<f32v>(-1.0f));
    EXPECT_EQ(got[0], 3.0f);
    EXPECT_EQ(got[kLanes - 1], -1.0f);
    scatter(&value, far, first, splat<f32v>(4.0f));
    EXPECT_EQ(value, 4.0f);
}

TEST(SUITE, LastLaneWinsInScatter) {
    i32v offset = iota() & 1;
    i32v not_last = iota() < kLanes - 1;
    for_each_type([&]<class T>() {
        T values[2] = {T(99), T(99)};
        scatter(values, offset, not_last, convert<VectorOfType<T>>(iota()));
        EXPECT_EQ(values[0], T(kLanes - 2));
        EXPECT_EQ(values[1], T(kLanes > 2 ? kLanes - 3 : 99));
    });
    unsigned char bytes[2] = {9, 9};
    scatter_bool(bytes, offset, not_last, iota() == kLanes - 2);
    EXPECT_EQ(bytes[0], 1);
    EXPECT_EQ(bytes[1], kLanes > 2 ? 0 : 9);
}

TEST(SUITE, LanesBelowABoundAreCountedWithoutOverflow) {
    constexpr long long kMin = std::numeric_limits<long long>::min();
    constexpr long long kMax = std::numeric_limits<long long>::max();
    EXPECT_EQ(lanes_below(10, 4, false, 100), 6);
    EXPECT_EQ(lanes_below(10, 4, true, 100), 7);
    EXPECT_EQ(lanes_below(4, 10, true, 100), 0);
    EXPECT_EQ(lanes_below(1000, 4, false, 100), 100);
    EXPECT_EQ(lanes_below(kMax, kMin, true, 100), 100);
    EXPECT_EQ(lanes_below(kMin, kMax, true, 100), 0);
    EXPECT_EQ(lanes_below(kMax, kMax, true, 100), 1);
    EXPECT_EQ(lanes_below(kMax, kMax, false, 100), 0);
    EXPECT_EQ(lanes_below(kMax, kMax - 20, true, 100), 21);
}

// --- combination across lanes --------------------------------------------------------------------

// The tree over 16 partials, with a combination that neither commutes nor associates.
template <class T, class Combine>
void check_tree(const T (&values)[16], Combine combine) {
    using V = VectorOfType<T>;
    V partial[kPartials];
    std::memcpy(partial, values, sizeof values);
    T p[16];
    std::memcpy(p, values, sizeof p);
    for (int width : {8, 4, 2, 1})
        for (int k = 0; k < width; ++k) p[k] = T(combine(p[k], p[k + width]));
    EXPECT_TRUE(same(halve(partial, combine), p[0]));
}

TEST(SUITE, HalveFollowsTheTreeAndKeepsTheSidesOfItsArguments) {
    for_each_type([]<class T>() {
        T values[16];
        for (int k = 0; k < 16; ++k) values[k] = T(k * 5 % 23 + 1);
        check_tree(values, [](auto a, auto b) { return a + a + a - b; });
        check_tree(values, [](auto a, auto b) { return a > b ? a : b; });
    });
    float floats[16];
    for (int k = 0; k < 16; ++k) floats[k] = std::ldexp(1.0f + float(k) / 7, (k * 5) % 23);
    check_tree(floats, [](auto a, auto b) { return a + b; });
}

}  // namespace
}  // namespace mytriton::rows
