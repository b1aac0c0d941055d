"""tl.reduce and tl.associative_scan with functions of the user, which need not commute."""

from functools import reduce as fold
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
import torch
from engines import assert_same_bits, both, compiled, evaluated
from exact import FLOATS, TORCH
from shape_kernels import offsets, row_major
from test_sort import random_block

import mytriton
import mytriton.language as tl


@mytriton.jit
def affine(a1, b1, a2, b2):
    """x -> a1 * x + b1, and then x -> a2 * x + b2. It does not commute."""
    return a1 * a2, b1 * a2 + b2


def affine_of_ints(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    return first[0] * second[0], first[1] * second[0] + second[1]


def along(axis: int, a: np.ndarray, b: np.ndarray, f: Any) -> list[np.ndarray]:
    """f(pairs of one run) -> pairs, for each run along the axis."""
    pairs = np.stack([a, b], -1).astype(object)
    axis %= a.ndim
    runs = np.moveaxis(pairs, axis, 0)
    flat = runs.reshape(runs.shape[0], -1, 2)
    out = [f([tuple(pair) for pair in flat[:, i]]) for i in range(flat.shape[1])]
    stacked = np.array(out, dtype=object).transpose(1, 0, 2)
    done = np.moveaxis(stacked.reshape(-1, *runs.shape[1:]), 0, axis)
    wrapped = (done + 2**31) % 2**32 - 2**31
    return [wrapped[..., i].astype(np.int32) for i in range(2)]


@mytriton.jit
def affine_kernel(x, y, a, b, p, q, r, s, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    at = offsets(SHAPE, row_major(SHAPE))
    pair = (tl.load(x + at), tl.load(y + at))
    scanned = tl.associative_scan(pair, AXIS, affine)
    tl.store(p + at, scanned[0])
    tl.store(q + at, scanned[1])
    back, sums = tl.associative_scan(pair, AXIS, affine, reverse=True)
    tl.store(r + at, back)
    tl.store(s + at, sums)
    one, other = tl.reduce(pair, AXIS, affine, keep_dims=True)
    left = offsets(one.shape, row_major(one.shape))
    tl.store(a + left, one)
    tl.store(b + left, other)


# Rows and columns of one lane, of less than a vector, of more.
SHAPES = [
    ((1,), 0),
    ((2,), 0),
    ((64,), -1),
    ((3, 8), 1),
    ((32, 5), 0),
    ((2, 4, 20), 1),
    ((2, 3, 16, 2), -2),
]


@both
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_in_the_order_of_lanes(engine, shape: tuple[int, ...], axis: int) -> None:
    generator = torch.Generator().manual_seed(sum(shape))
    x, y = (torch.randint(-9, 9, shape, generator=generator, dtype=torch.int32) for _ in range(2))
    scans = [torch.zeros(shape, dtype=torch.int32) for _ in range(4)]
    left = list(shape)
    left[axis] = 1
    totals = [torch.zeros(left, dtype=torch.int32) for _ in range(2)]
    engine(affine_kernel)[1](x, y, *totals, *scans, SHAPE=shape, AXIS=axis)
    pairs = (axis, x.numpy(), y.numpy())
    forth = along(*pairs, lambda run: list(accumulate(run, affine_of_ints)))
    back = along(*pairs, lambda run: list(accumulate(run[::-1], affine_of_ints))[::-1])
    total = along(*pairs, lambda run: [fold(affine_of_ints, run)])
    for got, expected in zip([*scans, *totals], [*forth, *back, *total], strict=True):
        assert_same_bits(got, torch.from_numpy(np.ascontiguousarray(expected)))


@mytriton.jit
def recurrence_kernel(decay, value, out, N: tl.constexpr, ROWS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)
    _, state = tl.associative_scan((tl.load(decay + at), tl.load(value + at)), 1, affine)
    tl.store(out + at, state)


def test_linear_recurrence() -> None:
    """h[t] = decay[t] * h[t - 1] + value[t], in a tree of which both engines have the same bits."""
    generator = torch.Generator().manual_seed(1)
    decay = torch.rand(4, 256, generator=generator)
    value = torch.randn(4, 256, generator=generator)
    out, again = torch.zeros(4, 256), torch.zeros(4, 256)
    compiled(recurrence_kernel)[1](decay, value, out, N=256, ROWS=4)
    evaluated(recurrence_kernel)[1](decay, value, again, N=256, ROWS=4)
    assert_same_bits(out, again)
    state = torch.zeros(4, dtype=torch.float64)
    for t in range(256):
        state = decay[:, t] * state + value[:, t]
        assert torch.allclose(out[:, t].double(), state, 1e-5, 1e-6)


@mytriton.jit
def welford(mean_1, m2_1, n_1, mean_2, m2_2, n_2):
    delta = mean_2 - mean_1
    n = n_1 + n_2
    part = tl.where(n == 0.0, 0.0, n_2 / n)
    return mean_1 + delta * part, m2_1 + m2_2 + delta * delta * n_1 * part, n


@mytriton.jit
def welford_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0.0)
    weight = tl.where(i < n, 1.0, 0.0)
    mean, m2, count = tl.reduce((value, tl.zeros_like(value), weight), 0, welford)
    tl.store(out, mean)
    tl.store(out + 1, m2 / count)
    tl.store(out + 2, count)


@both
def test_welford(engine) -> None:
    x = torch.randn(700, generator=torch.Generator().manual_seed(1)) + 1000
    out = torch.zeros(3)
    engine(welford_kernel)[1](x, out, 700, BLOCK=1024)
    wide = x.double()
    expected = torch.stack([wide.mean(), wide.var(correction=0), torch.tensor(700.0)])
    assert torch.allclose(out.double(), expected, 1e-5)


@mytriton.jit
def larger(value_1, index_1, value_2, index_2, tie_break_left: tl.constexpr):
    if tie_break_left:
        tie = value_1 == value_2 and index_1 < index_2
    else:
        tie = False
    first = value_1 > value_2 or tie
    return tl.where(first, value_1, value_2), tl.where(first, index_1, index_2)


@mytriton.jit
def larger_left(value_1, index_1, value_2, index_2):
    return larger(value_1, index_1, value_2, index_2, True)


@mytriton.jit
def argmax_kernel(x, most, where, all_of_them, AXIS: tl.constexpr):
    i, j = tl.arange(0, 8), tl.arange(0, 32)
    at = i[:, None] * 32 + j
    block = tl.load(x + at)
    index = tl.broadcast_to(j if AXIS == 1 else i[:, None], (8, 32))
    value, place = tl.reduce((block, index), AXIS, larger_left)
    lane = tl.arange(0, 8 if AXIS == 1 else 32)
    tl.store(most + lane, value)
    tl.store(where + lane, place)
    value, place = tl.reduce((block, at), None, larger_left)
    tl.store(all_of_them, value.to(tl.int32))
    tl.store(all_of_them + 1, place)
    kept, _ = tl.reduce([block, at], None, larger_left, keep_dims=True)
    tl.store(all_of_them + 2 + tl.zeros((1, 1), tl.int32), kept.to(tl.int32))


@both
@pytest.mark.parametrize("axis", [0, 1])
def test_argmax_pairs(engine, axis: int) -> None:
    x = torch.randint(-9, 9, (8, 32), generator=torch.Generator().manual_seed(axis)).float()
    size = x.shape[1 - axis]
    most, where = torch.zeros(size), torch.zeros(size, dtype=torch.int32)
    all_of_them = torch.zeros(3, dtype=torch.int32)
    engine(argmax_kernel)[1](x, most, where, all_of_them, AXIS=axis)
    assert torch.equal(most, x.amax(axis))
    assert torch.equal(where, x.argmax(axis).int())
    assert all_of_them.tolist() == [x.max(), x.argmax(), x.max()]


@mytriton.jit
def first_kernel(x, first, last, SHAPE: tl.constexpr):
    block = tl.load(x + offsets(SHAPE, row_major(SHAPE)))
    i = tl.arange(0, SHAPE[0])
    tl.store(first + i, tl.reduce(block, 1, lambda a, b: a))
    tl.store(last + i, block.reduce(-1, lambda a, b: b))
    tl.store(first + SHAPE[0], block.reduce(None, lambda a, b: a))
    tl.store(last + SHAPE[0], block.reduce(None, lambda a, b: b))
    at = offsets(SHAPE, row_major(SHAPE))
    tl.store(x + at, block.associative_scan(0, lambda a, b: a))


@both
@pytest.mark.parametrize("name", ["bool", "i8", "u16", "i32", "u64", *FLOATS])
def test_types_stay_as_they_are(engine, name: str) -> None:
    """Lanes only move, NaNs and all, as scalars too."""
    block = random_block(name, (4, 32), 2)
    x = block.clone()
    first, last = torch.zeros(5, dtype=TORCH[name]), torch.zeros(5, dtype=TORCH[name])
    engine(first_kernel)[1](x, first, last, SHAPE=(4, 32))
    assert_same_bits(first, torch.cat([block[:, 0], block[0, :1]]))
    assert_same_bits(last, torch.cat([block[:, -1], block[-1, -1:]]))
    assert_same_bits(x, block[:1].expand(4, 32))


@mytriton.jit
def large_kernel(x, out, total, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    block = tl.load(x + i)
    tl.store(out + i, tl.associative_scan(block, 0, tl.maximum))
    tl.store(total, tl.reduce(block, 0, lambda a, b: a ^ b))


@both
def test_large_block(engine) -> None:
    """Of 131072 lanes; functions of `tl` are functions, too."""
    x = torch.randint(-(2**31), 2**31, (2**17,), generator=torch.Generator().manual_seed(1))
    x, out = x.int(), torch.zeros(2**17, dtype=torch.int32)
    total = torch.zeros(1, dtype=torch.int32)
    engine(large_kernel)[1](x, out, total, BLOCK=2**17)
    assert torch.equal(out, x.cummax(0).values)
    assert int(total) == int(np.bitwise_xor.reduce(x.numpy()))


@both
def test_within_loops_and_branches(engine) -> None:
    """A function of the kernel's own, which uses what stands around it."""

    @mytriton.jit
    def kernel(x, out, rows, limit, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)

        def capped(a, b):
            return tl.minimum(a + b, limit)

        total = tl.zeros((BLOCK,), tl.int32)
        for row in range(rows):
            block = tl.load(x + row * BLOCK + i)
            if row != 1:
                total = tl.associative_scan(total + block, 0, capped)
            tl.store(out + row, tl.reduce(total, 0, capped))
        tl.store(out + rows + i, total)

    x = torch.randint(0, 5, (3, 16), generator=torch.Generator().manual_seed(1), dtype=torch.int32)
    out = torch.zeros(19, dtype=torch.int32)
    engine(kernel)[1](x, out, 3, 30, BLOCK=16)
    total, expected = torch.zeros(16, dtype=torch.int64), []
    for row in range(3):
        if row != 1:
            total = (total + x[row]).cumsum(0).clamp(max=30)
        expected.append(int(total.sum().clamp(max=30)))
    assert out.tolist() == expected + total.tolist()


def test_results_are_as_the_input_is() -> None:
    @mytriton.jit
    def kernel(x):
        block = tl.load(x + offsets((2, 4), (4, 1)))

        def add(a, b):
            return a + b

        def both_sums(a, b, c, d):
            return [a + c, b + d]

        def one(a, b):
            return (a + b,)

        assert tl.reduce(block, 0, add).shape == (4,)
        assert tl.reduce(block, -1, one, keep_dims=True).shape == (2, 1)
        assert tl.reduce(block, None, add).shape == ()
        assert tl.reduce(block, None, add, keep_dims=True).shape == (1, 1)
        (only,) = tl.reduce((block,), 1, one)
        assert only.dtype is tl.int8 and only.shape == (2,)
        pair = tl.associative_scan((block, block.to(tl.float16)), 1, both_sums)
        assert isinstance(pair, tuple) and [each.dtype for each in pair] == [tl.int8, tl.float16]
        scanned = tl.associative_scan(block, 0, add)
        assert scanned.shape == (2, 4) and scanned.dtype is tl.int8
        constant = tl.reduce(block, 0, lambda a, b: tl.full((), 3, tl.int8))
        tl.store(x + tl.arange(0, 4), constant)

    x = torch.zeros(8, dtype=torch.int8)
    kernel[1](x)
    assert x.tolist() == [3] * 4 + [0] * 4
