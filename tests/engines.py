"""The three ways to run a kernel on the CPU, to run one test on each and compare their answers.

``compiled(kernel)`` is the kernel as it is: machine code by the host compiler. Its twin
``evaluated(kernel)`` runs on the built-in evaluator. ``cuda_text(kernel)`` runs its CUDA text, one
thread a lane, and looks for races and overruns as it does so.

`every` parametrises a test over the three. `both` leaves the text out, for kernels whose blocks the
lane layout cannot hold, whose result hangs on an order that CUDA does not define, or whose launch
has too many threads: the text takes about 2 microseconds for each, and 5 milliseconds for a launch.

With MYTRITON_TEST_DEVICE=cuda these tests, and no others, run on a GPU: `cuda_text` then copies a
launch's tensors there and back, and `every` and `both` are it alone. `on_host(reason)` marks tests
whose promise is the CPU's.
"""

import dataclasses
import functools
import inspect
import os
import re
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from cuda_on_cpu.runner import CudaText

import mytriton
from mytriton.arguments import check_grid, passed
from mytriton.tools.tensor_descriptor import TensorDescriptor

# Where cuda_text runs kernels themselves rather than their text on the CPU: "cuda", "cpu" to try
# that without a GPU, or nowhere.
DEVICE = os.environ.get("MYTRITON_TEST_DEVICE", "")
NO_ROOM = re.compile("CUDA lowering needs .* bytes of")


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


class OnCudaText:
    """Launches the CUDA text of a kernel. As with other engines tensors are written in place, and
    those that share memory share it. A kernel that has no text raises its ValueError."""

    def __init__(self, kernel: mytriton.JITFunction) -> None:
        self.kernel = kernel
        self.texts: dict[mytriton.CompiledKernel, CudaText] = {}

    def prepare(self, *args: Any, **kwargs: Any) -> mytriton.CompiledKernel:
        """Makes the text for a later launch; the first one compiles all that were made."""
        artifact = self.kernel.compile(*args, **kwargs)
        if artifact not in self.texts:
            self.texts[artifact] = CudaText.of(artifact)
        return artifact

    def __getitem__(self, grid: Any) -> Callable[..., mytriton.CompiledKernel]:
        def launch(*args: Any, **kwargs: Any) -> mytriton.CompiledKernel:
            artifact = self.prepare(*args, **kwargs)
            names = {p.name for p in self.kernel.params}
            named = {name: value for name, value in kwargs.items() if name in names}
            bound = inspect.signature(self.kernel.fn).bind(*args, **named)
            bound.apply_defaults()
            sizes = check_grid(grid(dict(bound.arguments)) if callable(grid) else grid)
            constants = {p.name for p in self.kernel.params if p.is_constexpr}
            given = passed(v for name, v in bound.arguments.items() if name not in constants)
            results = self.texts[artifact].run(sizes, *given)
            tensors = [value for value in given if isinstance(value, torch.Tensor)]
            for tensor, result in zip(tensors, results, strict=True):
                memory(tensor).copy_(memory(result))
            return artifact

        return launch


class OnDevice:
    """Launches a kernel on DEVICE, on copies of what it is given there, and copies them back.

    Storages are copied whole, so that tensors which share one share its copy, alignment included.
    A kernel that needs more room than a GPU has ends its test, as skipped.
    """

    def __init__(self, kernel: mytriton.JITFunction) -> None:
        self.kernel = kernel

    def prepare(self, *args: Any, **kwargs: Any) -> mytriton.CompiledKernel:
        artifact = self.kernel.compile(*args, **kwargs)
        try:
            assert artifact.cuda_src
        except mytriton.CompileError as error:
            if not NO_ROOM.search(str(error)):
                raise
            pytest.skip(str(error).partition("error: ")[2].partition(":")[0])
        return artifact

    def __getitem__(self, grid: Any) -> Callable[..., mytriton.CompiledKernel]:
        def launch(*args: Any, **kwargs: Any) -> mytriton.CompiledKernel:
            copies: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # by address: bytes, copy

            def moved(value: Any) -> Any:
                if isinstance(value, TensorDescriptor):
                    return dataclasses.replace(value, base=moved(value.base))
                if not isinstance(value, torch.Tensor):
                    return value
                storage = value.untyped_storage()
                if storage.data_ptr() not in copies:
                    there = torch.empty(0, dtype=torch.uint8).set_(storage)
                    copies[storage.data_ptr()] = there, there.to(DEVICE, copy=True)
                copy = copies[storage.data_ptr()][1].untyped_storage()
                whole = torch.empty(0, dtype=value.dtype, device=DEVICE)
                return whole.set_(copy, value.storage_offset(), value.shape, value.stride())

            given = [moved(each) for each in args]
            named = {name: moved(each) for name, each in kwargs.items()}
            artifact = self.prepare(*given, **named)
            self.kernel[grid](*given, **named)
            for here, copy in copies.values():
                here.copy_(copy)
            return artifact

        return launch


def memory(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes from a tensor's first element to its last one, what a view skips included."""
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    count = 1 + sum((n - 1) * step for n, step in steps) if tensor.numel() else 0
    return tensor.as_strided((count,), (1,)).view(torch.uint8)


def compiled(kernel: mytriton.JITFunction) -> mytriton.JITFunction:
    return kernel


@functools.cache
def evaluated(kernel: mytriton.JITFunction) -> Evaluated:
    return Evaluated(kernel)


@functools.cache
def cuda_text(kernel: mytriton.JITFunction) -> OnCudaText | OnDevice:
    return OnDevice(kernel) if DEVICE else OnCudaText(kernel)


both = pytest.mark.parametrize("engine", [cuda_text] if DEVICE else [compiled, evaluated])
every = pytest.mark.parametrize(
    "engine", [cuda_text] if DEVICE else [compiled, evaluated, cuda_text]
)


INTS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def bits(values: torch.Tensor) -> np.ndarray:
    """The bits of each element, where all NaNs are one NaN."""
    values = values.detach().contiguous()
    if values.is_floating_point():
        values = values.masked_fill(values.isnan(), float("nan"))
    return values.view(INTS[values.element_size()]).numpy()


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
