// Memory for emitted host kernels: loads and stores of a vector, and combination across lanes.
//
// The text follows vector.h's in every emitted kernel. Functions take the vector type, or the
// element type that the pointer has; a bool is a byte in memory, whose functions are named apart.
#ifndef MYTRITON_CPU_VECTOR_MEMORY_H
#define MYTRITON_CPU_VECTOR_MEMORY_H

namespace mytriton::rows {

// Contiguous access, unaligned. Of a bool's byte any but 0 reads as true, and 0 or 1 is written.

template <Vector V>
[[gnu::always_inline]] inline V load(const Element<V>* from) {
    V r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
}

[[gnu::always_inline]] inline i32v load_bool(const unsigned char* from) {
    return to_mask(load<u8v>(from) != 0);
}

template <Vector V>
[[gnu::always_inline]] inline void store(Element<V>* to, V value) {
    __builtin_memcpy(to, &value, sizeof value);
}

[[gnu::always_inline]] inline void store_bool(unsigned char* to, i32v value) {
    store(to, resize<u8v>(value & 1));
}

// Access lane by lane. Memory of a lane whose mask is 0 is never touched: such a lane's address is
// replaced by that of a spare element on the stack, which costs less than a branch for each lane.
// Lanes are stored in ascending order, so the last of those with one address wins.

static_assert(sizeof(void*) == sizeof(long long), "addresses are computed in 64 bits");

// The addresses of elements `offset` after `base`; offsets are of any int type, unsigned ones being
// extended by zeros.
template <class T, Vector Offset>
[[gnu::always_inline]] inline i64v addresses(const T* base, Offset offset) {
    return resize<i64v>(offset) * (long long)sizeof(T) + (long long)base;
}

template <class T>
[[gnu::always_inline]] inline i64v safe_addresses(i64v at, i32v mask, const T* spare) {
    i64v replaced = splat<i64v>((long long)spare);
    return replaced + ((at - replaced) & resize<i64v>(mask));
}

template <Vector V>
[[gnu::always_inline]] inline V gather(i64v at, i32v mask, V other) {
    Element<V> spare{};
    i64v from = safe_addresses(at, mask, &spare);
    V r;
    for (int k = 0; k < kLanes; ++k) r[k] = *(const Element<V>*)from[k];
    return mask_of<V>(mask) ? r : other;
}

[[gnu::always_inline]] inline i32v gather_bool(i64v at, i32v mask, i32v other) {
    return mask ? to_mask(gather<u8v>(at, mask, u8v{}) != 0) : other;
}

template <Vector V>
[[gnu::always_inline]] inline void scatter(i64v at, i32v mask, V value) {
    Element<V> spare{};
    i64v to = safe_addresses(at, mask, &spare);
    for (int k = 0; k < kLanes; ++k) *(Element<V>*)to[k] = value[k];
}

[[gnu::always_inline]] inline void scatter_bool(i64v at, i32v mask, i32v value) {
    scatter(at, mask, resize<u8v>(value & 1));
}

template <Vector V, Vector Offset>
[[gnu::always_inline]] inline V gather(const Element<V>* base, Offset offset, i32v mask, V other) {
    return gather(addresses(base, offset), mask, other);
}

template <Vector Offset>
[[gnu::always_inline]] inline i32v gather_bool(const unsigned char* base, Offset offset, i32v mask,
                                               i32v other) {
    return gather_bool(addresses(base, offset), mask, other);
}

template <Vector V, Vector Offset>
[[gnu::always_inline]] inline void scatter(Element<V>* base, Offset offset, i32v mask, V value) {
    scatter(addresses(base, offset), mask, value);
}

template <Vector Offset>
[[gnu::always_inline]] inline void scatter_bool(unsigned char* base, Offset offset, i32v mask,
                                                i32v value) {
    scatter_bool(addresses(base, offset), mask, value);
}

// Atomics, in ascending order of lanes. `update(old, value)` is what is to be there afterwards. All
// are sequentially consistent, which is at least what any `sem` asks for.

// An operand that is converted to what the pointer says: of halves, constants are spelled as ints.
template <class T>
struct Pointed {
    using type = T;
};

template <class T, class Update>
[[gnu::always_inline]] inline T atomic_rmw(T* at, typename Pointed<T>::type value, Update update) {
    T old = *at, next;
    do {
        next = update(old, value);
    } while (
        !__atomic_compare_exchange((T*)at, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
}

// Compares bits, so that a NaN is found and -0.0 is not 0.0.
template <class T>
[[gnu::always_inline]] inline T atomic_cas(T* at, typename Pointed<T>::type compare,
                                           typename Pointed<T>::type value) {
    __atomic_compare_exchange(at, &compare, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return compare;
}

template <Vector V, class Update>
[[gnu::always_inline]] inline V atomic_rmw(i64v at, i32v mask, V value, Update update) {
    V r{};
    for (int k = 0; k < kLanes; ++k)
        if (mask[k]) r[k] = atomic_rmw((Element<V>*)at[k], (Element<V>)value[k], update);
    return r;
}

template <Vector V>
[[gnu::always_inline]] inline V atomic_cas(i64v at, i32v mask, V compare, V value) {
    V r{};
    for (int k = 0; k < kLanes; ++k)
        if (mask[k])
            r[k] = atomic_cas((Element<V>*)at[k], (Element<V>)compare[k], (Element<V>)value[k]);
    return r;
}

// Contiguous access under a mask, which need not be a prefix. x86 has an instruction for the types
// of 4 bytes, and for those of 8 bytes in a kernel whose vectors are made for them.

template <Vector V>
constexpr bool kHasMaskedMoves =
#if defined(__AVX__)
    sizeof(V) == kRegisterBytes && sizeof(Element<V>) >= 4;
#else
    false;
#endif

#if defined(__AVX512F__)
template <Vector M>
[[gnu::always_inline]] inline unsigned short mask_bits(M mask) {
    constexpr int kNotEqual = 4;
    if constexpr (sizeof(Element<M>) == 4)
        return __builtin_ia32_cmpd512_mask(mask, M{}, kNotEqual, kAllLanes);
    else
        return __builtin_ia32_cmpq512_mask(mask, M{}, kNotEqual, 0xff);
}
#endif

// How many lanes a mask begins with, where those are all of it; -1 elsewhere, and where no
// instruction tells.
template <Vector M>
[[gnu::always_inline]] inline int prefix(M mask) {
#if defined(__AVX__)
    unsigned bits;
    if constexpr (sizeof mask == 16)
        bits = __builtin_ia32_movmskps((f32x4)mask);
    else if constexpr (sizeof mask == 32)
        bits = __builtin_ia32_movmskps256((f32x8)mask);
    else
        bits = mask_bits(mask);
    return bits & (bits + 1) ? -1 : __builtin_popcount(bits);
#else
    return (void)mask, -1;
#endif
}

// Moves so many bytes, fewer than twice a piece, in pieces of half the size each.
template <unsigned Piece>
[[gnu::always_inline]] inline void move_some(char* to, const char* from, unsigned bytes) {
    if (bytes & Piece) {
        __builtin_memcpy(to, from, Piece);
        to += Piece;
        from += Piece;
    }
    if constexpr (Piece > 1) move_some<Piece / 2>(to, from, bytes);
}

template <Vector V>
[[gnu::always_inline]] inline V load(const Element<V>* from, i32v mask, V other) {
    if constexpr (!kHasMaskedMoves<V>) {
        // As in the last vectors of a row.
        const int count = prefix(mask);
        if (count < 0) return gather(from, iota(), mask, other);
        if (count == kLanes) return load<V>(from);
        move_some<sizeof(V) / 2>((char*)&other, (const char*)from, count * sizeof(Element<V>));
        return other;
    } else {
#if defined(__AVX512F__)
        if constexpr (sizeof(Element<V>) == 4)
            return (V)__builtin_ia32_loadups512_mask((const float*)from, (f32x16)other,
                                                     mask_bits(mask));
        else
            return (V)__builtin_ia32_loadupd512_mask((const double*)from, (f64x8)other,
                                                     mask_bits(resize<Mask<V>>(mask)));
#elif defined(__AVX__)
        const Mask<V> lanes = mask_of<V>(mask);
        if constexpr (sizeof(Element<V>) == 4)
            return lanes ? (V)__builtin_ia32_maskloadps256((const f32x8*)from, lanes) : other;
        else
            return lanes ? (V)__builtin_ia32_maskloadpd256((const f64x4*)from, lanes) : other;
#endif
    }
}

[[gnu::always_inline]] inline i32v load_bool(const unsigned char* from, i32v mask, i32v other) {
    return mask ? to_mask(load(from, mask, u8v{}) != 0) : other;
}

template <Vector V>
[[gnu::always_inline]] inline void store(Element<V>* to, i32v mask, V value) {
    if constexpr (!kHasMaskedMoves<V>) {
        const int count = prefix(mask);
        if (count < 0)
            scatter(to, iota(), mask, value);
        else if (count == kLanes)
            store(to, value);
        else
            move_some<sizeof(V) / 2>((char*)to, (const char*)&value, count * sizeof(Element<V>));
    } else {
#if defined(__AVX512F__)
        if constexpr (sizeof(Element<V>) == 4)
            __builtin_ia32_storeups512_mask((float*)to, (f32x16)value, mask_bits(mask));
        else
            __builtin_ia32_storeupd512_mask((double*)to, (f64x8)value,
                                            mask_bits(resize<Mask<V>>(mask)));
#elif defined(__AVX__)
        const Mask<V> lanes = mask_of<V>(mask);
        if constexpr (sizeof(Element<V>) == 4)
            __builtin_ia32_maskstoreps256((f32x8*)to, lanes, (f32x8)value);
        else
            __builtin_ia32_maskstorepd256((f64x4*)to, lanes, (f64x4)value);
#endif
    }
}

[[gnu::always_inline]] inline void store_bool(unsigned char* to, i32v mask, i32v value) {
    store(to, mask, resize<u8v>(value & 1));
}

// Printing is up to who launches: slots[0] is its function, slots[1] what that takes first.

using PrintFn = void (*)(void* context, long long print, long long program, long long lane,
                         const long long* values);

template <class T>
[[gnu::always_inline]] inline long long print_bits(T a) {
    if constexpr (kIsFloat<T>)
        return bits_of(a);
    else
        return (long long)a;
}

template <class... T>
[[gnu::always_inline]] inline void print_lane(const long long* slots, long long print,
                                              long long program, long long lane, T... values) {
    const long long bits[] = {print_bits(values)..., 0};
    ((PrintFn)slots[0])((void*)slots[1], print, program, lane, bits);
}

// The lanes before `bound`, of those whose index rises by one from `first`; at most `most`.
[[gnu::always_inline]] inline long long lanes_below(long long bound, long long first,
                                                    bool inclusive, long long most) {
    __int128 lanes = (__int128)bound - first + inclusive;
    return lanes < 0 ? 0 : lanes < most ? (long long)lanes : most;
}

[[gnu::always_inline]] inline long long lanes_below(int bound, int first, bool inclusive,
                                                    long long most) {
    long long lanes = (long long)bound - first + inclusive;
    return lanes < 0 ? 0 : lanes < most ? lanes : most;
}

// Combination across lanes. It is part of the language, not of the target: partial result k takes
// lanes k, k + 16, k + 32, ... of a row, then p[k] = combine(p[k], p[k + 8]), and so on with 4, 2
// and 1. A kernel keeps the 16 partials in kPartials vectors and ends with halve(), whose combine
// takes and gives vectors as well as scalars: steps as wide as a vector are done in vectors.

constexpr int kPartials = 16 / kLanes;

template <Vector V>
struct Partials {
    V part[kPartials];
};

template <Vector V>
[[gnu::always_inline]] inline Partials<V> partials(const V (&from)[kPartials]) {
    Partials<V> copy;
    for (int k = 0; k < kPartials; ++k) copy.part[k] = from[k];
    return copy;
}

// For floats as well: 0.0 and -0.0 differ, and a NaN is the same as itself.
template <Vector V>
[[gnu::always_inline]] inline bool same_bits(const Partials<V>& a, const Partials<V>& b) {
    i32v differ{};
    for (int k = 0; k < kPartials; ++k) {
        if constexpr (kIsFloat<Element<V>>)
            differ |= to_mask(bits_of(a.part[k]) != bits_of(b.part[k]));
        else
            differ |= to_mask(a.part[k] != b.part[k]);
    }
    return !any(differ);
}

template <Vector V, class Combine>
[[gnu::always_inline]] inline Element<V> halve(const V (&partial)[kPartials], Combine combine) {
    V whole[kPartials];
    for (int k = 0; k < kPartials; ++k) whole[k] = partial[k];
    for (int half = kPartials / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) whole[k] = combine(whole[k], whole[k + half]);
    Element<V> p[kLanes];
    __builtin_memcpy(p, whole, sizeof p);
    for (int half = kLanes / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) p[k] = combine(p[k], p[k + half]);
    return p[0];
}

}  // namespace mytriton::rows

#endif  // MYTRITON_CPU_VECTOR_MEMORY_H
