"""Cross entropy and dropout kernels against torch, forward and backward."""

from typing import Any

import loss_kernels as losses
import pytest
import torch
from bounds import added, assert_rounded, numbers
from engines import compiled, every

import mytriton

IGNORED = -100
BLOCK = 128
F = torch.nn.functional


class CrossEntropy(torch.autograd.Function):
    """The losses of rows; the gradient takes the place of the logits where `in_place`."""

    @staticmethod
    def forward(ctx: Any, x: Any, targets: Any, smoothing: float, in_place: bool, engine: Any):
        rows, vocabulary = x.shape
        out, logsumexps = torch.full((rows,), -9.0), torch.zeros(rows)
        engine(losses.cross_entropy_kernel)[rows](
            x, targets, out, logsumexps, vocabulary, x.stride(0), IGNORED, smoothing, BLOCK=BLOCK
        )
        ctx.save_for_backward(x, targets, logsumexps)
        ctx.options = smoothing, in_place, engine
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, targets, logsumexps = ctx.saved_tensors
        smoothing, in_place, engine = ctx.options
        rows, vocabulary = x.shape
        dx = x.detach() if in_place else torch.empty_like(x)
        engine(losses.cross_entropy_grad_kernel)[rows, mytriton.cdiv(vocabulary, BLOCK)](
            x.detach(), targets, grad, logsumexps, dx, vocabulary, x.stride(0), IGNORED, smoothing,
            BLOCK=BLOCK,
        )  # fmt: skip
        return dx, None, None, None, None


def check(
    engine: Any, vocabulary: int, smoothing: float, in_place: bool, dtype: Any = torch.float32
) -> None:
    rows = 6
    x = (3 * numbers(rows, vocabulary)).to(dtype).requires_grad_()
    targets = torch.randint(0, vocabulary, (rows,), generator=torch.Generator().manual_seed(5))
    targets[1] = targets[4] = IGNORED
    grad = numbers(rows, seed=2)
    x64 = x.detach().double().requires_grad_()
    expected = F.cross_entropy(
        x64, targets, ignore_index=IGNORED, label_smoothing=smoothing, reduction="none"
    )
    expected.backward(grad.double())
    out = CrossEntropy.apply(x, targets, smoothing, in_place, engine)
    # `level` and `logsumexp` are of the size of the largest logit.
    largest = x64.abs().amax(1)
    spread = 2 * largest.max().item()
    steps = added(vocabulary) + (vocabulary / BLOCK + 1) * (spread + 4) + 8
    assert_rounded(out, expected, steps, 1 + 2 * largest)
    out.backward(grad)
    slope = x64.softmax(1) * (1 + largest[:, None]) * grad.abs()[:, None]
    assert_rounded(x.grad, x64.grad, steps, slope + 2 * x64.grad.abs())
    assert (x.grad[targets == IGNORED] == 0).all()


@every
@pytest.mark.parametrize("vocabulary", [3, 17, 1000, 4097])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy(engine: Any, vocabulary: int, smoothing: float) -> None:
    check(engine, vocabulary, smoothing, in_place=False)


@every
def test_gradient_in_place(engine: Any) -> None:
    check(engine, 1000, 0.1, in_place=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_cross_entropy_of_halves(dtype: torch.dtype) -> None:
    check(compiled, 1000, 0.1, in_place=False, dtype=dtype)


def test_one_choice_and_only_ignored_rows() -> None:
    x, targets = torch.full((3, 1), 7.0).requires_grad_(), torch.tensor([0, IGNORED, 0])
    out = CrossEntropy.apply(x, targets, 0.0, False, compiled)
    out.sum().backward()
    assert out.tolist() == [0, 0, 0] and x.grad.tolist() == [[0], [0], [0]]
    out = CrossEntropy.apply(x, torch.full((3,), IGNORED), 0.0, False, compiled)
    assert out.tolist() == [0, 0, 0]


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, rate: float, seed: int, engine: Any) -> torch.Tensor:
        ctx.options = rate, seed, engine
        return dropped(x, rate, seed, engine)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return dropped(grad, *ctx.options), None, None, None


def dropped(x: torch.Tensor, rate: float, seed: int, engine: Any) -> torch.Tensor:
    out, n = torch.full_like(x, -9.0), x.numel()
    engine(losses.dropout_kernel)[mytriton.cdiv(n, 256)](x, out, n, rate, seed, BLOCK=256)
    return out


@every
@pytest.mark.parametrize("rate", [0.0, 0.25, 0.5])
@pytest.mark.parametrize("n", [1, 1000, 1023])
def test_dropout(engine: Any, n: int, rate: float) -> None:
    x, grad = numbers(n).requires_grad_(), numbers(n, seed=1)
    out = Dropout.apply(x, rate, 123, engine)
    out.backward(grad)
    kept = out != 0
    # 1 - rate is exact in float32 and a power of 2, or 0.75: one rounding as in torch.
    assert torch.equal(out, torch.where(kept, x.detach() / (1 - rate), 0.0))
    assert torch.equal(x.grad, torch.where(kept, grad / (1 - rate), 0.0))
    deviation = (n * rate * (1 - rate)) ** 0.5
    assert abs(int(kept.sum()) - n * (1 - rate)) <= 5 * deviation
    assert rate == 0 or n == 1 or not torch.equal(kept, dropped(x.detach(), rate, 124, engine) != 0)
