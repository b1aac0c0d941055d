"""Kernels on tiles against torch: layouts, edges, sums of any shape, a stencil."""

from typing import Any

import pytest
import tile_kernels as tiles
import torch
from bounds import added, assert_rounded, numbers
from engines import assert_same_bits, both, every

from mytriton import cdiv

SHAPES = [(1, 1), (3, 17), (17, 3), (1, 1000), (1000, 1), (100, 129)]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)


def copy(engine: Any, x: torch.Tensor, out: torch.Tensor) -> None:
    rows, columns = x.shape
    engine(tiles.copy_2d_kernel)[cdiv(rows, 8), cdiv(columns, 32)](
        x, out, rows, columns, *x.stride(), *out.stride(), ROWS=8, COLUMNS=32
    )


@both
@shapes
def test_transpose(engine: Any, shape: tuple[int, int]) -> None:
    x = numbers(*shape)
    out = torch.full((shape[1] + 1, shape[0]), -9.0)
    copy(engine, x, out[:-1].T)
    assert_same_bits(out[:-1], x.T)
    assert (out[-1] == -9).all()


LAYOUTS = {
    "rows of a wider matrix": lambda x: x[:50, 7:40],
    "every second row": lambda x: x[::2],
    "every third column": lambda x: x[:, 1::3],
    "transposed": lambda x: x.T,
    "a diagonal band": lambda x: x.as_strided((60, 9), (101, 1)),
    "one row repeated": lambda x: x[4].expand(30, 100),
    "one column repeated": lambda x: x[:, 4:5].expand(-1, 50),
}


@both
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool])
def test_copies_between_layouts(engine: Any, layout: str, dtype: torch.dtype) -> None:
    x = LAYOUTS[layout]((10 * numbers(70, 100)).to(dtype))
    assert layout == "rows of a wider matrix" or not x.is_contiguous()
    out = torch.zeros(x.shape[0], 3 * x.shape[1], dtype=dtype)
    copy(engine, x, out[:, 2::3])
    expected = torch.zeros_like(out)
    expected[:, 2::3] = x
    assert_same_bits(out, expected)


THREE = [
    ((3, 5, 17), (3, 5, 17)),
    ((2, 1, 100), (9, 1)),
    ((1,), (1, 1, 1)),
    ((5, 9, 1), (33,)),
    ((3, 1, 1), (1, 10, 40)),
]


@both
@pytest.mark.parametrize("pair", THREE, ids=str)
def test_three_axes(engine: Any, pair: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    given = [numbers(*shape, seed=i) for i, shape in enumerate(pair)]
    x, y = torch.broadcast_tensors(*given)
    while x.dim() < 3:
        x, y = x[None], y[None]
    planes, rows, columns = x.shape
    out = torch.full(x.shape, -9.0)
    grid = cdiv(planes, 2), cdiv(rows, 4), cdiv(columns, 32)
    engine(tiles.add_3d_kernel)[grid](
        x, y, out, planes, rows, columns, *x.stride(), *y.stride(), PLANES=2, ROWS=4, COLUMNS=32
    )
    assert_same_bits(out, (given[0] + 2 * given[1]).reshape(x.shape))


def test_three_axes_turned() -> None:
    """The operands' axes stand in other orders than the result's."""
    x, y = numbers(17, 5, 3).permute(2, 1, 0), numbers(5, 3, 17).permute(1, 0, 2)
    out = torch.zeros(3, 5, 17)
    tiles.add_3d_kernel[2, 2, 1](
        x, y, out, 3, 5, 17, *x.stride(), *y.stride(), PLANES=2, ROWS=4, COLUMNS=32
    )
    assert_same_bits(out, x + 2 * y)


@both
@shapes
def test_row_and_column_sums(engine: Any, shape: tuple[int, int]) -> None:
    x = numbers(*shape) + 1
    rows, columns = shape
    by_row, by_column = torch.full((rows,), -9.0), torch.zeros(columns)
    engine(tiles.row_sums_kernel)[cdiv(rows, 8)](x, by_row, rows, columns, ROWS=8, COLUMNS=32)
    engine(tiles.column_sums_kernel)[cdiv(columns, 32), 3](
        x, by_column, rows, columns, ROWS=8, COLUMNS=32
    )
    sizes = x.double().abs()
    assert_rounded(by_row, x.double().sum(1), added(32) + columns / 32 + 1, sizes.sum(1))
    assert_rounded(by_column, x.double().sum(0), added(8) + rows / 24 + 4, sizes.sum(0))


@both
@shapes
def test_outer_product_and_sum(engine: Any, shape: tuple[int, int]) -> None:
    x, y = numbers(shape[0]), numbers(shape[1], seed=1)
    products, sums = torch.full(shape, -9.0), torch.full(shape, -9.0)
    engine(tiles.column_and_row_kernel)[cdiv(shape[0], 8), cdiv(shape[1], 32)](
        x, y, products, sums, *shape, ROWS=8, COLUMNS=32
    )
    assert_same_bits(products, torch.outer(x, y))
    assert_same_bits(sums, x[:, None] + y)


@every
@pytest.mark.parametrize("length", [1, 3, 17, 100, 1023])
@pytest.mark.parametrize("taps", [1, 4, 5])
def test_convolution(engine: Any, length: int, taps: int) -> None:
    x, weights = numbers(3, length), numbers(3, taps, seed=1)
    out = torch.full_like(x, -9.0)
    engine(tiles.convolution_kernel)[3, cdiv(length, 64)](
        x, weights, out, length, TAPS=taps, BLOCK=64
    )
    x64, w64 = x.double()[None], weights.double()[:, None]
    pad = torch.nn.functional.pad
    padded = pad(x64, (taps // 2, (taps - 1) // 2))
    expected = torch.nn.functional.conv1d(padded, w64, groups=3)[0]
    sizes = torch.nn.functional.conv1d(padded.abs(), w64.abs(), groups=3)[0]
    assert_rounded(out, expected, taps + 1, sizes)


@every
@pytest.mark.parametrize("columns", [1, 3, 17, 128])
def test_reverse_in_place(engine: Any, columns: int) -> None:
    x = numbers(5, columns)
    expected = x.flip(1)
    engine(tiles.reverse_rows_kernel)[5](x, columns, BLOCK=128)
    assert_same_bits(x, expected)
