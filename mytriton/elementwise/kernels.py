"""The kernels that run an elementwise function over tensors, generated as Python text.

One kernel text serves each number of loops. Where the innermost loop is long, a program has a
block of one row, and the row's place is computed once a program; where it is short, a program has
a block of the whole, and every lane computes its own place.
"""

from __future__ import annotations

import functools
import os
import struct
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import torch

from mytriton import language as tl
from mytriton.arguments import _TORCH_DTYPES
from mytriton.dtypes import DTYPES, DType, int32, int64
from mytriton.elementwise.layout import MAX_DIMS, Loops, loops_of
from mytriton.jit import JITFunction

_BLOCK = 1024
_SHORT = 32  # an innermost loop below this is short
# Of this package, so that it is not taken for the user's code.
_FILE = os.path.join(os.path.dirname(__file__), "generated")
TORCH_TYPES = {dtype.ir: torch_dtype for torch_dtype, dtype in _TORCH_DTYPES.items()}
IR_TYPES = {torch_dtype: dtype.ir for torch_dtype, dtype in _TORCH_DTYPES.items()}


def _text(dims: int, short: bool, inputs: str, outputs: int, steps: tuple[int, ...]) -> str:
    """The kernel's text.

    inputs: a letter each: t, a tensor; n, a number; d, a number to be used as float64; -, nothing.
    steps: of each tensor, outputs first, its innermost stride: 0, 1, or 2 for any.
    """
    names = [f"out{i}" for i in range(outputs)]
    tensors = names + [f"in{i}" for i, kind in enumerate(inputs) if kind == "t"]
    parameters = tensors + [f"in{i}" for i, kind in enumerate(inputs) if kind in "nd"] + ["n"]
    lines = []
    if dims > 1:
        parameters += [f"size{d}" for d in range(1, dims)]
        outer = range(dims) if short else range(dims - 1)
        parameters += [f"{each}_{d}" for each in tensors for d in outer]
    step_of = dict(zip(tensors, steps, strict=True))
    lanes = "tl.arange(0, BLOCK)"
    if dims == 1:
        lines += [f"at = tl.program_id(0).to(INDEX) * BLOCK + {lanes}", "mask = at < n"]
    elif short:
        lines += [f"at = tl.program_id(0).to(INDEX) * BLOCK + {lanes}", "mask = at < n"]
        lines += ["rest = at"]
        for d in reversed(range(1, dims)):
            lines += [f"i{d} = rest % size{d}", f"rest = rest // size{d}"]
        lines += ["i0 = rest"]
        for each in tensors:
            terms = " + ".join(f"i{d} * {each}_{d}.to(INDEX)" for d in range(dims))
            lines += [f"{each}_at = {terms}"]
    else:
        parameters += ["blocks"]
        lines += ["row = tl.program_id(0) // blocks"]
        lines += [f"at = (tl.program_id(0) % blocks).to(INDEX) * BLOCK + {lanes}", "mask = at < n"]
        for d in reversed(range(1, dims - 1)):
            lines += [f"i{d} = row % size{d}", f"row = row // size{d}"]
        lines += ["i0 = row"]
        for each in tensors:
            terms = " + ".join(
                f"i{d}.to(tl.int64) * {each}_{d}.to(tl.int64)" for d in range(dims - 1)
            )
            lines += [f"{each} += {terms}"]
    if not (short and dims > 1):
        parameters += [f"{each}_step" for each in tensors if step_of[each] == 2]
        index = {0: "0", 1: "at", 2: "at * {}_step.to(INDEX)"}
        for each in tensors:
            lines += [f"{each}_at = {index[step_of[each]].format(each)}"]
    values = []
    for i, kind in enumerate(inputs):
        if kind == "t":
            alone = step_of[f"in{i}"] == 0 and not (short and dims > 1)
            mask = "" if alone else ", mask=mask"
            lines += [f"v{i} = tl.load(in{i} + in{i}_at{mask}).to(TYPES[{i}])"]
        elif kind == "n":
            lines += [f"v{i} = tl.cast(in{i}, TYPES[{i}])"]
        elif kind == "d":
            lines += [f"v{i} = in{i}.to(tl.int64).to(tl.float64, bitcast=True)"]
        if kind != "-":
            values += [f"v{i}"]
    lines += [f"returned = FUNCTION({', '.join(values)})"]
    if outputs == 1:
        lines += ["returned = returned if isinstance(returned, tuple) else (returned,)"]
    for i in range(outputs):
        lines += [f"value = tl.cast(returned[{i}], RESULTS[{i}])"]
        lines += [f"value = tl.cast(value, out{i}.dtype.element_ty)"]
        lines += [f"tl.store(out{i} + out{i}_at, value, mask=mask)"]
    body = "".join(f"    {line}\n" for line in lines)
    signature = ", ".join([*parameters, "BLOCK: tl.constexpr", "INDEX: tl.constexpr"])
    return f"def kernel({signature}):\n{body}"


@functools.cache
def _code(text: str) -> Any:
    return compile(text, _FILE, "exec")


def _bits(value: float) -> int:
    return int(struct.unpack("q", struct.pack("d", value))[0])


def _index_type(wide: bool) -> DType:
    return int64 if wide else int32


