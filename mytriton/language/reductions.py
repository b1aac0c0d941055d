"""Reductions of blocks: along an axis, or over all lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mytriton.dtypes import DTYPES
from mytriton.errors import CompileError
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import current_trace, tensor, unwrap


def reduction(row: dict[str, Any]) -> Callable[..., tensor]:
    """The function of ``tl`` for a reduce row."""
    name: str = row["name"]

    def function(
        input: Any, axis: Any = None, keep_dims: bool = False, dtype: Any = None
    ) -> tensor:
        trace = current_trace(name)
        value = to_tensor(input)
        axis, keep, dtype = (unwrap(each) for each in (axis, keep_dims, dtype))
        if not isinstance(keep, bool):
            raise CompileError(f"{name}: keep_dims must be a bool, got {keep!r}", caller_place())
        if dtype is not None:
            if name != "sum":
                raise CompileError(f"{name}: dtype is for tl.sum only", caller_place())
            value = value.to(dtype)
        place = caller_place()
        if axis is not None:
            axis = constant_int(axis, f"{name}: axis")
        return tensor(trace, trace.reduce(name, value._node, axis, keep, place))

    function.__name__ = function.__qualname__ = name
    types = ", ".join(DTYPES[each].language_name for each in row["types"])
    function.__doc__ = (
        f"{row['doc']} `axis`: of a block of higher rank the axis that goes; None: all lanes. "
        f"With `keep_dims` it stays, as of size 1.\n\nElement types: {types}."
    )
    if name == "sum":
        function.__doc__ += " `dtype`: the type that is summed in."
    return function
