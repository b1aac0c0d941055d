"""Reductions of blocks: along an axis, or over all lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mytriton.dtypes import DTYPES
from mytriton.errors import CompileError
from mytriton.language.indices import with_indices
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import current_trace, tensor, unwrap


def _reduced(name: str, input: Any, axis: Any, keep_dims: Any, dtype: Any = None) -> tensor:
    trace = current_trace(name)
    value = to_tensor(input)
    axis, keep, dtype = (unwrap(each) for each in (axis, keep_dims, dtype))
    if not isinstance(keep, bool):
        raise CompileError(f"{name}: keep_dims must be a bool, got {keep!r}", caller_place())
    if dtype is not None:
        value = value.to(dtype)
    if axis is not None:
        axis = constant_int(axis, f"{name}: axis")
    return tensor(trace, trace.reduce(name, value._node, axis, keep, caller_place()))


def _plain(name: str) -> Callable[..., Any]:
    def function(input: Any, axis: Any = None, keep_dims: bool = False) -> tensor:
        value = to_tensor(input)
        return _reduced(name, value, axis, keep_dims).to(value.dtype)  # computed in 32 bits

    return function


def _sum(input: Any, axis: Any = None, keep_dims: bool = False, dtype: Any = None) -> tensor:
    return _reduced("sum", input, axis, keep_dims, dtype)


def _extremum(name: str) -> Callable[..., Any]:
    def function(
        input: Any,
        axis: Any = None,
        return_indices: bool = False,
        return_indices_tie_break_left: bool = True,
        keep_dims: bool = False,
    ) -> Any:
        if unwrap(return_indices):
            return with_indices(name, name, input, axis, return_indices_tie_break_left, keep_dims)
        return _reduced(name, input, axis, keep_dims)

    return function


def reduction(row: dict[str, Any]) -> Callable[..., Any]:
    """The function of ``tl`` for a reduce row, with Triton's parameters."""
    name: str = row["name"]
    function = _extremum(name) if name in ("max", "min") else _plain(name)
    if name == "sum":
        function = _sum
    function.__name__ = function.__qualname__ = name
    types = ", ".join(DTYPES[each].language_name for each in row["types"])
    function.__doc__ = (
        f"{row['doc']} `axis`: of a block of higher rank the axis that goes; None: all lanes. "
        "With `keep_dims` it stays, as of size 1."
    )
    if name == "sum":
        function.__doc__ += " `dtype`: the type that is summed in."
    if name in ("max", "min"):
        function.__doc__ += (
            " `return_indices`: also gives the int32 index of it, as argmax and argmin do."
        )
    function.__doc__ += f"\n\nElement types: {types}."
    return function
