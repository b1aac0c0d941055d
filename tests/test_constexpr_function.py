"""mytriton.constexpr_function: plain Python on compile-time values, within kernels."""

import pickle
from typing import Any

import pytest
import torch
from engines import every
from refusals import mistake

import mytriton
import mytriton.language as tl

FACTOR = 3


@mytriton.constexpr_function
def total(n, weights=(1,), *, power=1):
    """Sums, by a loop that must not become one at run time."""
    result = 0
    for i in range(n):
        result += weights[i % len(weights)] * i**power
    return {"value": result}["value"] * FACTOR


@mytriton.constexpr_function
def doubled(n):
    return tl.constexpr(2 * n)


@mytriton.jit
def kernel(out, N: tl.constexpr, fn: tl.constexpr):
    BLOCK: tl.constexpr = doubled(N)
    weights = (tl.constexpr(1), 2)
    tl.static_assert(type(total(N, weights)) is int)
    value = tl.full((BLOCK,), total(N, weights, power=2), tl.int32)
    tl.store(out + tl.arange(0, BLOCK), value + fn(tl.constexpr(N)))


@every
def test_values(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    out = torch.zeros(8, dtype=torch.int32)
    expected = 0 + 2 * 1 + 4 + 2 * 9
    engine(kernel)[1](out, N=4, fn=doubled)
    assert (out == 3 * expected + 8).all()
    monkeypatch.setitem(globals(), "FACTOR", 5)  # which the function reads
    engine(kernel)[1](out, N=4, fn=total)
    assert (out == 5 * (expected + 6)).all()
    engine(kernel)[1](out, N=4, fn=doubled)
    assert (out == 5 * expected + 8).all()


def test_outside_kernels() -> None:
    assert total(4, [1, 2]) == 3 * (2 + 2 + 6)
    assert doubled(tl.constexpr(3)) == 6
    assert total.__doc__ is not None and total.__name__ == "total"
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    assert mytriton.runtime.jit.constexpr_function is mytriton.constexpr_function
    assert tl.constexpr_function is mytriton.constexpr_function
    with pytest.raises(TypeError, match="constexpr_function: expected a function, got int"):
        mytriton.constexpr_function(3)  # type: ignore[arg-type]


def traced(x, n):
    total(n)  # wrong


def traced_by_name(x, n):
    total(3, power=n)  # wrong


def traced_in_a_tuple(x, n):
    total(3, (1, n))  # wrong


def raises(x, n):
    total(3, ())  # called from here


ERRORS = [
    (traced, "total: argument 1: a constexpr_function takes values known at compile time, got <tr"),
    (traced_by_name, "total: argument 'power': a constexpr_function takes values known at"),
    (traced_in_a_tuple, "total: argument 2: a constexpr_function takes values known at compile ti"),
]


@pytest.mark.parametrize("fn, message", ERRORS, ids=[fn.__name__ for fn, _ in ERRORS])
def test_mistakes(fn: Any, message: str) -> None:
    assert message in mistake(fn, torch.arange(8.0), 3)


def test_exceptions_show_the_function_s_line() -> None:
    with pytest.raises(mytriton.CompileError, match="ZeroDivisionError") as raised:
        mytriton.jit(raises)[1](torch.zeros(3), 1)
    text = str(raised.value)
    assert "weights[i % len(weights)]" in text and "# called from here" in text
