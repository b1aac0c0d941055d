"""No launch runs a kernel that was compiled from what has changed since; unchanged ones hit."""

import enum
import functools
import importlib
import sys
import types
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

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


def result(kernel: Any, *args: Any, **kwargs: Any) -> float:
    """What becomes of 1.0; launched twice, as the second launch may go another way."""
    values = []
    for _ in range(2):
        x = torch.ones(1)
        kernel[1](x, *args, **kwargs)
        values.append(x.item())
    assert values[0] == values[1]
    return values[0]


def compiled(kernel: Any) -> Any:
    return kernel[1](torch.ones(1))


def python_calls(launch: Callable[[], Any]) -> list[str]:
    calls: list[str] = []
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name))
    try:
        launch()
    finally:
        sys.setprofile(None)
    return calls


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


# --- functions -----------------------------------------------------------------------------------


def test_closures_of_one_source() -> None:
    def make(value: float) -> Any:
        def helper(a: Any) -> Any:
            return a * value

        @mytriton.jit
        def kernel(x):
            tl.store(x, helper(tl.load(x)))

        return kernel

    assert [result(kernel) for kernel in (make(2.0), make(3.0), make(2.0))] == [2, 3, 2]


def test_a_changed_closure_variable() -> None:
    value = 2.0

    @mytriton.jit
    def kernel(x):
        tl.store(x, value)

    first = compiled(kernel)
    assert result(kernel) == 2
    value = 3.0
    assert result(kernel) == 3
    value = float("2")
    assert compiled(kernel) is first


def test_a_redefined_helper_and_kernel() -> None:
    """As in the cells of a notebook."""
    names: dict[str, Any] = {"tl": tl, "mytriton": mytriton, "__name__": "__main__"}
    helper = "def helper(a):\n    return a * {}\n"
    kernel = "@mytriton.jit\ndef kernel(x):\n    tl.store(x, helper(tl.load(x)) + {})\n"
    exec(helper.format(2.0) + kernel.format(0.0), names)
    old = names["kernel"]
    assert result(old) == 2
    exec(helper.format(5.0), names)
    assert result(old) == 5
    exec(kernel.format(1.0), names)
    assert result(names["kernel"]) == 6
    assert result(old) == 5


def test_changed_code_and_defaults_of_a_helper() -> None:
    def helper(a: Any, times: float = 2.0, *, plus: float = 0.0) -> Any:
        return a * times + plus

    @mytriton.jit
    def kernel(x):
        tl.store(x, helper(tl.load(x)))

    assert result(kernel) == 2
    helper.__defaults__ = (3.0,)
    assert result(kernel) == 3
    helper.__kwdefaults__["plus"] = 1.0
    assert result(kernel) == 4
    helper.__kwdefaults__ = {"plus": 2.0}
    assert result(kernel) == 5
    helper.__code__ = (lambda a, times=1.0, *, plus=0.0: a - times).__code__
    assert result(kernel) == -2


def test_changed_defaults_of_a_kernel() -> None:
    @mytriton.jit
    def kernel(x, value=2.0, N: tl.constexpr = 3.0):
        tl.store(x, value * N)

    kept = kernel[1]

    def both(*args: Any) -> list[float]:
        x = torch.ones(1)
        kept(x, *args)
        return [result(kernel, *args), x.item()]

    assert both() == [6, 6]
    kernel.fn.__defaults__ = (4.0, 5.0)
    assert both() == [20, 20]
    assert both(2.0, 3.0) == [6, 6]
    assert both(2.0) == [10, 10]
    assert both() == [20, 20]


def test_kernels_called_by_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    @mytriton.jit
    def inner(a, TIMES: tl.constexpr = 2.0):
        return a * TIMES * FACTOR

    @mytriton.jit
    def kernel(x):
        tl.store(x, inner(tl.load(x)))

    assert result(kernel) == 4
    set_global(monkeypatch, FACTOR=3.0)
    assert result(kernel) == 6
    inner.fn.__defaults__ = (5.0,)
    assert result(kernel) == 15


