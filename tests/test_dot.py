"""tl.dot: values against torch, types, and what it refuses."""

from typing import Any

import pytest
import torch
from engines import both
from refusals import mistake

import mytriton
import mytriton.language as tl


@mytriton.jit
def dot_kernel(
    a, b, c, out, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr, OUT: tl.constexpr
):  # fmt: skip
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + i[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + j[None, :])
    at = i[:, None] * N + j[None, :]
    if c is None:
        product = tl.dot(left, right, out_dtype=OUT, allow_tf32=False)
    else:
        product = tl.dot(left, right, tl.load(c + at), input_precision="ieee", out_dtype=OUT)
    tl.static_assert(product.dtype == out.dtype.element_ty)
    tl.store(out + at, product)


# Types of the matrices, out_dtype, and the type of the result.
TYPES = [
    (torch.float32, tl.float32, torch.float32),
    (torch.float16, tl.float32, torch.float32),
    (torch.bfloat16, tl.float32, torch.float32),
    (torch.float16, tl.float16, torch.float16),
    (torch.float64, tl.float32, torch.float64),
    (torch.int8, tl.float32, torch.int32),
    (torch.uint8, tl.int32, torch.int32),
]


@both
@pytest.mark.parametrize("with_acc", [False, True])
@pytest.mark.parametrize("dtype, out_dtype, result", TYPES)
def test_small_ints_are_exact(
    engine: Any, dtype: torch.dtype, out_dtype: Any, result: torch.dtype, with_acc: bool
) -> None:
    m, k, n = 16, 32, 8
    low = 0 if dtype is torch.uint8 else -7
    a, b = torch.randint(low, 8, (m, k)).to(dtype), torch.randint(low, 8, (k, n)).to(dtype)
    acc = torch.randint(-9, 9, (m, n)).to(result) if with_acc else None
    out = torch.zeros(m, n, dtype=result)
    engine(dot_kernel)[1](a, b, acc, out, M=m, K=k, N=n, OUT=out_dtype)
    expected = a.double() @ b.double() + (acc.double() if acc is not None else 0)
    assert torch.equal(out.double(), expected)


@both
def test_ints_use_32_bits(engine: Any) -> None:
    a, b = torch.full((16, 32), -128, dtype=torch.int8), torch.full((32, 16), -128).to(torch.int8)
    out = torch.zeros(16, 16, dtype=torch.int32)
    engine(dot_kernel)[1](a, b, None, out, M=16, K=32, N=16, OUT=tl.float32)
    assert (out == 128 * 128 * 32).all()


@both
@pytest.mark.parametrize("dtype, out_dtype, result", TYPES[:5])
def test_floats(engine: Any, dtype: torch.dtype, out_dtype: Any, result: torch.dtype) -> None:
    m, k, n = 32, 64, 16
    a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype)
    out = torch.zeros(m, n, dtype=result)
    engine(dot_kernel)[1](a, b, None, out, M=m, K=k, N=n, OUT=out_dtype)
    exact = a.double() @ b.double()
    bound = a.double().abs() @ b.double().abs()
    summed = 1e-13 if dtype is torch.float64 else k * 2.0**-24
    rounded = 2.0**-11 if result is torch.float16 else 0.0
    assert ((out.double() - exact).abs() <= summed * bound + rounded * exact.abs() * 1.01).all()


@both
def test_products_beyond_a_block(engine: Any) -> None:
    m, k, n = 64, 1024, 64  # four times what a block holds
    a, b = torch.randint(-7, 8, (m, k)).half(), torch.randint(-7, 8, (k, n)).half()
    out = torch.zeros(m, n)
    engine(dot_kernel)[1](a, b, None, out, M=m, K=k, N=n, OUT=tl.float32)
    assert torch.equal(out, a.float() @ b.float())


@mytriton.jit
def batch_kernel(a, b, out):
    i, j, k = tl.arange(0, 2), tl.arange(0, 4), tl.arange(0, 8)
    left = tl.load(a + i[:, None, None] * 32 + j[None, :, None] * 8 + k[None, None, :])
    right = tl.load(b + i[:, None, None] * 32 + k[None, :, None] * 4 + j[None, None, :])
    total = tl.dot(left, right)
    tl.store(out + i[:, None, None] * 16 + j[None, :, None] * 4 + j[None, None, :], total)


@both
def test_batches(engine: Any) -> None:
    a, b = torch.randint(-9, 9, (2, 4, 8)).float(), torch.randint(-9, 9, (2, 8, 4)).float()
    out = torch.zeros(2, 4, 4)
    engine(batch_kernel)[1](a, b, out)
    assert torch.equal(out, a @ b)


