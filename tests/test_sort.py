"""tl.sort and tl.topk: one order for each type, told apart to the bit."""

import numpy as np
import pytest
import torch
from engines import INTS as BY_BYTES
from engines import both
from exact import BITS, FLOATS, TORCH, TYPES, from_bits, special_values, tensor
from shape_kernels import offsets, row_major

import mytriton
import mytriton.language as tl


@mytriton.jit
def sort_kernel(x, up, down, SHAPE: tl.constexpr, DIM: tl.constexpr):
    at = offsets(SHAPE, row_major(SHAPE))
    block = tl.load(x + at)
    tl.store(up + at, tl.sort(block, DIM))
    tl.store(down + at, block.sort(dim=DIM, descending=True))


def launch(engine, block: torch.Tensor, dim: int | None = None) -> tuple[torch.Tensor, ...]:
    up, down = torch.zeros_like(block), torch.zeros_like(block)
    engine(sort_kernel)[1](block, up, down, SHAPE=tuple(block.shape), DIM=dim)
    return up, down


def raw(block: torch.Tensor) -> np.ndarray:
    """The bits of each lane; not even NaNs are alike."""
    return block.contiguous().view(BY_BYTES[block.element_size()]).numpy()


def keys(name: str, block: torch.Tensor) -> np.ndarray:
    """Ints in the order of sort: numbers by value and sign, then NaNs by their bits."""
    bits = [int(each) % 2 ** BITS[name] for each in raw(block).ravel()]
    if name not in FLOATS:
        return np.array([int(each) for each in block.ravel().tolist()], dtype=object)
    sign = 2 ** (BITS[name] - 1)
    nan = block.isnan().ravel().tolist()
    ordered = [
        2 * sign + each if is_nan else each if each < sign else sign - 1 - each
        for each, is_nan in zip(bits, nan, strict=True)
    ]
    return np.array(ordered, dtype=object)


def in_order(name: str, block: torch.Tensor, dim: int = -1) -> torch.Tensor:
    index = np.argsort(keys(name, block).reshape(block.shape), axis=dim, kind="stable")
    return torch.take_along_dim(torch.from_numpy(raw(block)), torch.from_numpy(index), dim)


