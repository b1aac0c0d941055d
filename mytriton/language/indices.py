"""Where the extremes of blocks are: tl.argmax and tl.argmin."""

from __future__ import annotations

from typing import Any

from mytriton.errors import CompileError
from mytriton.language.block_pointers import along
from mytriton.language.shapes import expand_dims, reshape
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import apply, tensor, unwrap

__all__ = ["argmax", "argmin"]


def _reduced(op: str, value: tensor, axis: int, keep: bool) -> tensor:
    trace = value._trace
    return tensor(trace, trace.reduce(op, value._node, axis, keep, caller_place()))


def _positions(value: tensor, axis: int) -> tensor:
    """The int32 index of each lane along this axis; of size 1 in the others."""
    trace = value._trace
    count = tensor(trace, trace.arange(0, value.shape[axis], caller_place()))
    return along(axis, len(value.shape), count)


def _first_of(op: str, value: tensor, axis: int, keep: bool) -> tensor:
    is_vector = len(value.shape) == 1
    extreme = _reduced(op, value, axis, not is_vector)
    found = apply("cmp_eq", value, extreme)
    if value.dtype.is_floating():  # NaN is the extreme where there is one
        nan = apply("bit_and", apply("cmp_ne", value, value), apply("cmp_ne", extreme, extreme))
        found = apply("bit_or", found, nan)
    none = value.shape[axis]
    return _reduced("min", apply("select", found, _positions(value, axis), none), axis, keep)


def with_indices(
    op: str, function: str, input: Any, axis: Any, tie_break_left: Any, keep_dims: Any
) -> tuple[tensor, tensor]:
    """The ``"max"`` or ``"min"`` of a block and the int32 index of it, along an axis or of all
    lanes, counted row by row."""
    value = to_tensor(input)
    for name, flag in (("tie_break_left", tie_break_left), ("keep_dims", keep_dims)):
        if not isinstance(unwrap(flag), bool):
            raise CompileError(
                f"{function}: {name} must be a bool, got {unwrap(flag)!r}", caller_place()
            )
    rank, keep = len(value.shape), unwrap(keep_dims)
    if not rank or value.dtype.is_ptr():
        raise CompileError(
            f"{function}: input: expected a block of numbers, got {value!r}", caller_place()
        )
    if unwrap(axis) is None:
        flat = reshape(value, -1) if rank > 1 else value
        found = (_reduced(op, flat, 0, False), _first_of(op, flat, 0, False))
        every = tuple(range(rank))
        return (expand_dims(found[0], every), expand_dims(found[1], every)) if keep else found
    along_axis = constant_int(axis, f"{function}: axis")
    if not -rank <= along_axis < rank:
        raise CompileError(
            f"{function}: axis must be {-rank} to {rank - 1}, got {along_axis}", caller_place()
        )
    along_axis %= rank
    return _reduced(op, value, along_axis, keep), _first_of(op, value, along_axis, keep)


def argmax(input: Any, axis: Any, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The int32 index of the largest value along `axis`, or of all lanes with None; the first of
    several, whatever `tie_break_left` says.

    A NaN is larger than all else, as in torch.argmax. With `keep_dims` the axis stays, as of size
    1. `input`: a block of floats, ints or bool.
    """
    return with_indices("max", "argmax", input, axis, tie_break_left, keep_dims)[1]


def argmin(input: Any, axis: Any, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """The int32 index of the smallest value along `axis`; as ``argmax``, NaN being smallest."""
    return with_indices("min", "argmin", input, axis, tie_break_left, keep_dims)[1]


tensor.argmax = argmax  # type: ignore[attr-defined]
tensor.argmin = argmin  # type: ignore[attr-defined]
