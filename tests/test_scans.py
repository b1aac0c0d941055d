"""tl.cumsum and tl.cumprod: the documented order, exact bits, types, both directions."""

import numpy as np
import pytest
import torch
from engines import assert_same_bits, both
from exact import BITS, FLOATS, INTS, TORCH, TYPES, special_values, tensor
from shape_kernels import offsets, row_major

import mytriton
import mytriton.language as tl

NAN, INF = float("nan"), float("inf")


@mytriton.jit
def scan_kernel(x, a, b, c, d, SHAPE: tl.constexpr, AXIS: tl.constexpr):
    at = offsets(SHAPE, row_major(SHAPE))
    block = tl.load(x + at)
    tl.store(a + at, tl.cumsum(block, AXIS))
    tl.store(b + at, tl.cumprod(block, AXIS))
    tl.store(c + at, tl.cumsum(block, axis=AXIS, reverse=True))
    tl.store(d + at, block.cumprod(AXIS, reverse=True))


def launch(engine, block: torch.Tensor, axis: int, result: torch.dtype) -> list[torch.Tensor]:
    out = [torch.zeros(block.shape, dtype=result) for _ in range(4)]
    engine(scan_kernel)[1](block, *out, SHAPE=tuple(block.shape), AXIS=axis)
    return out


def in_order(block: np.ndarray, axis: int) -> list[np.ndarray]:
    """Sums and products one lane after the other, then the same from the end."""
    back = np.flip(block, axis)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        forth = [each.accumulate(block, axis, block.dtype) for each in (np.add, np.multiply)]
        return forth + [
            np.flip(each.accumulate(back, axis, block.dtype), axis).copy()
            for each in (np.add, np.multiply)
        ]


def assert_in_order(got: list[torch.Tensor], block: np.ndarray, axis: int) -> None:
    for mine, theirs in zip(got, in_order(block, axis), strict=True):
        assert_same_bits(mine, torch.from_numpy(theirs).to(mine.dtype))


# Rows alone and together, of whole vectors or not; columns likewise.
SHAPES = [
    ((1,), 0),
    ((100,), -1),
    ((3, 40), 1),
    ((19, 16), 1),
    ((40, 3), 0),
    ((2, 5, 24), 1),
    ((16, 1), 0),
    ((2, 3, 4, 5), 2),
]


@pytest.mark.on_host("programs, lanes or sums in the CPU's order")
@both
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_floats_in_order(engine, shape: tuple[int, ...], axis: int) -> None:
    generator = torch.Generator().manual_seed(sum(shape))
    for scale in (1.0, 1e20):
        block = torch.randn(shape, generator=generator) * scale
        assert_in_order(launch(engine, block, axis, torch.float32), block.numpy(), axis)


@both
@pytest.mark.parametrize(("shape", "axis"), [((3, 40), 1), ((40, 3), 0)])
@pytest.mark.parametrize("name", INTS)
def test_ints_of_every_width(engine, name: str, shape: tuple[int, ...], axis: int) -> None:
    """Those below 32 bits are counted in 32; all wrap."""
    special = special_values(name)
    numbers = [special[(7 * i) % len(special)] for i in range(int(np.prod(shape)))]
    wide = name if BITS[name] >= 32 else "u32" if name.startswith("u") else "i32"
    block = tensor(numbers, name).reshape(shape)
    got = launch(engine, block, axis, TORCH[wide])
    assert_in_order(got, block.numpy().astype(got[0].numpy().dtype), axis)


@pytest.mark.on_host("programs, lanes or sums in the CPU's order")
@both
@pytest.mark.parametrize(("shape", "axis"), [((3, 40), 1), ((40, 3), 0)])
@pytest.mark.parametrize("name", ["f16", "bf16", "f64"])
def test_floats_of_other_widths(engine, name: str, shape: tuple[int, ...], axis: int) -> None:
    """Halves are computed in 32 bits, and each lane is rounded once."""
    block = torch.randn(shape, generator=torch.Generator().manual_seed(3)).to(TORCH[name])
    wide = block if name == "f64" else block.float()
    assert_in_order(launch(engine, block, axis, TORCH[name]), wide.numpy(), axis)


