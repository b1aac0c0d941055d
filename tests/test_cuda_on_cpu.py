"""The CUDA text of each kernel here, run on the CPU, computes what the evaluator and the compiled
kernel compute: to the bit, but for float sums, whose order differs.

The launches stand in one table, so that all texts are compiled at once.
"""

import dataclasses
import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from cuda_on_cpu.runner import CudaText
from engines import assert_same_bits, compiled, evaluated
from kernels import (
    add_kernel,
    copy_kernel,
    leaky_relu_kernel,
    relu_kernel,
    sigmoid_kernel,
    softmax_kernel,
)

import mytriton
import mytriton.language as tl
from mytriton import _C
from mytriton.traced import DTYPES, apply

TORCH_DTYPES = [
    *(torch.bool, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
]
EPSILON = 2.0**-24  # of one rounding to f32, relative


@dataclasses.dataclass
class Launch:
    """A launch to compare. `bound` gives, for what the engines leave in the last tensor, how far
    off the text's result may be; without one all must agree to the bit."""

    name: str
    kernel: mytriton.JITFunction
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]
    constants: dict[str, Any]
    bound: Callable[[torch.Tensor], torch.Tensor] | None = None
    equal_writes: bool = False  # by several lanes are what the kernel wants

    def __post_init__(self) -> None:
        self.text = CudaText.of(self.kernel.compile(*self.arguments, **self.constants))

    def on(self, engine: Callable[[mytriton.JITFunction], Any]) -> list[torch.Tensor]:
        """The tensors after the launch. A tensor that is given twice stays one tensor."""
        copies = {id(a): copy(a) for a in self.arguments if isinstance(a, torch.Tensor)}
        arguments = [copies.get(id(a), a) for a in self.arguments]
        engine(self.kernel)[self.grid](*arguments, **self.constants)
        return [a for a in arguments if isinstance(a, torch.Tensor)]


def copy(tensor: torch.Tensor) -> torch.Tensor:
    """With the same bytes; clone() makes every true of a bool tensor 1."""
    if tensor.dtype == torch.bool:
        return tensor.view(torch.uint8).clone().view(torch.bool)
    return tensor.clone()


LAUNCHES: list[Launch] = []


def launch(kernel, grid, *arguments, bound=None, equal_writes=False, **constants) -> None:
    details = ",".join(f"{key}={value}" for key, value in constants.items())
    name = f"{len(LAUNCHES)}-{kernel.name}-{details}"
    LAUNCHES.append(Launch(name, kernel, grid, arguments, constants, bound, equal_writes))


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def ints(*shape: int, low: int = -(2**31), high: int = 2**31, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(low, high, shape, generator=generator).to(torch.int32)


def bools(*shape: int, seed: int = 0) -> torch.Tensor:
    return ints(*shape, low=0, high=2, seed=seed) != 0


@pytest.mark.parametrize("case", LAUNCHES, ids=lambda case: case.name)
def test_the_text_agrees_with_both_engines(case: Launch) -> None:
    got = case.text.run(case.grid, *case.arguments, equal_writes=case.equal_writes)
    for engine in (evaluated, compiled):
        expected = case.on(engine)
        for left, right in zip(got, expected, strict=True):
            if left is got[-1] and case.bound is not None:
                assert_within(left, right, case.bound(right))
            else:
                assert_same_bits(left, right, *(each for each in got if each is not left))


def assert_within(got: torch.Tensor, expected: torch.Tensor, bound: torch.Tensor) -> None:
    off = (got.double() - expected.double()).abs()
    wrong = ~((off <= bound) | (got == expected) | (got.isnan() & expected.isnan()))
    assert not wrong.any(), (
        f"{got[wrong]}, not {expected[wrong]}; off by {off[wrong] / bound[wrong]}"
    )


# --- the reference kernels -----------------------------------------------------------------------

SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45, -1e-42, 3e38, -3e38, 1.0, -1.0, 88.8]

for n, grid, block in [
    (0, (1,), 256),
    (1, (1,), 256),
    (255, (1,), 256),
    (257, (2,), 256),
    (1000, (6,), 256),  # two programs have nothing to do
    (1000, (2,), 256),  # half of the elements is left
    (100, (4,), 33),
    (5, (5,), 1),
    (2000, (2,), 1024),
]:
    x, y = normal(n), normal(n, seed=1)
    x[: len(SPECIAL)] = torch.tensor(SPECIAL)[:n]
    launch(add_kernel, grid, x, y, torch.zeros(n), n, BLOCK=block)
    launch(leaky_relu_kernel, grid, x, torch.zeros(n), n, 0.01, BLOCK=block)
    if block == 256:
        for kernel in (relu_kernel, sigmoid_kernel, copy_kernel):
            launch(kernel, grid, x, torch.zeros(n), n, BLOCK=block)

