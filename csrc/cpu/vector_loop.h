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

// f(0), ..., f(N - 1) with arguments that are constants where f is inlined: an array that is
// indexed by them only becomes registers.
template <int N, class F>
[[gnu::always_inline]] inline void each(const F& f) {
    if constexpr (N > 0) {
        each<N - 1>(f);
        f(Index<N - 1>{});
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
