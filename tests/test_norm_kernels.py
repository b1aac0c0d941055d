"""Layer norm, RMS norm and group norm against torch in float64, forward and backward."""

from typing import Any

import norm_kernels as norms
import pytest
import torch
from bounds import DTYPES, added, assert_rounded, numbers
from engines import both, compiled, cuda_text, every

import mytriton

EPS = 1e-5
COLUMNS = [1, 3, 17, 100, 1000, 1023]
ROWS = 13
F = torch.nn.functional


class LayerNorm(torch.autograd.Function):
    """`form`: how the backward pass adds up the gradients of weight and bias."""

    @staticmethod
    def forward(ctx: Any, x: Any, weight: Any, bias: Any, form: str, engine: Any) -> torch.Tensor:
        rows, columns = x.shape
        out, means, scales = torch.empty_like(x), torch.empty(rows), torch.empty(rows)
        engine(norms.layer_norm_kernel)[rows](
            x, weight, bias, out, means, scales, columns, EPS, BLOCK=128
        )
        ctx.save_for_backward(x, weight, means, scales)
        ctx.form, ctx.engine = form, engine
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, weight, means, scales = ctx.saved_tensors
        rows, columns = x.shape
        dx, dw, db = torch.empty_like(x), torch.empty_like(weight), torch.empty_like(weight)
        groups, block = 4, 256 if ctx.engine is cuda_text else 1024  # its widest
        # What no program writes must not count, but zeros do no harm where rows < groups.
        sums = [torch.zeros(groups, columns) for _ in range(2)]
        if ctx.form == "locked":
            locks = torch.zeros(2 * groups, dtype=torch.int32)
            ctx.engine(norms.layer_norm_locked_grad_kernel)[rows](
                x, weight, grad, dx, *sums, locks, means, scales, columns,
                GROUPS=groups, BLOCK=block,
            )  # fmt: skip
            assert not locks[:groups].any() and locks[groups:].sum() == min(groups, rows)
        else:
            ctx.engine(norms.layer_norm_grad_kernel)[groups](
                x, weight, grad, dx, *sums, means, scales, rows, columns, BLOCK=block
            )
        norms.join_partials_kernel[mytriton.cdiv(columns, 64)](
            *sums, dw, db, groups, columns, ROWS=2, COLUMNS=64
        )
        return dx, dw, db, None, None


