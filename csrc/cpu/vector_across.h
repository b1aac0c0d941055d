// Ops across lanes in emitted host kernels, from buffers to a buffer: scans, sort, gather and
// histogram. Buffers do not overlap.
//
// The text follows vector_loop.h's in every emitted kernel.
#ifndef MYTRITON_CPU_VECTOR_ACROSS_H
#define MYTRITON_CPU_VECTOR_ACROSS_H

namespace mytriton::rows {

// A truth value as a lane: comparisons of single lanes give 0 or 1, those of vectors lanes already.
[[gnu::always_inline]] inline int bool_lane(bool a) {
    return -int(a);
}

[[gnu::always_inline]] inline i32v bool_lane(i32v a) {
    return a;
}

// The first `count` lanes of a vector, if it has that many.
template <class V>
[[gnu::always_inline]] inline void store_some(Element<V>* to, int count, V value) {
    if (count >= kLanes) return store(to, value);
    for (int k = 0; k < count; ++k) to[k] = value[k];
}

// Runs of N lanes, Inner apart; Outer times Inner of them. Neighbouring runs go on together, as one
// has to wait for each of its sums.
template <class V, int Outer, int N, int Inner, bool Reverse, class Combine>
void scan_axis(const Element<V>* from, Element<V>* to, V identity, const Combine& combine) {
    constexpr int kFirst = Reverse ? N - 1 : 0, kStep = Reverse ? -1 : 1;
    if constexpr (Inner == 1) {
        constexpr int kTogether = Outer < 8 ? Outer : 8;
        for (int row = 0; row < Outer; row += kTogether) {
            int start = row + kTogether <= Outer ? row : Outer - kTogether;
            Element<V> run[kTogether];
            for (int k = 0; k < kTogether; ++k) run[k] = identity[0];
            for (int i = 0, at = kFirst; i < N; ++i, at += kStep)
                for (int k = 0; k < kTogether; ++k) {
                    int lane = (start + k) * N + at;
                    to[lane] = run[k] = combine(run[k], from[lane]);
                }
        }
    } else {
        for (int outer = 0; outer < Outer; ++outer, from += N * Inner, to += N * Inner)
            for (int inner = 0; inner < Inner; inner += kLanes) {
                V run = identity;
                for (int i = 0, at = kFirst; i < N; ++i, at += kStep) {
                    int lane = at * Inner + inner;
                    run = combine(run, load_some<V>(from + lane, Inner - inner, identity));
                    store_some(to + lane, Inner - inner, run);
                }
            }
    }
}

// How the bits of a type are ordered: unsigned ints as they are, signed ones with the sign flipped;
// floats by their number of stored fraction bits, see ir/across.h.
constexpr int kUnsigned = 0, kSigned = -1;

template <int Order, class U>
[[gnu::always_inline]] inline U sort_key(U bits) {
    constexpr U kSign = U(U(1) << (8 * sizeof(U) - 1));
    if constexpr (Order == kUnsigned) {
        return bits;
    } else if constexpr (Order == kSigned) {
        return bits ^ kSign;
    } else {
        constexpr U kBelowInfinity = U((U(1) << Order) - 1), kLargestNumber = U(~kBelowInfinity);
        U key = U((bits & kSign ? U(~bits) : U(bits | kSign)) - kBelowInfinity);
        return bits > kLargestNumber ? bits : key;
    }
}

template <int Order, class U>
[[gnu::always_inline]] inline U from_sort_key(U key) {
    constexpr U kSign = U(U(1) << (8 * sizeof(U) - 1));
    if constexpr (Order == kUnsigned) {
        return key;
    } else if constexpr (Order == kSigned) {
        return key ^ kSign;
    } else {
        constexpr U kBelowInfinity = U((U(1) << Order) - 1), kLargestNumber = U(~kBelowInfinity);
        U bits = U(key + kBelowInfinity);
        return key > kLargestNumber ? key : bits & kSign ? U(bits ^ kSign) : U(~bits);
    }
}

constexpr int kFewKeys = 32;  // that are sorted one by one

// Sorts N keys in place, `other` having room for as many. By bytes, the lowest first; where all
// keys have the same byte, that pass is left out.
template <int N, class U>
void sort_keys(U* keys, U* other) {
    if constexpr (N <= kFewKeys) {
        for (int i = 1; i < N; ++i) {
            U key = keys[i];
            int at = i;
            for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
            keys[at] = key;
        }
    } else {
        unsigned counts[sizeof(U)][256] = {};
        for (int i = 0; i < N; ++i)
            for (int byte = 0; byte < (int)sizeof(U); ++byte)
                ++counts[byte][keys[i] >> (8 * byte) & 255];
        U *from = keys, *to = other;
        for (int byte = 0; byte < (int)sizeof(U); ++byte) {
            if (counts[byte][from[0] >> (8 * byte) & 255] == N) continue;
            unsigned place = 0;
            for (unsigned& count : counts[byte]) {
                unsigned keys_here = count;
                count = place;
                place += keys_here;
            }
            for (int i = 0; i < N; ++i) to[counts[byte][from[i] >> (8 * byte) & 255]++] = from[i];
            U* sorted = to;
            to = from;
            from = sorted;
        }
        if (from != keys) __builtin_memcpy(keys, from, N * sizeof(U));
    }
}

// `other`: room for a row.
template <class U, int Order, int Outer, int N, bool Descending>
void sort_rows(const U* from, U* to, U* other) {
    constexpr U kFlip = Descending ? U(~U(0)) : U(0);
    for (int row = 0; row < Outer; ++row, from += N, to += N) {
        for (int i = 0; i < N; ++i) to[i] = sort_key<Order>(from[i]) ^ kFlip;
        sort_keys<N>(to, other);
        for (int i = 0; i < N; ++i) to[i] = from_sort_key<Order, U>(to[i] ^ kFlip);
    }
}

// Of N lanes along an axis those that the M indices name, or the nearest.
template <int Outer, int N, int M, int Inner, class T, class I>
void gather_axis(const T* __restrict src, const I* __restrict index, T* __restrict to) {
    for (int outer = 0; outer < Outer; ++outer, src += N * Inner)
        for (int i = 0; i < M; ++i, index += Inner, to += Inner)
            for (int inner = 0; inner < Inner; ++inner) {
                I at = index[inner];
                int place = at > I(0) ? (unsigned long long)at < N ? (int)at : N - 1 : 0;
                to[inner] = src[place * Inner + inner];
            }
}

// `mask`: lanes of a bool, or null.
template <int N, int Bins, class I>
void count_lanes(const I* input, const int* mask, int* to) {
    for (int i = 0; i < Bins; ++i) to[i] = 0;
    for (int i = 0; i < N; ++i)
        if ((unsigned long long)input[i] < Bins && (!mask || mask[i])) ++to[input[i]];
}

}  // namespace mytriton::rows

#endif  // MYTRITON_CPU_VECTOR_ACROSS_H