for columns, block in [(1, 1), (33, 33), (100, 128), (1000, 1024)]:

    def softmax_bound(expected: torch.Tensor, columns: int = columns) -> torch.Tensor:
        return (2 * columns + 2) * EPSILON * expected  # a positive sum, rounded `columns` times

    rows = normal(3, columns + 2) * 4
    launch(
        softmax_kernel,
        (3,),
        rows,
        torch.zeros(3, columns + 2),
        columns,
        columns + 2,
        BLOCK=block,
        bound=softmax_bound,
    )


# --- all rows of the table -----------------------------------------------------------------------

# sigmoid is a formula of its own in CUDA text. Element types beside these are in test_ops.py.
PURE_ROWS = [row for row in _C.op_rows() if row["kind"] == "pure" and row["name"] != "sigmoid"]


def rows_of(element: str) -> list[dict[str, Any]]:
    return [row for row in PURE_ROWS if element in row["types"]]


@mytriton.jit
def rows_kernel(a, b, c, flag, out, n, ELEMENT: tl.constexpr, BLOCK: tl.constexpr):
    """Result i of `out` is that of row i, as far as it has elements of the operands' type."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    operands = [tl.load(each + at, mask) for each in (a, b, c)]
    flags = tl.load(flag + at, mask)
    for i, row in enumerate(rows_of(ELEMENT)):
        given = operands[: row["operands"]]
        if row["name"] == "select":
            given = [flags, *operands[:2]]
        tl.store(out + i * n + at, apply(row["name"], *given), mask)


def pairs(values: list[Any], extra: torch.Tensor) -> list[torch.Tensor]:
    """Each value beside each other one, then random ones."""
    special = torch.tensor(list(itertools.product(values, values)), dtype=extra.dtype)
    columns = torch.cat([special, extra])
    return [columns[:, 0].contiguous(), columns[:, 1].contiguous()]


OPERANDS = {
    "f32": pairs([*SPECIAL, -103.9, 0.5, 1e-38, -89.0, 2.0**31], 5 * normal(200, 2)),
    "i32": pairs([0, 1, -1, 2, -3, 7, 31, 32, 2**31 - 1, -(2**31), 1 - 2**31], ints(200, 2)),
    "bool": pairs([False, True], bools(200, 2)),
}
for element, (left, right) in OPERANDS.items():
    n = len(left)
    results = torch.zeros(len(rows_of(element)), n, dtype=left.dtype)
    arguments = (left, right, right.flip(0), bools(n), results, n)
    launch(rows_kernel, (mytriton.cdiv(n, 128),), *arguments, ELEMENT=element, BLOCK=128)


@mytriton.jit
def casts_kernel(x, f, i, b, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    value = tl.load(x + at, mask)
    tl.store(f + at, value.to(tl.float32), mask)
    tl.store(i + at, value.to(tl.int32), mask)
    tl.store(b + at, value.to(tl.int1), mask)
    for step, dtype in enumerate(DTYPES.values()):
        tl.store(f + (step + 1) * n + at, value.to(dtype), mask)


for left, _ in OPERANDS.values():
    n = len(left)
    results = [torch.zeros((1 + len(DTYPES)) * n), torch.zeros(n, dtype=torch.int32)]
    results += [torch.zeros(n, dtype=torch.bool)]
    launch(casts_kernel, (mytriton.cdiv(n, 64),), left, *results, n, BLOCK=64)


@mytriton.jit
def sigmoid_row_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.sigmoid(tl.load(x + at, at < n)), at < n)


def sigmoid_bound(expected: torch.Tensor) -> torch.Tensor:
    """What the table admits on both, in ulp; a half is rounded last, and may go the other way."""
    (cpu, cuda, _), info = SIGMOID["ulp"], torch.finfo(expected.dtype)
    ulps = 1 if expected.dtype == torch.float16 else cpu + cuda
    return ulps * (expected.double().abs() * info.eps).clamp(info.smallest_normal * info.eps)


(SIGMOID,) = (row for row in _C.op_rows() if row["name"] == "sigmoid")
for dtype in (torch.float16, torch.float32, torch.float64):
    x = torch.cat([OPERANDS["f32"][0], torch.linspace(-20, 20, 999), torch.tensor([-87.5, -103.0])])
    arguments = (x.to(dtype), torch.zeros(len(x), dtype=dtype), len(x))
    launch(sigmoid_row_kernel, (9,), *arguments, bound=sigmoid_bound, BLOCK=256)


# --- reductions ----------------------------------------------------------------------------------


@mytriton.jit
def reduce_kernel(f, i, b, counts, whole, float_bounds, float_sums, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = row * WIDTH + tl.arange(0, WIDTH)
    floats, ints, bools = (tl.load(each + at) for each in (f, i, b))
    tl.store(counts + row, tl.sum(bools))
    for k, reduce in enumerate((tl.sum, tl.max, tl.min)):
        tl.store(whole + row * 3 + k, reduce(ints))
    tl.store(float_bounds + row * 2, tl.max(floats))
    tl.store(float_bounds + row * 2 + 1, tl.min(floats))
    tl.store(float_sums + row, tl.sum(floats))


for width in [1, 5, 31, 32, 33, 100, 256, 1000, 1024]:
    floats = normal(3, width) * 100
    floats[1, width // 2] = math.nan

    def sum_bound(
        expected: torch.Tensor, width: int = width, floats: torch.Tensor = floats
    ) -> torch.Tensor:
        return 2 * width * EPSILON * floats.double().abs().sum(1)  # either order, each rounding

    operands = (floats, ints(3, width), bools(3, width))
    results = (ints(3), ints(3, 3), normal(3, 2), normal(3))
    launch(reduce_kernel, (3,), *operands, *results, bound=sum_bound, WIDTH=width)


@mytriton.jit
def typed_reduce_kernel(x, sums, tops, lows, WIDTH: tl.constexpr):
    a = tl.load(x + tl.program_id(0) * WIDTH + tl.arange(0, WIDTH))
    tl.store(sums + tl.program_id(0), tl.sum(a))
    tl.store(tops + tl.program_id(0), tl.max(a))
    tl.store(lows + tl.program_id(0), tl.min(a))


for dtype in TORCH_DTYPES:
    if dtype != torch.float32 and dtype != torch.int32:  # they are above
        for width in (5, 33, 256):
            # Of floats, sums of small whole numbers are exact in any order.
            low, high = (0, 2) if dtype.itemsize == 1 else (0, 7)
            few = ints(3, width, low=low, high=high).long()
            if not dtype.is_floating_point and dtype.itemsize > 1:
                few = few * 3 - torch.iinfo(dtype).max // 7  # these wrap
            results = [torch.zeros(3, dtype=dtype) for _ in range(3)]
            launch(typed_reduce_kernel, (3,), few.to(dtype), *results, WIDTH=width)


@mytriton.jit
def spread_kernel(x, out, WIDTH: tl.constexpr):
    """Several reductions, of which all lanes get the result."""
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    a = tl.load(x + at)
    total, top, low = tl.sum(a), tl.max(a), tl.min(a)
    count = tl.sum((a > 0.0) & (a < top))
    tl.store(out + at, total + top * a - tl.sum(a - low) + count)


for width in (33, 128):
    small = ints(4, width, low=-50, high=50).float()  # sums of whole numbers are exact
    launch(spread_kernel, (4,), small, torch.zeros(4, width), WIDTH=width)


# --- memory --------------------------------------------------------------------------------------


@mytriton.jit
def reverse_kernel(x, WIDTH: tl.constexpr):
    at = tl.arange(0, WIDTH)
    tl.store(x + (WIDTH - 1 - at), tl.load(x + at))


@mytriton.jit
def shift_kernel(x, STEP: tl.constexpr, WIDTH: tl.constexpr):
    """In place, so that each lane reads what another one is to write."""
    at = tl.program_id(0) * 2 * WIDTH + tl.arange(0, WIDTH)
    tl.store(x + at + STEP, tl.load(x + at))


@mytriton.jit
def count_kernel(x, width_giver, WIDTH: tl.constexpr):
    """A read-modify-write of one element, twice, in a block of many threads."""
    tl.store(x, tl.load(x) + 1)
    tl.store(x, tl.load(x) * 3)
    at = tl.arange(0, WIDTH)
    tl.store(width_giver + at, tl.load(x) + at)


@mytriton.jit
def mixed_kernel(x, i, b, n, WIDTH: tl.constexpr):
    """Loads and stores of one tensor under different index maps, of three element types."""
    at = tl.arange(0, WIDTH)
    back = WIDTH - 1 - at
    a = tl.load(x + at, at < n)
    tl.store(x + back, a + 1.0, back < n)
    tl.store(i + at, tl.load(x + at).to(tl.int32) + tl.load(i + back), at < n)
    tl.store(b + at, tl.load(i + back) > tl.load(i), tl.load(b))
    tl.store(x, tl.sum(tl.where(tl.load(b + back), 1, 0)))
    tl.store(x + at, tl.load(x) + tl.load(i + at) % 5, (at > 0) & (at < n))
    tl.store(i + at * 2 % WIDTH, 7)  # where the width is even, two lanes write the same


for dtype in TORCH_DTYPES:
    launch(reverse_kernel, (1,), ints(65, low=0, high=200).to(dtype), WIDTH=65)
    launch(shift_kernel, (2,), ints(200, low=0, high=200).to(dtype), STEP=3, WIDTH=40)

for width in (1, 32, 33, 1000):
    launch(reverse_kernel, (1,), normal(width), WIDTH=width)
    launch(reverse_kernel, (1,), bools(width), WIDTH=width)
    launch(shift_kernel, (3,), normal(6 * width + 5), STEP=5, WIDTH=width)
    launch(count_kernel, (1,), ints(1, high=9), ints(width), WIDTH=width)
    numbers, flags = ints(width, low=-99, high=99), bools(width)
    for n in (0, width // 2, width):
        arguments = (normal(width), numbers, flags, n)
        launch(mixed_kernel, (1,), *arguments, WIDTH=width, equal_writes=True)


@mytriton.jit
def gather_kernel(x, index, out, other, flag, n, BLOCK: tl.constexpr):
    """Indices from memory; fallbacks and masks that are the same for all lanes."""
    at = tl.arange(-3, BLOCK - 3) + tl.program_id(0) * BLOCK
    inside = (at >= 0) & (at < n)
    to = tl.load(index + at, inside, 0)
    a = tl.load(x + to, inside & (to >= 0), other)
    tl.store(out + at, a + tl.load(x + at, inside & flag, -1.5), inside)
    tl.store(out + n + to, a, inside & (to >= 0) & ~flag)


for flag in (False, True):
    index = torch.randperm(100, generator=torch.Generator().manual_seed(0)).to(torch.int32)
    index[::7] = -1
    arguments = (normal(100), index, torch.zeros(200), 0.25, flag, 100)
    launch(gather_kernel, (4,), *arguments, BLOCK=32)


@mytriton.jit
def wide_index_kernel(x, index, out, n, BLOCK: tl.constexpr):
    """Offsets and masks of other int types than i32."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    to = tl.load(index + at, at < n, 1)
    tl.store(out + at, tl.load(x + to, at < n), at < n)
    tl.store(out + n + to.to(tl.uint32), tl.load(x + at.to(tl.uint16), at < n), at < n)