@both
@pytest.mark.parametrize("axis", [0, 1])
def test_bools_are_counted(engine, axis: int) -> None:
    block = torch.rand((16, 20), generator=torch.Generator().manual_seed(1)) > 0.1
    assert_in_order(launch(engine, block, axis, torch.int32), block.int().numpy(), axis)


@both
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("axis", [0, 1])
def test_special_floats(engine, name: str, axis: int) -> None:
    """NaN, infinities, zeros with a sign and denormals stay what they are up to the next lane."""
    special = torch.tensor([NAN, INF, -INF, -0.0, 0.0, torch.finfo(TORCH[name]).tiny / 4, 1.0])
    rows = torch.full((21, 40), -0.0)
    for i in range(21):
        rows[i, i:] = special.roll(i).repeat(6)[: 40 - i]
    for three in rows.to(TORCH[name]).split(3):
        block = three if axis == 1 else three.T.contiguous()
        wide = block if name == "f64" else block.float()
        assert_in_order(launch(engine, block, axis, TORCH[name]), wide.numpy(), axis)


@both
def test_large_block(engine) -> None:
    block = torch.randn(2**17, generator=torch.Generator().manual_seed(5))
    assert_in_order(launch(engine, block, 0, torch.float32), block.numpy(), 0)


@both
def test_within_loops_and_branches(engine) -> None:
    """A running total over rows: each round goes on from the last sum of the one before."""

    @mytriton.jit
    def kernel(x, out, rows):
        i = tl.arange(0, 32)
        total = 0.0
        last = tl.zeros((32,), tl.float32)
        for row in range(rows):
            sums = tl.cumsum(tl.load(x + row * 32 + i)) + total
            if row % 2 == 1:
                last = tl.cumsum(last + sums, reverse=True)
            tl.store(out + row * 32 + i, sums)
            total = tl.sum(tl.where(i == 31, sums, 0.0))
        tl.store(out + rows * 32 + i, last)

    x = torch.randint(-9, 9, (5, 32), generator=torch.Generator().manual_seed(7)).float()
    out = torch.zeros(6, 32)
    engine(kernel)[1](x, out, 5)
    sums = x.reshape(-1).cumsum(0).reshape(5, 32)
    last = (sums[1].flip(0).cumsum(0).flip(0) + sums[3]).flip(0).cumsum(0).flip(0)
    assert torch.equal(out, torch.cat([sums, last[None]]))


@both
def test_scan_as_an_address_and_as_a_mask(engine) -> None:
    """Compaction: positive lanes move up. A block of one lane is a contiguous address, too."""

    @mytriton.jit
    def kernel(x, out, one):
        value = tl.load(x + tl.arange(0, 64))
        kept = value > 0
        place = tl.cumsum(kept) - 1
        tl.store(out + place, value, mask=kept)
        tl.store(out + tl.cumsum(kept, reverse=True), value, mask=tl.cumsum(kept) < 0)
        lane = tl.cumsum(tl.load(one + tl.arange(0, 1)))
        tl.store(one + lane + tl.arange(0, 1), 7)

    x, one = torch.randn(64, generator=torch.Generator().manual_seed(2)), torch.tensor([2, 0, 0, 0])
    out = torch.zeros(64)
    engine(kernel)[1](x, out, one)
    kept = x[x > 0]
    assert torch.equal(out, torch.cat([kept, torch.zeros(64 - len(kept))]))
    assert one.tolist() == [2, 0, 7, 0]


@pytest.mark.parametrize("name", TYPES)
def test_types_of_results(name: str) -> None:
    found: list[str] = []
    note = found.append

    @mytriton.jit
    def kernel(x):
        row = tl.load(x + tl.arange(0, 8))
        for scan in (tl.cumsum, tl.cumprod):
            assert scan(row).shape == (8,)
            assert scan(row).dtype is tl.sum(row).dtype
            assert scan(tl.reshape(row, 2, 4), -2).shape == (2, 4)
            assert scan(row, dtype=tl.float64).dtype is tl.float64
        note(str(row.cumsum(dtype=tl.int8).dtype))
        tl.store(x, tl.max(row))

    short = {"bool": "i1", "f16": "fp16", "f32": "fp32", "f64": "fp64"}
    kernel.compile(f"*{short.get(name, name)}")
    assert found == ["int32"]
