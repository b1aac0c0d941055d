"""Every elementwise op of the table gives the documented bits on every element type it takes.

The operands are all pairs of special values and random ones, as blocks and as scalars, and the
answers are torch's or, where torch has another rule, spelled out here. Both CPU engines and the
CUDA text are held to them.
"""

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from engines import assert_same_bits, cuda_text, every

import mytriton
import mytriton.language as tl
from mytriton import _C

ROWS = {row["name"]: row for row in _C.op_rows() if row["kind"] == "pure"}
DTYPES = {"bool": torch.bool, "i32": torch.int32, "f32": torch.float32}
INT_MIN, INT_MAX = -(2**31), 2**31 - 1

# --- how a kernel spells each op -----------------------------------------------------------------

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "-a": operator.neg,
    "~a": operator.invert,
}


def spelling(name: str, element: str) -> Callable[..., Any]:
    """What a kernel calls for this op."""
    if name == "select":
        return tl.where
    if (name, element) == ("div", "f32"):
        return operator.truediv
    python = ROWS[name]["python"]
    return getattr(tl, name) if python == "tl" else OPERATORS[python]


# --- what each op must give ----------------------------------------------------------------------


def truncating_division(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    wide, divisor = a.long(), b.long()
    quotient = torch.div(wide, torch.where(divisor == 0, 1, divisor), rounding_mode="trunc")
    return torch.where(divisor == 0, -1, quotient).int()  # MIN / -1 wraps here


def truncating_remainder(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    wide, divisor = a.long(), b.long()
    remainder = torch.fmod(wide, torch.where(divisor == 0, 1, divisor))
    return torch.where(divisor == 0, wide, remainder).int()


def division(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a / b if a.is_floating_point() else truncating_division(a, b)


def modulo_two(a: torch.Tensor, b: torch.Tensor, torch_op: Callable[..., Any]) -> torch.Tensor:
    return a ^ b if a.dtype == torch.bool else torch_op(a, b)


def extremum(a: torch.Tensor, b: torch.Tensor, a_wins: torch.Tensor) -> torch.Tensor:
    """NaN propagates, the left one first; a tie takes b, which shows in the sign of zero."""
    result = torch.where(a_wins, a, b)
    if a.is_floating_point():
        result = torch.where(b.isnan(), b, result)
        result = torch.where(a.isnan(), a, result)
    return result


EXPECTED: dict[str, Callable[..., torch.Tensor]] = {
    "add": lambda a, b: modulo_two(a, b, torch.add),
    "sub": lambda a, b: modulo_two(a, b, torch.sub),
    "mul": torch.mul,
    "div": division,
    "rem": truncating_remainder,
    "neg": torch.neg,
    "bit_and": torch.bitwise_and,
    "bit_or": torch.bitwise_or,
    "bit_xor": torch.bitwise_xor,
    "bit_not": torch.bitwise_not,
    "cmp_lt": torch.lt,
    "cmp_le": torch.le,
    "cmp_gt": torch.gt,
    "cmp_ge": torch.ge,
    "cmp_eq": torch.eq,
    "cmp_ne": torch.ne,
    "maximum": lambda a, b: extremum(a, b, a > b),
    "minimum": lambda a, b: extremum(a, b, a < b),
    "select": torch.where,
}
# Rows whose bits are not fixed: the exact function, and how many ulp an answer may be off.
WITHIN_ULP: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float]] = {"exp": (np.exp, 2.0)}


def assert_within_ulp(
    got: torch.Tensor, x: torch.Tensor, function: Callable[[np.ndarray], np.ndarray], ulp: float
) -> None:
    given = x.double().numpy()
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        exact = function(given)
        rounded = exact.astype(np.float32)
        answer = got.numpy()
        special = ~np.isfinite(rounded)
        assert np.array_equal(answer[special], rounded[special], equal_nan=True)
        off = np.abs(answer[~special] - exact[~special]) / np.spacing(np.abs(rounded[~special]))
    wrong = off > ulp
    assert not wrong.any(), f"{off.max()} ulp off; more than {ulp} at {given[~special][wrong]}"


def test_every_row_has_an_expectation() -> None:
    expected = EXPECTED.keys() | WITHIN_ULP.keys()
    assert expected == ROWS.keys(), "a new op needs a line in EXPECTED or in WITHIN_ULP"
    assert all(row["types"] and row["doc"] for row in ROWS.values())


# --- the operands --------------------------------------------------------------------------------

SPECIAL: dict[str, list[Any]] = {
    "bool": [False, True],
    "i32": [0, 1, -1, 2, -2, 3, 7, -10, 46341, 65536, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1],
    "f32": [
        *(0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 7.0, 88.7, -103.9, 16777216.0, 3.4e38, -3.4e38),
        *(1.17549435e-38, 1e-45, -1e-45, 1e-40, float("inf"), -float("inf"), float("nan")),
    ],
}


def operands(element: str) -> tuple[torch.Tensor, torch.Tensor]:
    """All pairs of special values, then random ones of all magnitudes; not a multiple of 16."""
    pairs = list(itertools.product(SPECIAL[element], repeat=2))
    a, b = (torch.tensor(each, dtype=DTYPES[element]) for each in zip(*pairs, strict=True))
    generator = torch.Generator().manual_seed(6)
    count = 64 - (len(pairs) % 16) + 5
    random = torch.randint(INT_MIN, INT_MAX, (2, count), dtype=torch.int32, generator=generator)
    if element == "bool":
        random = random > 0
    if element == "f32":
        random = random.view(torch.float32)
    return torch.cat([a, random[0]]), torch.cat([b, random[1]])


def scalar_pairs(engine: Callable[..., Any], element: str) -> list[tuple[Any, Any]]:
    """All pairs of special values. A launch of the CUDA text takes longer, and blocks hold all
    pairs anyway, so there each value comes once on either side."""
    values = SPECIAL[element]
    if engine is cuda_text:
        return list(zip(values, values[3:] + values[:3], strict=True))
    return list(itertools.product(values, repeat=2))


# --- kernels: one op on all mixes of blocks and scalars ------------------------------------------


@mytriton.jit
def unary_kernel(a, s, blocks, scalars, OP: tl.constexpr, N: tl.constexpr):
    lane = tl.arange(0, N)
    tl.store(blocks + lane, OP(tl.load(a + lane)))
    tl.store(scalars, OP(s))


@mytriton.jit
def binary_kernel(a, b, s, t, blocks, right, left, scalars, OP: tl.constexpr, N: tl.constexpr):
    lane = tl.arange(0, N)
    x, y = tl.load(a + lane), tl.load(b + lane)
    tl.store(blocks + lane, OP(x, y))
    tl.store(right + lane, OP(x, t))
    tl.store(left + lane, OP(s, y))
    tl.store(scalars, OP(s, t))


@mytriton.jit
def select_kernel(c, a, b, k, s, t, out, scalars, N: tl.constexpr):
    lane = tl.arange(0, N)
    on, x, y = tl.load(c + lane) != 0, tl.load(a + lane), tl.load(b + lane)
    tl.store(out + lane, tl.where(on, x, y))
    tl.store(out + N + lane, tl.where(on, s, y))
    tl.store(out + 2 * N + lane, tl.where(on, x, t))
    tl.store(out + 3 * N + lane, tl.where(on, s, t))
    tl.store(out + 4 * N + lane, tl.where(k, x, y))
    tl.store(out + 5 * N + lane, tl.where(k, s, y))
    tl.store(scalars, tl.where(k, s, t))


def cases(operand_count: int) -> list[Any]:
    return [
        pytest.param(name, element, id=f"{name}-{element}")
        for name, row in ROWS.items()
        for element in row["types"]
        if row["operands"] == operand_count
    ]


@every
@pytest.mark.parametrize(("name", "element"), cases(1))
def test_unary(engine, name: str, element: str) -> None:
    a, _ = operands(element)
    op = spelling(name, element)
    for s in SPECIAL[element]:
        blocks, scalars = torch.empty_like(a), torch.empty_like(a[:1])
        engine(unary_kernel)[1](a, s, blocks, scalars, OP=op, N=a.numel())
        given = torch.tensor([s], dtype=a.dtype)
        if name in WITHIN_ULP:
            assert_within_ulp(blocks, a, *WITHIN_ULP[name])
            assert_within_ulp(scalars, given, *WITHIN_ULP[name])
        else:
            assert_same_bits(blocks, EXPECTED[name](a), a)
            assert_same_bits(scalars, EXPECTED[name](given), given)


@every
@pytest.mark.parametrize(("name", "element"), cases(2))
def test_binary(engine, name: str, element: str) -> None:
    a, b = operands(element)
    op, expected = spelling(name, element), EXPECTED[name]
    dtype = expected(a[:1], b[:1]).dtype
    for s, t in scalar_pairs(engine, element):
        blocks, right, left = torch.empty((3, a.numel()), dtype=dtype)
        scalars = torch.empty(1, dtype=dtype)
        engine(binary_kernel)[1](a, b, s, t, blocks, right, left, scalars, OP=op, N=a.numel())
        of_s, of_t = torch.full_like(a, s), torch.full_like(a, t)
        assert_same_bits(blocks, expected(a, b), a, b)
        assert_same_bits(right, expected(a, of_t), a, of_t)
        assert_same_bits(left, expected(of_s, b), of_s, b)
        assert_same_bits(scalars, expected(of_s, of_t)[:1], s, t)


@every
@pytest.mark.parametrize(("name", "element"), cases(3))
def test_select(engine, name: str, element: str) -> None:
    assert name == "select"
    a, b = operands(element)
    n = a.numel()
    condition = torch.arange(n) % 3 == 0
    for k, (s, t) in itertools.product((False, True), itertools.pairwise(SPECIAL[element])):
        out, scalars = torch.empty(6 * n, dtype=a.dtype), torch.empty(1, dtype=a.dtype)
        engine(select_kernel)[1](condition, a, b, k, s, t, out, scalars, N=n)
        of_s, of_t = torch.full_like(a, s), torch.full_like(a, t)
        of_k = torch.full_like(condition, k)
        mixes = [(condition, x, y) for x, y in ((a, b), (of_s, b), (a, of_t), (of_s, of_t))]
        mixes += [(of_k, a, b), (of_k, of_s, b)]
        assert_same_bits(out, torch.cat([torch.where(*mix) for mix in mixes]))
        assert_same_bits(scalars, torch.where(of_k, of_s, of_t)[:1], k, s, t)


@mytriton.jit
def exp_kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.exp(tl.load(x + offs, mask=mask)), mask=mask)


@every
def test_exp_over_its_whole_range(engine) -> None:
    x = torch.cat([torch.linspace(-110.0, 95.0, 300_001), torch.linspace(-1e-3, 1e-3, 20_001)])
    if engine is cuda_text:
        x = x[::100].contiguous()
    out = torch.empty_like(x)
    engine(exp_kernel)[mytriton.cdiv(x.numel(), 512)](x, out, x.numel(), BLOCK=512)
    assert_within_ulp(out, x, np.exp, 2.0)
