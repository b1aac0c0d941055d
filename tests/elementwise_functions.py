"""Elementwise functions, which several tests and the processes that they start share."""

import torch
from custom_ops import Silu

import mytriton
import mytriton.language as tl


@mytriton.elementwise
def gated(x, gate, bias):
    a = x + bias
    return a * tl.sigmoid(a) * gate


def eager_gated(x: torch.Tensor, gate: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    a = x + bias
    return a * torch.sigmoid(a) * gate


@mytriton.elementwise
def exponential(x):
    return tl.exp(x)


def leaky(x, slope: float = 0.5, POWER: tl.constexpr = 1):
    """Two outputs, of which the second has no gradient."""
    for _ in tl.static_range(POWER - 1):
        x = x * x
    return tl.where(x > 0, x, slope * x), x > 0


opaque_leaky = mytriton.elementwise(opaque=True)(leaky)
leaky = mytriton.elementwise(leaky)


class Block(torch.nn.Module):
    """A @mytriton.op, elementwise functions that Inductor fuses, and one whose kernel it keeps."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.silu = Silu(n)
        self.gated, self.leaky = gated, opaque_leaky

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.gated(self.silu(x), x.flip(0), self.silu.weight[None])
        value, positive = self.leaky(hidden, 0.25, POWER=3)
        return torch.where(positive, value, leaky(hidden, POWER=2)[0])
