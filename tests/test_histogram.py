"""tl.histogram: what is counted, and what is not."""

import numpy as np
import pytest
import torch
from engines import both
from exact import INTS, TORCH, int_range
from shape_kernels import offsets, row_major

import mytriton
import mytriton.language as tl


@mytriton.jit
def count_kernel(x, on, out, masked_out, SHAPE: tl.constexpr, BINS: tl.constexpr):
    at = offsets(SHAPE, row_major(SHAPE))
    block = tl.load(x + at)
    bins = tl.arange(0, BINS)
    tl.store(out + bins, tl.histogram(block, BINS))
    tl.store(masked_out + bins, block.histogram(BINS, mask=tl.load(on + at)))


def launch(engine, block: torch.Tensor, on: torch.Tensor, bins: int) -> tuple[list[int], list[int]]:
    out, masked = torch.zeros(bins, dtype=torch.int32), torch.zeros(bins, dtype=torch.int32)
    engine(count_kernel)[1](block, on, out, masked, SHAPE=tuple(block.shape), BINS=bins)
    return out.tolist(), masked.tolist()


def counted(values: list[int], bins: int) -> list[int]:
    return [values.count(each) for each in range(bins)]


@both
@pytest.mark.parametrize("name", INTS)
def test_every_int_type(engine, name: str) -> None:
    """The least and the largest values, too: none is mistaken for a bin."""
    random = np.random.default_rng(3)
    least, most = int_range(name)
    values = [int(each) for each in random.integers(max(least, -3), 24, 200)]
    values += [least, most, most - 1, min(255, most), min(2**16, most), min(2**32, most)]
    block = torch.from_numpy(np.array(values, dtype=str(TORCH[name]).removeprefix("torch.")))
    on = torch.from_numpy(random.integers(0, 2, len(values)).astype(bool))
    all_of_them, some = launch(engine, block, on, 20)
    assert all_of_them == counted(values, 20)
    assert some == counted([v for v, each in zip(values, on.tolist(), strict=True) if each], 20)


@both
@pytest.mark.parametrize(("shape", "bins"), [((1,), 1), ((8, 5), 3), ((2, 3, 16), 40)])
def test_shapes(engine, shape: tuple[int, ...], bins: int) -> None:
    block = torch.randint(0, 50, shape, generator=torch.Generator().manual_seed(1)) - 2
    on = block % 3 != 0
    all_of_them, some = launch(engine, block, on, bins)
    assert all_of_them == counted(block.ravel().tolist(), bins)
    assert some == counted(block[on].tolist(), bins)


@both
def test_large_block_in_a_loop(engine) -> None:
    """Counts of several blocks, the last of them cut off; a mask that is one for all lanes."""

    @mytriton.jit
    def kernel(x, out, n, BLOCK: tl.constexpr):
        total = tl.zeros((256,), tl.int32)
        for start in range(0, n, BLOCK):
            i = start + tl.arange(0, BLOCK)
            value = tl.load(x + i, mask=i < n, other=0)
            total += tl.histogram(value, 256, mask=i < n)
            total += tl.histogram(value, 256, mask=start < 0)
        tl.store(out + tl.arange(0, 256), total)

    x = torch.randint(0, 256, (300_000,), generator=torch.Generator().manual_seed(1)).to(
        torch.uint8
    )
    out = torch.zeros(256, dtype=torch.int32)
    engine(kernel)[1](x, out, len(x), BLOCK=2**17)
    assert torch.equal(out, torch.bincount(x, minlength=256).int())
