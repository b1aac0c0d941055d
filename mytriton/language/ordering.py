"""Lanes by value and by place: sort, topk, gather, histogram."""

from __future__ import annotations

from typing import Any

from mytriton.errors import CompileError
from mytriton.language.derived import axis_of
from mytriton.language.shapes import broadcast_to, permute
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import current_trace, node_of, tensor, unwrap

__all__ = ["bitonic_merge", "gather", "histogram", "sort", "topk"]


def _flag(function: str, name: str, given: Any) -> bool:
    value = unwrap(given)
    if not isinstance(value, bool) and not (isinstance(value, int) and value in (0, 1)):
        got = repr(value)
        raise CompileError(f"{function}: {name} must be a bool, got {got}", caller_place())
    return bool(value)


def _exchanged(value: tensor, axis: int) -> tensor:
    """With this axis and the last one in each other's place."""
    order = list(range(len(value.shape)))
    order[axis], order[-1] = order[-1], order[axis]
    return permute(value, order) if axis != len(order) - 1 else value


def _sorted(value: tensor, descending: bool) -> tensor:
    """Along the last axis."""
    trace = value._trace
    return tensor(trace, trace.sort(value._node, descending, caller_place()))


def sort(x: Any, dim: Any = None, descending: bool = False) -> tensor:
    """The lanes of `x` in ascending order along `dim`; without one, along the last axis.

    `x`: a block of any element type but pointers; the axis may have any number of lanes. -0.0 comes
    before 0.0, and every NaN after inf, NaNs by their bits as unsigned ints: what has equal bits is
    alike, so that the result is one and the same everywhere. `descending` gives exactly the
    reverse.
    """
    value = to_tensor(x)
    axis = axis_of("sort", dim, -1, value)
    reverse = _flag("sort", "descending", descending)
    return _exchanged(_sorted(_exchanged(value, axis), reverse), axis)


def bitonic_merge(x: Any, dim: Any = None, descending: bool = False) -> tensor:
    """Of lanes that rise and then fall, their order: as ``sort``, which asks for less."""
    return sort(x, dim, descending)


def topk(x: Any, k: int, dim: Any = None, descending: bool = True) -> tensor:
    """The `k` largest lanes of `x` along `dim`, the largest first; without `dim`, along the last.

    They are the first of ``sort(x, dim, descending=True)``: a NaN is larger than all else. With
    ``descending=False``, the `k` smallest, the smallest first. `k`: known at compile time, from 1
    to the number of lanes; the result has that size.
    """
    value = to_tensor(x)
    axis = axis_of("topk", dim, -1, value)
    count, lanes = constant_int(k, "topk: k"), value.shape[axis]
    if not 1 <= count <= lanes:
        raise CompileError(
            f"topk: k must be 1 to {lanes} for {value!r}, got {count}", caller_place()
        )
    ordered = _sorted(_exchanged(value, axis), _flag("topk", "descending", descending))
    trace, place = ordered._trace, caller_place()
    first = tensor(trace, trace.arange(0, count, place))
    index = broadcast_to(first, *ordered.shape[:-1], count)
    return _exchanged(gather(ordered, index, -1), axis)


def gather(src: Any, index: Any, axis: int) -> tensor:
    """The lanes of `src` at the places along `axis` that `index` names, as torch.gather gives them.

    Of axis 0 in rank 2: ``result[i, j] = src[index[i, j], j]``. `index`: a block of ints whose
    sizes are those of `src`, but for the axis; the result has its shape and the type of `src`. A
    place below 0 takes the first lane, one beyond the last lane the last.
    """
    trace = current_trace("gather")
    place = caller_place()
    along = constant_int(axis, "gather: axis")
    block, places = (node_of(trace, each, place, "gather") for each in (src, index))
    return tensor(trace, trace.gather(block, places, along, place))


def histogram(input: Any, num_bins: int, mask: Any = None) -> tensor:
    """How many lanes of `input` hold 0, how many 1, ..., ``num_bins - 1``: a block of int32.

    `input`: a block of ints of any shape. Other values are not counted, nor are lanes where `mask`,
    a bool that stretches to the shape of `input`, is false. `num_bins`: known at compile time.
    """
    trace = current_trace("histogram")
    place = caller_place()
    node = node_of(trace, input, place, "histogram")
    bins = constant_int(num_bins, "histogram: num_bins")
    if not 1 <= bins <= 2**20:
        raise CompileError(f"histogram: num_bins must be 1 to {2**20}, got {bins}", place)
    on = None if unwrap(mask) is None else node_of(trace, mask, place, "histogram: mask")
    return tensor(trace, trace.histogram(node, bins, on, place))


for _function in (sort, gather, histogram):
    setattr(tensor, _function.__name__, _function)
