"""Runs the programs of shape_programs.py inside of kernels."""

import math
from typing import Any

from shape_programs import BINARY, BINS, Step, place

import mytriton
import mytriton.language as tl


def offsets(shape: tuple[int, ...], steps: tuple[int, ...]) -> Any:
    """Where the lanes of a block lie that has these steps between neighbours along its axes."""
    total = tl.zeros((1,) * len(shape), tl.int32)
    for axis, (size, step) in enumerate(zip(shape, steps, strict=True)):
        others = tuple(each for each in range(len(shape)) if each != axis)
        along = tl.expand_dims(tl.arange(0, size), others)
        total = along * step if axis == 0 else total + along * step
    return total


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


@mytriton.jit
def rounds(value: Any, n: Any, body: Any) -> Any:
    for _ in range(n):
        value = body(value)
    return value


@mytriton.jit
def either(n: Any, yes: Any, no: Any) -> Any:
    if n > 1:
        value = yes()
    else:
        value = no()
    return value


class InKernel:
    """`spare`: memory of MOST_LANES elements."""

    def __init__(self, x: Any, spare: Any, n: Any) -> None:
        self.x, self.spare, self.n = x, spare, n
        self.dtype = x.dtype.element_ty

    def run(self, steps: tuple[Step, ...], values: list[Any]) -> list[Any]:
        for name, operands, argument in steps:
            values.append(self.step(name, [values[i] for i in operands], argument, values))
        return values

    def reduced(self, value: Any, argument: Any) -> Any:
        name, axis, keep = argument
        return getattr(tl, name)(value, axis=axis, keep_dims=keep).to(self.dtype)

    def step(self, name: str, given: list[Any], argument: Any, values: list[Any]) -> Any:
        if name == "load":
            return tl.load(self.x + len(values) * 7 + offsets(argument, row_major(argument)))
        x = given[0]
        if name == "reshape":
            return tl.reshape(x, argument)
        if name == "permute":
            return tl.permute(x, *argument)
        if name == "expand":
            return tl.expand_dims(x, argument)
        if name == "broadcast":
            return tl.broadcast_to(x, argument)
        if name == "operator":
            return (BINARY.get(argument) or getattr(tl, argument))(*given)
        if name == "where":
            return tl.where(x > given[1], given[1], given[2])
        if name in ("reduce", "reduce_all"):
            return self.reduced(x, argument)
        if name == "join":
            return tl.join(*given)
        if name == "split":
            return x.split()[argument]
        if name == "interleave":
            return tl.interleave(*given)
        if name == "cat":
            return tl.cat(given[0].ravel(), tl.ravel(given[1]))
        if name == "scan":
            function, axis, back = argument
            return getattr(tl, function)(x, axis, reverse=back).to(self.dtype)
        if name == "associative_scan":
            function, axis, back = argument
            combine = BINARY.get(function) or getattr(tl, function)
            return tl.associative_scan(x, axis, combine, reverse=back)
        if name == "sort":
            return tl.sort(x, *argument)
        if name == "gather":
            axis, size = argument
            shape = tuple(size if i == axis % len(x.shape) else n for i, n in enumerate(x.shape))
            return x.gather(place(offsets(shape, row_major(shape)), x.shape[axis]), axis)
        if name == "histogram":
            return tl.histogram(x & 7, BINS).to(self.dtype)
        if name == "memory":
            return self.through_memory(x, argument)
        if name == "loop":
            return rounds(x, self.n, lambda y: self.merged(y, self.run(argument, [*values, y])[-1]))
        assert name == "branch"
        yes, no = (
            lambda arm=arm: self.merged(x, self.run(arm, [*values, x])[-1]) for arm in argument
        )
        return either(self.n, yes, no)

    def merged(self, x: Any, z: Any) -> Any:
        if math.prod(z.shape) == math.prod(x.shape):
            return tl.reshape(z, x.shape) if z.shape else tl.broadcast_to(z, x.shape)
        least = self.reduced(z, ("max", None, False)) if z.shape else z
        return x ^ least if self.dtype.is_bool() else tl.maximum(x, least)

    def through_memory(self, x: Any, order: tuple[int, ...]) -> Any:
        shape = tuple(x.shape)
        steps = row_major(shape)
        tl.store(self.spare + offsets(shape, steps), x)
        moved = tuple(shape[axis] for axis in order)
        at = self.spare + offsets(moved, tuple(steps[axis] for axis in order))
        return tl.load(at, mask=tl.arange(0, moved[-1]) != 1, other=0)