def parameters(columns: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    weight, bias = numbers(columns, seed=1), numbers(columns, seed=2)
    return (weight + 1).to(dtype).requires_grad_(), bias.to(dtype).requires_grad_()


def in_double(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [each.detach().double().requires_grad_() for each in tensors]


def check_layer_norm(
    engine: Any, form: str, rows: int, columns: int, dtype: torch.dtype = torch.float32
) -> None:
    x = (numbers(rows, columns) + 0.5).to(dtype).requires_grad_()
    weight, bias = parameters(columns, dtype)
    grad = numbers(rows, columns, dtype=dtype, seed=3)
    out = LayerNorm.apply(x, weight, bias, form, engine)
    out.backward(grad)
    x64, weight64, bias64 = in_double(x, weight, bias)
    expected = F.layer_norm(x64, (columns,), weight64, bias64, EPS)
    expected.backward(grad.double())

    # A mean is off by the roundings of a sum of |x|; in units of the row's deviation that is
    # `scale * level`. The variance's relative error is that twice, which its root halves.
    mean, scale = x64.mean(1, keepdim=True), x64.var(1, False, keepdim=True).add(EPS).rsqrt()
    normal, level = (x64 - mean) * scale, x64.abs().mean(1, keepdim=True)
    roundings = added(columns) + 6
    loss = (1 + scale * level) * (1 + normal.abs())  # of `normal`, in roundings
    assert_rounded(out, expected, roundings, weight64.abs() * loss + bias64.abs())
    g = grad.double()
    weighted = (g * weight64).abs()
    sizes = scale * (
        weighted + (weighted * loss).mean(1, keepdim=True) * normal.abs()
        + (weighted * normal.abs()).mean(1, keepdim=True) * loss + weighted.mean(1, keepdim=True)
    )  # fmt: skip
    assert_rounded(x.grad, x64.grad, 2 * roundings, sizes)
    assert_rounded(weight.grad, weight64.grad, roundings + rows, (g.abs() * loss).sum(0))
    assert_rounded(bias.grad, bias64.grad, rows, g.abs().sum(0))


@both
@pytest.mark.parametrize("form", ["locked", "two stages"])
@pytest.mark.parametrize("columns", COLUMNS)
def test_layer_norm(engine: Any, form: str, columns: int) -> None:
    check_layer_norm(engine, form, ROWS, columns)


@pytest.mark.parametrize("columns", [3, 200])
def test_cuda_text_of_layer_norm(columns: int) -> None:
    """Without locks: its checker takes what they guard for races between blocks."""
    check_layer_norm(cuda_text, "two stages", ROWS, columns)


@pytest.mark.parametrize("form", ["locked", "two stages"])
@pytest.mark.parametrize("rows", [1, 3, 300])
def test_rows_of_layer_norm(form: str, rows: int) -> None:
    """Fewer rows than groups; and many, so that programs wait for locks."""
    check_layer_norm(compiled, form, rows, 100)


@pytest.mark.parametrize(
    ("form", "dtype"), [("locked", torch.float16), ("two stages", torch.bfloat16)]
)
def test_layer_norm_of_halves(form: str, dtype: torch.dtype) -> None:
    for columns in (17, 1000):
        check_layer_norm(compiled, form, ROWS, columns, dtype)


class RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        out, scales = torch.empty_like(x), torch.empty(len(x))
        columns = x.shape[1]
        norms.rms_norm_kernel[len(x)](x, weight, out, scales, columns, EPS, BLOCK=1024)
        ctx.save_for_backward(x, weight, scales)
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, weight, scales = ctx.saved_tensors
        dx, dw, columns = torch.empty_like(x), torch.zeros(weight.shape), x.shape[1]
        norms.rms_norm_grad_kernel[len(x)](
            x, weight, grad, dx, dw, scales, columns, BLOCK=1024
        )  # fmt: skip
        return dx, dw.to(weight.dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", COLUMNS)
def test_rms_norm(dtype: torch.dtype, columns: int) -> None:
    x = numbers(ROWS, columns, dtype=dtype).requires_grad_()
    weight, _ = parameters(columns, dtype)
    grad = numbers(ROWS, columns, dtype=dtype, seed=3)
    out = RmsNorm.apply(x, weight)
    out.backward(grad)
    x64, weight64 = in_double(x, weight)
    expected = F.rms_norm(x64, (columns,), weight64, EPS)
    expected.backward(grad.double())

    roundings = added(columns) / 2 + 6  # the root halves the relative error of a sum of squares
    assert_rounded(out, expected, roundings)
    g, scale = grad.double(), x64.square().mean(1, keepdim=True).add(EPS).rsqrt()
    normal, weighted = x64 * scale, (g * weight64).abs()
    sizes = scale * (weighted + normal.abs() * (weighted * normal.abs()).mean(1, keepdim=True))
    assert_rounded(x.grad, x64.grad, 4 * roundings, sizes)
    assert_rounded(weight.grad, weight64.grad, roundings + ROWS, (g * normal).abs().sum(0))


@every
@pytest.mark.parametrize("shape", [(2, 6, 5, 7), (1, 12, 17, 20), (3, 4, 1, 1)])
@pytest.mark.parametrize("groups", [1, 2])
def test_group_norm(engine: Any, shape: tuple[int, int, int, int], groups: int) -> None:
    check_group_norm(engine, shape, groups, torch.float32)


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_group_norm_of_halves(dtype: torch.dtype) -> None:
    check_group_norm(compiled, (2, 6, 5, 7), 3, dtype)


def check_group_norm(engine: Any, shape: Any, groups: int, dtype: torch.dtype) -> None:
    images, channels, height, width = shape
    x = (numbers(*shape) + 0.5).to(dtype)
    weight, bias = (each.detach() for each in parameters(channels, dtype))
    out = torch.empty_like(x)
    engine(norms.group_norm_kernel)[images, groups](
        x, weight, bias, out, channels, groups, height * width, EPS, BLOCK=256
    )
    x64, weight64, bias64 = (each.double() for each in (x, weight, bias))
    expected = F.group_norm(x64, groups, weight64, bias64, EPS)
    rows = x64.reshape(images * groups, -1)
    scale = rows.var(1, False, keepdim=True).add(EPS).rsqrt()
    normal = (rows - rows.mean(1, keepdim=True)) * scale
    loss = (1 + scale * rows.abs().mean(1, keepdim=True)) * (1 + normal.abs())
    weights, biases = weight64.abs()[:, None, None], bias64.abs()[:, None, None]
    # Five roundings more for each block, to join its moments with those before.
    roundings = added(rows.shape[1]) + 6 + 5 * (rows.shape[1] // 256 + 1)
    assert_rounded(out, expected, roundings, weights * loss.reshape(shape) + biases)


@every
@pytest.mark.parametrize("shape", [(2, 6, 5, 7), (1, 12, 17, 20)])
def test_group_norm_gradient(engine: Any, shape: tuple[int, int, int, int]) -> None:
    images, channels, height, width = shape
    groups = 2
    x, grad = numbers(*shape) + 0.5, numbers(*shape, seed=3)
    weight, bias = (each.detach() for each in parameters(channels, torch.float32))
    dx, dw, db = torch.empty_like(x), torch.zeros(channels), torch.zeros(channels)
    engine(norms.group_norm_grad_kernel)[images, groups](
        x, weight, grad, dx, dw, db, channels, groups, height * width, EPS, BLOCK=256
    )
    x64, weight64, bias64 = in_double(x, weight, bias)
    F.group_norm(x64, groups, weight64, bias64, EPS).backward(grad.double())
    # As for layer norm: a row is a group; a channel's sum is of all its pixels in all images.
    rows = x64.detach().reshape(images * groups, -1)
    scale = rows.var(1, False, keepdim=True).add(EPS).rsqrt()
    normal, level = (rows - rows.mean(1, keepdim=True)) * scale, rows.abs().mean(1, keepdim=True)
    loss = (1 + scale * level) * (1 + normal.abs())
    g = grad.double()
    weighted = (g * weight64.detach()[:, None, None]).abs().reshape(images * groups, -1)
    sizes = scale * (
        weighted + (weighted * loss).mean(1, keepdim=True) * normal.abs()
        + (weighted * normal.abs()).mean(1, keepdim=True) * loss + weighted.mean(1, keepdim=True)
    )  # fmt: skip
    roundings = added(rows.shape[1]) + channels + 6
    assert_rounded(dx, x64.grad, 2 * roundings, sizes.reshape(shape))
    sums = (g.abs() * loss.reshape(shape)).sum((0, 2, 3))
    assert_rounded(dw, weight64.grad, roundings + images, sums)
    assert_rounded(db, bias64.grad, roundings + images, g.abs().sum((0, 2, 3)))
