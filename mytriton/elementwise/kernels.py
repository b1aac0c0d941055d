"""The kernels that run an elementwise function over tensors, generated as Python text.

One kernel text serves each number of loops. Where the innermost loop is long, a program has a
block of one row, and the row's place is computed once a program; where it is short, a program has
a block of the whole, and every lane computes its own place.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import torch

from mytriton import language as tl
from mytriton.arguments import _TORCH_DTYPES
from mytriton.compiled import CompiledKernel
from mytriton.dtypes import DTYPES, int32, int64
from mytriton.elementwise.tape import WIDER
from mytriton.jit import JITFunction

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
            lines += [f"v{i} = tl.load(in{i} + in{i}_at{mask}).to(TYPES[{i}]).to(WIDE[{i}])"]
        elif kind == "n":
            lines += [f"v{i} = tl.cast(in{i}, WIDE[{i}])"]
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


# The types of a number's parameter, by its letter: a bool, an int of 32 or 64 bits, a float, the
# bits of a float64.
_NUMBERS = {"b": "i1", "i": "i32", "l": "i64", "f": "fp32", "d": "i64"}


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
            "WIDE": tuple(each and DTYPES[WIDER.get(each, each)] for each in types),
            "RESULTS": tuple(DTYPES[each] for each in results),
        }
        self._made: dict[Any, JITFunction] = {}
        self.compiled: dict[str, CompiledKernel] = {}  # by their ops

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

    def compile(
        self,
        dims: int,
        short: bool,
        kinds: str,
        steps: Sequence[int],
        block: int,
        wide: bool,
        wide_ints: bool,
        tensors: Sequence[torch.Tensor],
    ) -> str:
        """The name of the op, without its namespace, of the kernel for tensors that lie in memory
        in one way; csrc/torch/elementwise_loops.h says which.

        kinds: a letter for each input: t, a tensor; a letter of ``_NUMBERS``; -, nothing.
        ``tensors``: outputs, then inputs, of the dtypes that the kernel is for.
        """
        outputs = len(self._globals["RESULTS"])
        roles = "".join(each if each in "td-" else "n" for each in kinds)
        kernel = self._kernel(dims, short, roles, outputs, tuple(steps))
        types: list[Any] = [each.dtype for each in tensors]
        types += [_NUMBERS[each] for each in kinds if each in _NUMBERS]
        ints = sum(not each.is_constexpr for each in kernel.params) - len(types)
        types += ["i64" if wide_ints else "i32"] * ints
        made = kernel.compile(*types, BLOCK=block, INDEX=int64 if wide else int32)
        name = str(made.op_name).partition("::")[2]
        self.compiled[name] = made
        return name
