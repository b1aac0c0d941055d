"""Kernels that compute on blocks of several axes, against torch."""

import pytest
import torch
from engines import assert_same_bits, both

import mytriton
import mytriton.language as tl


@mytriton.jit
def transpose_kernel(x, out, rows, columns, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    m, n = i + tl.arange(0, BLOCK)[:, None], j + tl.arange(0, BLOCK)[None, :]
    block = tl.load(x + m * columns + n, mask=(m < rows) & (n < columns), other=0.0)
    m, n = i + tl.arange(0, BLOCK)[None, :], j + tl.arange(0, BLOCK)[:, None]
    tl.store(out + n * rows + m, tl.trans(block), mask=(m < rows) & (n < columns))


@both
@pytest.mark.parametrize(("rows", "columns"), [(32, 64), (33, 70), (1, 100), (100, 3)])
@pytest.mark.parametrize("block", [16, 32])
def test_transpose(engine, rows: int, columns: int, block: int) -> None:
    x = torch.randn(rows, columns, generator=torch.Generator().manual_seed(rows))
    out = torch.full((columns, rows), -9.0)
    grid = mytriton.cdiv(rows, block), mytriton.cdiv(columns, block)
    engine(transpose_kernel)[grid](x, out, rows, columns, BLOCK=block)
    assert_same_bits(out, x.T.contiguous())


@mytriton.jit
def softmax_kernel(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.arange(0, COLUMNS)
    at = m[:, None] * columns + n[None, :]
    on = (m < rows)[:, None] & (n < columns)[None, :]
    block = tl.load(x + at, mask=on, other=float("-inf"))
    powers = tl.exp(block - tl.max(block, axis=1)[:, None])
    tl.store(out + at, powers / tl.sum(powers, axis=1, keep_dims=True), mask=on)


@both
@pytest.mark.parametrize(("rows", "columns"), [(8, 64), (7, 50), (3, 1)])
def test_softmax_of_several_rows(engine, rows: int, columns: int) -> None:
    x = torch.randn(rows, columns, generator=torch.Generator().manual_seed(rows))
    out = torch.zeros_like(x)
    width = mytriton.next_power_of_2(columns)
    engine(softmax_kernel)[mytriton.cdiv(rows, 4)](x, out, rows, columns, ROWS=4, COLUMNS=width)
    torch.testing.assert_close(out, x.softmax(1))


@mytriton.jit
def layer_norm_kernel(x, weight, bias, out, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    n = tl.arange(0, COLUMNS)[None, :]
    on = n < columns
    block = tl.load(x + m * columns + n, mask=on, other=0.0).to(tl.float32)
    mean = tl.sum(block, 1, keep_dims=True) / columns
    centred = tl.where(on, block - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 1) / columns + 1e-5)
    normal = centred * scale[:, None] * tl.load(weight + n, mask=on) + tl.load(bias + n, mask=on)
    tl.store(out + m * columns + n, normal, mask=on)


@both
@pytest.mark.parametrize("columns", [64, 50])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_layer_norm(engine, columns: int, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(columns)
    x = torch.randn(8, columns, generator=generator).to(dtype)
    weight, bias = (torch.randn(columns, generator=generator).to(dtype) for _ in range(2))
    out = torch.zeros_like(x)
    engine(layer_norm_kernel)[2](x, weight, bias, out, columns, ROWS=4, COLUMNS=64)
    expected = torch.nn.functional.layer_norm(x, (columns,), weight, bias)
    torch.testing.assert_close(out, expected)


@mytriton.jit
def batched_kernel(x, y, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    """x of shape (B, M, N), y of (M, 1) and a block of (N,): implicit stretching of all."""
    b, m, n = tl.arange(0, B)[:, None, None], tl.arange(0, M)[:, None], tl.arange(0, N)
    at = b * (M * N) + m * N + n
    value = tl.load(x + at) * tl.load(y + m) + n
    tl.store(out + at, tl.where(m > b, value, -value))


@both
@pytest.mark.parametrize("shape", [(3, 4, 16), (2, 5, 7), (1, 8, 32), (16, 2, 1)])
def test_batched(engine, shape: tuple[int, int, int]) -> None:
    generator = torch.Generator().manual_seed(1)
    x, y = torch.randn(shape, generator=generator), torch.randn(shape[1], 1, generator=generator)
    out = torch.zeros_like(x)
    engine(batched_kernel)[1](x, y, out, *shape)
    b, m, n = (torch.arange(size) for size in shape)
    value = x * y + n
    assert_same_bits(out, torch.where(m[:, None] > b[:, None, None], value, -value))


@mytriton.jit
def column_sums_kernel(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Carries a block of several rows through a loop over all rows."""
    n = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, rows, ROWS):
        m = first + tl.arange(0, ROWS)[:, None]
        on = (m < rows) & (n < columns)
        total += tl.load(x + m * columns + n, mask=on, other=0.0)
    tl.store(out + n, tl.sum(total, axis=0, keep_dims=True), mask=n < columns)


@both
@pytest.mark.parametrize("block", [(4, 16), (8, 32), (1, 64), (5, 3)])
def test_column_sums(engine, block: tuple[int, int]) -> None:
    x = torch.arange(37 * 70, dtype=torch.float32).reshape(37, 70) % 100
    out = torch.zeros(70)
    engine(column_sums_kernel)[mytriton.cdiv(70, block[1])](x, out, 37, 70, *block)
    assert_same_bits(out, x.sum(0))


@mytriton.jit
def matvec_kernel(x, v, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Pointers of rank 2 are carried by the loop."""
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.arange(0, COLUMNS)
    at, from_v = x + m[:, None] * columns + n[None, :], v + n
    total = tl.zeros((ROWS,), tl.float32)
    for left in range(columns, 0, -COLUMNS):
        block = tl.load(at, mask=(m < rows)[:, None] & (n < left)[None, :], other=0.0)
        total += tl.sum(block * tl.load(from_v, mask=n < left, other=0.0)[None, :], axis=1)
        at += COLUMNS
        from_v += COLUMNS
    tl.store(out + m, total, mask=m < rows)


@both
@pytest.mark.parametrize("block", [(4, 16), (16, 64), (3, 5)])
def test_matrix_times_vector(engine, block: tuple[int, int]) -> None:
    x = (torch.arange(37 * 70) % 13 - 6).float().reshape(37, 70)
    v = (torch.arange(70) % 7 - 3).float()
    out = torch.zeros(37)
    engine(matvec_kernel)[mytriton.cdiv(37, block[0])](x, v, out, 37, 70, *block)
    assert_same_bits(out, x @ v)


@mytriton.jit
def outer_kernel(x, y, out, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    product = tl.load(x + m)[:, None] * tl.load(y + n)[None, :]
    tl.store(out + m[:, None] * N + n[None, :], product)


@both
@pytest.mark.parametrize("shape", [(4, 16), (64, 64), (3, 5), (1, 32), (32, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.int64])
def test_outer_product(engine, shape: tuple[int, int], dtype: torch.dtype) -> None:
    x, y = ((torch.arange(size) * 7 - 20).to(dtype) for size in shape)
    out = torch.zeros(shape, dtype=dtype)
    engine(outer_kernel)[1](x, y, out, *shape)
    assert_same_bits(out, torch.outer(x, y))


@mytriton.jit
def power_kernel(x, out, count, N: tl.constexpr):
    """The power of a matrix: a block of rank 2 is carried, whose lanes meet in each round."""
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    matrix = tl.load(x + i * N + j)
    turned = matrix.T
    result = (i == j).to(tl.int32)
    for _ in range(count):
        result = tl.sum(result[:, None, :] * turned[None, :, :], axis=2)
    tl.store(out + i * N + j, result)


@both
@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_power_of_a_matrix(engine, size: int) -> None:
    """In registers up to 64 lanes, beyond that in scratch."""
    x = (torch.arange(size * size, dtype=torch.int32) % 5 - 2).reshape(size, size)
    for count in (0, 1, 5):
        out = torch.zeros_like(x)
        engine(power_kernel)[1](x, out, count, N=size)
        assert torch.equal(out, torch.linalg.matrix_power(x.double(), count).int())
