"""The language of kernels, used as ``import mytriton.language as tl``.

Functions here may be called only while a kernel is traced. Elementwise functions and reductions
(``exp``, ``maximum``, ``sum``, ...) come from the compiler's table of ops, one a row.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from mytriton import _C
from mytriton.errors import CompileError
from mytriton.source import caller_place
from mytriton.traced import (
    DTYPES,
    DType,
    apply,
    constexpr,
    current_trace,
    dtype,
    float32,
    int1,
    int32,
    node_of,
    pointer_type,
    tensor,
)

__all__ = [
    "arange",
    "cast",
    "cdiv",
    "constexpr",
    "dtype",
    "float32",
    "int1",
    "int32",
    "load",
    "next_power_of_2",
    "num_programs",
    "pointer_type",
    "program_id",
    "store",
    "tensor",
    "where",
]


def _function(row: dict[str, Any]) -> Callable[..., tensor]:
    """The function of ``tl`` for a row: its operands by position or as x, y, z."""
    name: str = row["name"]
    names = ["x", "y", "z"][: row["operands"]]
    if row["kind"] == "reduce":
        names = ["input"]

    def function(*args: Any, **kwargs: Any) -> tensor:
        if row["kind"] == "reduce":
            _check_axis(name, kwargs.pop("axis", args[1] if len(args) > 1 else None))
            args = args[:1]
        operands = dict(zip(names, args, strict=False)) | kwargs
        if len(args) > len(names) or set(operands) != set(names):
            expected = ", ".join(names)
            got = ", ".join([*(["..."] * len(args)), *kwargs])
            raise CompileError(f"{name}: expected ({expected}), got ({got})", caller_place())
        return apply(name, *(operands[each] for each in names))

    function.__name__ = function.__qualname__ = name
    types = ", ".join(DTYPES[each].name for each in row["types"])
    function.__doc__ = f"{row['doc']}\n\nElement types: {types}."
    return function


def _check_axis(name: str, axis: Any) -> None:
    if axis not in (None, 0):
        raise CompileError(
            f"{name}: axis must be 0 for a block of rank 1, got {axis}", caller_place()
        )


# From here on max, min and sum are the language's; Python's are in `builtins`.
for _row in _C.op_rows():
    if _row["python"] == "tl":
        globals()[_row["name"]] = _function(_row)
        __all__ += [_row["name"]]


def _constant_int(value: Any, what: str) -> int:
    if isinstance(value, constexpr):
        value = value.value
    if isinstance(value, tensor | bool) or not isinstance(value, int):
        kind = repr(value) if isinstance(value, tensor) else type(value).__name__
        raise CompileError(
            f"{what} must be an int known at compile time, got {kind}", caller_place()
        )
    return builtins.min(
        builtins.max(value, -(2**62)), 2**62
    )  # out of every range that is accepted below


def program_id(axis: int) -> tensor:
    """This program's index along axis 0, 1 or 2 of the grid, as an int32."""
    trace = current_trace("program_id")
    return tensor(trace, trace.program_id(_constant_int(axis, "program_id: axis"), caller_place()))


def num_programs(axis: int) -> tensor:
    """The grid's size along axis 0, 1 or 2, as an int32."""
    trace = current_trace("num_programs")
    return tensor(
        trace, trace.num_programs(_constant_int(axis, "num_programs: axis"), caller_place())
    )


def arange(start: int, end: int) -> tensor:
    """The int32 block start, start + 1, ..., end - 1. Any width of at most 2**20 lanes."""
    trace = current_trace("arange")
    first, last = _constant_int(start, "arange: start"), _constant_int(end, "arange: end")
    return tensor(trace, trace.arange(first, last, caller_place()))


def load(pointer: tensor, mask: Any = None, other: Any = None) -> tensor:
    """The pointed-to values. Lanes where `mask` is false touch no memory and take `other`, or 0.

    Shapes: those of `pointer`, with scalar masks and fallbacks stretched. `mask` must be bool.
    """
    trace = current_trace("load")
    place = caller_place()
    at = node_of(trace, pointer, place, "load: pointer")
    on = None if mask is None else node_of(trace, mask, place, "load: mask")
    fallback = None if other is None else node_of(trace, other, place, "load: other")
    return tensor(trace, trace.load(at, on, fallback, place))


def store(pointer: tensor, value: Any, mask: Any = None) -> None:
    """Writes `value`, cast to the pointed-to type, where `mask` holds; other lanes do nothing."""
    trace = current_trace("store")
    place = caller_place()
    at = node_of(trace, pointer, place, "store: pointer")
    stored = node_of(trace, value, place, "store: value")
    on = None if mask is None else node_of(trace, mask, place, "store: mask")
    trace.store(at, stored, on, place)


def where(condition: Any, x: Any, y: Any) -> tensor:
    """`x` where `condition` holds, else `y`. Both are evaluated; the condition must be bool."""
    return apply("select", condition, x, y)


def cast(input: Any, dtype: DType) -> tensor:
    """`input` as another element type.

    float32 to int32 truncates, saturates out of range and gives 0 for NaN; to int1 is ``!= 0``.
    """
    trace = current_trace("cast")
    return tensor(trace, node_of(trace, input, caller_place(), "cast")).to(dtype)


def cdiv(x: Any, div: Any) -> Any:
    """``ceil(x / div)`` of non-negative ints, of Python or traced."""
    return (x + div - 1) // div


def next_power_of_2(n: int) -> int:
    """The smallest power of two that is at least n (and at least 1)."""
    return 1 << builtins.max(0, n - 1).bit_length()
