"""Search, iteration, sparse rows, FFT, a sorting network and convolution against torch."""

from typing import Any

import algorithm_kernels as algorithms
import pytest
import torch
from bounds import added, assert_rounded, numbers
from engines import assert_same_bits, both, every

from mytriton import cdiv


@every
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(("n", "count"), [(1, 1), (17, 100), (100, 3), (200, 1023)])
def test_search(engine: Any, n: int, count: int, right: bool) -> None:
    values = (4 * numbers(count)).round().sort().values  # many alike
    x = (4 * numbers(n, seed=1)).round()
    out = torch.full((n,), -9, dtype=torch.int32)
    engine(algorithms.search_kernel)[cdiv(n, 64)](
        values, x, out, n, count, RIGHT=right, BLOCK=64
    )  # fmt: skip
    assert torch.equal(out, torch.searchsorted(values, x, right=right, out_int32=True))


@every
@pytest.mark.parametrize("most", [0, 1, 60])
def test_escape(engine: Any, most: int) -> None:
    y, x = torch.meshgrid(torch.linspace(-1, 1, 9), torch.linspace(-2, 1, 17), indexing="ij")
    x, y = x.ravel().contiguous(), y.ravel().contiguous()
    counts = torch.full(x.shape, -9, dtype=torch.int32)
    engine(algorithms.escape_kernel)[cdiv(x.numel(), 32)](
        x, y, counts, x.numel(), most, BLOCK=32
    )  # fmt: skip
    a, b, alive = torch.zeros_like(x), torch.zeros_like(y), torch.ones_like(x).bool()
    expected = torch.zeros_like(counts)
    for _ in range(most):
        a, b = a * a - b * b + x, 2.0 * a * b + y
        alive &= a * a + b * b <= 4.0
        expected += alive
    assert torch.equal(counts, expected)


@every
@pytest.mark.parametrize(("columns", "k"), [(1, 1), (17, 5), (128, 3), (3, 3)])
def test_largest_few(engine: Any, columns: int, k: int) -> None:
    x = numbers(4, columns)
    x[0] = x[0].round() + 0.0
    values, places = torch.zeros(4, k), torch.zeros(4, k, dtype=torch.int32)
    engine(algorithms.largest_few_kernel)[4](x, values, places, columns, k, BLOCK=128)
    best, order = x.sort(dim=1, descending=True, stable=True)
    assert_same_bits(values, best[:, :k])
    assert torch.equal(places, order[:, :k].int())


@every
@pytest.mark.parametrize("width", [1, 17, 100])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_sparse_product(engine: Any, width: int, dtype: torch.dtype) -> None:
    dense = numbers(9, 20)
    dense[torch.rand(9, 20, generator=torch.Generator().manual_seed(1)) < 0.7] = 0
    dense[4] = 0  # a row without entries
    rows, columns = dense.nonzero(as_tuple=True)
    starts = torch.searchsorted(rows, torch.arange(10)).to(dtype)
    x, out = numbers(20, width, seed=1), torch.full((9, width), -9.0)
    engine(algorithms.sparse_product_kernel)[9, cdiv(width, 32)](
        starts, columns.to(dtype), dense[rows, columns], x, out, width, BLOCK=32
    )
    sizes = dense.double().abs() @ x.double().abs()
    assert_rounded(out, dense.double() @ x.double(), 21, sizes)


@both
@pytest.mark.parametrize("levels", [1, 2, 6])
def test_fourier_transform(engine: Any, levels: int) -> None:
    n = 2**levels
    x = torch.view_as_complex(numbers(3, n, 2))
    angles = torch.arange(n // 2, dtype=torch.float64) * (2 * torch.pi / n)
    out = torch.zeros(3, n, 2)
    engine(algorithms.fourier_kernel)[3](
        torch.view_as_real(x), out, angles.cos().float(), angles.sin().float(), N=n, LEVELS=levels
    )
    expected = torch.view_as_real(torch.fft.fft(x.to(torch.complex128)))
    # In each level a difference, the angle, a product and a sum, of up to the sum of all sizes.
    sizes = torch.view_as_real(x).double().abs().sum((1, 2))[:, None, None].expand_as(expected)
    assert_rounded(out, expected, 4 * levels, sizes)


@both
@pytest.mark.parametrize(("columns", "levels"), [(2, 1), (7, 3), (17, 5)])
def test_bitonic(engine: Any, columns: int, levels: int) -> None:
    x = numbers(3, columns)
    out = torch.full_like(x, -9.0)
    engine(algorithms.bitonic_kernel)[3](x, out, columns, LEVELS=levels, BLOCK=2**levels)
    assert_same_bits(out, x.sort(1).values)


@both
@pytest.mark.parametrize(
    ("shape", "filters", "stride", "pad"), [((1, 1, 3, 3), 1, 1, 0), ((2, 5, 9, 12), 17, 2, 1)]
)
@pytest.mark.parametrize("with_bias", [False, True])
def test_convolution(
    engine: Any, shape: Any, filters: int, stride: int, pad: int, with_bias: bool
) -> None:
    images, channels, height, width = shape
    x, weight = numbers(*shape), numbers(filters, channels, 3, 3, seed=1)
    bias = numbers(filters, seed=2) if with_bias else None
    theirs = [None if each is None else each.double() for each in (x, weight, bias)]
    expected = torch.nn.functional.conv2d(*theirs, stride=stride, padding=pad)
    out = torch.full(expected.shape, -9.0)
    rows, columns = out.shape[2:]
    engine(algorithms.convolution_2d_kernel)[cdiv(rows * columns, 16), cdiv(filters, 16), images](
        x, weight, bias, out, channels, height, width, filters, rows, columns, stride, pad,
        SIZE=3, BM=16, BN=16, BK=16,
    )  # fmt: skip
    sizes = [None if each is None else each.abs() for each in theirs]
    scale = torch.nn.functional.conv2d(*sizes, stride=stride, padding=pad)
    assert_rounded(out, expected, added(16) + 2 + channels * 9 / 16 + 1, scale)
