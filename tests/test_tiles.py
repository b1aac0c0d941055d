"""Tiles of rank 2 and 3, whose rows the CPU takes one after the other: bounds, masks of every form,
indices that wrap around, reductions of rows. Compiled code against the evaluator, to the bit."""

import pytest
import torch
from engines import assert_same_bits, both, compiled, evaluated

import mytriton
import mytriton.language as tl


def same_on_both(kernel, grid, *args, **constants) -> list[torch.Tensor]:
    """What compiled code leaves in the tensors, after a look at what the evaluator does."""
    results = []
    for engine in (compiled, evaluated):
        given = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
        engine(kernel)[grid](*given, **constants)
        results.append([a for a in given if isinstance(a, torch.Tensor)])
    for ours, reference in zip(*results, strict=True):
        assert_same_bits(ours, reference)
    return results[0]


@mytriton.jit
def copy_kernel(x, out, m_end, n_end, x_step, out_step, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (m[:, None] < m_end) & (n[None, :] < n_end)
    tile = tl.load(x + m[:, None] * x_step + n[None, :], mask=mask, other=-1.0)
    tl.store(out + (m[:, None] * out_step + n[None, :]), tile, mask=mask)


@pytest.mark.parametrize("shape", [(8, 16), (8, 32), (4, 48), (1, 256), (16, 8)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool])
def test_masked_copy(shape: tuple[int, int], dtype: torch.dtype) -> None:
    for rows, columns in ((1, 1), (13, 37), (16, 64), (5, 16)):
        x = torch.randint(0, 2, (rows, columns)).to(dtype)
        out = torch.zeros(rows + 1, columns + 3, dtype=dtype)
        grid = (mytriton.cdiv(rows, shape[0]), mytriton.cdiv(columns, shape[1]))
        _, got = same_on_both(
            copy_kernel, grid, x, out, rows, columns, columns, columns + 3, BM=shape[0], BN=shape[1]
        )
        out[:rows, :columns] = x
        assert_same_bits(got, out)


@mytriton.jit
def masks_kernel(x, out, m_end, n_end, step, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    at = m.to(tl.int64)[:, None] * step + n[None, :]
    size = BM * BN
    rows = (m < m_end)[:, None]
    columns = (n_end >= n)[None, :]
    tl.store(out + at, tl.load(x + at, mask=columns & rows, other=2.0))
    tl.store(out + size + at, tl.load(x + at, mask=rows, other=3.0), mask=columns)
    tl.store(out + 2 * size + at, tl.load(x + at, mask=(n[None, :] < n_end) & (n[None, :] > 3)))
    tl.store(out + 3 * size + at, tl.full((BM, BN), 1.0, tl.float32), mask=rows)
    tl.store(out + 4 * size + at, tl.load(x + at, mask=at < n_end * 7, other=5.0), mask=at > 11)
    tl.store(out + at, tl.load(x + at), mask=(rows & columns) & (n_end > 4))
    odd = (m % 2 == 1)[:, None] & (tl.load(x + m)[:, None] > 0.0)
    tl.store(out + 5 * size + at, tl.load(x + at, mask=odd & columns), mask=odd)


@pytest.mark.parametrize("shape", [(8, 32), (4, 16)])
def test_masks_of_rows_and_columns(shape: tuple[int, int]) -> None:
    x, out = torch.randn(shape), torch.zeros(6, *shape)
    for m_end, n_end in ((3, 20), (0, 5), (100, 100), (5, 0), (4, -1)):
        same_on_both(masks_kernel, 1, x, out, m_end, n_end, shape[1], BM=shape[0], BN=shape[1])


@mytriton.jit
def wrapping_kernel(x, out, start, n_end, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.arange(0, BM), start + tl.arange(0, BN)
    mask = (m[:, None] < 3) & (n[None, :] < n_end)
    back = n[None, :] - start
    tl.store(
        out + m[:, None] * BN + back, tl.load(x + m[:, None] * BN + back, mask=mask), mask=mask
    )
    total = tl.sum(tl.where(mask, 1, 0), axis=1)
    tl.store(out + BM * BN + m, total.to(tl.float32))


@both
def test_columns_after_a_wrapped_index_are_below_the_bound_again(engine) -> None:
    x, out = torch.ones(4, 32), torch.zeros(4 * 32 + 4)
    engine(wrapping_kernel)[1](x, out, 2**31 - 20, 2**31 - 18, BM=4, BN=32)
    assert out[128:].tolist() == [14.0, 14.0, 14.0, 0.0]
    assert out[:128].view(4, 32).sum(1).tolist() == [14.0, 14.0, 14.0, 0.0]


@mytriton.jit
def wrapping_address_kernel(x, out, start, BM: tl.constexpr, BN: tl.constexpr):
    """x stands 2**31 - 1 - start elements before where it points: rows pass the largest int."""
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    at = m[:, None] * 8 + (n + start)[None, :]
    mask = at > 0
    value = tl.load(x - start + at, mask=mask, other=-1.0)
    tl.store(out + m[:, None] * BN + n[None, :], value)


@both
def test_addresses_that_wrap_within_a_row(engine) -> None:
    x, out = torch.arange(64.0), torch.zeros(4, 16)
    engine(wrapping_address_kernel)[1](x, out, 2**31 - 28, BM=4, BN=16)
    expected = torch.arange(4)[:, None] * 8 + torch.arange(16.0)[None, :]
    assert_same_bits(out, expected.masked_fill(expected > 27, -1.0))


@mytriton.jit
def rows_kernel(x, out, sums, m_end, n_end, step, other, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    mask = (m[:, None] < m_end) & (n[None, :] < n_end)
    at = m[:, None] * step + n[None, :]
    tile = tl.load(x + at, mask=mask, other=other)
    powers = tl.exp(tile - tl.max(tile, axis=1)[:, None])
    total = tl.sum(powers, axis=1)
    tl.store(out + at, powers / total[:, None], mask=mask)
    tl.store(sums + m, total, mask=m < m_end)
    tl.store(sums + m_end + n, tl.sum(tile, axis=0), mask=n < n_end)
    tl.store(sums + m_end + n_end, tl.sum(tile) + tl.max(total))


@pytest.mark.parametrize("shape", [(16, 256), (8, 32), (3, 48), (32, 16)])
@pytest.mark.parametrize("other", [float("-inf"), 0.0, 1.5])
def test_reductions_of_masked_rows(shape: tuple[int, int], other: float) -> None:
    bm, bn = shape
    for rows, columns in ((bm, bn), (bm - 1, bn - 5), (1, 1), (2, 17 if bn > 17 else 3)):
        x = torch.randn(rows, columns)
        sums = torch.zeros(rows + columns + 1)
        _, out, sums = same_on_both(
            rows_kernel, 1, x, x * 0, sums, rows, columns, columns, other, BM=bm, BN=bn
        )
        if other == float("-inf"):
            torch.testing.assert_close(out, torch.softmax(x, 1))


@mytriton.jit
def in_place_kernel(x, step, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    at = m[:, None] * step + n[None, :]
    tile = tl.load(x + at)
    tl.store(x + at, tile - tl.max(tile, axis=1)[:, None])
    tl.store(x + at + 1, tile, mask=n[None, :] < 5)
    tl.store(x + at, tl.load(x + at) + tile)


@pytest.mark.parametrize("step", [32, 40, 16, 1, 0])
def test_overlapping_rows_in_place(step: int) -> None:
    same_on_both(in_place_kernel, 1, torch.randn(8 * 40 + 40), step, BM=8, BN=32)


@mytriton.jit
def cube_kernel(x, out, a_end, c_end, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a, b, c = tl.arange(0, A)[:, None, None], tl.arange(0, B)[None, :, None], tl.arange(0, C)
    at = a * (B * C) + b * C + c[None, None, :]
    mask = (a < a_end) & (c[None, None, :] < c_end)
    cube = tl.load(x + at, mask=mask, other=0.5)
    tl.store(out + at, cube * 2.0 + tl.sum(cube, axis=2, keep_dims=True), mask=mask)
    swapped = b * (A * C) + a * C + c[None, None, :]
    tl.store(out + A * B * C + swapped, tl.sum(cube, axis=1, keep_dims=True) + cube)


def test_cubes() -> None:
    x = torch.randn(4, 3, 32)
    for a_end, c_end in ((4, 32), (3, 20), (0, 5)):
        same_on_both(cube_kernel, 1, x, torch.zeros(2, 4, 3, 32), a_end, c_end, A=4, B=3, C=32)


@mytriton.jit
def loop_kernel(x, out, count, step, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.arange(0, BM), tl.arange(0, BN)
    at = m[:, None] * step + n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for i in range(count):
        total += tl.load(x + at, mask=at < 8 * 40 - i) * tl.sum(total, axis=1)[:, None] + 1.0
        at += 8
    tl.store(out + m[:, None] * BN + n[None, :], total)


def test_indices_that_loops_carry() -> None:
    x, out = torch.rand(8 * 40 + 64), torch.zeros(8, 32)
    for count in (0, 1, 4):
        same_on_both(loop_kernel, 1, x, out, count, 40, BM=8, BN=32)