class Kernels:
    """The kernels of one function for inputs of one set of types.

    ``types``: what each input is converted to, as IR names, None for an input that is None;
    ``results``: the types of what the function returns.
    """

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        options: dict[str, Any],
        types: Sequence[str | None],
        results: Sequence[str],
    ) -> None:
        self._name = name
        self._globals: dict[str, Any] = {
            "__name__": __name__,
            "__builtins__": {"isinstance": isinstance, "tuple": tuple},
            "tl": tl,
            # Not a dict of the options: launches of a kernel that reads one are slower.
            "FUNCTION": functools.partial(fn, **options) if options else fn,
            "TYPES": tuple(each and DTYPES[each] for each in types),
            "RESULTS": tuple(DTYPES[each] for each in results),
        }
        self._types = types
        self._made: dict[Any, JITFunction] = {}

    def _kernel(self, *layout: Any) -> JITFunction:
        kernel = self._made.get(layout)
        if kernel is None:
            names: dict[str, Any] = {}
            exec(_code(_text(*layout)), dict(self._globals), names)
            made = names["kernel"]
            made = FunctionType(made.__code__, self._globals, self._name)
            made.__annotations__ = names["kernel"].__annotations__
            kernel = self._made.setdefault(layout, JITFunction(made))  # as another thread's may be
        return kernel

    def flat(self, inputs: int) -> Callable[..., None]:
        """A function of a number of elements, at most 2**30, and contiguous outputs and inputs of
        so many elements."""
        outputs = len(self._globals["RESULTS"])
        kernel = self._kernel(1, False, "t" * inputs, outputs, (1,) * (outputs + inputs))

        def launch(count: int, *tensors: torch.Tensor) -> None:
            kernel[-(-count // _BLOCK)](*tensors, count, BLOCK=_BLOCK, INDEX=int32)

        return launch

    def run(self, outputs: Sequence[torch.Tensor], inputs: Sequence[Any]) -> None:
        """Stores the results. Tensors among the inputs broadcast to the shape of the outputs."""
        first = outputs[0]
        count = first.numel()
        if not count:
            return
        shape = first.shape
        tensors = [*outputs, *(each for each in inputs if isinstance(each, torch.Tensor))]
        if all(each.shape == shape and each.is_contiguous() for each in tensors):
            loops = None
        else:
            tensors = [each.expand(shape) for each in tensors]
            loops = loops_of(tensors)
            if len(loops.sizes) > MAX_DIMS:
                return self._run_dense(outputs, inputs)
        kinds, numbers = self._numbers(inputs)
        if loops is None or len(loops.sizes) == 1:
            ones = (1,) * len(tensors)
            self._run_flat(tensors, kinds, numbers, count, len(outputs), loops, ones)
        elif loops.sizes[-1] < _SHORT:
            self._run_short(tensors, kinds, numbers, count, len(outputs), loops)
        else:
            self._run_rows(tensors, kinds, numbers, count, len(outputs), loops)
        return None

    def _numbers(self, inputs: Sequence[Any]) -> tuple[str, list[Any]]:
        kinds, numbers = "", []
        for value, as_type in zip(inputs, self._types, strict=True):
            if isinstance(value, torch.Tensor):
                kinds += "t"
            elif value is None:
                kinds += "-"
            elif isinstance(value, float) and as_type == "f64":  # kernels' floats are float32
                kinds += "d"
                numbers.append(_bits(value))
            else:
                kinds += "n"
                numbers.append(value)
        return kinds, numbers

    def _run_flat(
        self,
        tensors: list[torch.Tensor],
        kinds: str,
        numbers: list[Any],
        count: int,
        outputs: int,
        loops: Loops | None,
        ones: tuple[int, ...],
    ) -> None:
        given = ones if loops is None else tuple(each[0] for each in loops.strides)
        steps = tuple(min(each, 2) for each in given)
        wide = count * max(1, *given) >= 2**31 - _BLOCK
        any_step = [each for each in given if each > 1]
        kernel = self._kernel(1, False, kinds, outputs, steps)
        grid = -(-count // _BLOCK)
        kernel[grid](*tensors, *numbers, count, *any_step, BLOCK=_BLOCK, INDEX=_index_type(wide))

    def _run_rows(
        self,
        tensors: list[torch.Tensor],
        kinds: str,
        numbers: list[Any],
        count: int,
        outputs: int,
        loops: Loops,
    ) -> None:
        n = loops.sizes[-1]
        given = [each[-1] for each in loops.strides]
        steps = tuple(min(each, 2) for each in given)
        block = min(_BLOCK, 1 << (n - 1).bit_length())
        blocks = -(-n // block)
        wide = n * max(1, *given) >= 2**31 - block
        kernel = self._kernel(len(loops.sizes), False, kinds, outputs, steps)
        kernel[count // n * blocks](
            *tensors,
            *numbers,
            n,
            *loops.sizes[1:],
            *(stride for each in loops.strides for stride in each[:-1]),
            blocks,
            *(each for each in given if each > 1),
            BLOCK=block,
            INDEX=_index_type(wide),
        )

    def _run_short(
        self,
        tensors: list[torch.Tensor],
        kinds: str,
        numbers: list[Any],
        count: int,
        outputs: int,
        loops: Loops,
    ) -> None:
        largest = max(
            sum((size - 1) * stride for size, stride in zip(loops.sizes, each, strict=True))
            for each in loops.strides
        )
        wide = max(count, largest) >= 2**31 - _BLOCK
        kernel = self._kernel(len(loops.sizes), True, kinds, outputs, (2,) * len(tensors))
        kernel[-(-count // _BLOCK)](
            *tensors,
            *numbers,
            count,
            *loops.sizes[1:],
            *(stride for each in loops.strides for stride in each),
            BLOCK=_BLOCK,
            INDEX=_index_type(wide),
        )

    def _run_dense(self, outputs: Sequence[torch.Tensor], inputs: Sequence[Any]) -> None:
        shape = outputs[0].shape
        dense = [
            each.expand(shape).contiguous() if isinstance(each, torch.Tensor) else each
            for each in inputs
        ]
        results = [torch.empty(shape, dtype=out.dtype, device=out.device) for out in outputs]
        self.run(results, dense)
        for out, result in zip(outputs, results, strict=True):
            out.copy_(result)
