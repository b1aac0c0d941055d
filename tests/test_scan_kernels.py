"""Kernels of scans, sorts and histograms against torch, with gradients where there are any."""

from typing import Any

import pytest
import scan_kernels as scans
import torch
from bounds import added, assert_rounded, numbers
from engines import assert_same_bits, both

from mytriton import cdiv

COLUMNS = [1, 3, 17, 100, 1000, 1023]
ROWS = 3


class RunningSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, engine: Any) -> torch.Tensor:
        ctx.engine = engine
        return running_sum(engine, x, False)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return running_sum(ctx.engine, grad, True), None


def running_sum(engine: Any, x: torch.Tensor, reverse: bool) -> torch.Tensor:
    out = torch.full_like(x, -9.0)
    engine(scans.running_sum_kernel)[len(x)](x, out, x.shape[1], REVERSE=reverse, BLOCK=128)
    return out


@both
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_running_sum(engine: Any, columns: int, dtype: torch.dtype) -> None:
    x = numbers(ROWS, columns, dtype=dtype).requires_grad_()
    grad = numbers(ROWS, columns, dtype=dtype, seed=1)
    out = RunningSum.apply(x, engine)
    out.backward(grad)
    x64, grad64 = x.detach().double(), grad.double()
    # Up to 128 additions within a block, then the carry, of sums that end by the place.
    steps = min(columns, 128) + columns / 128 + added(128) + 1
    assert_rounded(out, x64.cumsum(1), steps, x64.abs().cumsum(1))
    backwards = grad64.flip(1).cumsum(1).flip(1)
    assert_rounded(x.grad, backwards, steps, grad64.abs().flip(1).cumsum(1).flip(1))


@both
@pytest.mark.parametrize("columns", [1, 3, 17, 64])
def test_tail_sums(engine: Any, columns: int) -> None:
    x = torch.randint(-9, 9, (ROWS, columns), generator=torch.Generator().manual_seed(1)).float()
    out = torch.full_like(x, -9.0)
    engine(scans.tail_sums_kernel)[ROWS](x, out, columns, BLOCK=64)
    assert torch.equal(out, x.flip(1).cumsum(1).flip(1))


@both
@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (16, 100)])
def test_running_product(engine: Any, shape: tuple[int, int]) -> None:
    x = numbers(*shape)
    out = torch.full_like(x, -9.0)
    engine(scans.running_product_kernel)[cdiv(shape[1], 32)](x, out, *shape, ROWS=16, COLUMNS=32)
    assert_rounded(out, x.double().cumprod(0), 16)


class Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, engine: Any) -> torch.Tensor:
        h = recurrence(engine, a, b, True)
        ctx.save_for_backward(a, h)
        ctx.engine = engine
        return h

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        a, h = ctx.saved_tensors
        db = recurrence(ctx.engine, a, grad, False)
        before = torch.cat([torch.zeros_like(h[:1]), h[:-1]])
        return db * before, db, None


def recurrence(engine: Any, a: torch.Tensor, b: torch.Tensor, forward: bool) -> torch.Tensor:
    h = torch.full_like(a, -9.0)
    steps, channels = a.shape
    engine(scans.recurrence_kernel)[cdiv(channels, 8)](
        a, b, h, steps, channels, FORWARD=forward, STEPS=32, CHANNELS=8
    )
    return h


def in_turn(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    states = [torch.zeros_like(b[0])]
    for rate, step in zip(a, b, strict=True):
        states.append(rate * states[-1] + step)
    return torch.stack(states[1:])


@both
@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (100, 8), (129, 10)])
def test_recurrence(engine: Any, shape: tuple[int, int]) -> None:
    a = (numbers(*shape) / 3 + 0.7).clamp(-0.9, 0.95).requires_grad_()
    b, grad = numbers(*shape, seed=1).requires_grad_(), numbers(*shape, seed=2)
    out = Recurrence.apply(a, b, engine)
    out.backward(grad)
    a64, b64 = (each.detach().double().requires_grad_() for each in (a, b))
    expected = in_turn(a64, b64)
    expected.backward(grad.double())
    # What term s adds to state t is a product of up to t - s rates times b[s], made by a tree of 5
    # levels with 2 roundings each in a block of 32, and once more in each block after that.
    most = 12 * (shape[0] / 32 + 1)
    sizes = in_turn(a64.abs(), b64.abs())
    rates = torch.cat([a64[:1], a64.flip(0)[:-1]]).abs()
    back = in_turn(rates, grad.double().abs().flip(0)).flip(0)
    assert_rounded(out, expected, most, sizes)
    assert_rounded(b.grad, b64.grad, most, back)
    before = torch.cat([torch.zeros_like(sizes[:1]), sizes[:-1]])
    assert_rounded(a.grad, a64.grad, 2 * most + 1, back * before)


