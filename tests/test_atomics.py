"""Atomics: what they leave and what they give back, on every engine and under threads."""

import itertools
from typing import Any

import pytest
import torch
from engines import OnCudaText, assert_same_bits, both, compiled, every
from engines import evaluated as evaluated_engine

import mytriton
import mytriton.language as tl

INTS = [torch.int32, torch.uint32, torch.int64, torch.uint64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
RMW = {
    "add": tl.atomic_add,
    "max": tl.atomic_max,
    "min": tl.atomic_min,
    "and": tl.atomic_and,
    "or": tl.atomic_or,
    "xor": tl.atomic_xor,
    "xchg": tl.atomic_xchg,
}
CASES = [
    *itertools.product(RMW, INTS),
    *(("add", dtype) for dtype in FLOATS),
    *itertools.product(["max", "min", "xchg"], [torch.float32, torch.float64]),
]


@mytriton.jit
def rmw_kernel(x, values, olds, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    mask = lane < n
    old = OP(x + lane, tl.load(values + lane), mask=mask)
    tl.store(olds + lane, old)


def operands(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    if dtype.is_floating_point:
        special = [0.0, -0.0, 1.5, -2.5, float("inf"), -float("inf"), float("nan"), 1e-7]
        pairs = list(itertools.product(special, repeat=2))
    else:
        info = torch.iinfo(dtype)
        pairs = list(itertools.product([0, 1, 5, info.max, info.min, info.max - 7], repeat=2))
    a, b = zip(*pairs, strict=True)
    return torch.tensor(a, dtype=dtype), torch.tensor(b, dtype=dtype)


def updated(op: str, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if op == "xchg":
        return b
    if not a.is_floating_point():
        wrap = 2 ** (8 * a.element_size())
        python: dict[str, Any] = {"add": int.__add__, "max": max, "min": min}
        python |= {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}
        results = [python[op](x, y) % wrap for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        if a.dtype in (torch.int32, torch.int64):
            results = [r - wrap if r >= wrap // 2 else r for r in results]
        return torch.tensor(results, dtype=a.dtype)
    if op == "add":
        return a + b
    wins = a > b if op == "max" else a < b
    result = torch.where(wins, a, b)
    return torch.where(a.isnan(), a, torch.where(b.isnan(), b, result))


@every
@pytest.mark.parametrize(("op", "dtype"), CASES, ids=lambda each: str(each).split(".")[-1])
def test_update(engine, op: str, dtype: torch.dtype) -> None:
    a, b = operands(dtype)
    n = a.numel() - 3  # the last lanes are masked off
    x, olds = a.clone(), torch.full_like(a, 7)
    engine(rmw_kernel)[1](x, b, olds, n, OP=RMW[op], BLOCK=a.numel())
    assert_same_bits(x[:n], updated(op, a, b)[:n], a[:n], b[:n])
    assert_same_bits(x[n:], a[n:])
    assert_same_bits(olds[:n], a[:n])
    assert_same_bits(olds[n:], torch.zeros_like(a[n:]))


@mytriton.jit
def cas_kernel(x, compare, value, olds, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    old = tl.atomic_cas(x + lane, tl.load(compare + lane), tl.load(value + lane))
    tl.store(olds + lane, old)


@every
@pytest.mark.parametrize("dtype", [*INTS, *FLOATS, torch.int16], ids=str)
def test_compare_and_swap_compares_bits(engine, dtype: torch.dtype) -> None:
    if dtype.is_floating_point:
        held, compare = [0.0, -0.0, 0.0, float("nan"), 1.5], [0.0, 0.0, -0.0, float("nan"), 2.0]
        expected = [9.0, -0.0, 0.0, 9.0, 1.5]
    else:
        held, compare, expected = [0, 1, 2, 3, 4], [0, 2, 2, 4, 4], [9, 1, 9, 3, 9]
    x, olds = torch.tensor(held, dtype=dtype), torch.zeros(5, dtype=dtype)
    before = x.clone()
    other = torch.tensor(compare, dtype=dtype)
    nine = torch.full((5,), 9, dtype=dtype)
    engine(cas_kernel)[1](x, other, nine, olds, BLOCK=5)
    assert_same_bits(x, torch.tensor(expected, dtype=dtype))
    assert_same_bits(olds, before)


@mytriton.jit
def histogram_kernel(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.atomic_add(counts + tl.load(x + at, mask=mask), 1, mask=mask, sem="relaxed")


@every
def test_histogram(engine) -> None:
    x = torch.randint(0, 10, (1000,), generator=torch.Generator().manual_seed(1))
    counts = torch.zeros(10, dtype=torch.int32)
    engine(histogram_kernel)[8](x, counts, 1000, BLOCK=128)
    assert counts.tolist() == torch.bincount(x, minlength=10).tolist()


@mytriton.jit
def ticket_kernel(counter, order, sums, values, BLOCK: tl.constexpr):
    """A scalar atomic is done once a program, and all lanes have its result."""
    ticket = tl.atomic_add(counter, 1)
    lane = tl.arange(0, BLOCK)
    tl.store(order + ticket * BLOCK + lane, ticket + lane)
    tl.atomic_add(sums, tl.sum(tl.load(values + lane), axis=0))
    tl.atomic_max(sums + 1, tl.program_id(0))


@every
def test_scalar_atomics_happen_once_a_program(engine) -> None:
    counter, order = torch.zeros(1, dtype=torch.int32), torch.zeros(5, 64, dtype=torch.int32)
    sums = torch.tensor([0, -1], dtype=torch.int32)
    engine(ticket_kernel)[5](counter, order, sums, torch.arange(64, dtype=torch.int32), BLOCK=64)
    assert counter.item() == 5
    assert torch.equal(order, torch.arange(5)[:, None].int() + torch.arange(64).int())
    assert sums.tolist() == [5 * 63 * 32, 4]


@mytriton.jit
def collide_kernel(x, olds, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.store(olds + lane, tl.atomic_add(x + lane * 0, lane))


@pytest.mark.on_host("programs, lanes or sums in the CPU's order")
@both
def test_lanes_of_one_program_go_in_order(engine) -> None:
    x, olds = torch.zeros(1, dtype=torch.int32), torch.zeros(40, dtype=torch.int32)
    engine(collide_kernel)[1](x, olds, BLOCK=40)
    assert olds.tolist() == [k * (k - 1) // 2 for k in range(40)]


@mytriton.jit
def after_kernel(x, out, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.atomic_add(x + lane, 5)
    tl.store(out + lane, tl.load(x + BLOCK - 1 - lane))


@every
def test_a_load_sees_an_earlier_atomic_of_any_lane(engine) -> None:
    x, out = torch.arange(64, dtype=torch.int32), torch.zeros(64, dtype=torch.int32)
    engine(after_kernel)[1](x, out, BLOCK=64)
    assert torch.equal(out, torch.arange(63, -1, -1).int() + 5)


@pytest.mark.parametrize("engine", [compiled, evaluated_engine])
@pytest.mark.parametrize("dtype", [torch.int64, torch.float64, torch.float16], ids=str)
def test_many_threads(engine, dtype: torch.dtype) -> None:
    counts = torch.zeros(3, dtype=dtype)
    programs = 2000 if engine is compiled else 300
    x = torch.arange(programs * 32) % 3
    engine(histogram_kernel)[programs](x, counts, x.numel(), BLOCK=32)
    expected = torch.bincount(x, minlength=3)
    if dtype == torch.float16:  # 1 is lost beside 2048
        expected = expected.clamp(max=2048)
    assert counts.tolist() == expected.tolist()


def test_cuda_text_says_order_and_scope() -> None:
    @mytriton.jit
    def kernel(x, f, h):
        tl.atomic_add(x, 1, sem="relaxed")
        tl.atomic_xchg(x, 1, sem="acquire", scope="cta")
        tl.atomic_max(f, 1.0, sem="release", scope="sys")
        tl.atomic_add(h, 1.0)

    text = kernel.compile("*i64", "*fp32", "*bf16").cuda_src
    functions = {each.split("(")[0].split()[-1]: each for each in text.split("static __device__")}
    relaxed = functions["mt_atomic_add_i64_relaxed_gpu"]
    assert "fence" not in relaxed
    assert "atomicAdd((unsigned long long*)at, (unsigned long long)value)" in relaxed
    acquire = functions["mt_atomic_xchg_i64_acquire_cta"]
    assert acquire.index("atomicExch(") < acquire.index("__threadfence_block();")
    release = functions["mt_atomic_max_f32_release_sys"]
    assert release.index("__threadfence_system();") < release.index("atomicCAS_system(")
    assert functions["mt_atomic_add_bf16_acq_rel_gpu"].count("__threadfence();") == 2


WRONG: list[tuple[Any, str]] = [
    (lambda p, v: tl.atomic_add(v, 1), "atomic_add: expected a pointer, got i32"),
    (lambda p, v: tl.atomic_add(p, 1, mask=1), "atomic_add: mask must be bool, got i32"),
    (lambda p, v: tl.atomic_add(p, 1, sem="weak"), "sem must be one of 'relaxed', .*; got 'weak'"),
    (lambda p, v: tl.atomic_add(p, 1, scope="warp"), "scope must be one of 'cta', 'gpu', 'sys'"),
    (lambda p, v: tl.atomic_add(p, tl.arange(0, 8)), "a scalar pointer takes a scalar value"),
    (
        lambda p, v: tl.atomic_and(p.to(tl.pointer_type(tl.float32)), 1),
        "atomic and requires an int",
    ),
    (lambda p, v: tl.atomic_max(p.to(tl.pointer_type(tl.int8)), 1), "a type of 32 or 64 bits"),
    (lambda p, v: tl.atomic_cas(p.to(tl.pointer_type(tl.int8)), 1, 1), "16, 32 or 64 bits"),
    (lambda p, v: tl.atomic_xchg(p, p), "the value must be a number, got ptr<i32>"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_mistakes(wrong: Any, message: str) -> None:
    @mytriton.jit
    def kernel(p, v):
        wrong(p, v)

    with pytest.raises(mytriton.CompileError, match=message):
        kernel.compile("*i32", "i32")


def test_a_race_of_an_atomic_and_a_plain_access_is_found() -> None:
    from cuda_on_cpu.runner import CudaError

    @mytriton.jit
    def kernel(x, BLOCK: tl.constexpr):
        tl.atomic_add(x + tl.arange(0, BLOCK), 1)
        tl.store(x + tl.program_id(0), 3)

    with pytest.raises(CudaError, match="race"):
        OnCudaText(kernel)[4](torch.zeros(32, dtype=torch.int32), BLOCK=32)


@mytriton.jit
def constant_kernel(x, olds):
    tl.store(olds, tl.atomic_add(x, 4))
    tl.store(olds + 1, tl.atomic_cas(x + 1, 1, 4))


@every
@pytest.mark.parametrize("dtype", FLOATS)
def test_constants_take_the_pointer_s_type(dtype: torch.dtype, engine: Any) -> None:
    x, olds = torch.tensor([0.5, 1.0], dtype=dtype), torch.zeros(2, dtype=dtype)
    engine(constant_kernel)[(1,)](x, olds)
    assert x.tolist() == [4.5, 4.0]
    assert olds.tolist() == [0.5, 1.0]
