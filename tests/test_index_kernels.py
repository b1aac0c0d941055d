"""Gathers and scatters by indices from memory, against torch; atomics where lanes collide."""

from typing import Any

import index_kernels as indices
import pytest
import torch
from bounds import DTYPES, assert_rounded, numbers
from engines import assert_same_bits, both, compiled, every

from mytriton import cdiv


class Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, index: Any, table: torch.Tensor, engine: Any) -> torch.Tensor:
        ctx.save_for_backward(index)
        ctx.shape, ctx.engine = table.shape, engine
        tokens, width = len(index), table.shape[1]
        out = torch.full((tokens, width), -9.0, dtype=table.dtype)
        engine(indices.embedding_kernel)[tokens, cdiv(width, 64)](
            index, table, out, width, BLOCK=64
        )
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        (index,) = ctx.saved_tensors
        tokens, width = grad.shape
        dtable = torch.zeros(ctx.shape)
        ctx.engine(indices.embedding_grad_kernel)[cdiv(tokens, 8), cdiv(width, 64)](
            index, grad, dtable, tokens, width, TOKENS=8, BLOCK=64
        )
        return None, dtable.to(grad.dtype), None


def check_embedding(engine: Any, width: int, tokens: int, integer: Any, dtype: Any) -> None:
    table = numbers(11, width, dtype=dtype).requires_grad_()
    index = torch.randint(0, 11, (tokens,), generator=torch.Generator().manual_seed(1))
    index[:3] = 5  # lanes of one program that collide
    grad = numbers(tokens, width, dtype=dtype, seed=2)
    out = Embedding.apply(index.to(integer), table, engine)
    assert_same_bits(out, torch.nn.functional.embedding(index, table))
    out.backward(grad)
    expected, sizes = torch.zeros(2, 11, width, dtype=torch.float64)
    expected.index_add_(0, index, grad.double())
    sizes.index_add_(0, index, grad.double().abs())
    assert_rounded(table.grad, expected, tokens, sizes)  # added in any order


@both
@pytest.mark.parametrize("integer", [torch.int64, torch.int32])
@pytest.mark.parametrize(("width", "tokens"), [(1, 3), (17, 100), (100, 17)])
def test_embedding(engine: Any, width: int, tokens: int, integer: torch.dtype) -> None:
    check_embedding(engine, width, tokens, integer, torch.float32)


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_embedding_of_halves(dtype: torch.dtype) -> None:
    check_embedding(compiled, 100, 17, torch.int64, dtype)


@both
def test_embedding_without_a_row(engine: Any) -> None:
    table = numbers(11, 17).requires_grad_()
    index = torch.tensor([3, -1, 3, 10])
    out = Embedding.apply(index, table, engine)
    out.backward(torch.ones(4, 17))
    assert torch.equal(out, torch.stack([table[3], torch.zeros(17), table[3], table[10]]))
    expected = torch.zeros(11, 17)
    expected[3], expected[10] = 2, 1
    assert torch.equal(table.grad, expected)


@every
@pytest.mark.parametrize("n", [1, 17, 1000, 1023])
def test_histogram(engine: Any, n: int) -> None:
    x = (8 * numbers(n)).round() / 8  # bins end at some of these
    counts = torch.zeros(16, dtype=torch.int32)
    engine(indices.histogram_kernel)[cdiv(n, 128)](x, counts, n, -2.0, 0.25, 16, BLOCK=128)
    assert torch.equal(counts.float(), torch.histc(x, 16, -2, 2))


@every
@pytest.mark.parametrize(("n", "width"), [(1, 1), (3, 17), (100, 1), (100, 10)])
def test_segments(engine: Any, n: int, width: int) -> None:
    """Of whole numbers, whose sums do not hang on the order."""
    x = torch.randint(-50, 50, (n, width), generator=torch.Generator().manual_seed(1)).float()
    segments = torch.randint(0, 7, (n,), generator=torch.Generator().manual_seed(2))
    sums, largest = torch.zeros(7, width), torch.full((7, width), -float("inf"))
    engine(indices.segment_sums_kernel)[cdiv(n * width, 128)](
        x, segments, sums, largest, n, width, TILE=128
    )
    to = segments[:, None].expand(-1, width)
    assert_same_bits(sums, torch.zeros(7, width).scatter_add(0, to, x))
    expected = torch.full((7, width), -float("inf")).scatter_reduce(0, to, x, "amax")
    assert_same_bits(largest, expected)


@every
@pytest.mark.parametrize(("columns", "count"), [(1, 1), (17, 3), (100, 50), (3, 64)])
def test_gather_columns(engine: Any, columns: int, count: int) -> None:
    x = numbers(5, columns)
    index = torch.randint(
        -columns, columns, (5, count), generator=torch.Generator().manual_seed(1)
    )  # fmt: skip
    out = torch.full((5, count), -9.0)
    engine(indices.gather_columns_kernel)[5](x, index, out, columns, count, BLOCK=64)
    assert_same_bits(out, x.gather(1, index % columns))
