"""tl.softmax, tl.flip, x.cdiv, and blocks of zeros of any rank."""

from typing import Any

import pytest
import torch
from engines import both, every
from refusals import mistake

import mytriton
import mytriton.language as tl

TOLERANCES = {torch.float16: 1e-3, torch.bfloat16: 8e-3, torch.float32: 1e-6, torch.float64: 1e-14}


@mytriton.jit
def softmax_kernel(x, out, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x + i)
    result = tl.softmax(value)
    tl.static_assert(result.dtype == value.dtype)
    tl.store(out + i, result)


@every
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_softmax_of_rows(engine: Any, dtype: torch.dtype) -> None:
    x = (torch.randn(3, 100, dtype=torch.float64) * 10).to(dtype)
    x[0, 7], x[1] = float("-inf"), x[1] + 1000
    out = torch.zeros_like(x)
    engine(softmax_kernel)[3](x, out, N=100)
    expected = x.double().softmax(1)
    assert torch.allclose(out.double(), expected, TOLERANCES[dtype], TOLERANCES[dtype])


@mytriton.jit
def block_kernel(x, out, DIM: tl.constexpr, FLIP: tl.constexpr):
    i, j, k = tl.arange(0, 2), tl.arange(0, 8), tl.arange(0, 16)
    at = i[:, None, None] * 128 + j[None, :, None] * 16 + k[None, None, :]
    value = tl.load(x + at)
    tl.store(out + at, tl.flip(value, DIM) if FLIP else tl.softmax(value, DIM, keep_dims=True))


@both
@pytest.mark.parametrize("dim", [0, 1, 2, -1, None])
def test_softmax_along_axes(engine: Any, dim: int | None) -> None:
    x, out = torch.randn(2, 8, 16), torch.zeros(2, 8, 16)
    engine(block_kernel)[1](x, out, DIM=dim, FLIP=False)
    assert torch.allclose(out, x.softmax(dim or 0), 1e-6, 1e-7)


@both
@pytest.mark.parametrize("dim", [0, 1, 2, -2, None])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int8, torch.bool])
def test_flip(engine: Any, dim: int | None, dtype: torch.dtype) -> None:
    x = torch.randint(-99, 99, (2, 8, 16)).to(dtype)
    out = torch.zeros_like(x)
    engine(block_kernel)[1](x, out, DIM=dim, FLIP=True)
    assert torch.equal(out, x.flip(-1 if dim is None else dim))


@mytriton.jit
def flip_vector_kernel(x, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.load(x + tl.arange(0, N)).flip())


@both
@pytest.mark.parametrize("n", [1, 2, 64])
def test_flip_of_vectors(engine: Any, n: int) -> None:
    x, out = torch.randn(n), torch.zeros(n)
    engine(flip_vector_kernel)[1](x, out, N=n)
    assert torch.equal(out, x.flip(0))


@mytriton.jit
def cdiv_kernel(x, out, n):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i).cdiv(4) + n.cdiv(3))


@every
def test_cdiv_is_a_method(engine: Any) -> None:
    x, out = torch.arange(16, dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    engine(cdiv_kernel)[1](x, out, 7)
    assert torch.equal(out, (x + 3) // 4 + 3)


@mytriton.jit
def zeros_kernel(out):
    i, j = tl.arange(0, 4)[:, None], tl.arange(0, 8)[None, :]
    value = tl.full((4, 8), 3, tl.float32) + tl.zeros([4, 8], tl.float32)
    zeros = tl.zeros_like(value)
    tl.static_assert(zeros.shape == (4, 8) and zeros.dtype == tl.float32)
    tl.store(out + i * 8 + j, value + zeros)


@both
def test_full_and_zeros_of_rank_2(engine: Any) -> None:
    out = torch.zeros(4, 8)
    engine(zeros_kernel)[1](out)
    assert (out == 3).all()


# --- errors --------------------------------------------------------------------------------------


def softmax_of_ints(x, n):
    tl.softmax(tl.arange(0, 4))  # wrong


def softmax_of_a_scalar(x, n):
    tl.softmax(1.0)  # wrong


def softmax_along_no_axis(x, n):
    tl.softmax(tl.zeros((4, 4), tl.float32), 2)  # wrong


def flip_of_a_scalar(x, n):
    tl.flip(n)  # wrong


def flip_of_six(x, n):
    tl.flip(tl.arange(0, 6))  # wrong


def flip_along_no_axis(x, n):
    tl.flip(tl.arange(0, 4), -2)  # wrong


ERRORS = [
    (softmax_of_ints, "softmax: x: expected floats, got <traced vector<4 x i32>>"),
    (softmax_of_a_scalar, "softmax: expected a block, got <traced f32>"),
    (softmax_along_no_axis, "softmax: dim must be -2 to 1, got 2"),
    (flip_of_a_scalar, "flip: expected a block, got <traced i32>"),
    (flip_of_six, "flip: expected an axis of a power of two lanes, got 6 of <traced"),
    (flip_along_no_axis, "flip: dim must be -1 to 0, got -2"),
]


@pytest.mark.parametrize("fn, message", ERRORS, ids=[fn.__name__ for fn, _ in ERRORS])
def test_mistakes(fn: Any, message: str) -> None:
    assert message in mistake(fn, torch.arange(8.0), 3)


@both
def test_squeeze_unsqueeze_and_merge(engine: Any) -> None:
    @mytriton.jit
    def kernel(x, out):
        i = tl.arange(0, 16)
        block = tl.unsqueeze(tl.load(x + i), -2)
        assert block.shape == (1, 16) and tl.unsqueeze(block, 1).shape == (1, 1, 16)
        tl.store(out + i, tl.bitonic_merge(tl.squeeze(block, 0)))
        tl.store(out + 16 + i, tl.bitonic_merge(tl.squeeze(block, -2), descending=True))

    x = torch.cat([torch.arange(10.0), torch.arange(5.5, -0.5, -1)])
    out = torch.zeros(32)
    engine(kernel)[1](x, out)
    assert torch.equal(out, torch.cat([x.sort().values, x.sort(descending=True).values]))