for dtype in (torch.uint8, torch.int8, torch.uint16, torch.int64, torch.uint64):
    index = torch.randperm(100, generator=torch.Generator().manual_seed(1)).to(dtype)
    arguments = (normal(100), index, torch.zeros(200), 100)
    launch(wide_index_kernel, (4,), *arguments, BLOCK=32)


@mytriton.jit
def grid_kernel(out, BLOCK: tl.constexpr):
    x, y, z = (tl.program_id(axis) for axis in range(3))
    program = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + program * BLOCK + tl.arange(0, BLOCK), x + 10 * y + 100 * z)


for grid in [(1,), (5,), (3, 2), (2, 3, 4), (1, 1, 7)]:
    launch(grid_kernel, grid, ints(math.prod(grid), 16), BLOCK=16)


@mytriton.jit
def index_wrap_kernel(out, BLOCK: tl.constexpr):
    """Ints wrap, though they are made of nothing but lane numbers and constants."""
    at = tl.arange(0, BLOCK)
    tl.store(out + at, (tl.program_id(0) + at) * 2147483647)


launch(index_wrap_kernel, (1,), ints(16), BLOCK=16)

in_place, shifted = normal(100), normal(103)[3:]
launch(relu_kernel, (1,), in_place, in_place, 100, BLOCK=128)
launch(add_kernel, (1,), shifted, in_place, torch.zeros(100), 100, BLOCK=128)
odd_bools = torch.arange(100, dtype=torch.uint8).view(torch.bool)  # any byte but 0 is true
launch(copy_kernel, (1,), odd_bools, torch.zeros(100, dtype=torch.bool), 100, BLOCK=128)
launch(copy_kernel, (1,), odd_bools, torch.zeros(100), 100, BLOCK=128)
