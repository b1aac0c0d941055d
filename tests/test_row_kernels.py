"""Softmax and log-softmax kernels against torch, forward and backward."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import row_kernels as rows
import torch
from bounds import DTYPES, added, assert_rounded, numbers
from engines import compiled, cuda_text, evaluated

COLUMNS = [1, 3, 17, 100, 1000, 1023]
ROWS = 5


def one_block(engine: Any, x: torch.Tensor, out: torch.Tensor) -> None:
    engine(rows.softmax_kernel)[len(x)](
        x, out, x.stride(0), out.stride(0), x.shape[1], BLOCK=1024
    )  # fmt: skip


def persistent(engine: Any, x: torch.Tensor, out: torch.Tensor) -> None:
    engine(rows.persistent_softmax_kernel)[2](
        x, out, x.stride(0), out.stride(0), *x.shape, BLOCK=1024, STAGES=2
    )


def online(engine: Any, x: torch.Tensor, out: torch.Tensor) -> None:
    engine(rows.online_softmax_kernel)[len(x)](
        x, out, x.stride(0), out.stride(0), x.shape[1], BLOCK=128
    )


def three_pass(engine: Any, x: torch.Tensor, out: torch.Tensor) -> None:
    engine(rows.three_pass_softmax_kernel)[len(x)](
        x, out, x.stride(0), out.stride(0), x.shape[1], BLOCK=128
    )


Form = Callable[[Any, torch.Tensor, torch.Tensor], None]
FORMS: list[Form] = [one_block, persistent, online, three_pass]
forms = pytest.mark.parametrize("form", FORMS)
# CUDA text in the lane layout holds blocks of up to 256 lanes.
on_engines = pytest.mark.parametrize(
    ("engine", "form"),
    [
        *itertools.product((compiled, evaluated), FORMS),
        (cuda_text, online),
        (cuda_text, three_pass),
    ],
)


def steps(x: torch.Tensor, rescaled: bool = False) -> float:
    """Of softmax: a - max loses up to half a unit of its size, which exp makes a relative error;
    then exp, the sum and the quotient. Online sums are scaled once more for each block."""
    spread = (x.double().amax(1) - x.double().amin(1)).max().item()
    return spread + 2 + added(x.shape[1]) + 1 + (x.shape[1] / 128 * (spread + 4) if rescaled else 0)


@on_engines
@pytest.mark.parametrize("columns", COLUMNS)
def test_softmax(engine: Any, form: Form, columns: int) -> None:
    x = 3 * numbers(ROWS, columns)
    out = torch.zeros_like(x)
    form(engine, x, out)
    assert_rounded(out, x.double().softmax(1), steps(x, rescaled=form is online))


@pytest.mark.parametrize(
    ("form", "dtype"),
    [*zip(FORMS, DTYPES[1:] * 2, strict=True), (online, torch.bfloat16)],
)
@pytest.mark.parametrize("columns", [17, 1000])
def test_softmax_of_halves(form: Form, dtype: torch.dtype, columns: int) -> None:
    x = 3 * numbers(ROWS, columns, dtype=dtype)
    out = torch.zeros_like(x)
    form(compiled, x, out)
    assert_rounded(out, x.double().softmax(1), steps(x, rescaled=form is online))


@forms
def test_rows_apart(form: Form) -> None:
    """Rows of a wider matrix; what lies between them is not touched."""
    wide = torch.full((ROWS, 200), -9.0)
    x = numbers(ROWS, 300)[:, 50:150]
    form(compiled, x, wide[:, 20:120])
    assert_rounded(wide[:, 20:120], x.double().softmax(1), steps(x, rescaled=form is online))
    assert (wide[:, :20] == -9).all() and (wide[:, 120:] == -9).all()


def special_rows(columns: int) -> torch.Tensor:
    """NaN, infinities and rows without a number; in some the first or last block is such."""
    x = numbers(8, columns)
    inf, nan = float("inf"), float("nan")
    x[0] = -inf
    x[1, columns // 2] = nan
    x[2, columns - 1] = nan
    x[3, 0] = inf
    x[4, : columns - 1] = -inf
    x[5, 1:] = -inf
    x[6] *= 1e30
    return x


@on_engines
@pytest.mark.parametrize("columns", [17, 1000])
def test_special_rows(engine: Any, form: Form, columns: int) -> None:
    x = special_rows(columns)
    out = torch.zeros_like(x)
    form(engine, x, out)
    expected = torch.softmax(x, 1)
    assert expected[:4].isnan().all() and expected[4:].isfinite().all()
    assert torch.equal(out[:7].isnan(), expected[:7].isnan())
    assert torch.equal(out[4:7], expected[4:7])  # zeros and a one
    torch.testing.assert_close(out[7], expected[7])


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        online(compiled, x, out)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (y,) = ctx.saved_tensors
        dx = torch.empty_like(y)
        columns = y.shape[1]
        rows.softmax_grad_kernel[len(y)](y, grad.contiguous(), dx, columns, BLOCK=128)
        return dx


class LogSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        rows.log_softmax_kernel[len(x)](x, out, x.shape[1], BLOCK=1024)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (y,) = ctx.saved_tensors
        dx = torch.empty_like(y)
        columns = y.shape[1]
        rows.log_softmax_grad_kernel[len(y)](y, grad.contiguous(), dx, columns, BLOCK=1024)
        return dx


@pytest.mark.parametrize("columns", COLUMNS)
def test_softmax_gradient(columns: int) -> None:
    x, grad = numbers(ROWS, columns).requires_grad_(), numbers(ROWS, columns, seed=1)
    Softmax.apply(x).backward(grad)
    exact = x.detach().double().requires_grad_()
    y = exact.softmax(1)
    y.backward(grad.double())
    # The saved softmax is off by its own steps; grad - sum loses the sum's steps of sum(|y grad|).
    sizes = y * (grad.abs() + (y * grad.double()).abs().sum(1, keepdim=True))
    most = 2 * steps(x.detach(), rescaled=True) + added(columns) + 3
    assert_rounded(x.grad, exact.grad, most, sizes)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_log_softmax(dtype: torch.dtype, columns: int) -> None:
    x = (2 * numbers(ROWS, columns)).to(dtype).requires_grad_()
    grad = numbers(ROWS, columns, dtype=dtype, seed=1)
    y = LogSoftmax.apply(x)
    y.backward(grad)
    exact = x.detach().double().requires_grad_()
    expected = exact.log_softmax(1)
    # A relative error of the sum is an absolute one of its logarithm.
    assert_rounded(y, expected, steps(x.detach()) + 2, 1 + expected.abs())
    # The gradient is that of the rounded result, as in torch.
    kept = y.detach().double().exp()
    total = grad.double().sum(1, keepdim=True)
    sizes = grad.abs() + kept * (1 + y.detach().double().abs()) * grad.abs().sum(1, keepdim=True)
    assert_rounded(x.grad, grad.double() - kept * total, added(columns) + 5, sizes.double())
    if dtype is torch.float32:
        expected.backward(grad.double())
        torch.testing.assert_close(x.grad.double(), exact.grad, rtol=1e-5, atol=1e-5)
