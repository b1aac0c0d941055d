"""Launches notice what changed in functions, classes and modules that a kernel reaches."""

import functools
import importlib
import random
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from one_value import compiled, result

import mytriton
import mytriton.language as tl

FACTOR: Any = 2.0


class Settings:
    shift = 1.0

    def __init__(self, value: Any) -> None:
        self.value = value

    def shifted(self) -> Any:
        return self.value + self.shift * FACTOR


def times_factor(value: Any) -> Any:
    return value * FACTOR


@pytest.fixture(autouse=True)
def evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")  # no run of the host compiler


def set_global(monkeypatch: pytest.MonkeyPatch, **values: Any) -> None:
    for name, value in values.items():
        monkeypatch.setitem(globals(), name, value)


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


# --- everything at once --------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:kernel kernel. compiled 16 times:RuntimeWarning")
def test_random_changes(module: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a kernel stores is what its Python computes, whatever was changed before the launch."""
    cell, table = 1.0, {"a": [1.0, (2.0,)]}

    def helper(a: Any, plus: float = 1.0, *, more: float = 0.0) -> Any:
        return a * cell + plus + more + Settings.shift

    def compute(a: Any) -> Any:
        value = module.scaled(helper(a)) + table["a"][0]
        return value * FACTOR if module.SCALE > 2.0 else value - table["a"][1][0]

    @mytriton.jit
    def kernel(x):
        tl.store(x, compute(tl.load(x)))

    choose = random.Random(1)
    for _ in range(300):
        value = choose.choice([1.0, 2.0, 3.0])
        change = choose.randrange(9)
        if change == 0:
            set_global(monkeypatch, FACTOR=value)
        elif change == 1:
            module.SCALE = value  # type: ignore[attr-defined]
        elif change == 2:
            helper.__defaults__ = (value,)
        elif change == 3:
            helper.__kwdefaults__["more"] = value
        elif change == 4:
            cell = value
        elif change == 5:
            table["a"][0] = value
        elif change == 6:
            table["a"][1] = (value,)
        elif change == 7:
            monkeypatch.setattr(Settings, "shift", value)
        else:
            module.scaled = choose.choice([lambda a: a * 2.0, lambda a: a + FACTOR])  # type: ignore[attr-defined]
        assert result(kernel) == compute(1.0)
