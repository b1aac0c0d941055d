"""Promotion of operands, what Python numbers and scalar arguments become, and casts."""

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from engines import assert_same_bits, every

import mytriton
import mytriton.language as tl

DTYPES = {"bool": torch.bool, "i32": torch.int32, "f32": torch.float32}
LANGUAGE_TYPES = {"bool": tl.int1, "i32": tl.int32, "f32": tl.float32}
INT_MIN, INT_MAX = -(2**31), 2**31 - 1

# --- casts ---------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
FLOATS = [0.0, -0.0, 0.5, -0.5, 0.99999994, -0.99999994, 1.5, -1.5, 2.5, -2.5, 1e-45, -1e-45]
LARGE = [2147483520.0, 2147483648.0, 3e9, 1e38, INF, -2147483648.0, -2147483904.0, -1e38, -INF, NAN]
INTS = [0, 1, -1, 16777217, -16777219, 123456789, INT_MAX, INT_MIN]
# (from, to, operands, results), spelled out where torch itself leaves the result undefined.
CASTS: list[tuple[str, str, list[Any], list[Any]]] = [
    (
        "f32",
        "i32",
        FLOATS + LARGE,
        [*(0, 0, 0, 0, 0, 0, 1, -1, 2, -2, 0, 0, 2147483520), *[INT_MAX] * 4, *[INT_MIN] * 4, 0],
    ),
    ("f32", "bool", [*FLOATS, INF, -INF, NAN], [False, False, *[True] * 13]),
    ("i32", "f32", INTS, torch.tensor(INTS, dtype=torch.int32).float().tolist()),
    ("i32", "bool", INTS, [each != 0 for each in INTS]),
    ("bool", "i32", [False, True], [0, 1]),
    ("bool", "f32", [False, True], [0.0, 1.0]),
]


@mytriton.jit
def cast_kernel(x, s, blocks, stored, scalars, TO: tl.constexpr, N: tl.constexpr):
    lane = tl.arange(0, N)
    a = tl.load(x + lane)
    tl.store(blocks + lane, a.to(TO))
    tl.store(stored + lane, a)  # a store casts to what its pointer points to
    tl.store(scalars, tl.cast(s, TO))
    tl.store(scalars + 1, s)


@every
@pytest.mark.parametrize(("source", "to", "values", "results"), CASTS)
def test_casts(engine, source: str, to: str, values: list[Any], results: list[Any]) -> None:
    # Repeated, so that whole vectors and a rest are converted.
    x = torch.tensor(values * 5, dtype=DTYPES[source])
    expected = torch.tensor(results * 5, dtype=DTYPES[to])
    for s, result in zip(values, results, strict=True):
        blocks, stored = torch.empty_like(expected), torch.empty_like(expected)
        scalars = torch.empty(2, dtype=expected.dtype)
        engine(cast_kernel)[1](x, s, blocks, stored, scalars, TO=LANGUAGE_TYPES[to], N=x.numel())
        assert_same_bits(blocks, expected, x)
        assert_same_bits(stored, expected, x)
        assert_same_bits(scalars, torch.tensor([result] * 2, dtype=expected.dtype), s)


@mytriton.jit
def constant_casts_kernel(ints, floats, bools):
    """Casts that the compiler does itself."""
    tl.store(ints, 2.9)
    tl.store(ints + 1, float("nan"))
    tl.store(ints + 2, -3e9)
    tl.store(ints + 3, True)
    tl.store(ints + 4, tl.cast(-2.9, tl.int32))
    tl.store(floats, 16777217)
    tl.store(floats + 1, True)
    tl.store(bools, 0.5)
    tl.store(bools + 1, -0.0)
    tl.store(bools + 2, -7)


@every
def test_casts_of_constants(engine) -> None:
    ints, floats = torch.zeros(5, dtype=torch.int32), torch.zeros(2)
    bools = torch.zeros(3, dtype=torch.bool)
    engine(constant_casts_kernel)[1](ints, floats, bools)
    assert ints.tolist() == [2, 0, INT_MIN, 1, -2]
    assert floats.tolist() == [16777216.0, 1.0]
    assert bools.tolist() == [True, False, True]


# --- promotion -----------------------------------------------------------------------------------


@mytriton.jit
def types_kernel(f, i, b, fs, is_, bs, out, SEEN: tl.constexpr):
    lane = tl.arange(0, 4)
    blocks = [tl.load(f + lane), tl.load(i + lane), tl.load(b + lane)]
    SEEN += [(x.dtype, y.dtype, (x + y).dtype) for x, y in itertools.product(blocks, repeat=2)]
    SEEN += [(x.dtype, s.dtype, (s * x).dtype) for x, s in itertools.product(blocks, (fs, is_, bs))]
    SEEN += [("literal", x.dtype, (x + n).dtype) for x, n in itertools.product(blocks, (1, 2.5))]
    SEEN += [("/", x.dtype, (x / y).dtype) for x, y in itertools.product(blocks, repeat=2)]
    SEEN += [("<", x.dtype, (x < y).dtype) for x, y in itertools.product(blocks, repeat=2)]
    SEEN += [("where", x.dtype, tl.where(b, x, 1).dtype) for x in blocks for b in (blocks[2], bs)]
    SEEN += [(lane.shape, (lane + 1).shape, fs.shape)]


