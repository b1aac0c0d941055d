"""torch.compile on CUDA tensors: launches, ops, elementwise functions, Inductor's CUDA graphs."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from custom_ops import silu
from elementwise_functions import Block, eager_gated, gated, opaque_leaky
from kernels import relu_kernel

import mytriton as triton
from gpu.machine import Gpu


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


def twice_relu(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
    return out * 2


def test_launches(gpu: Gpu) -> None:
    x = torch.randn(1000, device=gpu.device)
    assert torch.equal(torch.compile(twice_relu, fullgraph=True)(x), torch.relu(x) * 2)


def test_sizes_that_change(gpu: Gpu) -> None:
    compiled = torch.compile(twice_relu, fullgraph=True, dynamic=True)
    for n in (1000, 1001, 77, 5000):
        x = torch.randn(n, device=gpu.device)
        assert torch.equal(compiled(x), torch.relu(x) * 2)


def test_ops(gpu: Gpu) -> None:
    x = torch.randn(1000, device=gpu.device, requires_grad=True)
    torch.compile(lambda x: silu(x * 2) + 1, fullgraph=True)(x).sum().backward()
    other = x.detach().clone().requires_grad_()
    torch.nn.functional.silu(other * 2).sum().backward()
    torch.testing.assert_close(x.grad, other.grad, rtol=1e-5, atol=1e-5)


def block(activation: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def run(x, gate, bias, weight):
        hidden = activation(x, gate, bias) + x
        return hidden * torch.rsqrt(hidden.square().mean(-1, keepdim=True) + 1e-6) * weight

    return run


def opaque_gated(x: torch.Tensor, gate: torch.Tensor, bias: torch.Tensor) -> Any:
    return opaque_leaky(eager_gated(x, gate, bias), 0.25)[0]


def eager_leaky(x: torch.Tensor, gate: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    a = eager_gated(x, gate, bias)
    return torch.where(a > 0, a, 0.25 * a)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(gated, eager_gated), (opaque_gated, eager_leaky)], ids=["fused", "opaque"]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_elementwise_functions(gpu: Gpu, ours: Any, theirs: Any, dtype: torch.dtype) -> None:
    shapes = ((64, 256), (64, 256), (256,), (256,))
    given = [torch.randn(each, device=gpu.device).to(dtype).requires_grad_() for each in shapes]
    flow = torch.randn(64, 256, device=gpu.device).to(dtype)
    made = torch.compile(block(ours), fullgraph=True)(*given)
    exact = [each.detach().double().requires_grad_() for each in given]
    expected = block(theirs)(*exact)
    grads = torch.autograd.grad(made, given, flow)
    expected_grads = torch.autograd.grad(expected, exact, flow.double())
    tolerance = 1e-4 if dtype is torch.float32 else 0.06
    for mine, other in zip((made, *grads), (expected, *expected_grads), strict=True):
        close = {"rtol": tolerance, "atol": tolerance * other.abs().max().item()}
        torch.testing.assert_close(mine.double(), other, **close)


def test_a_module_of_all_kinds(gpu: Gpu) -> None:
    model = Block(64).to(gpu.device)
    x = torch.randn(10, 64, device=gpu.device)
    expected = model(x)
    torch.testing.assert_close(torch.compile(model, fullgraph=True)(x), expected)


def test_cuda_graphs_of_inductor(gpu: Gpu) -> None:
    """Inductor warms up, captures and replays."""
    compiled = torch.compile(lambda x: twice_relu(gated(x, x, x)), mode="reduce-overhead")
    for _ in range(4):
        x = torch.randn(1000, device=gpu.device)
        expected = torch.relu(eager_gated(x, x, x)) * 2
        torch.testing.assert_close(compiled(x).clone(), expected)