def test_attributes_of_functions_classes_and_self(monkeypatch: pytest.MonkeyPatch) -> None:
    def helper(a: Any) -> Any:
        return a * helper.times  # type: ignore[attr-defined]

    settings = Settings(4.0)
    method = settings.shifted

    @mytriton.jit
    def of_function(x):
        tl.store(x, helper(tl.load(x)))

    @mytriton.jit
    def of_class(x):
        tl.store(x, Settings.shift)

    @mytriton.jit
    def of_object(x):
        tl.store(x, method() + Settings(1.0).shifted())

    helper.times = 2.0  # type: ignore[attr-defined]
    assert (result(of_function), result(of_class), result(of_object)) == (2, 1, 9)
    helper.times = 3.0  # type: ignore[attr-defined]
    monkeypatch.setattr(Settings, "shift", 5.0)
    assert (result(of_function), result(of_class), result(of_object)) == (3, 5, 25)
    set_global(monkeypatch, FACTOR=1.0)
    assert result(of_object) == 15
    settings.value = 0.0
    assert result(of_object) == 11
    monkeypatch.setattr(Settings, "shifted", lambda self: 1.0)
    assert result(of_object) == 6  # the method that was bound before is what it was


# --- modules -------------------------------------------------------------------------------------


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[types.ModuleType]:
    """A module of helpers in a file of its own."""
    (tmp_path / "stale_helpers.py").write_text(
        "def scaled(a):\n    return a * SCALE\nSCALE = 2.0\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield importlib.import_module("stale_helpers")
    del sys.modules["stale_helpers"]


def test_helpers_in_other_files(module: types.ModuleType) -> None:
    scaled = module.scaled

    @mytriton.jit
    def by_attribute(x):
        tl.store(x, module.scaled(tl.load(x)))

    @mytriton.jit
    def by_name(x):
        tl.store(x, scaled(tl.load(x)))

    @mytriton.jit
    def by_import(x):
        from stale_helpers import scaled as imported

        tl.store(x, imported(tl.load(x)))

    @mytriton.jit
    def by_getattr(x):
        tl.store(x, tl.load(x) * getattr(module, "SCALE"))  # noqa: B009

    every = (by_attribute, by_name, by_import, by_getattr)
    assert [result(kernel) for kernel in every] == [2] * 4
    module.SCALE = 3.0
    assert [result(kernel) for kernel in every] == [3] * 4
    module.SCALE = 2.0
    assert [result(kernel) for kernel in every] == [2] * 4


def test_an_edited_and_reloaded_helper(module: types.ModuleType) -> None:
    @mytriton.jit
    def kernel(x):
        tl.store(x, module.scaled(tl.load(x)))

    assert result(kernel) == 2
    Path(str(module.__file__)).write_text("def scaled(a):\n    return a + SCALE\nSCALE = 40.0\n")
    importlib.invalidate_caches()
    importlib.reload(module)
    assert result(kernel) == 41


def test_a_module_that_computes_its_attributes(module: types.ModuleType) -> None:
    made = {"late": 2.0}
    module.__getattr__ = lambda name: made[name]  # type: ignore[method-assign]

    @mytriton.jit
    def kernel(x):
        tl.store(x, module.late)

    assert result(kernel) == 2
    made["late"] = 3.0
    assert result(kernel) == 3
    module.late = 4.0  # type: ignore[attr-defined]
    assert result(kernel) == 4


# --- functions as arguments ----------------------------------------------------------------------


@mytriton.jit
def apply_kernel(x, F: tl.constexpr):
    tl.store(x, F(tl.load(x)))


def test_functions_as_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(value: Any) -> Any:
        return lambda a: a * value * FACTOR

    double = make(2.0)
    assert [result(apply_kernel, f) for f in (double, make(3.0))] == [4, 6]
    x = torch.ones(1)
    first = apply_kernel[1](x, double)
    assert apply_kernel[1](x, make(2.0)) is first  # the same function, made anew
    set_global(monkeypatch, FACTOR=1.0)
    assert result(apply_kernel, double) == 2
    double.__closure__[0].cell_contents = 9.0
    assert result(apply_kernel, double) == 9
    assert result(apply_kernel, make(2.0)) == 2
    assert result(apply_kernel, functools.partial(times_factor)) == 1
    assert result(apply_kernel, times_factor) == 1
    assert result(apply_kernel, tl.exp2) == 2
