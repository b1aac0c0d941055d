"""Tensors of more than 2**31 elements: offsets of 64 bits, and what those of 32 bits reach.

The tensors are never filled, so that only the pages that a test touches take memory.
"""

import pytest
import torch
from engines import assert_same_bits, both

import mytriton
import mytriton.language as tl

pytestmark = pytest.mark.on_host("gigabytes, of which few are touched")
FAR = 2**31
N = FAR + 4096


def sparse(dtype: torch.dtype, size: int = N) -> torch.Tensor:
    return torch.empty(size, dtype=dtype)


def numbers(count: int, dtype: torch.dtype = torch.int8) -> torch.Tensor:
    return (torch.arange(count) % 100).to(dtype)


@mytriton.jit
def add_one_kernel(x, n, first, BLOCK: tl.constexpr):
    offsets = (tl.program_id(0) + first).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(x + offsets, tl.load(x + offsets, mask=mask) + 1, mask=mask)


@both
@pytest.mark.parametrize("dtype", [torch.int8, torch.float32], ids=str)
def test_blocks_on_both_sides_of_two_to_the_31(engine, dtype: torch.dtype) -> None:
    x, n, block = sparse(dtype), FAR + 777, 256
    near = x[FAR - 4096 :]
    near.copy_(numbers(2 * 4096))
    engine(add_one_kernel)[32](x, n, (FAR - 4096) // block, BLOCK=block)
    expected = numbers(2 * 4096, dtype)
    expected[: 4096 + 777] += 1  # 777 is no multiple of the block's width
    assert_same_bits(near, expected)


@mytriton.jit
def moved_kernel(x, out, far, N: tl.constexpr):
    """Pointers moved there and back by ints of 64 bits: arguments, casts and constants."""
    lane = tl.arange(0, N)
    there = x + far
    tl.store(out + lane, tl.load(there + lane))
    tl.store(out + N + lane, tl.load(there + (N - 1 - lane)))
    tl.store(out + 2 * N + lane, tl.load(x + (lane + far)))
    tl.store(out + 3 * N + lane, tl.load(x + 2147483648 + lane))
    tl.store(out + 4 * N + lane, tl.load(there + far // 2 - far // 2 + lane))
    tl.store(out + 5 * N + lane, tl.load(there - far + lane))
    tl.store(out + 6 * N + lane, tl.load(there + (-far) + lane))
    tl.store(out + 7 * N + lane, tl.load(there + (lane - far)))
    tl.store(out + 8 * N + lane, tl.load(there + N - 1 - far - lane))
    tl.store(out + 9 * N, tl.load(there + 3))
    tl.store(out + 9 * N + 1, tl.load(there - far + 3))


@both
def test_pointers_move_there_and_back(engine) -> None:
    x, width = sparse(torch.int8), 40
    near, far = numbers(width), numbers(width) + 50
    x[:width], x[FAR : FAR + width] = near, far
    out = torch.zeros(9 * width + 2, dtype=torch.int8)
    engine(moved_kernel)[1](x, out, FAR, N=width)
    rows = [far, far.flip(0), far, far, far, near, near, near, near.flip(0)]
    assert_same_bits(out, torch.cat([*rows, far[3:4], near[3:4]]))


@mytriton.jit
def gather_kernel(x, index, out, n, N: tl.constexpr):
    """Each lane by an index of its own; those out of bounds are masked off."""
    lane = tl.arange(0, N)
    at = tl.load(index + lane)
    on = (at >= 0) & (at < n)
    tl.store(out + lane, tl.load(x + at, mask=on, other=-1))
    tl.store(x + at, lane, mask=on)


@both
@pytest.mark.parametrize("dtype", [torch.int8, torch.int32], ids=str)
def test_gathers_and_scatters(engine, dtype: torch.dtype) -> None:
    x = sparse(dtype)
    index = torch.tensor([0, FAR - 1, FAR, N - 1, N, 2**40, -1, -FAR, FAR + 1, 1, FAR + 9, 17])
    on = (index >= 0) & (index < N)
    x[index[on]] = numbers(int(on.sum()), dtype) + 20
    expected = torch.full((len(index),), -1, dtype=dtype)
    expected[on] = x[index[on]]
    out = torch.zeros_like(expected)
    engine(gather_kernel)[1](x, index, out, N, N=len(index))
    assert_same_bits(out, expected)
    assert_same_bits(x[index[on]], torch.arange(len(index))[on].to(dtype))


@mytriton.jit
def atomics_kernel(x, index, olds, far, n, N: tl.constexpr):
    lane = tl.arange(0, N)
    on = lane + far < n
    tl.store(olds + lane, tl.atomic_add(x + far + lane, lane, mask=on))
    tl.atomic_max(x + tl.load(index + lane), 1000 + lane)
    tl.atomic_cas(x + far + lane, 7, 70)
    tl.atomic_xchg(x + far - 1, 5)


@both
def test_atomics(engine) -> None:
    x, width = sparse(torch.int32), 20
    x[FAR - 1 : FAR + width] = 7
    index = torch.full((width,), N - 1)
    x[N - 1] = 0
    olds = torch.zeros(width, dtype=torch.int32)
    engine(atomics_kernel)[1](x, index, olds, FAR, FAR + 13, N=width)
    expected = torch.full((width,), 70, dtype=torch.int32)
    expected[1:13] = 7 + torch.arange(1, 13)
    assert_same_bits(x[FAR : FAR + width], expected)
    assert olds.tolist() == [7] * 13 + [0] * 7
    assert x[FAR - 1] == 5
    assert x[N - 1] == 1000 + width - 1


@mytriton.jit
def rows_kernel(x, out, row_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    tl.store(out + row * columns + column, tl.load(x + row * row_stride + column, mask), mask)


@both
@pytest.mark.parametrize(("rows", "stride"), [(2, FAR + 11), (5, FAR // 4 + 3)])
def test_rows_far_apart(engine, rows: int, stride: int) -> None:
    x = sparse(torch.int8).as_strided((rows, 50), (stride, 1))
    x.copy_(numbers(rows * 50).reshape(rows, 50))
    out = torch.zeros(rows, 50, dtype=torch.int8)
    engine(rows_kernel)[rows](x, out, x.stride(0), 50, BLOCK=64)
    assert_same_bits(out, numbers(rows * 50).reshape(rows, 50))


@mytriton.jit
def narrow_kernel(x, out, start, N: tl.constexpr):
    """Offsets of 32 bits: signed ones wrap to below `x`, unsigned ones reach twice as far."""
    lane = tl.arange(0, N)
    tl.store(out + lane, tl.load(x + (start + lane)))
    unsigned = (start + lane).to(tl.uint32)
    tl.store(out + N + lane, tl.load(x + unsigned))
    tl.store(out + 2 * N + lane, tl.load(x + unsigned.to(tl.uint64) + FAR - FAR))
    tl.store(x + (start + lane), lane)
    tl.store(x + unsigned, 100 + lane)


@both
def test_offsets_of_32_bits_are_not_widened(engine) -> None:
    memory, width = sparse(torch.int8, 2**32 + 64), 24
    middle = memory[FAR:]
    below, above = memory[:16], memory[2**32 - 8 : 2**32 + 16]  # where offsets pass 2**31
    below.copy_(numbers(16))
    above.copy_(numbers(24) + 40)
    out = torch.zeros(3, width, dtype=torch.int8)
    engine(narrow_kernel)[1](middle, out, FAR - 8, N=width)
    assert_same_bits(out[0], torch.cat([numbers(8) + 40, numbers(16)]))
    assert_same_bits(out[1:], (numbers(24) + 40).expand(2, -1))
    assert_same_bits(below, numbers(16) + 8)
    assert_same_bits(above, numbers(24) + 100)
