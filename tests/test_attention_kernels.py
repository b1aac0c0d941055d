"""Attention kernels against torch in float64, forward and backward."""

from typing import Any

import attention_kernels as attention
import pytest
import torch
from bounds import UNIT, added, assert_rounded, numbers
from engines import both, compiled

from mytriton import cdiv

F = torch.nn.functional


def attend(engine: Any, q: Any, k: Any, v: Any, causal: bool) -> tuple[torch.Tensor, torch.Tensor]:
    batches, heads, length, width = q.shape
    out = torch.full_like(q, -9.0)
    logsumexps = torch.zeros(batches, heads, length)
    engine(attention.attention_kernel)[cdiv(length, 16), batches * heads](
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
    check_attention(compiled, 50, True, dtype)


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Any, k: Any, v: Any, causal: bool, engine: Any) -> torch.Tensor:
        out, logsumexps = attend(engine, q, k, v, causal)
        ctx.save_for_backward(q, k, v, out, logsumexps)
        ctx.options = causal, engine
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        q, k, v, out, logsumexps = ctx.saved_tensors
        causal, engine = ctx.options
        batches, heads, length, width = q.shape
        grid = cdiv(length, 16), batches * heads
        deltas = torch.empty_like(logsumexps)
        engine(attention.delta_kernel)[grid](out, grad, deltas, length, WIDTH=width, BM=16)
        dq, dk, dv = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
        engine(attention.attention_grad_kernel)[grid](
            q, k, v, grad, logsumexps, deltas, dq, dk, dv, width**-0.5, length,
            CAUSAL=causal, BM=16, BN=16, WIDTH=width,
        )  # fmt: skip
        return dq, dk, dv, None, None


@both
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("length", [1, 17, 64])
def test_gradients(engine: Any, length: int, causal: bool) -> None:
    mine = [numbers(1, 2, length, 32, seed=i).requires_grad_() for i in range(3)]
    theirs = [each.detach().double().requires_grad_() for each in mine]
    grad = numbers(1, 2, length, 32, seed=3)
    Attention.apply(*mine, causal, engine).backward(grad)
    F.scaled_dot_product_attention(*theirs, is_causal=causal).backward(grad.double())
    q, k, v = (each.detach() for each in theirs)
    scores = q @ k.mT / 32**0.5
    if causal:
        scores = scores.masked_fill(torch.ones(length, length).triu(1).bool(), -torch.inf)
    powers, sizes = scores.softmax(-1), grad.double().abs() @ v.abs().mT
    slopes = powers * (sizes + (powers * sizes).sum(-1, keepdim=True)) / 32**0.5
    # Powers are off as in the forward pass, which goes into all; then one more sum over `length`.
    largest = (q.abs() @ k.abs().mT / 32**0.5).max().item()
    steps = 2 * ((added(32) + 2) * largest + (length / 16 + 1) * (largest + 5) + added(32) + 9)
    assert_rounded(mine[0].grad, theirs[0].grad, steps, slopes @ k.abs())
    assert_rounded(mine[1].grad, theirs[1].grad, steps, slopes.mT @ q.abs())
    assert_rounded(mine[2].grad, theirs[2].grad, steps, powers.mT @ grad.double().abs())
