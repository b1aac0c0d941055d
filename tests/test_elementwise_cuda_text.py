"""The kernels of elementwise functions, as CUDA text that runs on the CPU: in each layout of the
tensors their results are those of the CPU, to the bit.

The calls stand in one table, so that all texts are compiled at once.
"""

import dataclasses
from typing import Any

import pytest
import torch
from cuda_on_cpu.runner import CudaText
from engines import assert_same_bits

import mytriton
import mytriton.language as tl


@mytriton.elementwise
def parts(a, b):
    """Of three dtypes, and exact on every target."""
    total = a * b + a
    return total, a > b, (total - b).to(tl.float32)


@mytriton.elementwise
def scaled(a, b, scale: float):
    return tl.where(a < b, a * scale, b / scale)


@mytriton.elementwise
def negated(a):
    return -a


@dataclasses.dataclass
class Launch:
    """What a call launched: the kernel, its arguments and grid; outputs hold the CPU's results."""

    compiled: mytriton.CompiledKernel
    arguments: list[Any]
    grid: tuple[int, ...]
    outputs: list[int]  # their places among the arguments


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape))).to(dtype)


X, Y = normal(2, 5, 70).unbind()
IMAGES = normal(2, 3, 4, 37).permute(0, 3, 1, 2)
CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "flat": (parts, (X, Y)),
    "flat, transposed": (parts, (X.t(), Y.t())),
    "flat, more than a block": (negated, (normal(1100),)),
    "flat, of bfloat16": (parts, (X.bfloat16(), Y.bfloat16())),
    "flat, of int64": (parts, ((100 * X).long(), (100 * Y).long())),
    "flat, of bool and float64": (parts, (X > 0, Y.double())),
    "a stride": (parts, (normal(300)[::3], normal(100))),
    "rows": (parts, (X[:, 3:60], Y[:, 13:])),
    "rows, one transposed": (parts, (X, normal(70, 5).t())),
    "rows of a stride": (parts, (X[:, ::2], Y[:, 1::2])),
    "rows of three loops": (parts, (normal(4, 6, 80)[::2, :3, 40:], normal(2, 3, 40))),
    "short rows": (parts, (X[:, :7], Y[:, 3:10])),
    "short rows of three loops": (parts, (normal(4, 6, 8)[::2, :3, 1:], normal(2, 3, 7))),
    "a row that is broadcast": (parts, (X, Y[0])),
    "a column that is broadcast": (parts, (Y[:, :1], X)),
    "a row and a column": (parts, (X[0], Y[:, :1])),
    "short rows and a column": (parts, (X[:, :7], Y[:, :1])),
    "channels_last and channels": (parts, (IMAGES, normal(37, 1, 1))),
    "one element beside many": (parts, (X, torch.tensor(0.5))),
    "a number": (scaled, (X, Y, 0.3)),
    "a number of float64": (scaled, (X.double(), Y.double(), 0.1)),
    "a number in rows": (scaled, (X[:, 3:60], Y[0, :57], -2)),
    "a number in short rows": (scaled, (X[:, :7], Y[:, :1], 1e-3)),
}


@pytest.fixture(scope="module")
def launches() -> dict[str, Launch]:
    """Of each call, on the CPU."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYTRITON_EVALUATE", "1")  # the same bits, and no run of the host compiler
        for name, (function, inputs) in CALLS.items():
            compiled, arguments, programs, outputs = function._launch_of(*inputs)
            grid = (programs, 1, 1)
            run = getattr(torch.ops.mytriton, str(compiled.op_name).partition("::")[2])
            run(*arguments, *grid)
            found[name] = Launch(compiled, arguments, grid, list(range(outputs)))
    for each in found.values():
        CudaText.of(each.compiled)
    return found


@pytest.mark.parametrize("call", CALLS)
def test_the_text_computes_what_the_cpu_does(call: str, launches: dict[str, Launch]) -> None:
    launch = launches[call]
    arguments = list(launch.arguments)
    for i in launch.outputs:
        arguments[i] = filled(arguments[i])
    tensors = [i for i, each in enumerate(arguments) if isinstance(each, torch.Tensor)]
    results = CudaText.of(launch.compiled).run(launch.grid, *arguments)
    assert len(launch.outputs) == (3 if CALLS[call][0] is parts else 1)
    for i, result in zip(tensors, results, strict=True):
        assert_same_bits(result, launch.arguments[i])


def filled(out: torch.Tensor) -> torch.Tensor:
    """A dense tensor of the same strides, in which every element is wrong."""
    return ~out if out.dtype == torch.bool else out + 1