@both
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [1, 17, 100])
def test_restarting_sum(engine: Any, n: int, reverse: bool) -> None:
    """Of whole numbers, which every order of additions sums alike."""
    x = torch.randint(-9, 9, (n,), generator=torch.Generator().manual_seed(1)).float()
    starts = (torch.rand(n, generator=torch.Generator().manual_seed(2)) < 0.2).int()
    out = torch.full_like(x, -9.0)
    engine(scans.restarting_sum_kernel)[1](x, starts, out, n, REVERSE=reverse, BLOCK=128)
    order = list(range(n))[:: -1 if reverse else 1]
    total, expected = 0.0, torch.zeros(n)
    for i in order:
        total = x[i].item() + (0.0 if starts[i] else total)
        expected[i] = total
    assert torch.equal(out, expected)


@both
@pytest.mark.parametrize("columns", COLUMNS)
def test_moments_by_reduce(engine: Any, columns: int) -> None:
    x = numbers(ROWS, columns) + 0.5
    means, variances = torch.zeros(2, ROWS)
    engine(scans.moments_kernel)[ROWS](x, means, variances, columns, BLOCK=1024)
    x64 = x.double()
    # A tree of 10 levels: 3 roundings each for the mean, 6 for the spread.
    size = x64.abs().amax(1)
    assert_rounded(means, x64.mean(1), 30, size)
    assert_rounded(variances, x64.var(1, correction=0), 60, size.square())


@both
@pytest.mark.parametrize("count", [8, 17, 64])
def test_routing(engine: Any, count: int) -> None:
    scores = numbers(20, count)
    scores[::3] = scores[::3].round() + 0.0  # ties; no -0.0, which is below 0.0 here
    scores[1, :] = -1.0
    weights, experts = torch.zeros(20, 4), torch.zeros(20, 4, dtype=torch.int32)
    engine(scans.routing_kernel)[20](scores, weights, experts, count, K=4, BLOCK=64)
    best, places = scores.double().sort(dim=1, descending=True, stable=True)
    assert torch.equal(experts, places[:, :4].int())
    spread = (best[:, 0] - best[:, 3]).max().item()
    assert_rounded(weights, best[:, :4].softmax(1), spread + 2 + 4 + 1)


@both
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("columns", [1, 3, 17, 100, 128])
def test_sort_rows(engine: Any, columns: int, descending: bool) -> None:
    x = numbers(ROWS, columns)
    x[0] = x[0].round() + 0.0  # ties; no -0.0, which torch and tl.sort order each in its own way
    out, medians = torch.full_like(x, -9.0), torch.zeros(ROWS)
    engine(scans.sort_rows_kernel)[ROWS](
        x, out, medians, columns, DESCENDING=descending, BLOCK=128
    )  # fmt: skip
    assert_same_bits(out, x.sort(1, descending=descending).values)
    assert torch.equal(medians, x.median(1).values)


@both
@pytest.mark.parametrize("n", [1, 17, 1000, 1023])
def test_histogram(engine: Any, n: int) -> None:
    image = torch.randint(0, 64, (n,), generator=torch.Generator().manual_seed(1)).to(torch.uint8)
    counts = torch.zeros(64, dtype=torch.int32)
    engine(scans.histogram_kernel)[cdiv(n, 256)](image, counts, n, BINS=64, BLOCK=256)
    assert torch.equal(counts, torch.bincount(image.int(), minlength=64).int())
