"""Kernels that call kernels and functions, and what kernels may not do in Python."""

import re
from typing import Any

import numpy as np
import pytest
import torch
from refusals import refusal

import mytriton
import mytriton.language as tl

NUMBERS = [1.0, 2.0]
STATE = 1.0
TWO = tl.constexpr(2.0)
ARRAY: Any = np.float32(2.0)
TENSOR = torch.tensor(2.0)
THING = object()
LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.fixture(autouse=True)
def evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")  # no run of the host compiler


def launched(kernel: Any, *args: Any, **kwargs: Any) -> float:
    """What is stored to `out`; launched twice, as the second launch may go another way."""
    results = []
    for _ in range(2):
        out = torch.zeros(1)
        kernel[1](*args, out=out, **kwargs)
        results.append(out.item())
    assert results[0] == results[1]
    return results[0]


# --- kernels in classes, kernels in kernels ------------------------------------------------------


class Kernels:
    @mytriton.jit
    def store(out, value):
        tl.store(out, value)

    def run(self, out: torch.Tensor) -> None:
        self.store[1](out, 5.0)


def test_a_kernel_in_a_class_is_not_bound() -> None:
    """As in Triton: it is what staticmethod makes of a function."""
    out = torch.zeros(1)
    Kernels().run(out)
    assert out.item() == 5
    assert Kernels().store is Kernels.store


def test_kernels_as_helpers() -> None:
    @mytriton.jit
    def scaled(a, TIMES: tl.constexpr = TWO, *, plus=0.0):
        return a * TIMES + plus, a

    @mytriton.jit
    def kernel(x, out, F: tl.constexpr):
        first, second = F(tl.load(x), plus=1.0)
        third, _ = F(second, TIMES=tl.constexpr(4.0))
        tl.store(out, first + third)

    assert launched(kernel, torch.ones(1), F=scaled) == 7


def test_a_kernel_with_heuristics_as_a_helper() -> None:
    @mytriton.heuristics({"N": lambda args: 5})
    @mytriton.jit
    def inner(a, N: tl.constexpr):
        return a * N * TWO

    @mytriton.jit
    def kernel(x, out):
        tl.store(out, inner(tl.load(x), 3))

    assert launched(kernel, torch.ones(1)) == 6


def test_a_traced_value_for_a_constexpr_of_a_helper() -> None:
    @mytriton.jit
    def blocks(N: tl.constexpr):
        return tl.sum(tl.arange(0, N))

    @mytriton.jit
    def kernel(out, n):
        tl.store(out, blocks(n))

    error = refusal(mytriton.CompileError, kernel, torch.zeros(1), 4)
    assert error.message == "blocks: 'N' is a tl.constexpr, got <traced i32>"
    assert "    tl.store(out, blocks(n))\n" in str(error)
    assert str(error).endswith("^^^^^^^^^")


def test_kernels_that_call_each_other_without_end() -> None:
    @mytriton.jit
    def ping(a):
        return pong(a)

    @mytriton.jit
    def pong(a):
        return ping(a)

    @mytriton.jit
    def kernel(out, n):
        tl.store(out, ping(n))

    error = refusal(mytriton.CompileError, kernel, torch.zeros(1), 4)
    assert "calls itself without end" in error.message
    assert str(error).count("called from here") == 2


def test_recursion_that_ends() -> None:
    def power(a: Any, n: int) -> Any:
        return a if n == 1 else a * power(a, n - 1)

    @mytriton.jit
    def kernel(x, out, N: tl.constexpr):
        tl.store(out, power(tl.load(x), N))

    assert launched(kernel, torch.full((1,), 2.0), N=10) == 1024


# --- what a kernel may not do in Python ----------------------------------------------------------


def writes_a_global(out, n):
    global STATE
    STATE = 2.0
    tl.store(out, n)


def deletes_a_global(out, n):
    global STATE
    del STATE


def writes_in_a_function_within(out, n):
    def inner() -> None:
        global STATE
        STATE += 1.0

    inner()


