"""A model whose activation is a kernel, under torch.compile, beside the same model in eager torch.

python examples/torch_compile.py             trains both for some steps and compares them
python examples/torch_compile.py --steps 50
"""

import argparse
import time
from typing import Any

import torch

import mytriton as triton
import mytriton.language as tl


@triton.jit
def swiglu_kernel(a, b, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(a + offs, mask=mask)
    tl.store(out + offs, x * tl.sigmoid(x) * tl.load(b + offs, mask=mask), mask=mask)


@triton.jit
def swiglu_backward_kernel(grad, a, b, grad_a, grad_b, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    g = tl.load(grad + offs, mask=mask)
    x = tl.load(a + offs, mask=mask)
    s = tl.sigmoid(x)
    tl.store(grad_a + offs, g * tl.load(b + offs, mask=mask) * s * (1 + x * (1 - s)), mask=mask)
    tl.store(grad_b + offs, g * x * s, mask=mask)


def blocks(meta: dict[str, Any]) -> tuple[int]:
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


@triton.op("mytriton_examples::swiglu")
def swiglu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    a, b = a.contiguous(), b.contiguous()
    out = torch.empty_like(a)
    swiglu_kernel[blocks](a, b, out, a.numel(), BLOCK=1024)
    return out


@triton.op("mytriton_examples::swiglu_backward")
def swiglu_backward(
    grad: torch.Tensor, a: torch.Tensor, b: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    grad, a, b = grad.contiguous(), a.contiguous(), b.contiguous()
    grad_a, grad_b = torch.empty_like(a), torch.empty_like(b)
    swiglu_backward_kernel[blocks](grad, a, b, grad_a, grad_b, a.numel(), BLOCK=1024)
    return grad_a, grad_b


swiglu.register_autograd(
    lambda ctx, grad: swiglu_backward(grad, *ctx.saved_tensors),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
)


def swiglu_in_torch(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.silu(a) * b


class Block(torch.nn.Module):
    def __init__(self, width: int, activation: Any) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 2 * width)
        self.down = torch.nn.Linear(width, width)
        self.activation = activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a, b = self.up(self.norm(x)).chunk(2, dim=-1)
        return x + self.down(self.activation(a, b))


def train(activation: Any, steps: int, compiled: bool) -> tuple[list[float], float]:
    """The losses, and seconds a step after the first one."""
    torch.manual_seed(0)
    model: Any = Block(64, activation)
    if compiled:
        model = torch.compile(model, fullgraph=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    x = torch.randn(256, 64)
    target = x.roll(1, dims=1)
    losses = []
    start = 0.0
    for step in range(steps):
        loss = torch.nn.functional.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step == 0:
            start = time.perf_counter()
    return losses, (time.perf_counter() - start) / max(1, steps - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    torch.set_num_threads(1)
    ours, our_seconds = train(swiglu, options.steps, compiled=True)
    theirs, their_seconds = train(swiglu_in_torch, options.steps, compiled=False)
    torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs), rtol=1e-4, atol=1e-5)
    print(f"loss {ours[0]:.4f} -> {ours[-1]:.4f} in {options.steps} steps, agrees with eager torch")
    print(
        f"{our_seconds * 1e6:.0f} us a step compiled, {their_seconds * 1e6:.0f} us in eager torch"
    )


if __name__ == "__main__":
    main()
