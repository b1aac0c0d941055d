"""sum, max and min over a block: documented order, exact bits, NaN, and bool counted as ints.

CUDA text adds floats in another order than the CPU engines, of which nothing is promised but that
each addition rounds once. All else it computes to the bit.
"""

import numpy as np
import pytest
import torch
from engines import assert_same_bits, cuda_text, every

import mytriton
import mytriton.language as tl
from mytriton import _C

WIDTHS = [1, 5, 16, 17, 100, 1024]
INT_MIN, INT_MAX = -(2**31), 2**31 - 1


@mytriton.jit
def reduce_kernel(x, total, largest, smallest, N: tl.constexpr):
    """Each program takes one row of N lanes."""
    row = tl.program_id(0)
    block = tl.load(x + row * N + tl.arange(0, N))
    tl.store(total + row, tl.sum(block))
    tl.store(largest + row, tl.max(block, axis=0))
    tl.store(smallest + row, tl.min(block, 0))


def launch(engine, rows: torch.Tensor, result: torch.dtype) -> list[torch.Tensor]:
    out = [torch.zeros(rows.shape[0], dtype=result) for _ in range(3)]
    engine(reduce_kernel)[rows.shape[0]](rows, *out, N=rows.shape[1])
    return out


def sum_in_order(row: np.ndarray) -> np.float32:
    """Lane k joins partial k % 16; then partial k joins k + 8, k + 4, k + 2 and k + 1."""
    partial = np.full(16, -0.0, np.float32)
    for k, value in enumerate(row):
        partial[k % 16] += value
    for half in (8, 4, 2, 1):
        partial[:half] += partial[half : 2 * half]
    return partial[0]


def assert_sums_in_some_order(total: torch.Tensor, rows: torch.Tensor) -> None:
    terms = rows.double()
    bound = rows.shape[1] * 2.0**-24 * terms.abs().sum(1)
    off = (total.double() - terms.sum(1)).abs()
    assert (off <= bound).all(), f"{total} is off by {off}, more than {bound}"


def test_the_table_has_no_other_reduction() -> None:
    names = {row["name"] for row in _C.op_rows() if row["kind"] == "reduce"}
    assert names == {"sum", "max", "min"}, "a new reduction needs its tests here"


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_float_rows(engine, width: int) -> None:
    generator = torch.Generator().manual_seed(width)
    rows = torch.randn(7, width, generator=generator) * 10.0 ** torch.arange(-3, 4)[:, None]
    total, largest, smallest = launch(engine, rows, torch.float32)
    if engine is cuda_text:
        assert_sums_in_some_order(total, rows)
    else:
        assert_same_bits(total, torch.tensor([sum_in_order(row) for row in rows.numpy()]))
    assert_same_bits(largest, rows.amax(1))
    assert_same_bits(smallest, rows.amin(1))


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_special_floats(engine, width: int) -> None:
    inf, nan = float("inf"), float("nan")
    last = width - 1
    rows = torch.ones(8, width)
    rows[0, last] = nan
    rows[1, 0] = nan
    rows[2, width // 2] = inf
    rows[3, last] = -inf
    rows[4] = -0.0
    rows[5] = -inf
    rows[6] = inf
    rows[7, 0], rows[7, last] = inf, -inf
    total, largest, smallest = launch(engine, rows, torch.float32)
    with np.errstate(invalid="ignore"):
        assert_same_bits(total, torch.tensor([sum_in_order(row) for row in rows.numpy()]))
    assert_same_bits(largest, rows.amax(1))
    assert_same_bits(smallest, rows.amin(1))
    assert total[:2].isnan().all()
    assert largest[:2].isnan().all()
    assert smallest[:2].isnan().all()
    assert str(total[4].item()) == "-0.0"


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_int_rows(engine, width: int) -> None:
    generator = torch.Generator().manual_seed(width)
    rows = torch.randint(INT_MIN, INT_MAX, (6, width), dtype=torch.int32, generator=generator)
    rows[0] = INT_MAX
    rows[1] = INT_MIN
    total, largest, smallest = launch(engine, rows, torch.int32)
    assert_same_bits(total, rows.sum(1).int())  # wraps around
    assert_same_bits(largest, rows.amax(1))
    assert_same_bits(smallest, rows.amin(1))


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_bool_counts(engine, width: int) -> None:
    generator = torch.Generator().manual_seed(width)
    rows = torch.rand(6, width, generator=generator) > 0.5
    rows[0], rows[1] = True, False
    total, largest, smallest = launch(engine, rows, torch.int32)
    assert_same_bits(total, rows.sum(1).int())
    assert_same_bits(largest, rows.any(1).int())
    assert_same_bits(smallest, rows.all(1).int())


@mytriton.jit
def chained_kernel(x, out, columns, N: tl.constexpr):
    """Reductions of what was computed from reductions, under a mask; results go to all lanes."""
    lane = tl.arange(0, N)
    on = lane < columns
    a = tl.load(x + lane, mask=on, other=0.0)
    mean = tl.sum(a) / columns
    centred = tl.where(on, a - mean, 0.0)
    variance = tl.sum(centred * centred) / columns
    above = tl.sum(centred > 0.0)
    span = tl.max(tl.where(on, centred, float("-inf"))) - tl.min(tl.where(on, centred, 1e30))
    tl.store(out + lane, centred / variance, mask=on)
    tl.store(out + columns, above)
    tl.store(out + columns + 1, span)
    tl.store(out + columns + 2, tl.sum(lane * 2))


@every
@pytest.mark.parametrize("columns", [1, 15, 16, 100, 1000])
def test_chained_reductions(engine, columns: int) -> None:
    width = mytriton.next_power_of_2(columns)
    generator = torch.Generator().manual_seed(8)
    x = torch.randn(columns, generator=generator)
    if engine is cuda_text:  # whole numbers of a whole mean, whose sums are exact in any order
        x = torch.randint(-50, 50, (columns,), generator=generator).float()
        x[0] -= x.sum() % columns
    out = torch.full((columns + 4,), -5.0)
    engine(chained_kernel)[1](x, out, columns, N=width)

    padded = np.zeros(width, np.float32)
    padded[:columns] = x.numpy()
    mean = sum_in_order(padded) / np.float32(columns)
    centred = np.where(np.arange(width) < columns, padded - mean, np.float32(0))
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = sum_in_order(centred * centred) / np.float32(columns)
        expected = centred[:columns] / variance
    span = centred[:columns].max() - centred[:columns].min()
    counts = [(centred > 0).sum(), span, width * (width - 1), -5.0]
    assert_same_bits(out, torch.tensor([*expected, *counts], dtype=torch.float32))