def writes_into_a_list(out, n):
    NUMBERS.append(3.0)
    tl.store(out, NUMBERS[0])


def writes_a_name_of_globals(out, n):
    globals()["STATE"] = 2.0


def defines_a_class(out, n):
    class Local:
        value = n

    tl.store(out, Local.value)


def reads_a_numpy_scalar(out, n):
    tl.store(out, n * ARRAY)


def reads_a_tensor(out, n):
    tl.store(out, n * TENSOR)


def reads_an_object(out, n):
    tl.store(out, n if THING else 1.0)


def reads_a_list_in_itself(out, n):
    tl.store(out, LOOP[0])


def formats(out, n):
    raise ValueError(f"n is {n:>3}")


def truth(out, n):
    tl.store(out, 1.0 if bool(n) else 2.0)


def index(out, n):
    tl.store(out, NUMBERS[n])


def to_int(out, n):
    tl.store(out, int(n))


INSTEAD = "store results through a pointer, return them from a helper, or use a local variable"
MISTAKES: list[tuple[Any, Any, str]] = [
    (writes_a_global, "STATE", f"assign to the global variable 'STATE': .*; {INSTEAD}"),
    (deletes_a_global, "STATE", "assign to the global variable 'STATE'"),
    (writes_in_a_function_within, "STATE", "assign to the global variable 'STATE'"),
    (writes_into_a_list, "NUMBERS", "changes the list of the global variable 'NUMBERS': .*a copy"),
    (writes_a_name_of_globals, 'globals()["STATE"]', "assign to .*'STATE'"),
    (defines_a_class, "class Local:", "a class cannot be defined in a kernel; define it outside"),
    (reads_a_numpy_scalar, "ARRAY", r"'ARRAY' is a numpy.float32, .*: take its number, .item\(\)"),
    (reads_a_tensor, "TENSOR", "'TENSOR' is a torch.Tensor, .*: pass it as an argument"),
    (reads_an_object, "THING", "'THING' is a object, which .* as a tl.constexpr argument"),
    (reads_a_list_in_itself, "LOOP", "the global variable 'LOOP' contains itself"),
    (formats, ('f"n is', "{n", "n"), "has no Python value .*; in an f-string use x.dtype and x."),
    (truth, "bool(n)", "a traced value .* has no Python value while .* use tl.where"),
    (index, "NUMBERS[n]", "an int known at compile time is needed here: a tl.constexpr"),
    (to_int, "int(n)", r"use .to\(tl.int32\)"),
]


@pytest.mark.parametrize(("fn", "at", "message"), MISTAKES, ids=[f.__name__ for f, *_ in MISTAKES])
def test_what_kernels_may_not_do(fn: Any, at: Any, message: str) -> None:
    out = torch.zeros(1)
    error = refusal(mytriton.CompileError, mytriton.jit(fn), out, 3)
    assert re.search(message, error.message), error.message
    head, source, carets = str(error).split("\n")[:3]
    assert head.startswith(f"{__file__}:")
    assert source[carets.index("^") : carets.rindex("^") + 1].startswith(at), str(error)
    assert (STATE, NUMBERS) == (1.0, [1.0, 2.0])


def test_writes_to_what_is_around_a_kernel() -> None:
    count = 0

    def nonlocal_write(out, n):
        nonlocal count
        count += 1

    def of_its_own(out, n):
        total = 0

        def add() -> None:
            nonlocal total
            total += 2

        add()
        tl.store(out, total)

    def helper_that_writes(out, n):
        nonlocal_write(out, n)

    for fn in (nonlocal_write, helper_that_writes):
        error = refusal(mytriton.CompileError, mytriton.jit(fn), torch.zeros(1), 3)
        assert "cannot assign to the closure variable 'count'" in error.message
        assert "count += 1" in str(error)
    assert launched(mytriton.jit(of_its_own), n=3) == 2
    assert count == 0
