"""sum, max and min along an axis: the documented order, exact bits, NaN, types, kept axes."""

import numpy as np
import pytest
import torch
from engines import assert_same_bits, both
from exact import BITS, FLOATS, INTS, TORCH, TYPES, special_values, tensor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shape_kernels import offsets, row_major
from shape_programs import SIZES

import mytriton
import mytriton.language as tl

NAN, INF = float("nan"), float("inf")


@mytriton.jit
def reduce_kernel(x, total, largest, smallest, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    block = tl.load(x + offsets(SHAPE, row_major(SHAPE)))
    left = tuple(1 if axis == AXIS else size for axis, size in enumerate(SHAPE))
    at = offsets(left, row_major(left))
    tl.store(total + at, tl.sum(block, AXIS, keep_dims=True))
    tl.store(largest + at, tl.max(block, AXIS, keep_dims=True))
    tl.store(smallest + at, tl.min(block, axis=AXIS, keep_dims=True))


def launch(
    engine, block: torch.Tensor, axis: int, *results: torch.dtype
) -> tuple[torch.Tensor, ...]:
    """sum, max and min, in these dtypes or all in the one."""
    shape = list(block.shape)
    shape[axis] = 1
    out = tuple(torch.zeros(shape, dtype=dtype) for dtype in (3 * results)[:3])
    engine(reduce_kernel)[1](block, *out, SHAPE=tuple(block.shape), AXIS=axis)
    return out


def sum_in_order(block: np.ndarray, axis: int) -> np.ndarray:
    """Along the axis lane k joins partial k % 16; then partial k joins k + 8, k + 4, k + 2, k + 1.
    The axis stays, as of size 1."""
    rows = np.moveaxis(block, axis, 0)
    partial = np.full((16, *rows.shape[1:]), -0.0 if block.dtype.kind == "f" else 0, block.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        for k, row in enumerate(rows):
            partial[k % 16] += row
        for half in (8, 4, 2, 1):
            partial[:half] += partial[half : 2 * half]
    return np.moveaxis(partial[:1], 0, axis)


SHAPES = st.lists(st.sampled_from(SIZES), min_size=2, max_size=5).filter(
    lambda shape: np.prod(shape) <= 4096
)
quick = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.on_host("programs, lanes or sums in the CPU's order")
@both
@quick
@given(shape=SHAPES, axis=st.integers(0, 4), seed=st.integers(0, 2**32 - 1))
def test_float_sums_in_order(engine, shape: list[int], axis: int, seed: int) -> None:
    axis %= len(shape)
    generator = torch.Generator().manual_seed(seed)
    block = torch.randn(shape, generator=generator) * 1000
    total, largest, smallest = launch(engine, block, axis, torch.float32)
    assert_same_bits(total, torch.from_numpy(sum_in_order(block.numpy(), axis)))
    assert_same_bits(largest, block.amax(axis, keepdim=True))
    assert_same_bits(smallest, block.amin(axis, keepdim=True))


# Rows of whole vectors, of a vector and a rest, of less; columns likewise.
EVERY_WAY = [((3, 40), 1), ((40, 3), 0), ((2, 19, 16), 1), ((2, 5, 24), 1), ((4, 16), 1)]


@both
@pytest.mark.parametrize(("shape", "axis"), EVERY_WAY)
@pytest.mark.parametrize("name", INTS)
def test_ints_of_every_width(engine, name: str, shape: tuple[int, ...], axis: int) -> None:
    """Those below 32 bits are counted in 32."""
    special = special_values(name)
    numbers = [special[(7 * i) % len(special)] for i in range(int(np.prod(shape)))]
    block = tensor(numbers, name).reshape(shape)
    unsigned = name.startswith("u")
    wide = name if BITS[name] >= 32 else "u32" if unsigned else "i32"
    result = name if BITS[name] >= 32 else "i32"
    results = (TORCH[wide], TORCH[result], TORCH[result])
    total, largest, smallest = launch(engine, block, axis, *results)
    counted = np.array(numbers, dtype=object).reshape(shape).sum(axis, keepdims=True)
    least = 0 if unsigned else -(2 ** (BITS[wide] - 1))
    wrapped = [(int(each) - least) % 2 ** BITS[wide] + least for each in counted.ravel()]
    assert_same_bits(total, tensor(wrapped, wide).reshape(total.shape))
    values = np.array(numbers, dtype=object).reshape(shape)
    for got, function in ((largest, np.max), (smallest, np.min)):
        expected = function(values, axis, keepdims=True)
        assert_same_bits(got, tensor(expected.ravel().tolist(), result).reshape(got.shape))


@pytest.mark.on_host("programs, lanes or sums in the CPU's order")
@both
@pytest.mark.parametrize(("shape", "axis"), EVERY_WAY)
@pytest.mark.parametrize("name", ["f16", "bf16", "f64"])
def test_floats_of_other_widths(engine, name: str, shape: tuple[int, ...], axis: int) -> None:
    """Halves are added in 32 bits, and the sum is rounded once."""
    generator = torch.Generator().manual_seed(sum(shape))
    block = torch.randn(shape, generator=generator, dtype=torch.float64).to(TORCH[name])
    total, largest, smallest = launch(engine, block, axis, TORCH[name])
    wide = block if name == "f64" else block.float()
    assert_same_bits(total, torch.from_numpy(sum_in_order(wide.numpy(), axis)).to(TORCH[name]))
    assert_same_bits(largest, block.amax(axis, keepdim=True))
    assert_same_bits(smallest, block.amin(axis, keepdim=True))


@both
@pytest.mark.parametrize(("shape", "axis"), EVERY_WAY)
def test_bools_are_counted(engine, shape: tuple[int, ...], axis: int) -> None:
    block = torch.rand(shape, generator=torch.Generator().manual_seed(1)) > 0.5
    total, largest, smallest = launch(engine, block, axis, torch.int32)
    assert_same_bits(total, block.sum(axis, keepdim=True).int())
    assert_same_bits(largest, block.any(axis, keepdim=True).int())
    assert_same_bits(smallest, block.all(axis, keepdim=True).int())


@both
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("size", [3, 16, 21])
def test_special_floats(engine, name: str, axis: int, size: int) -> None:
    """Each row has one special value, in each place once; of -0.0 alone the sum is -0.0."""
    rows = torch.ones(4 * size + 3, size, dtype=TORCH[name])
    for k in range(size):
        rows[4 * k, k] = NAN
        rows[4 * k + 1, k] = INF
        rows[4 * k + 2, k] = -INF
        rows[4 * k + 3, k] = -0.0
    rows[4 * size :] = torch.tensor([-0.0, INF, -INF])[:, None]
    block = rows if axis == 1 else rows.T.contiguous()
    total, largest, smallest = (each.ravel() for each in launch(engine, block, axis, TORCH[name]))
    assert_same_bits(largest, rows.amax(1))
    assert_same_bits(smallest, rows.amin(1))
    expected = rows.sum(1)
    expected[4 * size] = -0.0
    assert_same_bits(total, expected)
    assert total[: 4 * size : 4].isnan().all()


@both
def test_every_axis_of_one_block(engine) -> None:
    """Without keep_dims, by negative axes, as methods, over all lanes, and in another type."""

    @mytriton.jit
    def kernel(x, rows, columns, planes, alone):
        block = tl.load(x + offsets((3, 4, 5), (20, 5, 1)))
        tl.store(rows + offsets((3, 4), (4, 1)), block.sum(-1))
        tl.store(columns + offsets((3, 5), (5, 1)), tl.max(block, -2))
        tl.store(planes + offsets((4, 5), (5, 1)), block.min(axis=0))
        tl.store(alone, tl.sum(block))
        tl.store(alone + 1, tl.max(tl.min(tl.sum(block, 0), axis=1), 0))
        tl.store(alone + 2, tl.sum(block.to(tl.int8), dtype=tl.int8))
        tl.store(alone + offsets((1, 1, 1), (1, 1, 1)) + 3, tl.sum(block, keep_dims=True))
        tl.store(alone + 4 + tl.arange(0, 1), tl.max(tl.arange(0, 7), 0, keep_dims=True))

    x = torch.arange(60, dtype=torch.int32).reshape(3, 4, 5) * 7 % 31
    out = [torch.zeros(shape, dtype=torch.int32) for shape in ((3, 4), (3, 5), (4, 5), (5,))]
    engine(kernel)[1](x, *out)
    assert torch.equal(out[0], x.sum(-1).int())
    assert torch.equal(out[1], x.amax(-2))
    assert torch.equal(out[2], x.amin(0))
    total = int(x.sum())
    assert out[3].tolist() == [total, int(x.sum(0).amin(1).max()), total, total, 6]


@pytest.mark.parametrize("name", TYPES)
def test_types_and_shapes_of_results(name: str) -> None:
    """Those of a block of rank 1, with the other axes."""
    found: list[tuple[str, tuple[int, ...], str]] = []
    note = found.append

    @mytriton.jit
    def kernel(x):
        row = tl.load(x + tl.arange(0, 8))
        block = tl.broadcast_to(row, 4, 8)
        for reduce in (tl.sum, tl.max, tl.min):
            one = reduce(row)
            for axis, shape in ((0, (8,)), (1, (4,)), (-1, (4,))):
                part = reduce(block, axis)
                assert (part.dtype, part.shape) == (one.dtype, shape)
                kept = reduce(block, axis, keep_dims=True)
                assert kept.shape == ((1, 8) if axis == 0 else (4, 1))
            assert reduce(block).shape == ()
            assert reduce(block, keep_dims=True).shape == (1, 1)
            assert reduce(row, 0, keep_dims=True).shape == (1,)
            note((str(one.dtype), reduce(block).shape, str(reduce(block, 0).dtype)))
        assert tl.sum(block, 1, dtype=tl.float64).dtype is tl.float64
        tl.store(x, row.max())

    short = {"bool": "i1", "f16": "fp16", "f32": "fp32", "f64": "fp64"}
    kernel.compile(f"*{short.get(name, name)}")
    assert len(found) == 3
    assert all(one == along for one, _, along in found)
