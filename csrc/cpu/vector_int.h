// Vectors of ints for emitted host kernels: overloads of ir/scalar.h's functions of ints.
//
// The text follows vector.h's in every emitted kernel.
#ifndef MYTRITON_CPU_VECTOR_INT_H
#define MYTRITON_CPU_VECTOR_INT_H

namespace mytriton::rows {

template <Vector V>
[[gnu::always_inline]] inline V iabs(V a) {
    return Element<V>(-1) > 0 ? a : a < 0 ? V{} - a : a;
}

// The divisor, with 1 in place of those that could trap. MIN / 1 is also what MIN / -1 shall be.
template <Vector V>
[[gnu::always_inline]] inline V safe_divisor(V a, V b) {
    constexpr Element<V> kMin = kLeast<Element<V>>;
    auto unsafe = b == 0;
    if constexpr (kMin < 0) unsafe |= (b == -1) & (a == kMin);
    return unsafe ? splat<V>(1) : b;
}

// Through f64, as no target divides vectors of ints. The quotient of two ints of 32 bits that is
// not whole is at least 2^-32 of itself away from a whole number, so its rounding to 53 bits
// reaches none.
template <Vector V>
[[gnu::always_inline]] inline V divide(V a, V safe) {
    if constexpr (sizeof(V) == sizeof(i64v))
        return each_lane([](Element<V> x, Element<V> y) { return Element<V>(x / y); }, a, safe);
    else
        return __builtin_convertvector(
            __builtin_convertvector(a, f64v) / __builtin_convertvector(safe, f64v), V);
}

template <Vector V>
[[gnu::always_inline]] inline V idiv(V a, V b) {
    if constexpr (sizeof(V) < sizeof(i32v))
        return resize<V>(idiv(resize<i32v>(a), resize<i32v>(b)));
    else
        return b == 0 ? splat<V>(-1) : divide(a, safe_divisor(a, b));
}

template <Vector V>
[[gnu::always_inline]] inline V irem(V a, V b) {
    if constexpr (sizeof(V) < sizeof(i32v)) {
        return resize<V>(irem(resize<i32v>(a), resize<i32v>(b)));
    } else {
        V safe = safe_divisor(a, b);
        return b == 0 ? a : a - divide(a, safe) * safe;
    }
}

template <Vector V>
[[gnu::always_inline]] inline V shl(V a, V b) {
    constexpr Element<WithoutSign<V>> kBits = 8 * sizeof(Element<V>);
    WithoutSign<V> count = (WithoutSign<V>)b;
    auto shifted = (WithoutSign<V>)a << (count & (kBits - 1));
    return count < kBits ? (V)shifted : V{};
}

template <Vector V>
[[gnu::always_inline]] inline V shr(V a, V b) {
    constexpr Element<WithoutSign<V>> kBits = 8 * sizeof(Element<V>);
    WithoutSign<V> count = (WithoutSign<V>)b;
    V shifted = a >> (V)(count & (kBits - 1));
    // A signed vector ends as its sign, an unsigned one as 0.
    return count < kBits ? shifted : a >> (V)splat<WithoutSign<V>>(kBits - 1) >> 1;
}

template <Vector V>
[[gnu::always_inline]] inline V umulhi(V a, V b) {
    return each_lane([](Element<V> x, Element<V> y) { return umulhi(x, y); }, a, b);
}

template <Vector V>
[[gnu::always_inline]] inline i32v popc(V a) {
    i32v r;
    for (int k = 0; k < kLanes; ++k) r[k] = popc(a[k]);
    return r;
}

template <Vector V>
[[gnu::always_inline]] inline i32v clz(V a) {
    i32v r;
    for (int k = 0; k < kLanes; ++k) r[k] = clz(a[k]);
    return r;
}

}  // namespace mytriton::rows

#endif  // MYTRITON_CPU_VECTOR_INT_H
