"""Optimiser, quantisation, pooling and groups of products against torch."""

from typing import Any

import model_kernels as model
import pytest
import torch
from bounds import added, assert_rounded, numbers
from engines import assert_same_bits, both, every

from mytriton import cdiv

F = torch.nn.functional


@pytest.mark.parametrize("n", [1, 100, 512, 1023])
@pytest.mark.parametrize("maximum", [False, True])
def test_adamw(n: int, maximum: bool) -> None:
    weight = torch.nn.Parameter(numbers(n).double())
    options = {"lr": 0.01, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.1}
    theirs = torch.optim.AdamW([weight], **options, amsgrad=maximum)
    mine, first, second = numbers(n), torch.zeros(n), torch.zeros(n)
    largest = torch.zeros(n) if maximum else None
    for step in range(1, 4):
        grad = numbers(n, seed=step)
        weight.grad = grad.double()
        theirs.step()
        model.adamw_kernel[cdiv(n, 256),](
            mine, grad, first, second, largest, n, 0.01, 0.9, 0.99, 1e-8, 0.1,
            float(step), MAXIMUM=maximum, BLOCK=256,
        )  # fmt: skip
    # 1 - 0.99 ** step is off by 2 roundings of numbers near 1, which for 0.01 are 200; a step is of
    # size rate, the weight loses 2 roundings in each.
    assert_rounded(mine, weight.detach(), 3, 2 * weight.detach().abs() + 0.01 * 3 * 200)


@every
@pytest.mark.parametrize("columns", [1, 3, 17, 256])
def test_quantised_rows(engine: Any, columns: int) -> None:
    x = 5 * numbers(6, columns)
    x[2] = 0
    out, scales = torch.zeros(6, columns, dtype=torch.int8), torch.zeros(6)
    engine(model.quantise_rows_kernel)[6](x, out, scales, columns, BLOCK=256)
    expected = x.abs().amax(1).clamp(min=1e-10) / 127.0
    assert_same_bits(scales, expected)
    assert torch.equal(out, (x / expected[:, None]).round().to(torch.int8))


@both
@pytest.mark.parametrize(("m", "n", "k"), [(1, 3, 32), (17, 33, 64), (16, 16, 128)])
def test_product_with_4_bits(engine: Any, m: int, n: int, k: int) -> None:
    a, scales = numbers(m, k), numbers(k // 32, n, seed=1)
    weights = torch.randint(0, 16, (k, n), generator=torch.Generator().manual_seed(2)).int()
    packed = (weights[0::2] | weights[1::2] << 4).to(torch.uint8)
    c = torch.full((m, n), -9.0)
    engine(model.int4_product_kernel)[cdiv(m, 16), cdiv(n, 16)](
        a, packed, scales, c, m, n, k, BM=16, BN=16, BK=32
    )
    exact = (weights.double() - 8) * scales.double().repeat_interleave(32, 0)
    steps = added(32) + 2 + k / 32
    assert_rounded(c, a.double() @ exact, steps, a.double().abs() @ exact.abs())


class Pool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, size: int, stride: int, pad: int, engine: Any) -> Any:
        planes, rows, columns = x.shape
        out_rows, out_columns = ((each + 2 * pad - size) // stride + 1 for each in (rows, columns))
        out = torch.full((planes, out_rows, out_columns), -9.0)
        places = torch.zeros(out.shape, dtype=torch.int64)
        engine(model.pool_kernel)[cdiv(out_rows * out_columns, 64), planes](
            x, out, places, rows, columns, out_rows, out_columns,
            SIZE=size, STRIDE=stride, PAD=pad, BLOCK=64,
        )  # fmt: skip
        ctx.save_for_backward(places)
        ctx.shape, ctx.engine = x.shape, engine
        ctx.mark_non_differentiable(places)
        return out, places

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, _: Any) -> Any:
        (places,) = ctx.saved_tensors
        dx, n = torch.zeros(ctx.shape), grad.numel()
        _, rows, columns = ctx.shape
        ctx.engine(model.unpool_kernel)[cdiv(n, 64)](
            grad, places, dx, n, rows * columns, places[0].numel(), BLOCK=64
        )
        return dx, None, None, None, None


@every
@pytest.mark.parametrize("window", [(2, 2, 0), (3, 2, 1)], ids=str)
@pytest.mark.parametrize("shape", [(1, 3, 3), (3, 17, 10)], ids=str)
def test_pooling(engine: Any, window: Any, shape: Any) -> None:
    x = numbers(*shape)
    x[0, 1] = x[0, 1].round()  # ties
    x[-1, 2, 2], x[-1, 0, 0] = float("nan"), -float("inf")
    mine, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    out, places = Pool.apply(mine, *window, engine)
    expected, indices = F.max_pool2d(theirs[None], *window, return_indices=True)
    assert_same_bits(out, expected[0])
    assert torch.equal(places, indices[0])
    grad = torch.randint(-9, 9, out.shape, generator=torch.Generator().manual_seed(1)).float()
    out.backward(grad)
    expected.backward(grad[None])
    assert torch.equal(mine.grad, theirs.grad)


@both
def test_grouped_products(engine: Any) -> None:
    shapes = [(17, 33, 20), (1, 1, 1), (64, 16, 100), (3, 50, 16)]
    pairs = [
        (torch.randint(-5, 5, (m, k)).float(), torch.randint(-5, 5, (k, n)).float())
        for m, n, k in shapes
    ]
    results = [torch.full((m, n), -9.0) for m, n, _ in shapes]
    addresses = [
        torch.tensor([each.data_ptr() for each in matrices])
        for matrices in (*zip(*pairs, strict=True), results)
    ]
    engine(model.grouped_product_kernel)[3](
        *addresses, torch.tensor(shapes, dtype=torch.int32), len(shapes), BM=16, BN=16, BK=16
    )
    for (a, b), c in zip(pairs, results, strict=True):
        assert torch.equal(c, a @ b)


@both
@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (17, 3, 100), (20, 33, 1023)])
def test_split_product(engine: Any, m: int, n: int, k: int) -> None:
    a, b = numbers(m, k), numbers(k, n, seed=1)
    c = torch.zeros(m, n)
    engine(model.split_product_kernel)[cdiv(m, 16), cdiv(n, 16), 3](
        a, b, c, m, n, k, BM=16, BN=16, BK=32, SPLIT=3
    )
    steps = added(32) + 1 + k / 96 + 4
    assert_rounded(c, a.double() @ b.double(), steps, a.double().abs() @ b.double().abs())
