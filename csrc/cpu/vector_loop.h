// Loops of emitted host kernels: strips that are written out, and rounds that are counted.
//
// The text follows vector_memory.h's in every emitted kernel.
#ifndef MYTRITON_CPU_VECTOR_LOOP_H
#define MYTRITON_CPU_VECTOR_LOOP_H

#define MT_INLINE __attribute__((always_inline))

namespace mytriton::rows {

template <int K>
struct Index {
    constexpr operator int() const { return K; }
};

// f(First), ..., f(First + N - 1) with arguments that are constants where f is inlined: an array
// that is indexed by them only becomes registers. By halves: one call inside another would be
// inlined, and optimised, N times over.
template <int N, int First = 0, class F>
[[gnu::always_inline]] inline void each(const F& f) {
    if constexpr (N == 1) {
        f(Index<First>{});
    } else if constexpr (N > 1) {
        each<N / 2, First>(f);
        each<N - N / 2, First + N / 2>(f);
    }
}

// Lane k is f(first + k), of a block of N lanes.
template <class V, int N, class F>
[[gnu::always_inline]] inline V pick(long long first, const F& f) {
    V r;
    for (int k = 0; k < kLanes; ++k) r[k] = f(first + k < N ? first + k : N - 1);
    return r;
}

// Elements that are Step apart.
template <class V, int Step>
[[gnu::always_inline]] inline V strided(const Element<V>* from) {
    V r;
    for (int k = 0; k < kLanes; ++k) r[k] = from[k * Step];
    return r;
}

[[gnu::always_inline]] inline bool all(i32v mask) {
    return !any(~mask);
}

// Access to addresses that are consecutive unless an index wraps around.
template <class V>
[[gnu::always_inline]] inline bool is_row(i64v at) {
    return all(to_mask(at == at[0] + resize<i64v>(iota() * (int)sizeof(Element<V>))));
}

template <class V>
[[gnu::always_inline]] inline V load_row(i64v at, i32v mask, V other) {
    if (!is_row<V>(at)) return gather<V>(at, mask, other);
    const Element<V>* from = (const Element<V>*)at[0];
    return all(mask) ? load<V>(from) : load<V>(from, mask, other);
}

template <class V>
[[gnu::always_inline]] inline void store_row(i64v at, i32v mask, V value) {
    if (!is_row<V>(at)) return scatter(at, mask, value);
    Element<V>* to = (Element<V>*)at[0];
    if (all(mask))
        store(to, value);
    else
        store(to, mask, value);
}

// The first `count` lanes, if a vector has that many; the others are those of `other`.
template <class V>
[[gnu::always_inline]] inline V load_some(const Element<V>* from, int count, V other) {
    if (count >= kLanes) return load<V>(from);
    for (int k = 0; k < count; ++k) other[k] = from[k];
    return other;
}

// The same of a number that is known, at least 1: one move, where a loop over lanes would be
// written out for each of them.
template <class V, int Count>
[[gnu::always_inline]] inline V load_first(const Element<V>* from, V other) {
    __builtin_memcpy(&other, from, (Count < kLanes ? Count : kLanes) * sizeof(Element<V>));
    return other;
}

// Combines N lanes in the order of sums.
template <class V, int N, class Combine>
[[gnu::always_inline]] inline Element<V> reduce_row(const Element<V>* from, V identity,
                                                    const Combine& combine) {
    V partial[kPartials];
    for (int part = 0; part < kPartials; ++part) partial[part] = identity;
    for (int first = 0; first + 16 <= N; first += 16, from += 16)
        for (int part = 0; part < kPartials; ++part)
            partial[part] = combine(partial[part], load<V>(from + part * kLanes));
    each<(N % 16 + kLanes - 1) / kLanes>([&](auto part) MT_INLINE {
        constexpr int kAt = part * kLanes;
        partial[part] = combine(partial[part], load_first<V, N % 16 - kAt>(from + kAt, identity));
    });
    return halve(partial, combine);
}

// Columns that are side by side: each combines N lanes, Inner apart.
template <class V, int Columns, int N, int Inner, class Combine>
[[gnu::always_inline]] inline void reduce_columns(const Element<V>* from, Element<V>* to,
                                                  V identity, const Combine& combine) {
    V partial[16];
    for (int k = 0; k < 16; ++k) partial[k] = identity;
    auto join = [&](auto k) MT_INLINE {
        partial[k] = combine(partial[k], load_first<V, Columns>(from + k * Inner, identity));
    };
    for (int first = 0; first + 16 <= N; first += 16, from += 16 * Inner) each<16>(join);
    each<N % 16>(join);
    each<8>([&](auto k) MT_INLINE { partial[k] = combine(partial[k], partial[k + 8]); });
    each<4>([&](auto k) MT_INLINE { partial[k] = combine(partial[k], partial[k + 4]); });
    each<2>([&](auto k) MT_INLINE { partial[k] = combine(partial[k], partial[k + 2]); });
    partial[0] = combine(partial[0], partial[1]);
    __builtin_memcpy(to, partial, Columns * sizeof(Element<V>));
}

// Combines N lanes, Inner apart, Outer times Inner such runs, in the order of sums.
template <class V, int Outer, int N, int Inner, class Combine>
void reduce_axis(const Element<V>* from, Element<V>* to, V identity, const Combine& combine) {
    constexpr int kRest = Inner % kLanes, kWhole = Inner - kRest;
    for (int outer = 0; outer < Outer; ++outer, from += N * Inner, to += Inner) {
        if constexpr (Inner == 1) {
            *to = reduce_row<V, N>(from, identity, combine);
        } else {
            for (int inner = 0; inner < kWhole; inner += kLanes)
                reduce_columns<V, kLanes, N, Inner>(from + inner, to + inner, identity, combine);
            if constexpr (kRest > 0)
                reduce_columns<V, kRest, N, Inner>(from + kWhole, to + kWhole, identity, combine);
        }
    }
}

// How many indices start, start + step, ... lie before stop, as ir/range.h counts them.
template <class T>
[[gnu::always_inline]] inline unsigned long long trip_count(T start, T stop, T step) {
    unsigned long long first = start, last = stop, size = step;
    if (step < T(0)) return stop < start ? (first - last - 1) / (0 - size) + 1 : 0;
    return start < stop && step != T(0) ? (last - first - 1) / size + 1 : 0;
}

}  // namespace mytriton::rows

#endif  // MYTRITON_CPU_VECTOR_LOOP_H
