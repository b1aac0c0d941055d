"""sum, max and min over a block: documented order, exact bits, NaN, and which type they count in.

CUDA text adds floats in another order than the CPU engines, of which nothing is promised but that
each addition rounds once. All else it computes to the bit.
"""

import math

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


def sum_in_order(row: np.ndarray) -> np.floating:
    """Lane k joins partial k % 16; then partial k joins k + 8, k + 4, k + 2 and k + 1."""
    partial = np.full(16, -0.0, row.dtype)
    for k, value in enumerate(row):
        partial[k % 16] += value
    for half in (8, 4, 2, 1):
        partial[:half] += partial[half : 2 * half]
    return partial[0]


def assert_sums_in_some_order(total: torch.Tensor, rows: torch.Tensor) -> None:
    """Each addition rounds once, to 32 bits at least, and of fewer bits so does the result."""
    terms = rows.double()
    exact = torch.tensor([math.fsum(row) for row in terms.tolist()], dtype=torch.float64)
    epsilon = torch.finfo(rows.dtype).eps / 2
    bound = rows.shape[1] * min(epsilon, 2.0**-24) * terms.abs().sum(1)
    if rows.dtype.itemsize == 2:
        bound += epsilon * (exact.abs() + bound)
    off = (total.double() - exact).abs()
    assert (off <= bound).all(), f"{total} is off by {off}, more than {bound}"


def test_the_table_has_no_other_reduction() -> None:
    names = {row["name"] for row in _C.op_rows() if row["kind"] == "reduce"}
    assert names == {"sum", "max", "min", "xor_sum", "reduce_or"}, (
        "a new reduction needs its tests here"
    )


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


# What ints are summed in.
COUNTED_IN = {
    torch.int8: np.int32,
    torch.int16: np.int32,
    torch.int64: np.int64,
    torch.uint8: np.uint32,
    torch.uint16: np.uint32,
    torch.uint32: np.uint32,
    torch.uint64: np.uint64,
}


@every
@pytest.mark.parametrize("width", [1, 17, 1024])
@pytest.mark.parametrize("dtype", COUNTED_IN)
def test_ints_of_every_width(engine, dtype: torch.dtype, width: int) -> None:
    info, count = torch.iinfo(dtype), COUNTED_IN[dtype]
    generator = np.random.default_rng(width)
    numbers = np.zeros((6, width), str(dtype).removeprefix("torch."))
    numbers[:] = generator.integers(info.min, info.max, (6, width), numbers.dtype, endpoint=True)
    numbers[0], numbers[1] = info.max, info.min
    rows = torch.from_numpy(numbers)
    counts = torch.from_numpy(np.zeros(1, count)).dtype
    total, largest, smallest = launch(engine, rows, counts)
    assert_same_bits(total, torch.from_numpy(numbers.sum(1, dtype=count)))
    assert_same_bits(largest, torch.from_numpy(numbers.max(1).astype(count)))
    assert_same_bits(smallest, torch.from_numpy(numbers.min(1).astype(count)))


@every
@pytest.mark.parametrize("width", [1, 17, 1024])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_floats_of_other_widths(engine, dtype: torch.dtype, width: int) -> None:
    """Halves are added in 32 bits, and the sum is rounded once."""
    generator = torch.Generator().manual_seed(width)
    scale = 10.0 ** torch.arange(-3, 2)[:, None]
    rows = (torch.randn(5, width, generator=generator, dtype=torch.float64) * scale).to(dtype)
    total, largest, smallest = launch(engine, rows, dtype)
    if engine is cuda_text:
        assert_sums_in_some_order(total, rows)
    else:
        wide = rows if dtype == torch.float64 else rows.float()
        sums = np.array([sum_in_order(row) for row in wide.numpy()])
        assert_same_bits(total, torch.from_numpy(sums).to(dtype))
    assert_same_bits(largest, rows.amax(1))
    assert_same_bits(smallest, rows.amin(1))


@every
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_special_floats_of_other_widths(engine, dtype: torch.dtype) -> None:
    inf, nan, most = float("inf"), float("nan"), torch.finfo(dtype).max
    rows = torch.ones(6, 40, dtype=dtype)
    rows[0, 39] = nan
    rows[1, 0], rows[1, 39] = inf, -inf
    rows[2] = -inf
    rows[3] = -0.0
    rows[4] = most
    if dtype == torch.float16:  # the sum of some overflows 16 bits, but not 32
        rows[5, ::2], rows[5, 1::2] = most, -most
    total, largest, smallest = launch(engine, rows, dtype)
    last = 0.0 if dtype == torch.float16 else 40.0
    assert_same_bits(total, torch.tensor([nan, nan, -inf, -0.0, inf, last], dtype=dtype))
    assert_same_bits(largest, rows.amax(1))
    assert_same_bits(smallest, rows.amin(1))


@pytest.mark.parametrize(
    ("element", "total", "extremum"),
    [
        ("i1", "int32", "int32"),
        ("i8", "int32", "int32"),
        ("i16", "int32", "int32"),
        ("i32", "int32", "int32"),
        ("i64", "int64", "int64"),
        ("u8", "uint32", "int32"),
        ("u16", "uint32", "int32"),
        ("u32", "uint32", "uint32"),
        ("u64", "uint64", "uint64"),
        ("fp16", "fp16", "fp32"),
        ("bf16", "bf16", "fp32"),
        ("fp32", "fp32", "fp32"),
        ("fp64", "fp64", "fp64"),
    ],
)
def test_types_of_results(element: str, total: str, extremum: str) -> None:
    types: list[str] = []
    note = types.append

    @mytriton.jit
    def kernel(x):
        block = tl.load(x + tl.arange(0, 8))
        for reduce in (tl.sum, tl.max, tl.min):
            note(str(reduce(block).dtype))
        assert block.sum().dtype is tl.sum(block).dtype
        tl.store(x, block.max())

    kernel.compile(f"*{element}")
    assert types == [total, extremum, extremum]


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


@mytriton.jit
def bits_kernel(x, out, ors, N: tl.constexpr):
    row = tl.program_id(0)
    value = tl.load(x + row * N + tl.arange(0, N))
    tl.store(out + row, tl.xor_sum(value))
    tl.store(ors + row, tl.reduce_or(value, 0))


@every
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.int32, torch.uint64])
def test_xor_sum_and_reduce_or(engine, width: int, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(width)
    rows = torch.randint(0, 2 if dtype == torch.bool else 127, (5, width), generator=generator)
    rows[2:4] = 0
    rows[3, width // 2] = 1
    out, ors = torch.zeros(5, dtype=dtype), torch.zeros(5, dtype=dtype)
    engine(bits_kernel)[5](rows.to(dtype), out, ors, N=width)
    assert out.tolist() == [int(np.bitwise_xor.reduce(row)) for row in rows.numpy()]
    assert ors.tolist() == [int(np.bitwise_or.reduce(row)) for row in rows.numpy()]
