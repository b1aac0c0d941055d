"""tl.make_block_ptr, tl.advance, and loads and stores through block pointers."""

from typing import Any

import pytest
import torch
from engines import assert_same_bits, both, every
from refusals import mistake

import mytriton
import mytriton.language as tl


@mytriton.jit
def copy_kernel(
    x, out, M, N, sm, sn, om, on, first, second,
    BM: tl.constexpr, BN: tl.constexpr, CHECK: tl.constexpr, PADDING: tl.constexpr
):  # fmt: skip
    p = tl.make_block_ptr(x, (M, N), (sm, sn), (first, second), (BM, BN), (1, 0))
    q = tl.make_block_ptr(out, [BM, BN], [om, on], [0, 0], [BM, BN], order=[0, 1])
    tl.store(q, tl.load(p, boundary_check=CHECK, padding_option=PADDING))


def window(x: torch.Tensor, first: int, second: int, sizes: tuple[int, int], fill: float) -> Any:
    out = torch.full(sizes, fill, dtype=x.dtype)
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            if 0 <= first + i < x.shape[0] and 0 <= second + j < x.shape[1]:
                out[i, j] = x[first + i, second + j]
    return out


@both
@pytest.mark.parametrize("first, second", [(0, 0), (2, 3), (-3, -1), (6, 9), (100, -100)])
@pytest.mark.parametrize("padding, fill", [("", 0.0), ("zero", 0.0), ("nan", float("nan"))])
def test_windows(engine: Any, first: int, second: int, padding: str, fill: float) -> None:
    x = torch.randn(9, 11)
    for view in (x, torch.randn(11, 9).T):
        out = torch.zeros(8, 4)
        strides = (*view.stride(), *out.stride())
        engine(copy_kernel)[1](
            view, out, *view.shape, *strides, first, second,
            BM=8, BN=4, CHECK=(0, 1), PADDING=padding,
        )  # fmt: skip
        assert_same_bits(out, window(view, first, second, (8, 4), fill))


@both
@pytest.mark.parametrize("axes, second", [((), 7), ((0,), 7), (1, 8), ((1, 0), 8)])
def test_only_named_axes_are_checked(engine: Any, axes: Any, second: int) -> None:
    x, out = torch.arange(60, dtype=torch.int16).view(5, 12), torch.zeros(4, 4, dtype=torch.int16)
    rest = (*x.stride(), *out.stride(), 0, second)
    engine(copy_kernel)[1](x, out, 5, 11, *rest, BM=4, BN=4, CHECK=axes, PADDING="")
    columns = 11 if axes in (1, (1, 0)) else 12
    assert_same_bits(out, window(x[:, :columns], 0, second, (4, 4), 0))


@mytriton.jit
def row_sums_kernel(x, out, M, N, stride, BM: tl.constexpr, BK: tl.constexpr):
    top = tl.program_id(0) * BM
    p = tl.make_block_ptr(x, (M, N), (stride, 1), (top, 0), (BM, BK), (1, 0))
    total = tl.zeros((BM,), tl.float64)
    for _ in range(0, N, BK):
        total += tl.sum(tl.load(p, boundary_check=(0, 1)).to(tl.float64), axis=1)
        p = tl.advance(p, [0, BK])
    q = tl.make_block_ptr(out, (M,), (1,), (top,), (BM,), (0,))
    tl.store(q, total.to(q.dtype.element_ty), boundary_check=(0,))


@both
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_a_loop_carries_a_block_pointer(engine: Any, dtype: torch.dtype) -> None:
    x = torch.randint(-99, 99, (37, 53)).to(dtype)
    out = torch.full((40,), -1.0, dtype=dtype)
    engine(row_sums_kernel)[3](x, out, 37, 53, 53, BM=16, BK=8)
    assert torch.equal(out[:37], x.sum(1).to(dtype))
    assert torch.equal(out[37:], torch.full((3,), -1.0).to(dtype))


