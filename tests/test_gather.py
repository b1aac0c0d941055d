"""tl.gather along any axis, and indices that name no lane."""

import numpy as np
import pytest
import torch
from engines import assert_same_bits, both
from shape_kernels import offsets, row_major
from test_sort import random_block

import mytriton
import mytriton.language as tl


@mytriton.jit
def gather_kernel(x, index, out, SHAPE: tl.constexpr, INDEX: tl.constexpr, AXIS: tl.constexpr):
    at = offsets(INDEX, row_major(INDEX))
    block = tl.load(x + offsets(SHAPE, row_major(SHAPE)))
    tl.store(out + at, tl.gather(block, tl.load(index + at), AXIS))


def launch(engine, block: torch.Tensor, index: torch.Tensor, axis: int) -> torch.Tensor:
    out = torch.zeros(index.shape, dtype=block.dtype)
    shapes = {"SHAPE": tuple(block.shape), "INDEX": tuple(index.shape)}
    engine(gather_kernel)[1](block, index, out, **shapes, AXIS=axis)
    return out


@both
@pytest.mark.parametrize(
    ("shape", "count", "axis"),
    [
        ((16,), 16, 0),
        ((100,), 7, -1),
        ((4, 8), 8, 1),
        ((4, 8), 3, 0),
        ((8, 40), 19, -2),
        ((2, 3, 5), 16, 1),
        ((3, 4, 2, 5), 6, 2),
        ((1, 4), 5, 0),
    ],
)
def test_as_torch_gathers(engine, shape: tuple[int, ...], count: int, axis: int) -> None:
    generator = torch.Generator().manual_seed(count)
    block = torch.randn(shape, generator=generator)
    sizes = list(shape)
    sizes[axis] = count
    index = torch.randint(0, shape[axis], sizes, generator=generator)
    assert_same_bits(launch(engine, block, index, axis), block.gather(axis, index))


@both
@pytest.mark.parametrize("name", ["bool", "i8", "u16", "bf16", "i32", "f64"])
def test_types_of_every_width(engine, name: str) -> None:
    block = random_block(name, (4, 20), 1)
    index = torch.randint(0, 20, (4, 16), generator=torch.Generator().manual_seed(2)).int()
    expected = torch.from_numpy(
        np.take_along_axis(block.view(torch.uint8).numpy(), index.numpy(), 1)
    )
    if block.element_size() > 1:
        expected = torch.stack([row[i.long()] for row, i in zip(block, index, strict=True)])
    else:
        expected = expected.view(block.dtype)
    assert_same_bits(launch(engine, block, index, 1), expected)


@both
@pytest.mark.parametrize(
    "name", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_indices_outside_take_the_nearest(engine, name: str) -> None:
    """Of every int type, also where the type has fewer values than the axis has lanes."""
    dtype = getattr(torch, name)
    least, most = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    places = [least, least + 1, 0, 1, 299, 300, 301, most, most // 2, most - 1]
    index = torch.from_numpy(np.array([each for each in places if least <= each <= most], name))
    block = torch.arange(300)
    out = launch(engine, block, index, 0)
    assert out.tolist() == [min(max(int(each), 0), 299) for each in index.tolist()]


@both
def test_within_loops_and_branches(engine) -> None:
    """A permutation is applied as often as n says; then each lane takes the one before it."""

    @mytriton.jit
    def kernel(x, index, out, n):
        i = tl.arange(0, 32)
        value, where = tl.load(x + i), tl.load(index + i)
        for _ in range(n):
            value = value.gather(where, 0)
        if n > 2:
            value = tl.gather(value, i - 1, 0)
        tl.store(out + i, value)

    x = torch.randn(32, generator=torch.Generator().manual_seed(1))
    index = torch.randperm(32, generator=torch.Generator().manual_seed(2))
    for n in (0, 1, 5):
        out, expected = torch.zeros(32), x
        engine(kernel)[1](x, index, out, n)
        for _ in range(n):
            expected = expected[index]
        if n > 2:
            expected = torch.cat([expected[:1], expected[:-1]])
        assert torch.equal(out, expected)


@both
def test_large_block(engine) -> None:
    block = torch.randn(2**17, generator=torch.Generator().manual_seed(1))
    index = torch.randperm(2**17, generator=torch.Generator().manual_seed(2)).int()
    assert torch.equal(launch(engine, block, index, 0), block[index.long()])
