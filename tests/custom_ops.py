"""Ops made by @mytriton.op, which several tests and the processes that they start share."""

from typing import Any

import torch

import mytriton
import mytriton.language as tl


@mytriton.jit
def silu_kernel(x, out, n, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + offs, mask=offs < n).to(tl.float32)
    tl.store(out + offs, a * tl.sigmoid(a), mask=offs < n)


@mytriton.jit
def silu_backward_kernel(grad, x, out, n, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask).to(tl.float32)
    s = tl.sigmoid(a)
    d = s * (1 + a * (1 - s))
    tl.store(out + offs, tl.load(grad + offs, mask=mask).to(tl.float32) * d, mask=mask)


@mytriton.jit
def scale_kernel(x, out, s, n, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask) * s, mask=mask)


def blocks(meta: dict[str, Any]) -> tuple[int]:
    return (mytriton.cdiv(meta["n"], meta["BLOCK"]),)


@mytriton.op("mytriton_tests::silu")
def silu(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    out = torch.empty_like(x)
    silu_kernel[blocks](x, out, x.numel())
    return out


@mytriton.op("mytriton_tests::silu_backward")
def silu_backward(grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    grad, x = grad.contiguous(), x.contiguous()
    out = torch.empty_like(x)
    silu_backward_kernel[blocks](grad, x, out, x.numel())
    return out


silu.register_autograd(
    lambda ctx, grad: silu_backward(grad, *ctx.saved_tensors),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)


@silu.register_vmap
def silu_vmap(info: Any, in_dims: tuple[Any, ...], x: torch.Tensor) -> tuple[torch.Tensor, Any]:
    return silu(x), in_dims[0]


@silu_backward.register_vmap
def silu_backward_vmap(info: Any, in_dims: Any, grad: Any, x: Any) -> tuple[torch.Tensor, int]:
    moved = [
        each.expand(info.batch_size, *each.shape) if dim is None else each.movedim(dim, 0)
        for each, dim in zip((grad, x), in_dims, strict=True)
    ]
    return silu_backward(*moved), 0


@mytriton.op("mytriton_tests::scaled")
def scaled(x: torch.Tensor, s: float = 2.0) -> torch.Tensor:
    """Linear, and so its own derivative: differentiable without end."""
    x = x.contiguous()
    out = torch.empty_like(x)
    scale_kernel[blocks](x, out, s, x.numel())
    return out


scaled.register_autograd(
    lambda ctx, grad: (scaled(grad, ctx.s), None),
    setup_context=lambda ctx, inputs, output: setattr(ctx, "s", inputs[1]),
)


@mytriton.op("mytriton_tests::double_", mutates_args="x")
def double_(x: torch.Tensor) -> None:
    scale_kernel[blocks](x, x, 2.0, x.numel())


class Silu(torch.nn.Module):
    """A module that holds an op and a kernel."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(-1, 1, n))
        self.activation = silu
        self.kernel = scale_kernel

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.activation(x * self.weight) + 1
