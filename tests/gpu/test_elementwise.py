"""Elementwise functions on CUDA tensors: values, strides, dtypes, gradients are those of eager."""

import pytest
import torch
from elementwise_functions import eager_gated, exponential, gated, leaky
from test_elementwise import DTYPES, LAYOUTS, add, add3, below, parts, scaled, swiglu

from gpu.machine import Gpu

N = 100_003


def moved(tensor: torch.Tensor, device: str) -> torch.Tensor:
    """With the strides that it has."""
    out = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
    if any(step == 0 for step in tensor.stride()):  # expanded: filled through what it expands
        first = tuple(0 if step == 0 else slice(None) for step in tensor.stride())
        out[first].copy_(tensor[first])
        return out
    return out.copy_(tensor)


def same(made: torch.Tensor, expected: torch.Tensor, tolerance: float = 0.0) -> None:
    assert made.device == expected.device
    assert (made.dtype, made.stride()) == (expected.dtype, expected.stride())
    torch.testing.assert_close(made, expected, rtol=tolerance, atol=0, equal_nan=True)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_and_strides_are_those_of_eager(gpu: Gpu, layout: str) -> None:
    a, b = (moved(each, gpu.device) for each in LAYOUTS[layout])
    if layout == "empty inside":  # of which torch's own reference gives other strides
        assert add(a, b).shape == (a + b).shape
        return
    same(add(a, b), a + b)
    same(below(b, a), b < a)
    same(swiglu(a, b), a * torch.sigmoid(a) * b, 2e-6)  # each off by a few ulp


@pytest.mark.parametrize("first", DTYPES, ids=str)
def test_mixed_dtypes(gpu: Gpu, first: torch.dtype) -> None:
    a = (4 * torch.rand(N, device=gpu.device)).to(first)
    for second in DTYPES:
        b = (4 * torch.rand(N, device=gpu.device)).to(second)
        if first == second == torch.bool:
            same(below(a, b), a < b)
        else:
            same(add(a, b), a + b)


def test_many_elements_and_misaligned_ones(gpu: Gpu) -> None:
    for dtype in (torch.float32, torch.bfloat16):
        x, gate, bias = torch.randn(3, N, device=gpu.device).to(dtype).unbind()
        for start in (0, 1, 3):
            given = x[start:], gate[start:], bias[: N - start]
            tolerance = 1e-5 if dtype is torch.float32 else 0.02
            made, expected = gated(*given), eager_gated(*given)
            torch.testing.assert_close(made, expected, rtol=tolerance, atol=tolerance)


def test_several_outputs_and_out(gpu: Gpu) -> None:
    x, y = torch.randn(2, 37, 50, device=gpu.device).unbind()
    low, high, greater = parts(x, y)
    assert torch.equal(low, torch.minimum(x, y)) and torch.equal(high, torch.maximum(x, y))
    assert torch.equal(greater, x > y)
    out = torch.empty(50, 37, device=gpu.device).t()
    assert add(x, y, out=out) is out
    assert torch.equal(out, x + y) and out.stride() == (1, 37)


# --- tensors without dimensions, on the CPU beside those on the device, as in torch ---------------


def test_cpu_tensors_without_dimensions(gpu: Gpu) -> None:
    x = torch.randn(100, device=gpu.device)
    for zero in (torch.tensor(2.5), torch.tensor(3), torch.tensor(2.5, dtype=torch.float64)):
        same(add(x, zero), x + zero)
        same(add(zero, x), zero + x)
        same(add3(zero, x, zero), zero + x + zero)
    same(scaled(x, torch.tensor(2.0)), x * 2)
    zero = torch.tensor(0.5, requires_grad=True)
    leaf = x.clone().requires_grad_()
    made = torch.autograd.grad(swiglu(leaf, zero).sum(), (leaf, zero))
    expected = torch.autograd.grad((leaf * torch.sigmoid(leaf) * zero).sum(), (leaf, zero))
    for mine, theirs in zip(made, expected, strict=True):
        assert mine.device == theirs.device
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-5)


def test_other_cpu_tensors_are_refused(gpu: Gpu) -> None:
    x = torch.randn(100, device=gpu.device)
    if gpu.is_real:
        for wrong in (torch.randn(100), torch.randn(1)):
            with pytest.raises((RuntimeError, TypeError), match="device"):
                add(x, wrong)
    same(add(x, x), x + x)


# --- gradients -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=str)
def test_gradients_of_broadcast_inputs(gpu: Gpu, dtype: torch.dtype) -> None:
    shapes = ((40, 200), (40, 1), (200,))
    given = [torch.randn(each, device=gpu.device).to(dtype).requires_grad_() for each in shapes]
    flow = torch.randn(40, 200, device=gpu.device).to(dtype)
    made = torch.autograd.grad(gated(*given), given, flow)
    exact = [each.detach().double().requires_grad_() for each in given]
    expected = torch.autograd.grad(eager_gated(*exact), exact, flow.double())
    tolerance = {torch.float32: 1e-4, torch.bfloat16: 0.05, torch.float64: 1e-10}[dtype]
    for mine, theirs in zip(made, expected, strict=True):
        assert mine.dtype == dtype and mine.device == flow.device
        # Sums of 200 terms: what is lost is in proportion to their sizes, not to the sum.
        scale = theirs.abs().max().item()
        close = {"rtol": tolerance, "atol": tolerance * scale}
        torch.testing.assert_close(mine.double(), theirs, **close)


def test_second_derivatives(gpu: Gpu) -> None:
    x = torch.randn(50, device=gpu.device, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(exponential, (x,))
    assert torch.autograd.gradgradcheck(exponential, (x,))


def test_options_and_outputs_without_gradient(gpu: Gpu) -> None:
    x = torch.randn(500, device=gpu.device, requires_grad=True)
    value, positive = leaky(x, 0.25, POWER=2)
    value.sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())  # of x * x, which is positive
    assert torch.equal(positive, x.detach() ** 2 > 0)


def test_vmap_and_forward_mode(gpu: Gpu) -> None:
    x, y = torch.randn(2, 5, 30, device=gpu.device).unbind()
    mapped = torch.vmap(add, in_dims=(0, None))(x, y[0])
    assert torch.equal(mapped, x + y[0])
    value, tangent = torch.func.jvp(exponential, (x,), (y,))
    torch.testing.assert_close(value, x.exp())
    torch.testing.assert_close(tangent, x.exp() * y)