class Seen(list):
    """A list that a kernel may append to: constexprs have to be hashable."""

    __hash__ = object.__hash__


def promoted(x: Any, y: Any) -> Any:
    order = [tl.int1, tl.int32, tl.float32]
    return order[max(order.index(x), order.index(y))]


def test_promotion_table() -> None:
    seen = Seen()
    f, i, b = torch.zeros(4), torch.zeros(4, dtype=torch.int32), torch.zeros(4, dtype=torch.bool)
    types_kernel[1](f, i, b, 1.0, 1, True, f, SEEN=seen)
    kinds = [tl.float32, tl.int32, tl.int1]
    pairs = list(itertools.product(kinds, repeat=2))
    assert seen[:18] == [(x, y, promoted(x, y)) for x, y in pairs] * 2
    literals = itertools.product(kinds, (tl.int32, tl.float32))
    assert seen[18:24] == [("literal", x, promoted(x, n)) for x, n in literals]
    assert seen[24:33] == [("/", x, tl.float32) for x, _ in pairs]
    assert seen[33:42] == [("<", x, tl.int1) for x, _ in pairs]
    assert seen[42:48] == [("where", x, promoted(x, tl.int32)) for x in kinds for _ in range(2)]
    assert seen[48:] == [((4,), (4,), ())]


@mytriton.jit
def mixed_kernel(i, f, b, floats, ints, bools, n, eps, flag, N: tl.constexpr):
    lane = tl.arange(0, N)
    x, y, m = tl.load(i + lane), tl.load(f + lane), tl.load(b + lane)
    tl.store(floats + lane, x + y)
    tl.store(floats + N + lane, m + y)
    tl.store(floats + 2 * N + lane, y * 3)
    tl.store(floats + 3 * N + lane, x / n)
    tl.store(floats + 4 * N + lane, x * eps)
    tl.store(floats + 5 * N + lane, 1 / y)
    tl.store(floats + 6 * N + lane, tl.maximum(x, 0.5))
    tl.store(floats + 7 * N + lane, tl.where(m, x, y))
    tl.store(floats + 8 * N + lane, tl.where(x < y, 1, 0.5))
    tl.store(floats + 9 * N + lane, m / 2)
    tl.store(ints + lane, x // 3)
    tl.store(ints + N + lane, x % 3)
    tl.store(ints + 2 * N + lane, 17 // x)
    tl.store(ints + 3 * N + lane, 17 % x)
    tl.store(ints + 4 * N + lane, m + x)
    tl.store(ints + 5 * N + lane, m + 1)
    tl.store(ints + 6 * N + lane, x * x + x)
    tl.store(ints + 7 * N + lane, tl.where(flag, x, m))
    tl.store(bools + lane, x < y)
    tl.store(bools + N + lane, m == x)
    tl.store(bools + 2 * N + lane, m + m)
    tl.store(bools + 3 * N + lane, (x > 0) & m | ~m ^ flag)
    tl.store(bools + 4 * N + lane, n < x)


def truncated(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """C's quotient and remainder of wide ints; x // 0 is -1 and x % 0 is x."""
    safe = np.where(b == 0, 1, b)
    quotient = np.where(b == 0, -1, np.sign(a) * np.sign(safe) * (abs(a) // abs(safe)))
    return quotient.astype(np.int32), np.where(b == 0, a, a - quotient * safe).astype(np.int32)


@every
def test_mixed_operands(engine) -> None:
    width = 37
    i = torch.arange(width, dtype=torch.int32) * 90_000_007 - 5
    i[:8] = torch.tensor([0, 1, -1, 7, -7, INT_MAX, INT_MIN, -17])
    f = torch.linspace(-3e9, 3e9, width).round()
    f[:6] = torch.tensor([0.5, NAN, -0.0, 7.0, INF, 2147483648.0])
    b = torch.arange(width) % 3 == 0
    floats, ints = torch.zeros(10, width), torch.zeros(8, width, dtype=torch.int32)
    bools = torch.zeros(5, width, dtype=torch.bool)
    engine(mixed_kernel)[1](i, f, b, floats, ints, bools, -3, 0.1, True, N=width)

    x, eps = i.float(), torch.tensor(0.1)
    half, one = torch.tensor(0.5), torch.tensor(1.0)
    expected = [x + f, b.float() + f, f * 3.0, x / -3.0, x * eps, 1.0 / f, torch.maximum(x, half)]
    expected += [torch.where(b, x, f), torch.where(x < f, one, half), b.float() / 2]
    assert_same_bits(floats, torch.stack(expected))

    wide = i.numpy().astype(np.int64)
    by, of = truncated(wide, np.full(width, 3)), truncated(np.full(width, 17), wide)
    quotients = [torch.from_numpy(each) for each in (*by, *of)]
    assert_same_bits(ints, torch.stack([*quotients, b + i, b + 1, i * i + i, i]).int())

    logic = (i > 0) & b | ~b ^ True
    assert_same_bits(bools, torch.stack([x < f, b.int() == i, b & False, logic, i > -3]))