def random_block(name: str, shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """Any bits at all, and special values among them."""
    random = np.random.default_rng(seed)
    count = int(np.prod(shape))
    if name == "bool":
        return torch.from_numpy(random.integers(0, 2, shape).astype(bool))
    bits = [int(each) for each in random.integers(0, 2**63, count)]
    block = from_bits([(each * 2654435761 >> 3) % 2 ** BITS[name] for each in bits], name)
    special = tensor(special_values(name), name)
    chosen = random.integers(0, len(special), count // 2)
    block[: count // 2] = special[torch.from_numpy(chosen)]
    return block[torch.from_numpy(random.permutation(count))].reshape(shape)


@both
@pytest.mark.parametrize(
    ("name", "shape"),
    [(name, (200,)) for name in TYPES]
    + [(name, (5, 24)) for name in ("bool", "i8", "u16", "bf16", "f32", "f64", "u64")],
)
def test_every_type(engine, name: str, shape: tuple[int, ...]) -> None:
    """Few lanes and many are sorted in two ways."""
    for seed in range(3):
        block = random_block(name, shape, seed)
        up, down = launch(engine, block)
        expected = in_order(name, block).numpy()
        assert np.array_equal(raw(up), expected)
        assert np.array_equal(raw(down), np.flip(expected, -1))


@both
@pytest.mark.parametrize("name", FLOATS)
def test_nans_and_zeros(engine, name: str) -> None:
    """-inf, negative numbers, -0.0, 0.0, positive ones, inf, NaNs without a sign and with one."""
    block = torch.tensor([1.0, -0.0, 0.0, float("inf"), -1.0, float("-inf")]).to(TORCH[name])
    infinity, sign = int(raw(block)[3]), 1 << (BITS[name] - 1)
    ordered_nans = [infinity + 1, infinity + 2, infinity + 1 + sign, infinity + 2 + sign]
    nans = from_bits([ordered_nans[i] for i in (3, 1, 0, 2)], name)
    block = torch.cat([nans[:2], block, nans[2:]]).repeat(20)  # 200 lanes, as above
    up, _ = launch(engine, block)
    ordered = [float("-inf"), -1.0, -0.0, 0.0, 1.0, float("inf")]
    numbers = torch.tensor(ordered).to(TORCH[name])
    expected = torch.cat([numbers, from_bits(ordered_nans, name)]).repeat_interleave(20)
    assert np.array_equal(raw(up), raw(expected))


@both
@pytest.mark.parametrize(
    ("shape", "dim"), [((1,), 0), ((6, 50), 0), ((2, 3, 40), 1), ((2, 3, 4, 5), -3), ((3, 1), None)]
)
def test_along_any_axis(engine, shape: tuple[int, ...], dim: int | None) -> None:
    block = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    along = -1 if dim is None else dim
    up, down = launch(engine, block, dim)
    assert torch.equal(up, block.sort(along).values)
    assert torch.equal(down, block.sort(along, descending=True).values)


@both
@pytest.mark.parametrize("name", ["i64", "f32"])
def test_large_block(engine, name: str) -> None:
    block = random_block(name, (2**17,), 5)
    block = block.masked_fill(block.isnan(), 0.0) if name == "f32" else block
    up, down = launch(engine, block)
    assert torch.equal(up, block.sort().values)
    assert torch.equal(down, block.sort(descending=True).values)


@both
def test_keys_that_share_bytes(engine) -> None:
    """Where all lanes have a byte in common, or all of them, that byte is not sorted by."""
    for values in (torch.arange(200), torch.arange(200) << 8, torch.arange(200) % 2 << 24):
        block = (values * 7 % 199 + 2**20).int()[torch.randperm(200)]
        up, down = launch(engine, block)
        assert torch.equal(up, block.sort().values)
        assert torch.equal(down, block.sort(descending=True).values)
    same = torch.full((200,), -5, dtype=torch.int32)
    assert torch.equal(launch(engine, same)[0], same)


@mytriton.jit
def topk_kernel(x, most, least, SHAPE: tl.constexpr, K: tl.constexpr, DIM: tl.constexpr):
    block = tl.load(x + offsets(SHAPE, row_major(SHAPE)))
    found = tl.topk(block, K, DIM)
    tl.static_assert(found.dtype == block.dtype)
    at = offsets(found.shape, row_major(found.shape))
    tl.store(most + at, found)
    tl.store(least + at, tl.topk(block, K, dim=DIM, descending=False))


@both
@pytest.mark.parametrize(
    ("shape", "k", "dim"), [((64,), 8, None), ((64,), 64, 0), ((4, 33), 1, -1), ((2, 40, 3), 5, 1)]
)
def test_topk(engine, shape: tuple[int, ...], k: int, dim: int | None) -> None:
    block = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    block.view(-1)[3] = float("nan")
    along = -1 if dim is None else dim
    size = list(shape)
    size[along] = k
    most, least = torch.zeros(size), torch.zeros(size)
    engine(topk_kernel)[1](block, most, least, SHAPE=shape, K=k, DIM=dim)
    assert torch.allclose(most, block.topk(k, along).values, 0, 0, equal_nan=True)
    assert torch.allclose(least, block.topk(k, along, largest=False).values, 0, 0, equal_nan=True)


@both
def test_within_loops_and_branches(engine) -> None:
    """The 16 largest of many rows: of those so far and the next ones, the upper half stays."""

    @mytriton.jit
    def kernel(x, out, rows):
        i = tl.arange(0, 16)
        best = tl.full((16,), float("-inf"), tl.float32)
        for row in range(rows):
            if row % 3 != 2:
                best = tl.topk(tl.cat(best, tl.load(x + row * 16 + i)), 16)
        tl.store(out + i, best)

    x, out = torch.randn(8, 16, generator=torch.Generator().manual_seed(4)), torch.zeros(16)
    engine(kernel)[1](x, out, 8)
    taken = x[[0, 1, 3, 4, 6, 7]].reshape(-1)
    assert torch.equal(out, taken.topk(16).values)
