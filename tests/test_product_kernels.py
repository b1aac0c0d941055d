"""Matrix product and attention kernels against torch in float64."""

from typing import Any

import product_kernels as products
import pytest
import torch
from bounds import UNIT, added, assert_rounded, numbers
from engines import both

from mytriton import cdiv

F = torch.nn.functional


def matmul(a: torch.Tensor, b: torch.Tensor, activation: str = "") -> torch.Tensor:
    c = torch.full((len(a), b.shape[1]), -9.0).to(a.dtype)
    products.matmul_kernel[
        lambda meta: (cdiv(a.shape[0], meta["BM"]) * cdiv(b.shape[1], meta["BN"]),)
    ](
        a, b, c, a.shape[0], b.shape[1], a.shape[1], *a.stride(), *b.stride(), *c.stride(),
        ACTIVATION=activation,
    )  # fmt: skip
    return c


SIZES = [(1, 1, 1), (17, 3, 33), (100, 50, 70), (130, 17, 129)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("activation", ["", "leaky_relu"])
def test_matmul(sizes: tuple[int, int, int], dtype: torch.dtype, activation: str) -> None:
    m, k, n = sizes
    a, b = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype, seed=1)
    got = matmul(a, b, activation)
    exact, sizes64 = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    expected = F.leaky_relu(exact, 0.01) if activation else exact
    assert_rounded(got, expected, 1 + added(32) + k / 16 + 2, sizes64)
    assert products.matmul_kernel.best_config in products.matmul_kernel.configs


def test_every_config_of_matmul() -> None:
    """Whichever was the fastest: of whole numbers, so that both give the same."""
    a = torch.randint(-5, 5, (70, 50)).float()
    b = torch.randint(-5, 5, (70, 50)).float().T
    for config in products.matmul_kernel.configs:
        c = torch.zeros(70, 70)
        grid = cdiv(70, config.kwargs["BM"]) * cdiv(70, config.kwargs["BN"])
        products.matmul_kernel.fn[grid,](
            a, b, c, 70, 70, 50, *a.stride(), *b.stride(), *c.stride(),
            ACTIVATION="", **config.kwargs,
        )  # fmt: skip
        assert torch.equal(c, a @ b)


def attend(engine: Any, q: Any, k: Any, v: Any, causal: bool) -> tuple[torch.Tensor, torch.Tensor]:
    batches, heads, length, width = q.shape
    out = torch.full_like(q, -9.0)
    logsumexps = torch.zeros(batches, heads, length)
    engine(products.attention_kernel)[cdiv(length, 16), batches * heads](
        q, k, v, out, logsumexps, width**-0.5, heads, length,
        *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3],
        CAUSAL=causal, BM=16, BN=16, WIDTH=width,
    )  # fmt: skip
    return out, logsumexps


def check_attention(engine: Any, length: int, causal: bool, dtype: torch.dtype) -> None:
    shape = (2, 3, length, 32)
    q = numbers(*shape, dtype=dtype)
    # As they come out of one projection: heads lie beside each other, keys beside values.
    both_kv = numbers(2, length, 2, 3, 32, dtype=dtype, seed=1)
    k, v = both_kv[:, :, 0].transpose(1, 2), both_kv[:, :, 1].transpose(1, 2)
    out, logsumexps = attend(engine, q, k, v, causal)
    q64, k64, v64 = q.double(), k.double(), v.double()
    expected = F.scaled_dot_product_attention(q64, k64, v64, is_causal=causal)
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1) if causal else False
    scores = (q64 @ k64.mT / 32**0.5).masked_fill(torch.as_tensor(hidden), -torch.inf)
    largest = (q64.abs() @ k64.abs().mT / 32**0.5).max().item()
    # A score loses what its products, their sum and the scale do, which exp makes relative; then
    # sum and product with v, which are rescaled for each block, and the quotient.
    steps = (added(32) + 2) * largest + (length / 16 + 1) * (largest + 5) + added(16) + 4
    if dtype is not torch.float32:  # powers are rounded to the type before they meet v
        steps += torch.finfo(dtype).eps / 2 / UNIT
    assert_rounded(out, expected, steps, scores.softmax(-1) @ v64.abs())
    assert_rounded(logsumexps, scores.logsumexp(-1), steps, torch.ones_like(scores[..., 0]))


@both
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("length", [1, 17, 50, 64])
def test_attention(engine: Any, length: int, causal: bool) -> None:
    check_attention(engine, length, causal, torch.float32)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_attention_of_halves(dtype: torch.dtype) -> None:
    check_attention(lambda kernel: kernel, 50, True, dtype)
