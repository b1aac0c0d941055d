"""The two ways to run a kernel on the CPU, to run one test on both and compare their answers.

``compiled(kernel)`` is the kernel as it is: machine code by the host compiler. Its twin
``evaluated(kernel)`` runs on the built-in evaluator. `both` parametrises a test over the two.
"""

import functools
import os
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mytriton


class Evaluated:
    """A twin of a kernel. Its own module name gives it ops of its own: an op stays, for life, on
    the engine that it was first launched on."""

    def __init__(self, kernel: mytriton.JITFunction) -> None:
        fn = kernel.fn
        twin = types.FunctionType(
            fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__
        )
        twin.__kwdefaults__ = fn.__kwdefaults__
        twin.__annotations__ = fn.__annotations__
        twin.__module__ = f"{fn.__module__}.evaluated"
        self.kernel = mytriton.jit(twin)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        def launch(*args: Any, **kwargs: Any) -> Any:
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(os.environ, "MYTRITON_EVALUATE", "1")
                return self.kernel[grid](*args, **kwargs)

        return launch


def compiled(kernel: mytriton.JITFunction) -> mytriton.JITFunction:
    return kernel


@functools.cache
def evaluated(kernel: mytriton.JITFunction) -> Evaluated:
    return Evaluated(kernel)


both = pytest.mark.parametrize("engine", [compiled, evaluated])


def bits(values: torch.Tensor) -> np.ndarray:
    """The bits of each element, where all NaNs are one NaN."""
    array = values.detach().contiguous().numpy()
    if array.dtype == np.float32:
        return np.where(np.isnan(array), np.float32("nan"), array).view(np.int32)
    return array


def assert_same_bits(got: torch.Tensor, expected: torch.Tensor, *operands: Any) -> None:
    """Equal to the bit, -0.0 and 0.0 being different and NaN payloads alike. On failure the first
    unequal element is shown beside the same element of the operands."""
    assert got.dtype == expected.dtype, f"{got.dtype}, not {expected.dtype}"
    assert got.shape == expected.shape, f"{got.shape}, not {expected.shape}"
    wrong = np.flatnonzero(bits(got).ravel() != bits(expected).ravel())
    if wrong.size:
        i = int(wrong[0])
        given = [v.flatten()[i].item() if isinstance(v, torch.Tensor) else v for v in operands]
        raise AssertionError(
            f"{wrong.size} of {got.numel()} elements differ; element {i} is "
            f"{got.flatten()[i].item()!r}, not {expected.flatten()[i].item()!r}, of {given}"
        )
