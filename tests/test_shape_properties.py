"""Shapes and axes against torch, as properties that hypothesis looks for counterexamples to."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from bounds import added, assert_rounded, numbers
from engines import assert_same_bits, compiled, evaluated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shape_kernels import offsets, row_major

import mytriton
import mytriton.language as tl

SIZES = st.sampled_from((1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 32))
SHAPES = st.lists(SIZES, min_size=1, max_size=4).map(tuple).filter(lambda s: math.prod(s) <= 2048)


def bounded(examples: int) -> Any:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


def on_both(test: Any) -> Any:
    """Fewer examples for the engine that calls a compiler for each."""

    @pytest.mark.parametrize(("engine", "examples"), [(evaluated, 60), (compiled, 8)])
    def run(engine: Any, examples: int) -> None:
        bounded(examples)(given(data=st.data())(lambda data: test(engine, data)))()

    return run


# --- reductions ----------------------------------------------------------------------------------


@mytriton.jit
def reduce_kernel(
    x, total, largest, smallest, last, first,
    SHAPE: tl.constexpr, AXIS: tl.constexpr, KEEP: tl.constexpr, LEFT: tl.constexpr
):  # fmt: skip
    block = tl.load(x + offsets(SHAPE, row_major(SHAPE)))
    at = offsets(LEFT, row_major(LEFT)) if LEFT else 0
    tl.store(total + at, tl.sum(block, axis=AXIS, keep_dims=KEEP))
    tl.store(largest + at, tl.max(block, axis=AXIS, keep_dims=KEEP))
    tl.store(smallest + at, tl.min(block, axis=AXIS, keep_dims=KEEP))
    if AXIS is not None:
        tl.store(last + at, tl.argmax(block, axis=AXIS, keep_dims=KEEP))
        tl.store(first + at, tl.argmin(block, axis=AXIS, keep_dims=KEEP))


@on_both
def test_reductions(engine: Any, data: Any) -> None:
    shape = data.draw(SHAPES)
    axis = data.draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    keep = data.draw(st.booleans())
    x = numbers(*shape, seed=data.draw(st.integers(0, 1000)))
    if data.draw(st.booleans()):
        x = x.round()  # ties
    axes = tuple(range(len(shape))) if axis is None else (axis,)
    expected = x.double().sum(axes, keepdim=keep)
    out = [torch.full(expected.shape, -9.0) for _ in range(3)]
    places = [torch.full(expected.shape, -9, dtype=torch.int32) for _ in range(2)]
    engine(reduce_kernel)[1](
        x, *out, *places, SHAPE=shape, AXIS=axis, KEEP=keep, LEFT=tuple(expected.shape)
    )
    count = math.prod(shape[each] for each in axes)
    assert_rounded(out[0], expected, added(count), x.double().abs().sum(axes, keepdim=keep))
    assert torch.equal(out[1], x.amax(axes, keepdim=keep))  # 0.0 and -0.0 being alike
    assert torch.equal(out[2], x.amin(axes, keepdim=keep))
    if axis is not None:  # of ties the first, which torch does not promise and NumPy does
        for got, function in zip(places, (np.argmax, np.argmin), strict=True):
            index = np.asarray(function(x.numpy(), axis, keepdims=keep))
            assert got.tolist() == index.tolist()


# --- broadcasting --------------------------------------------------------------------------------


@mytriton.jit
def combine_kernel(x, y, z, out, X: tl.constexpr, Y: tl.constexpr, Z: tl.constexpr):
    a, b, c = (
        tl.load(pointer + offsets(shape, row_major(shape)))
        for pointer, shape in ((x, X), (y, Y), (z, Z))
    )
    result = tl.where(a > b, a * 2.0 - c, b) + c
    tl.static_assert(tl.broadcast(a * b, c)[0].shape == result.shape)
    shape = tuple(result.shape)
    tl.store(out + offsets(shape, row_major(shape)), result)


@on_both
def test_broadcasting(engine: Any, data: Any) -> None:
    """Three operands, each of which lacks leading axes or is of size 1 along some."""
    shape = data.draw(SHAPES)
    shapes = []
    for _ in range(3):
        part = shape[data.draw(st.integers(0, len(shape) - 1)) :]
        shapes.append(tuple(1 if data.draw(st.booleans()) else size for size in part))
    a, b, c = (numbers(*each, seed=i) for i, each in enumerate(shapes))
    expected = torch.where(a > b, a * 2.0 - c, b) + c
    out = torch.full(expected.shape, -9.0)
    engine(combine_kernel)[1](a, b, c, out, X=shapes[0], Y=shapes[1], Z=shapes[2])
    assert_same_bits(out, expected)


# --- chains of shapes ----------------------------------------------------------------------------


@mytriton.jit
def chain_kernel(x, out, SHAPE: tl.constexpr, STEPS: tl.constexpr):
    block = tl.load(x + offsets(SHAPE, row_major(SHAPE)))
    for name, argument in STEPS:
        if name == "permute":
            block = tl.permute(block, argument)
        elif name == "reshape":
            block = tl.reshape(block, argument)
        elif name == "expand_dims":
            block = tl.expand_dims(block, argument)
        else:
            block = tl.broadcast_to(block, argument)
    shape = tuple(block.shape)
    tl.store(out + offsets(shape, row_major(shape)), block)


IN_TORCH = {
    "permute": torch.Tensor.permute,
    "reshape": torch.Tensor.reshape,
    "expand_dims": torch.Tensor.unsqueeze,
    "broadcast_to": torch.Tensor.expand,
}


def factors(lanes: int, data: Any) -> tuple[int, ...]:
    """A shape of 1 to 4 axes with so many lanes."""
    sizes = []
    for _ in range(data.draw(st.integers(0, 3))):
        sizes.append(
            data.draw(st.sampled_from([d for d in range(1, min(lanes, 64) + 1) if lanes % d == 0]))
        )
        lanes //= sizes[-1]
    sizes.insert(data.draw(st.integers(0, len(sizes))), lanes)
    return tuple(sizes)


@on_both
def test_chains(engine: Any, data: Any) -> None:
    shape = data.draw(SHAPES)
    x = torch.arange(math.prod(shape), dtype=torch.int32).reshape(shape)
    expected, steps = x, []
    for _ in range(data.draw(st.integers(1, 6))):
        rank, argument = expected.dim(), None
        name = data.draw(st.sampled_from(list(IN_TORCH)))
        if name == "permute":
            argument = tuple(data.draw(st.permutations(range(rank))))
        elif name == "reshape":
            argument = factors(expected.numel(), data)
        elif name == "expand_dims" and rank < 5:
            argument = data.draw(st.integers(-rank - 1, rank))
        elif name == "broadcast_to" and 1 in expected.shape and expected.numel() <= 512:
            argument = tuple(size if size > 1 else 4 for size in expected.shape)
        if argument is None or (name == "broadcast_to" and math.prod(argument) > 4096):
            continue
        steps.append((name, argument))
        expected = IN_TORCH[name](expected, argument)
    out = torch.full(expected.shape, -9, dtype=torch.int32)
    engine(chain_kernel)[1](x, out, SHAPE=shape, STEPS=tuple(steps))
    assert_same_bits(out, expected.contiguous())
