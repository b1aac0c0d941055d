"""tl.argmax and tl.argmin: as torch's, NaN and ties included."""

from typing import Any

import pytest
import torch
from engines import both, every
from refusals import mistake

import mytriton
import mytriton.language as tl

NAN, INF = float("nan"), float("inf")


@mytriton.jit
def rows_kernel(x, largest, smallest, N: tl.constexpr):
    row = tl.program_id(0)
    block = tl.load(x + row * N + tl.arange(0, N))
    tl.store(largest + row, tl.argmax(block, 0))
    tl.store(smallest + row, block.argmin(axis=-1, tie_break_left=False))


ROWS = [
    [1.0, 5.0, 3.0, 5.0, -2.0, -2.0, 0.0, 4.0],
    [NAN, 1.0, 2.0, NAN, 7.0, -7.0, 0.0, 0.0],
    [1.0, INF, NAN, INF, -INF, NAN, 0.0, 0.0],
    [-INF] * 8,
    [INF] * 8,
    [-0.0, 0.0] * 4,
    [NAN] * 8,
]


def first(values: torch.Tensor, sign: int) -> torch.Tensor:
    """torch's index, of ties the first."""
    found = []
    for row in values:
        if row.is_floating_point() and row.isnan().any():
            found.append(int(row.isnan().nonzero()[0]))
        else:
            extreme = row.max() if sign > 0 else row.min()
            found.append(int((row == extreme).nonzero()[0]))
    return torch.tensor(found, dtype=torch.int32)


@every
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int8,
              torch.uint8, torch.int64, torch.bool]
)  # fmt: skip
def test_rows(engine: Any, dtype: torch.dtype) -> None:
    rows = torch.tensor(ROWS)
    if not dtype.is_floating_point:
        rows = rows.nan_to_num(9.0, 100.0, -100.0).abs()
    rows = torch.cat([rows, torch.randint(0, 5, (5, 8))]).to(dtype)
    got = [torch.zeros(len(rows), dtype=torch.int32) for _ in range(2)]
    engine(rows_kernel)[len(rows)](rows, *got, N=8)
    assert torch.equal(got[0], first(rows, 1))
    assert torch.equal(got[1], first(rows, -1))


@mytriton.jit
def axes_kernel(x, out, AXIS: tl.constexpr, KEEP: tl.constexpr, N: tl.constexpr):
    i, j, k = tl.arange(0, 2), tl.arange(0, 4), tl.arange(0, 8)
    block = tl.load(x + i[:, None, None] * 32 + j[None, :, None] * 8 + k[None, None, :])
    found = tl.argmax(block, AXIS, keep_dims=KEEP)
    if KEEP:
        sizes: tl.constexpr = [2, 4, 8]
        for axis in tl.static_range(3):
            expected = 1 if AXIS is None or axis == AXIS % 3 else sizes[axis]
            tl.static_assert(found.shape[axis] == expected)
        found = tl.reshape(found, N)
    elif AXIS is None:
        tl.static_assert(found.shape == ())
    else:
        found = tl.ravel(found)
    tl.store(out + tl.arange(0, N), found)


@both
@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3, None])
def test_axes(engine: Any, axis: int | None, keep: bool) -> None:
    x = torch.randperm(64).view(2, 4, 8).float()
    x[1, 2, 3] = NAN
    expected = x.argmax() if axis is None else x.argmax(axis)
    out = torch.zeros(expected.numel(), dtype=torch.int32)
    engine(axes_kernel)[1](x, out, AXIS=axis, KEEP=keep, N=expected.numel())
    assert torch.equal(out, expected.ravel().int())


# --- errors --------------------------------------------------------------------------------------


def scalar(x, n):
    tl.argmax(n, 0)  # wrong


def pointers(x, n):
    tl.argmin(x + tl.arange(0, 4), 0)  # wrong


def no_such_axis(x, n):
    tl.argmax(tl.arange(0, 4), 1)  # wrong


def traced_axis(x, n):
    tl.argmax(tl.arange(0, 4), n)  # wrong


def no_bool(x, n):
    tl.argmin(tl.arange(0, 4), 0, keep_dims=2)  # wrong


ERRORS = [
    (scalar, "argmax: input: expected a block of numbers, got <traced i32>"),
    (pointers, "argmin: input: expected a block of numbers, got <traced vector<4 x ptr<f32>>>"),
    (no_such_axis, "argmax: axis must be -1 to 0, got 1"),
    (traced_axis, "argmax: axis must be an int known at compile time, got <traced i32>"),
    (no_bool, "argmin: keep_dims must be a bool, got 2"),
]


@pytest.mark.parametrize("fn, message", ERRORS, ids=[fn.__name__ for fn, _ in ERRORS])
def test_mistakes(fn: Any, message: str) -> None:
    assert message in mistake(fn, torch.arange(8.0), 3)