@mytriton.jit
def vector_kernel(x, out, n, step, backwards, B: tl.constexpr):
    p = tl.make_block_ptr(x, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    q = tl.make_block_ptr(out, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    k = 0
    while k < n:
        if backwards:
            p = p.advance((-step,))
        else:
            p = tl.advance(p, (step,))
        value = tl.load(p, boundary_check=(0,)) + tl.load(q, boundary_check=(0,))
        tl.store(q, value, boundary_check=(0,))
        k += step.to(tl.int32)


@every
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("step", [10, 2**32 + 10])
def test_branches_merge_block_pointers(engine: Any, backwards: bool, step: int) -> None:
    n = 37
    x, out = torch.arange(37), torch.zeros(37, dtype=torch.int64)
    engine(vector_kernel)[3](x, out, n, step, backwards, B=16)
    expected = torch.zeros_like(x)
    for moved in range(step, n, step):
        for i in range(n):
            j = i - moved if backwards else i + moved
            expected[i] += x[j] if 0 <= j < n else 0
    assert torch.equal(out, expected)


@mytriton.jit
def pick_kernel(x, y, out, which, n, B: tl.constexpr):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (B,), (0,))
    for i in range(which):
        p = tl.make_block_ptr(y, (n - i,), (2,), (i,), (B,), (0,))
    q = tl.make_block_ptr(out, (B,), (1,), (0,), (B,), (0,))
    tl.store(q, tl.load(p, boundary_check=[0]))
    if which == 2:
        tl.store(q, 7.9)


@every
@pytest.mark.parametrize("which", [0, 1, 2])
def test_another_block_pointer_in_a_variable(engine: Any, which: int) -> None:
    x, y, out = torch.arange(8.0), torch.arange(100.0, 116.0), torch.zeros(16)
    engine(pick_kernel)[1](x, y, out, which, 8, B=16)
    expected = torch.zeros(16)
    expected[:8] = x if which == 0 else y[::2]
    assert torch.equal(out, expected if which < 2 else torch.full((16,), 7.9))


@mytriton.jit
def rank_3_kernel(x, out, A, B, C):
    p = tl.make_block_ptr(x, (A, B, C), (B * C, C, 1), (1, 1, 1), (2, 4, 8), (2, 1, 0))
    q = tl.make_block_ptr(out, (2, 4, 8), (32, 8, 1), (0, 0, 0), (2, 4, 8), (2, 1, 0))
    tl.store(q, tl.load(p, boundary_check=(0, 1, 2)))


@both
def test_rank_3(engine: Any) -> None:
    x, out = torch.randn(3, 4, 5), torch.full((2, 4, 8), 5.0)
    engine(rank_3_kernel)[1](x, out, 3, 4, 5)
    expected = torch.zeros(2, 4, 8)
    expected[:, :3, :4] = x[1:, 1:, 1:]
    assert torch.equal(out, expected)


@mytriton.jit
def int_address_kernel(x, out, stride):
    p = tl.make_block_ptr(x, (4, 4), (stride, 1), (3, 0), (1, 4), (1, 0))
    tl.store(tl.make_block_ptr(out, (1, 4), (4, 1), (0, 0), (1, 4), (1, 0)), tl.load(p))


@pytest.mark.on_host("gigabytes, of which few are touched")
@both
def test_indices_have_64_bits(engine: Any) -> None:
    stride = 2**30  # 3 * 2**30 passes 2**31
    try:
        x = torch.empty(3 * stride + 4, dtype=torch.int8)
    except RuntimeError:
        pytest.skip("too little memory")
    x[3 * stride :] = torch.tensor([5, 6, 7, 8], dtype=torch.int8)
    out = torch.zeros(4, dtype=torch.int8)
    engine(int_address_kernel)[1](x, out, stride)
    assert out.tolist() == [5, 6, 7, 8]


# --- errors --------------------------------------------------------------------------------------


def no_pointer(x, n):
    tl.make_block_ptr(n, (n,), (1,), (0,), (8,), (0,))  # wrong


def a_block_of_pointers(x, n):
    tl.make_block_ptr(x + tl.arange(0, 4), (n,), (1,), (0,), (8,), (0,))  # wrong


def no_list(x, n):
    tl.make_block_ptr(x, n, (1,), (0,), (8,), (0,))  # wrong


def no_axes(x, n):
    tl.make_block_ptr(x, (), (), (), (), ())  # wrong


def too_few_strides(x, n):
    tl.make_block_ptr(x, (n, n), (1,), (0, 0), (8, 8), (1, 0))  # wrong


def float_offset(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0.5,), (8,), (0,))  # wrong


def block_offset(x, n):
    tl.make_block_ptr(x, (n,), (1,), (tl.arange(0, 8),), (8,), (0,))  # wrong


def traced_block(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0,), (n,), (0,))  # wrong


def empty_block(x, n):
    tl.make_block_ptr(x, (n,), (1,), (0,), (0,), (0,))  # wrong


