"""Elementwise functions under torch.compile and in eager code: python benchmarks/fusion.py

First a block of bias, swiglu, residual and rmsnorm, compiled by Inductor: with an
@mytriton.elementwise swiglu beside the same block in plain torch. Prints times over that of plain
torch (below 1: faster), forwards, and forwards and backwards. The bar is that ours is never slower:
the median of several comparisons, in each of which all take turns, must be at most 1 + the noise.
Noise is how far a twin, plain torch compiled a second time, is from 1 in the worst of these
comparisons; it counts as 0.02 at least, and where it is above 0.1 there is no verdict. The other
columns are for information: opaque=True, which does not fuse, and both blocks without a compiler.

Then swiglu with a bias in eager code, over the same in eager torch, by layout and dtype.

--quick: one size. --threads N: 1 by default.
"""

import argparse
import statistics
from collections.abc import Callable

import torch

import mytriton
import mytriton.language as tl
from mytriton.testing import compare

SIZES = ((8, 64), (64, 256), (256, 1024), (1024, 2048), (8192, 512))
DTYPES = (torch.float32, torch.bfloat16)
ROUNDS = 5
LEAST_NOISE, MOST_NOISE = 0.02, 0.1
ELEMENTS = 1 << 20

Call = Callable[[], object]


def swiglu(a, b):
    return a * tl.sigmoid(a) * b


opaque_swiglu = mytriton.elementwise(opaque=True)(swiglu)
swiglu = mytriton.elementwise(swiglu)


def torch_swiglu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * torch.sigmoid(a) * b


def block(activation: Callable) -> Callable:
    def run(x, gate, bias, residual, weight):
        hidden = activation(x + bias, gate) + residual
        scale = torch.rsqrt(hidden.float().square().mean(-1, keepdim=True) + 1e-6)
        return (hidden * scale).to(hidden.dtype) * weight

    return run


def candidates(size: tuple[int, int], dtype: torch.dtype, backward: bool) -> dict[str, Call]:
    """Name -> one step of the block."""
    generator = torch.Generator().manual_seed(0)
    shapes = (size, size, size[1:], size, size[1:])
    inputs = [torch.randn(each, generator=generator).to(dtype) for each in shapes]
    flow = torch.randn(size, generator=generator).to(dtype)
    for each in inputs:
        each.requires_grad_(backward)

    def step(run: Callable) -> Call:
        if not backward:
            return lambda: run(*inputs)
        return lambda: torch.autograd.grad(run(*inputs), inputs, flow)

    torch.compiler.reset()
    compiled = {
        name: torch.compile(block(each), fullgraph=True, dynamic=False)
        for name, each in {
            "torch": torch_swiglu,
            "ours": swiglu,
            "twin": torch_swiglu,
            "opaque": opaque_swiglu,
        }.items()
    }
    runs = {name: step(each) for name, each in compiled.items()}
    runs["eager torch"] = step(block(torch_swiglu))
    runs["eager ours"] = step(block(swiglu))
    expected = runs["torch"]()
    tolerance = 1e-4 if dtype == torch.float32 else 0.1
    torch.testing.assert_close(runs["ours"](), expected, rtol=tolerance, atol=tolerance)
    return runs


def ratios(runs: dict[str, Call], seconds: float) -> dict[str, list[float]]:
    """Of each comparison, times over that of the first."""
    names = list(runs)
    found: dict[str, list[float]] = {name: [] for name in names}
    for i in range(ROUNDS):  # another begins each time: what runs before leaves its data in caches
        first = i % len(names)
        turns = {name: runs[name] for name in names[first:] + names[:first]}
        times = compare(turns, seconds=seconds)
        for name in names:
            found[name].append(times[name] / times[names[0]])
    return found


def compiled_blocks(sizes: tuple[tuple[int, int], ...], seconds: float) -> None:
    print("bias + swiglu + residual + rmsnorm: time over that of plain torch, compiled")
    shown = ("ours", "twin", "opaque", "eager torch", "eager ours")
    print(f"{'':30}" + "".join(f"{name:>13}" for name in shown))
    for backward in (False, True):
        for dtype in DTYPES:
            for size in sizes:
                found = ratios(candidates(size, dtype, backward), seconds)
                noise = max(LEAST_NOISE, *(abs(each - 1) for each in found["twin"]))
                middle = {name: statistics.median(found[name]) for name in shown}
                title = f"{size[0]} x {size[1]} {str(dtype)[6:]} {'both' if backward else 'fwd'}"
                row = "".join(f"{middle[name]:13.2f}" for name in shown)
                if noise > MOST_NOISE:
                    verdict = "too noisy to tell"
                else:
                    verdict = "ok" if middle["ours"] <= 1 + noise else "SLOWER"
                print(f"{title:30}{row}   at most {1 + noise:.2f}: {verdict}", flush=True)


def layouts(dtype: torch.dtype) -> dict[str, tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Operands of about ELEMENTS elements: x, gate, bias."""
    rows, few = ELEMENTS // 1024, ELEMENTS // 40

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(shape).to(dtype)

    return {
        "flat": (*normal(2, rows, 1024), normal(rows, 1024)),
        "rows of 1024, a bias": (*normal(2, rows, 1024), normal(1024)),
        "rows of 40, a bias": (*normal(2, few, 40), normal(40)),
        "rows of 40 of 64, a bias": (*normal(2, few, 64)[:, :, :40], normal(40)),
        "every second of 80, a bias": (*normal(2, few, 80)[:, :, ::2], normal(40)),
        "rows of 40, one value a row": (*normal(2, few, 40), normal(few, 1)),
        "channels_last, a bias": (*normal(2, 16, 40, 40, 40).movedim(2, -1), normal(40)),
        "images of 40 x 40, a channel": (*normal(2, 16, 40, 40, 40), normal(40, 1, 1)),
    }


@mytriton.elementwise
def gated(x, gate, bias):
    a = x + bias
    return a * tl.sigmoid(a) * gate


def eager_gated(x: torch.Tensor, gate: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    a = x + bias
    return a * torch.sigmoid(a) * gate


def eager_calls(seconds: float) -> None:
    print("swiglu with a bias, four calls of eager torch: time of ours over theirs")
    print(f"{'':30}" + "".join(f"{str(dtype)[6:]:>13}" for dtype in DTYPES))
    for name in layouts(torch.float32):
        print(f"{name:30}", end="", flush=True)
        for dtype in DTYPES:
            given = layouts(dtype)[name]
            runs = {"torch": lambda g=given: eager_gated(*g), "ours": lambda g=given: gated(*g)}
            print(f"{statistics.median(ratios(runs, seconds)['ours']):13.2f}", end="", flush=True)
        print()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, {options.threads} thread(s)")
    compiled_blocks(SIZES[2:3] if options.quick else SIZES, seconds=0.2)
    eager_calls(seconds=0.1)


if __name__ == "__main__":
    main()
