"""What is written in terms of other ops: softmax, flip."""

from __future__ import annotations

from typing import Any

from mytriton.dtypes import float32
from mytriton.errors import CompileError
from mytriton.language.shapes import join, permute, reshape, split
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import apply, tensor, unwrap

__all__ = ["flip", "softmax"]


def axis_of(function: str, dim: Any, default: int, value: tensor) -> int:
    rank = len(value.shape)
    if not rank:
        raise CompileError(f"{function}: expected a block, got {value!r}", caller_place())
    axis = default if unwrap(dim) is None else constant_int(dim, f"{function}: dim")
    if not -rank <= axis < rank:
        raise CompileError(
            f"{function}: dim must be {-rank} to {rank - 1}, got {axis}", caller_place()
        )
    return axis % rank


def softmax(
    x: Any, dim: Any = None, keep_dims: bool = False, ieee_rounding: bool = False
) -> tensor:
    """``exp(x - max(x)) / sum(exp(x - max(x)))`` along `dim`, without one along the first axis.

    `x`: a block of floats; the result has its shape and type. ``float16`` and ``bfloat16`` are
    computed in ``float32``. `keep_dims` and `ieee_rounding` are accepted, and change nothing.
    """
    given = to_tensor(x)
    axis = axis_of("softmax", dim, 0, given)
    if not given.dtype.is_floating():
        raise CompileError(f"softmax: x: expected floats, got {given!r}", caller_place())
    value = given.to(float32) if given.dtype.primitive_bitwidth < 32 else given
    trace, keep = value._trace, len(value.shape) > 1

    def reduced(op: str, block: tensor) -> tensor:
        return tensor(trace, trace.reduce(op, block._node, axis, keep, caller_place()))

    powers = apply("exp", apply("sub", value, reduced("max", value)))
    return apply("div", powers, reduced("sum", powers)).to(given.dtype)


def flip(x: Any, dim: Any = None) -> tensor:
    """`x` with its lanes along `dim` in the opposite order; without one, along the last axis.

    The axis must have a power of two lanes.
    """
    value = to_tensor(x)
    axis = axis_of("flip", dim, -1, value)
    shape = value.shape
    lanes = shape[axis]
    if lanes & (lanes - 1):
        raise CompileError(
            f"flip: expected an axis of a power of two lanes, got {lanes} of {value!r}",
            caller_place(),
        )
    # The index counted down is the index with each of its bits the other way round.
    bit = 1
    while bit < lanes:
        high, low = split(permute(reshape(value, -1, 2, _lanes_after(shape, axis) * bit), 0, 2, 1))
        value = permute(join(low, high), 0, 2, 1)
        bit *= 2
    return reshape(value, *shape)


def _lanes_after(shape: tuple[int, ...], axis: int) -> int:
    lanes = 1
    for size in shape[axis + 1 :]:
        lanes *= size
    return lanes


tensor.softmax = softmax  # type: ignore[attr-defined]
tensor.flip = flip  # type: ignore[attr-defined]
