"""Blocks of several axes in memory: pointers of rank 2 and more, masks, views, wrapping indices."""

import numpy as np
import pytest
import torch
from engines import assert_same_bits, both
from exact import TORCH, TYPES, special_values, tensor

import mytriton
import mytriton.language as tl


def filled(name: str, *shape: int) -> torch.Tensor:
    special = special_values(name)
    count = int(np.prod(shape))
    return tensor([special[(5 * i + i // 7) % len(special)] for i in range(count)], name).reshape(
        shape
    )


@mytriton.jit
def copy_kernel(
    x, out, rows, columns, x_row, x_column, out_row, out_column, M: tl.constexpr, N: tl.constexpr
):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    on = (m[:, None] < rows) & (n[None, :] < columns)
    block = tl.load(x + m[:, None] * x_row + n[None, :] * x_column, mask=on)
    tl.store(out + m[:, None] * out_row + n[None, :] * out_column, block, mask=on)


@both
@pytest.mark.parametrize(("m", "n"), [(4, 16), (16, 4), (8, 32), (1, 64), (3, 5), (2, 17)])
@pytest.mark.parametrize("name", ["bool", "i8", "bf16", "f32", "i64"])
def test_matrices_of_any_strides(engine, name: str, m: int, n: int) -> None:
    """Whole, cut off in rows and columns; rows or columns that are consecutive, or neither."""
    matrix = filled(name, 21, 70)
    views = [matrix, matrix.T, matrix[:, ::2], matrix[1::3], matrix[5:6], matrix[:, 3:4]]
    views.append(matrix[:1].expand(9, 70))
    for x in views:
        for out in (torch.zeros_like(x.contiguous()), torch.zeros_like(x.T.contiguous()).T):
            grid = mytriton.cdiv(x.shape[0], m), mytriton.cdiv(x.shape[1], n)
            engine(copy_kernel)[grid](x, out, *x.shape, *x.stride(), *out.stride(), M=m, N=n)
            assert_same_bits(out, x)


@mytriton.jit
def masks_kernel(x, out, fallback, rows, columns, M: tl.constexpr, N: tl.constexpr):
    """Masks and other values of lower rank and of size 1 stretch to the pointers."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    at = m[:, None] * N + n
    by_row, by_column = (m < rows)[:, None], n < columns
    tl.store(out + at, tl.load(x + at, mask=by_row, other=tl.load(fallback + n)))
    out += M * N
    tl.store(out + at, tl.load(x + at, mask=by_column, other=7))
    out += M * N
    tl.store(out + at, tl.load(x + at, mask=rows > columns, other=tl.load(fallback + m)[:, None]))
    out += M * N
    tl.store(out + at, tl.load(fallback + n), mask=by_row)
    tl.store(out + at, tl.load(x + m * N)[:, None], mask=by_column & (n > 1))


@both
@pytest.mark.parametrize(("m", "n"), [(4, 16), (3, 5), (32, 2)])
@pytest.mark.parametrize("name", TYPES)
def test_masks_that_stretch(engine, name: str, m: int, n: int) -> None:
    x, fallback = filled(name, m, n), filled(name, 3 + max(m, n))[3:]
    for rows, columns in ((0, n), (m // 2, n - 1), (m, 0)):
        out = torch.zeros(4, m, n, dtype=TORCH[name])
        engine(masks_kernel)[1](x, out, fallback, rows, columns, M=m, N=n)
        by_row = torch.arange(m)[:, None] < rows
        column = torch.arange(n)
        by_column = (column < columns).expand(m, n)
        seven = tensor([True if name == "bool" else 7], name)
        assert_same_bits(out[0], torch.where(by_row, x, fallback[:n]))
        assert_same_bits(out[1], torch.where(by_column, x, seven))
        scalar = torch.tensor(rows > columns)
        assert_same_bits(out[2], torch.where(scalar, x, fallback[:m, None]))
        zero = torch.zeros((), dtype=TORCH[name])
        written = torch.where(by_row, fallback[:n].expand(m, n), zero)
        assert_same_bits(out[3], torch.where(by_column & (column > 1), x[:, :1], written))


@both
def test_pointers_are_moved_as_blocks_are(engine) -> None:
    @mytriton.jit
    def kernel(x, out):
        m, n = tl.arange(0, 4), tl.arange(0, 16)
        row = (x + m * 16)[:, None]
        both_ways = row + n
        tl.store(out + m[:, None] * 16 + n, tl.load(both_ways))
        turned = tl.trans(both_ways)
        tl.store(out + 64 + n[:, None] * 4 + m, tl.load(turned))
        flat = both_ways.reshape(64)
        tl.store(out + 128 + tl.arange(0, 64), tl.load(flat + 1))
        same = tl.broadcast_to(row, (4, 16)) - m[:, None]
        tl.store(out + 192 + m[:, None] * 16 + n, tl.load(same))
        alone = tl.broadcast_to(x + 5, (4, 16))
        tl.store(out + 256 + m[:, None] * 16 + n, tl.load(alone))
        known = both_ways.to(tl.int64).to(tl.pointer_type(tl.float32)).T
        tl.store(out + 320 + n[:, None] * 4 + m, tl.load(known))

    x = torch.arange(80.0)
    out = torch.zeros(384)
    engine(kernel)[1](x, out)
    square = x[:64].reshape(4, 16)
    assert torch.equal(out[:64], x[:64])
    assert torch.equal(out[64:128], square.T.ravel())
    assert torch.equal(out[128:192], x[1:65])
    column = (torch.arange(4) * 15)[:, None].expand(4, 16).ravel()
    assert torch.equal(out[192:256], x[column])
    assert (out[256:320] == 5).all()
    assert torch.equal(out[320:], square.T.ravel())


FAR = 2**32
# Never filled: only the pages that are touched take memory.
SPARSE = torch.empty(FAR + 64, dtype=torch.int8)


@pytest.mark.on_host("gigabytes, of which few are touched")
@both
def test_rows_that_wrap_around(engine) -> None:
    """An index of 32 bits passes the largest int within a row, and goes on at the smallest."""

    @mytriton.jit
    def kernel(x, out, start):
        m, n = tl.arange(0, 2), tl.arange(0, 16)
        lanes = start + m[:, None] * 3 + n
        block = tl.load(x + lanes)
        tl.store(out + m[:, None] * 16 + n, block)
        tl.store(x + lanes, block + 1, mask=m[:, None] == 1)

    start = 2**31 - 8
    SPARSE[:64] = torch.arange(64)
    SPARSE[FAR - 64 : FAR] = torch.arange(64, 128)
    m, n = np.ogrid[:2, :16]
    index = torch.from_numpy((m * 3 + n + start).astype(np.int32)).long() + 2**31
    expected, out = SPARSE[index], torch.zeros(2, 16, dtype=torch.int8)
    engine(kernel)[1](SPARSE[2**31 :], out, start)
    assert torch.equal(out, expected)
    assert torch.equal(SPARSE[index[1]], expected[1] + 1)


@pytest.mark.on_host("gigabytes, of which few are touched")
@both
def test_two_offsets_that_wrap_apart(engine) -> None:
    """Each wraps in another lane: the first and the eighth lie as if neither did."""

    @mytriton.jit
    def kernel(x, out, start):
        m, n = tl.arange(0, 2), tl.arange(0, 16)
        up = (start + m[:, None] * 0 + n).to(tl.int64)
        down = (start - 4 + m[:, None] * 0 + n).to(tl.int64)
        block = tl.load(x + up - down + n)
        tl.store(out + m[:, None] * 16 + n, block)
        tl.store(x + up - down + n, block + 1, mask=m[:, None] == 1)

    start = 2**31 - 2
    SPARSE[:64] = torch.arange(64)
    SPARSE[FAR:] = torch.arange(64, 128)
    n = np.arange(16)
    up, down = ((n + start - d).astype(np.int32).astype(np.int64) for d in (0, 4))
    index = torch.from_numpy(up - down + n) + FAR
    expected, out = SPARSE[index], torch.zeros(2, 16, dtype=torch.int8)
    engine(kernel)[1](SPARSE[FAR:], out, start)
    assert torch.equal(out, expected.expand(2, 16))
    assert torch.equal(SPARSE[index], expected + 1)


@mytriton.jit
def atomics_kernel(x, seen, count, limit, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tl.atomic_add(x + (m[:, None] + n) % 5, n + 1, mask=(m < limit)[:, None])
    tl.atomic_max(x + 8 + m[:, None] * 0 + n % 3, m[:, None])
    old = tl.atomic_xchg(seen + m[:, None] * N + n, m[:, None] * 100 + n)
    tl.store(count + n[:, None] * M + m, old.T)
    tl.atomic_cas(seen + m[:, None] * N + n, n + 100, -1)


@both
def test_atomics(engine) -> None:
    x, seen = torch.zeros(16, dtype=torch.int32), torch.arange(48, dtype=torch.int32).reshape(3, 16)
    before, count = seen.clone(), torch.zeros(16, 3, dtype=torch.int32)
    engine(atomics_kernel)[1](x, seen, count, 2, M=3, N=16)
    expected = np.zeros(5, int)
    m, n = np.ogrid[:2, :16]
    np.add.at(expected, (m + n) % 5, n + 1 + 0 * m)
    assert x.tolist() == [*expected, 0, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0]
    assert torch.equal(count, before.T)
    row = torch.arange(16, dtype=torch.int32)
    assert torch.equal(seen, torch.stack([row, -torch.ones_like(row), row + 200]))


@both
def test_indexing(engine) -> None:
    """`:` keeps an axis, None makes one; scalars, and axes that are not named."""

    @mytriton.jit
    def kernel(out, n):
        x = tl.arange(0, 4)
        assert x[:].shape == (4,)
        assert x[None].shape == x[None, :].shape == (1, 4)
        assert x[:, None, None].shape == (4, 1, 1)
        assert x[:, None][:, None, :].shape == (4, 1, 1)
        assert x[:, None].T.shape == (1, 4)
        assert n.to(tl.int32)[None, None].shape == (1, 1)
        assert tl.expand_dims(x, (0, -1)).shape == (1, 4, 1)
        assert tl.zeros((2, 3, 4), tl.float32)[:, None].shape == (2, 1, 3, 4)
        cube = x[:, None, None] * 16 + x[None, :, None] * 4 + x[None, None, :]
        assert cube.shape == (4, 4, 4)
        assert tl.permute(cube, (2, 0, 1)).shape == cube.permute(-1, 0, 1).shape
        tl.store(out + cube, cube.trans() + n)
        a, b = tl.broadcast(x[:, None], x)
        assert a.shape == b.shape == (4, 4)
        a, b = tl.broadcast(n, x)
        assert a.shape == b.shape == (4,)

    out = torch.zeros(64, dtype=torch.int32)
    engine(kernel)[1](out, 3)
    expected = torch.arange(64, dtype=torch.int32).reshape(4, 4, 4).transpose(1, 2) + 3
    assert torch.equal(out.reshape(4, 4, 4), expected)


@both
@pytest.mark.parametrize("name", TYPES)
def test_join_split_and_cat_keep_bits(engine, name: str) -> None:
    @mytriton.jit
    def kernel(x, out):
        a, b = tl.load(x + tl.arange(0, 20)), tl.load(x + 20 + tl.arange(0, 20))
        tl.store(out + tl.arange(0, 40), tl.interleave(a, b))
        tl.store(out + 40 + tl.arange(0, 40), tl.cat(b, a, can_reorder=True))
        one, two = tl.split(tl.load(x + tl.arange(0, 40)).reshape(20, 2))
        tl.store(out + 80 + tl.arange(0, 20), one)
        tl.store(out + 100 + tl.arange(0, 20), two)
        pair = tl.join(tl.load(x + 3), tl.load(x + 4))
        first, second = pair.split()
        tl.store(out + 120 + tl.arange(0, 2), pair)
        tl.store(out + 122, second)
        tl.store(out + 123, first)

    x = filled(name, 40)
    out = torch.zeros(124, dtype=TORCH[name])
    engine(kernel)[1](x, out)
    parts = [torch.stack([x[:20], x[20:]], 1).ravel(), x[20:], x[:20], x[::2], x[1::2]]
    assert_same_bits(out, torch.cat([*parts, x[3:5], x[[4, 3]]]))
