"""SwiGLU, GeGLU and rotary embedding against torch, forward and backward."""

from typing import Any

import gate_kernels as gates
import pytest
import torch
from bounds import DTYPES, assert_rounded, numbers
from engines import both, compiled, every

import mytriton

F = torch.nn.functional
HEADS, HALF = 3, 8


class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Any, b: Any, activation: Any, engine: Any) -> torch.Tensor:
        out, n = torch.empty_like(a), a.numel()
        engine(gates.gated_kernel)[mytriton.cdiv(n, 256)](
            a, b, out, n, ACTIVATION=activation, BLOCK=256
        )
        ctx.save_for_backward(a, b)
        ctx.options = activation, engine
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        a, b = (each.clone() for each in ctx.saved_tensors)
        activation, engine = ctx.options
        n = a.numel()
        engine(gates.gated_grad_kernel)[mytriton.cdiv(n, 256)](
            a, b, grad, n, ACTIVATION=activation, BLOCK=256
        )
        return a, b, None, None


def gelu(a: torch.Tensor) -> torch.Tensor:
    """torch's tanh form; but 1 + tanh(u) = 2 sigmoid(2 u) without cancelling digits below zero."""
    result = a * torch.sigmoid((8 / torch.pi) ** 0.5 * (a + 0.044715 * a**3))
    torch.testing.assert_close(result, F.gelu(a, approximate="tanh"), rtol=0, atol=1e-14)
    return result


ACTIVATIONS = [(gates.silu_and_slope, F.silu), (gates.gelu_and_slope, gelu)]


def check_gated(engine: Any, which: int, n: int, dtype: torch.dtype) -> None:
    activation, reference = ACTIVATIONS[which]
    a, b = (3 * numbers(n)).to(dtype).requires_grad_(), numbers(n, dtype=dtype, seed=1)
    b.requires_grad_()
    grad = numbers(n, dtype=dtype, seed=2)
    out = Gated.apply(a, b, activation, engine)
    out.backward(grad)
    a64, b64 = (each.detach().double().requires_grad_() for each in (a, b))
    expected = reference(a64) * b64
    expected.backward(grad.double())
    # Sigmoid takes 3 units, and makes of what its operand lost (5 of |a|, or of the cubic) as much
    # times s (1 - s); below zero s is small and that is relative to it.
    operand = a64.abs() if which == 0 else 1.6 * (a64.abs() + 0.0448 * a64.abs() ** 3)
    loss = 1 + operand
    assert_rounded(out, expected, 12, expected.abs() * loss)
    size = (grad.double() * b64).abs() * loss
    assert_rounded(a.grad, a64.grad, 16, size * (1 + operand.clamp(max=2)))
    assert_rounded(b.grad, b64.grad, 12, b64.grad.abs() * loss)


@every
@pytest.mark.parametrize("which", [0, 1], ids=["swiglu", "geglu"])
@pytest.mark.parametrize("n", [1, 3, 17, 1000, 1023])
def test_gated(engine: Any, which: int, n: int) -> None:
    check_gated(engine, which, n, torch.float32)


@pytest.mark.parametrize(("which", "dtype"), list(enumerate(DTYPES[1:])), ids=["swiglu", "geglu"])
def test_gated_halves(which: int, dtype: torch.dtype) -> None:
    check_gated(compiled, which, 1000, dtype)


class RotaryHalves(torch.autograd.Function):
    """Turns x in place."""

    @staticmethod
    def forward(ctx: Any, x: Any, cos: Any, sin: Any, positions: Any, engine: Any) -> torch.Tensor:
        ctx.mark_dirty(x)
        ctx.save_for_backward(cos, sin, positions)
        ctx.engine = engine
        engine(gates.rotary_half_kernel)[len(x)](
            x, cos, sin, positions, HEADS, BACKWARD=False, HEADS=4, HALF=HALF
        )
        return x

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        cos, sin, positions = ctx.saved_tensors
        dx = grad.clone()
        ctx.engine(gates.rotary_half_kernel)[len(dx)](
            dx, cos, sin, positions, HEADS, BACKWARD=True, HEADS=4, HALF=HALF
        )
        return dx, None, None, None, None


class RotaryPairs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, cos: Any, sin: Any, engine: Any) -> torch.Tensor:
        ctx.save_for_backward(cos, sin)
        ctx.engine = engine
        out = torch.empty_like(x)
        engine(gates.rotary_pairs_kernel)[len(x)](
            x, out, cos, sin, HEADS, BACKWARD=False, HEADS=4, HALF=HALF
        )
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        cos, sin = ctx.saved_tensors
        dx = torch.empty_like(grad)
        ctx.engine(gates.rotary_pairs_kernel)[len(grad)](
            grad, dx, cos, sin, HEADS, BACKWARD=True, HEADS=4, HALF=HALF
        )
        return dx, None, None, None


def angles(count: int) -> torch.Tensor:
    rates = 100.0 ** (-torch.arange(HALF) / HALF)
    return torch.arange(count)[:, None] * rates


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, axis: int) -> torch.Tensor:
    """`axis`: where x, as (tokens, heads, ...), holds the two of a pair; in float64."""
    shape = (HALF, 2) if axis == -1 else (2, HALF)
    pairs = torch.view_as_complex(
        x.reshape(*x.shape[:2], *shape).movedim(axis, -1).contiguous()
    ) * torch.complex(cos.double(), sin.double())[:, None, :]  # fmt: skip
    return torch.view_as_real(pairs).movedim(-1, axis).reshape(x.shape)


def check_rotary(engine: Any, halves: bool, tokens: int, dtype: torch.dtype) -> None:
    x = numbers(tokens, HEADS, 2 * HALF, dtype=dtype).requires_grad_()
    grad = numbers(tokens, HEADS, 2 * HALF, dtype=dtype, seed=1)
    cos, sin = angles(50).cos(), angles(50).sin()
    positions = torch.arange(tokens) * 7 % 50 if halves else torch.arange(tokens)
    x64 = x.detach().double().requires_grad_()
    expected = rotated(x64, cos[positions], sin[positions], -2 if halves else -1)
    expected.backward(grad.double())
    if halves:
        out = RotaryHalves.apply(x.clone(), cos, sin, positions, engine)
    else:
        out = RotaryPairs.apply(x, cos, sin, engine)
    out.backward(grad)
    # Two products and a sum; both products are at most as large as the larger of the pair.
    for got, exact, given in ((out, expected, x64), (x.grad, x64.grad, grad.double())):
        most = given.abs().amax(-1, keepdim=True).expand_as(exact)
        assert_rounded(got, exact, 4, most)


@both
@pytest.mark.parametrize("halves", [True, False], ids=["halves", "pairs"])
@pytest.mark.parametrize("tokens", [1, 3, 17])
def test_rotary(engine: Any, halves: bool, tokens: int) -> None:
    check_rotary(engine, halves, tokens, torch.float32)


@pytest.mark.parametrize(("halves", "dtype"), list(enumerate(DTYPES[1:])), ids=["pairs", "halves"])
def test_rotary_of_half_types(halves: int, dtype: torch.dtype) -> None:
    check_rotary(compiled, bool(halves), 17, dtype)
