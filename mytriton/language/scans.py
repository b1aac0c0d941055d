"""Running sums and products along an axis: tl.cumsum, tl.cumprod."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mytriton.dtypes import DTYPES
from mytriton.errors import CompileError
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import current_trace, tensor, unwrap


def scan(row: dict[str, Any]) -> Callable[..., Any]:
    """The function of ``tl`` for a scan row, with Triton's parameters."""
    name: str = row["name"]

    def function(input: Any, axis: int = 0, reverse: bool = False, dtype: Any = None) -> tensor:
        trace = current_trace(name)
        value, backwards = to_tensor(input), unwrap(reverse)
        if not isinstance(backwards, bool):
            raise CompileError(f"{name}: reverse must be a bool, got {backwards!r}", caller_place())
        if unwrap(dtype) is not None:
            value = value.to(dtype)
        along = constant_int(axis, f"{name}: axis")
        return tensor(trace, trace.scan(name, value._node, along, backwards, caller_place()))

    function.__name__ = function.__qualname__ = name
    types = ", ".join(DTYPES[each].language_name for each in row["types"])
    function.__doc__ = (
        f"{row['doc']} The result has the shape of `input`. `reverse`: those from each lane to the "
        "last one. `dtype`: the type to convert to before. Half types are computed in float32, and "
        f"each lane is rounded once.\n\nElement types: {types}."
    )
    return function
