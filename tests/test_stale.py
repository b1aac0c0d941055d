"""No launch runs a kernel that was compiled from what has changed since; unchanged ones hit."""

import enum
import functools
import operator
from collections import namedtuple
from typing import Any

import pytest
import torch
from one_value import compiled, python_calls, result

import mytriton
import mytriton.language as tl

FACTOR: Any = 2.0
ANY: Any = None
TABLE: Any = {"a": [1.0, 2.0]}
CONSTANT = tl.constexpr(3.0)
Pair = namedtuple("Pair", ["first", "second"])


class Mode(enum.Enum):
    PLUS = 1
    MINUS = 2


class Settings:
    shift = 1.0

    def __init__(self, value: Any) -> None:
        self.value = value

    def shifted(self) -> Any:
        return self.value + self.shift * FACTOR


def times_factor(value: Any) -> Any:
    return value * FACTOR


@mytriton.jit
def times_factor_kernel(x):
    tl.store(x, tl.load(x) * FACTOR)


@mytriton.jit
def helped_kernel(x):
    tl.store(x, times_factor(tl.load(x)))


@pytest.fixture(autouse=True)
def evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")  # no run of the host compiler


def set_global(monkeypatch: pytest.MonkeyPatch, **values: Any) -> None:
    for name, value in values.items():
        monkeypatch.setitem(globals(), name, value)


# --- globals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [times_factor_kernel, helped_kernel])
def test_a_changed_global(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {}
    for value in (2.0, 5.0, 2.0, 7.0, 5.0):
        set_global(monkeypatch, FACTOR=value)
        assert result(kernel) == value
        assert known.setdefault(value, compiled(kernel)) is compiled(kernel)  # toggled back: a hit


def test_globals_are_compared_with_type_and_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for value in (1, 1.0, True, -0.0, 0.0, 0, False, float("nan"), tl.constexpr(4)):
        set_global(monkeypatch, FACTOR=value)
        seen.append(times_factor_kernel.compile("*fp32"))
        assert times_factor_kernel.compile("*fp32") is seen[-1]
    assert len(set(map(id, seen))) == len(seen)


def test_an_equal_value_is_a_hit_and_the_next_launch_runs_no_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = compiled(times_factor_kernel)
    set_global(monkeypatch, FACTOR=float("2.0"))
    assert compiled(times_factor_kernel) is first
    x, launch = torch.ones(1), times_factor_kernel[1]
    assert "_launch" not in python_calls(lambda: launch(x))
    set_global(monkeypatch, FACTOR=3.0)
    assert "_launch" in python_calls(lambda: launch(x))
    assert "_launch" not in python_calls(lambda: launch(x))


def test_only_what_was_read_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    @mytriton.jit
    def kernel(x, USE: tl.constexpr):
        tl.store(x, FACTOR if USE else 1.0)

    x = torch.ones(1)
    used, unused = kernel[1](x, True), kernel[1](x, False)
    set_global(monkeypatch, FACTOR=9.0)
    assert kernel[1](x, False) is unused
    assert kernel[1](x, True) is not used


def test_a_builtin_that_a_global_hides(monkeypatch: pytest.MonkeyPatch) -> None:
    @mytriton.jit
    def kernel(x):
        tl.store(x, abs(-3.0))

    assert result(kernel) == 3
    monkeypatch.setitem(globals(), "abs", lambda value: 8.0)
    assert result(kernel) == 8
    monkeypatch.delitem(globals(), "abs")
    assert result(kernel) == 3


def test_contents_of_containers(monkeypatch: pytest.MonkeyPatch) -> None:
    @mytriton.jit
    def kernel(x):
        tl.store(x, TABLE["a"][-1])

    set_global(monkeypatch, TABLE={"a": [1.0, 2.0]})
    assert result(kernel) == 2
    TABLE["a"].append(6.0)
    assert result(kernel) == 6
    TABLE["a"] = (4.0,)
    assert result(kernel) == 4
    first = compiled(kernel)
    TABLE["a"] = (4.0,)
    assert compiled(kernel) is first


@pytest.mark.parametrize(
    ("value", "use", "expected"),
    [
        (CONSTANT, lambda v: v + 1, 4),
        ((CONSTANT, 2.0), lambda v: v[0] + v[1], 5),
        (Pair(1.0, 2.0), lambda v: v.second, 2),
        ({3.0}, lambda v: next(iter(v)), 3),
        (frozenset({3.0}), lambda v: 3.0 in v, 1),
        (Mode.MINUS, lambda v: v.value, 2),
        (Mode, lambda v: v.MINUS.value, 2),
        (tl.float32, lambda v: tl.cast(7, v), 7),
        (torch.float32, lambda v: 1.0 if v is torch.float32 else 0.0, 1),
        (range(3), lambda v: sum(v), 3),
        ("abc", len, 3),
        (b"abc", len, 3),
        (None, lambda v: 1.0 if v is None else 0.0, 1),
        (functools.partial(max, 5.0), lambda v: v(2.0), 5),
        (functools.cache(lambda a: a * 2), lambda v: v(2.0), 4),
        (operator.itemgetter(1), lambda v: v((1.0, 2.0)), 2),
        (torch.device("cpu"), lambda v: len(v.type), 3),
        (torch, lambda v: 1.0 if v.float32 is torch.float32 else 0.0, 1),
        (Settings(4.0).shifted, lambda v: v(), 6),
        (Settings, lambda v: v(4.0).shifted(), 6),
    ],
)
def test_values_that_may_be_read(
    value: Any, use: Any, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    @mytriton.jit
    def kernel(x):
        tl.store(x, use(ANY))

    @mytriton.jit
    def closure_kernel(x):
        tl.store(x, use(value))

    set_global(monkeypatch, FACTOR=2.0, ANY=value)
    assert result(closure_kernel) == result(kernel) == expected
