"""A transformer's MLP block whose activation is one elementwise function, trained beside eager.

The activation is swiglu with a bias and a clamped gate: five operations of torch, one of ours, with
a derived gradient. Both blocks start from the same weights and see the same data, so that their
losses are the same curve. Run it with --steps and --size for more.
"""

import argparse
import copy
import statistics
import time

import torch
from torch import nn

import mytriton
import mytriton.language as tl


@mytriton.elementwise
def gated(x, gate, bias, LIMIT: tl.constexpr = 7.0):
    a = x + bias
    return a * tl.sigmoid(a) * tl.clamp(gate, -LIMIT, LIMIT)


def eager_gated(x: torch.Tensor, gate: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    a = x + bias
    return a * torch.sigmoid(a) * torch.clamp(gate, -7.0, 7.0)


class Block(nn.Module):
    """A residual MLP block of a transformer: (..., width) -> (..., width)."""

    def __init__(self, width: int, hidden: int, activation: object) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.up = nn.Linear(width, 2 * hidden, bias=False)
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.down = nn.Linear(hidden, width, bias=False)
        self.activation = activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        up, gate = self.up(self.norm(x)).chunk(2, dim=-1)  # views: neither is copied
        return x + self.down(self.activation(up, gate, self.bias))


def train(block: Block, x: torch.Tensor, target: torch.Tensor, steps: int) -> list[float]:
    """The loss of each step."""
    optimizer = torch.optim.AdamW(block.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (block(x) - target).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def step_time(activation: object, shape: tuple[int, int], repeats: int = 15) -> float:
    """Seconds of the activation alone, forwards and backwards."""
    up = torch.randn(shape[0], 2 * shape[1], requires_grad=True)
    bias = torch.randn(shape[1], requires_grad=True)
    flow = torch.randn(shape)
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        x, gate = up.chunk(2, dim=-1)
        activation(x, gate, bias).backward(flow)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--size", type=int, default=128, help="width of the block")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(4, 32, options.size)
    target = x.roll(1, -1) + torch.sin(3 * x)
    ours = Block(options.size, 2 * options.size, gated)
    eager = copy.deepcopy(ours)
    eager.activation = eager_gated
    losses = train(ours, x, target, options.steps)
    known = train(eager, x, target, options.steps)
    print("step      ours     eager")
    for step in range(0, options.steps, max(1, options.steps // 5)):
        print(f"{step:4}  {losses[step]:.6f}  {known[step]:.6f}")
    torch.testing.assert_close(losses, known, rtol=1e-3, atol=0)
    assert losses[-1] < losses[0]
    print("agrees with eager: the same loss at every step")
    shape = (1024, 8 * options.size)
    fast, slow = step_time(gated, shape), step_time(eager_gated, shape)
    print(
        f"activation of {shape[0]} x {shape[1]}, forwards and backwards: {fast * 1e3:.2f} ms, "
        f"{slow / fast:.2f} times as fast as eager"
    )


if __name__ == "__main__":
    main()