def wrong_order(x, n):
    tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (8, 8), (1, 1))  # wrong


def advance_of_a_pointer(x, n):
    tl.advance(x, (8,))  # wrong


def advance_by_too_many(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    p.advance((8, 0))  # wrong


def added_to(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    p += 8  # wrong


def load_with_mask(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, mask=tl.arange(0, 8) < n)  # wrong


def load_with_other(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, other=0.0)  # wrong


def store_with_mask(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.store(p, 0.0, mask=n > 2)  # wrong


def axis_that_is_not_there(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, boundary_check=(1,))  # wrong


def axis_twice(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, boundary_check=(0, 0))  # wrong


def unknown_padding(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="one")  # wrong


def nan_of_ints(x, n):
    p = tl.make_block_ptr(x.to(tl.pointer_type(tl.int32)), (n,), (1,), (0,), (8,), (0,))
    tl.load(p, boundary_check=(0,), padding_option="nan")  # wrong


def check_of_pointers(x, n):
    tl.load(x + tl.arange(0, 8), boundary_check=(0,))  # wrong


def padding_of_pointers(x, n):
    tl.load(x + tl.arange(0, 8), padding_option="zero")  # wrong


def store_check_of_pointers(x, n):
    tl.store(x + tl.arange(0, 8), 0.0, boundary_check=(0,))  # wrong


def store_of_another_shape(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.store(p, tl.zeros((4,), tl.float32))  # wrong


def atomic(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    tl.atomic_add(p, 1.0)  # wrong


def another_block_in_a_loop(x, n):
    p = tl.make_block_ptr(x, (n,), (1,), (0,), (8,), (0,))
    for _ in range(n):
        p = tl.make_block_ptr(x, (n,), (1,), (0,), (4,), (0,))  # noqa: F841  # wrong


ERRORS = [
    (no_pointer, "make_block_ptr: base: expected a pointer, got <traced i32>"),
    (a_block_of_pointers, "base: expected a pointer, got <traced vector<4 x ptr<f32>>>"),
    (no_list, "shape: expected a list or tuple, one value an axis; got <traced i32>"),
    (no_axes, "shape: expected 1 to 5 values, got 0"),
    (too_few_strides, "strides: expected 2 values, one an axis; got 1"),
    (float_offset, "offsets: expected int scalars, got float"),
    (block_offset, "offsets: expected int scalars, got <traced vector<8 x i32>>"),
    (traced_block, "block_shape: a size must be an int known at compile time, got <traced i32>"),
    (empty_block, "block_shape: expected sizes of at least 1, got 0"),
    (wrong_order, "order: expected each axis from 0 to 1 once, got (1, 1)"),
    (advance_of_a_pointer, "advance: base: expected a block pointer (tl.make_block_ptr), got <tra"),
    (advance_by_too_many, "advance: offsets: expected 1 values, one an axis; got 2"),
    (added_to, "a block pointer is not added to; move it by tl.advance(pointer, offsets)"),
    (load_with_mask, "load: mask cannot be given with a block pointer; name the axes"),
    (load_with_other, "load: other cannot be given with a block pointer"),
    (store_with_mask, "store: mask cannot be given with a block pointer"),
    (axis_that_is_not_there, "boundary_check: expected axes from 0 to 0, each once; got (1,)"),
    (axis_twice, "boundary_check: expected axes from 0 to 0, each once; got (0, 0)"),
    (unknown_padding, "load: padding_option must be one of '', 'zero', 'nan'; got 'one'"),
    (nan_of_ints, "padding_option 'nan' is for floats, got elements of int32"),
    (check_of_pointers, "load: boundary_check is for block pointers, got (0,); give a mask"),
    (padding_of_pointers, "load: padding_option is for block pointers, got 'zero'"),
    (store_check_of_pointers, "store: boundary_check is for block pointers, got (0,)"),
    (store_of_another_shape, "store: value: expected a block of shape (8,), got <traced vector<4"),
    (atomic, "atomic_add: pointer: expected a traced value or a Python number, got BlockPointer"),
    (another_block_in_a_loop, "the variable 'p' is a BlockLayout (8) before the loop (line"),
]


@pytest.mark.parametrize("fn, message", ERRORS, ids=[fn.__name__ for fn, _ in ERRORS])
def test_mistakes(fn: Any, message: str) -> None:
    assert message in mistake(fn, torch.arange(8.0), 3)