@mytriton.jit
def matmul_kernel(
    a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):  # fmt: skip
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    left = tl.make_block_ptr(a, (M, K), (sam, sak), (m, 0), (BM, BK), (1, 0))
    right = tl.make_block_ptr(b, (K, N), (sbk, sbn), (0, n), (BK, BN), (1, 0))
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        x, y = tl.load(left, boundary_check=(0, 1)), tl.load(right, boundary_check=(0, 1))
        total = tl.dot(x, y, total)
        left, right = left.advance((0, BK)), right.advance((BK, 0))
    out = tl.make_block_ptr(c, (M, N), (scm, scn), (m, n), (BM, BN), (1, 0))
    tl.store(out, total.to(c.dtype.element_ty), boundary_check=(0, 1))


@both
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_matmul_by_block_pointers(engine: Any, dtype: torch.dtype) -> None:
    a = torch.randint(-3, 4, (37, 45)).to(dtype)
    b = torch.randint(-3, 4, (29, 45)).to(dtype).T
    c = torch.zeros(37, 29, dtype=dtype)
    sizes = (37, 29, 45, *a.stride(), *b.stride(), *c.stride())
    engine(matmul_kernel)[3, 2](a, b, c, *sizes, BM=16, BN=16, BK=16)
    assert torch.equal(c, (a.double() @ b.double()).to(dtype))


# --- errors --------------------------------------------------------------------------------------


def vectors(x, n):
    tl.dot(tl.arange(0, 4), tl.arange(0, 4))  # wrong


def a_number(x, n):
    tl.dot(tl.zeros((4, 4), tl.float32), 1.0)  # wrong


def unequal_k(x, n):
    tl.dot(tl.zeros((4, 8), tl.float32), tl.zeros((4, 8), tl.float32))  # wrong


def unequal_ranks(x, n):
    tl.dot(tl.zeros((4, 8), tl.float32), tl.zeros((2, 8, 4), tl.float32))  # wrong


def unequal_batches(x, n):
    tl.dot(tl.zeros((4, 4, 8), tl.float32), tl.zeros((2, 8, 4), tl.float32))  # wrong


def unequal_types(x, n):
    tl.dot(tl.zeros((4, 8), tl.float32), tl.zeros((8, 4), tl.float16))  # wrong


def wide_ints(x, n):
    tl.dot(tl.zeros((4, 8), tl.int32), tl.zeros((8, 4), tl.int32))  # wrong


def acc_of_another_type(x, n):
    a = tl.zeros((4, 4), tl.float16)
    tl.dot(a, a, a)  # wrong


def acc_of_another_shape(x, n):
    a = tl.zeros((4, 4), tl.float32)
    tl.dot(a, a, tl.zeros((4, 1), tl.float32))  # wrong


def unknown_precision(x, n):
    a = tl.zeros((4, 4), tl.float32)
    tl.dot(a, a, input_precision="tf16")  # wrong


def precision_twice(x, n):
    a = tl.zeros((4, 4), tl.float32)
    tl.dot(a, a, input_precision="tf32", allow_tf32=True)  # wrong


def bfloat16_out(x, n):
    a = tl.zeros((4, 4), tl.bfloat16)
    tl.dot(a, a, out_dtype=tl.bfloat16)  # wrong


def too_many_products(x, n):
    a = tl.zeros((1024, 3), tl.float32)
    tl.dot(a, tl.zeros((3, 1024), tl.float32))  # wrong


ERRORS = [
    (vectors, "dot: input: expected a block of rank 2 or 3, got <traced vector<4 x i32>>"),
    (a_number, "dot: other: expected a block of rank 2 or 3, got float"),
    (unequal_k, "got [4, 8] and [4, 8]"),
    (unequal_ranks, "got [4, 8] and [2, 8, 4]"),
    (unequal_batches, "got [4, 4, 8] and [2, 8, 4]"),
    (unequal_types, "dot: expected input and other of one type, got fp32 and fp16"),
    (wide_ints, "dot: expected floats, int8 or uint8; got int32"),
    (acc_of_another_type, "dot: acc: expected a block of shape [4, 4] of fp32, got <traced"),
    (acc_of_another_shape, "dot: acc: expected a block of shape [4, 4] of fp32, got <traced"),
    (unknown_precision, "input_precision must be one of 'tf32', 'tf32x3', 'ieee'"),
    (precision_twice, "input_precision and allow_tf32 cannot both be given"),
    (bfloat16_out, "out_dtype: expected tl.float32 or tl.float16, got mytriton.language.bfloat16"),
    (too_many_products, "takes 3145728 products, more than 1048576, and K is odd"),
]


@pytest.mark.parametrize("fn, message", ERRORS, ids=[fn.__name__ for fn, _ in ERRORS])
def test_mistakes(fn: Any, message: str) -> None:
    assert message in mistake(fn, torch.arange(8.0), 3)
