"""Functions whose code is made anew: what Python gives them stays theirs, and when there is no
source, or another one."""

import functools
import importlib.util
import linecache
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import torch
from refusals import refusal

import mytriton
import mytriton.language as tl
from mytriton.control_flow.rewrite import code_of

# fmt: off
LEFT, RIGHT = (lambda n: 1 if n > 2 else 2), (lambda n: 3 if n > 2 else 4)
# fmt: on


@pytest.fixture(autouse=True)
def evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")  # no run of the host compiler


def results(fn: Callable[..., Any], *numbers: int) -> list[Any]:
    """What a function of one int returns, at run time, for each of these."""

    @mytriton.jit
    def kernel(out, n):
        tl.store(out, fn(n))

    out = torch.zeros(1, dtype=torch.int32)
    found = []
    for each in numbers:
        kernel[1](out, each)
        found.append(out.item())
    return found


# --- what is around a function, and within -------------------------------------------------------


def test_closures_defaults_and_functions_within() -> None:
    zeta, alpha = 10, 20

    def fn(n, one=1, *, two=2):
        total = alpha

        def add(value):
            nonlocal total
            if value > 2:
                total += value
            return zeta

        if n > 1:
            add(n)
        else:
            total += one
        return total + add(two) if n > 0 else total - zeta

    def expected(n):
        total = 20 + (n if n > 2 else 0) if n > 1 else 21
        return total + 10 if n > 0 else total - 10

    assert results(fn, 0, 1, 2, 5) == [expected(n) for n in (0, 1, 2, 5)]


def test_declarations_within_statements() -> None:
    def fn(n):
        total = 1

        def add():
            for k in range(n):
                if k > 1:
                    nonlocal total
                    total += k

        add()
        return total

    assert results(fn, 0, 5) == [1, 10]


def triangle(n, K):
    """Calls itself, by the name of a global variable."""
    if K == 0:
        return n
    return triangle(n, K - 1) + (K if n > 1 else 0)


def test_functions_that_call_themselves() -> None:
    def power(n, K):
        return n * power(n, K - 1) if K else 1

    assert results(lambda n: triangle(n, 3) + power(n, 2), 1, 4) == [2, 26]


def test_names_of_functions_within() -> None:
    def fn(n):
        def inner():
            return n if n > 1 else 1

        tl.static_assert(inner.__qualname__.endswith("within.<locals>.fn.<locals>.inner"))
        return inner()

    assert results(fn, 0, 3) == [1, 3]


class Shifted:
    __by = 4
    FACTOR = 2

    def __init__(self, more: int) -> None:
        self.__more = more

    def of(self, n):
        __result = 0
        for __i in range(n):
            if __i != self.__by:
                __result += self.__more
        return __result

    @staticmethod
    def twice(n):
        return Shifted.FACTOR * n if n > 1 else n


def test_methods_and_private_names() -> None:
    shifted = Shifted(3)
    assert results(shifted.of, 0, 3, 7) == [0, 9, 18]
    assert results(Shifted.twice, 1, 4) == [1, 8]


def test_lambdas_of_one_line() -> None:
    assert results(lambda n: LEFT(n) * 10 + RIGHT(n), 2, 3) == [24, 13]


@functools.lru_cache(8)
def cached(n):
    return n if n > 3 else 3


def test_decorated_functions() -> None:
    assert results(cached, 1, 5) == [3, 5]


class Pair(NamedTuple):
    first: Any
    second: Any


def test_tuples_are_merged_by_their_items() -> None:
    def fn(n):
        pair = Pair(n, (1, "same", None))
        while n < 10:
            pair = Pair(pair.first + n, (pair.second[0] * 2, "same", None))
            n += 3
        if n > 10:
            pair = pair._replace(second=(pair.second[0] + 1, "same", None))
        tl.static_assert(type(pair) is Pair and pair.second[1:] == ("same", None))
        return pair.first * 100 + pair.second[0]

    def expected(n):
        first, second, rounds = n, 1, n
        while rounds < 10:
            first, second, rounds = first + rounds, second * 2, rounds + 3
        return first * 100 + second + (rounds > 10)

    assert results(fn, 0, 1, 10, 12) == [expected(n) for n in (0, 1, 10, 12)]


# --- statements and operators of Python ----------------------------------------------------------


def test_operands_that_python_knows_are_skipped() -> None:
    def fails() -> Any:
        raise AssertionError("it is not to be evaluated")

    @mytriton.jit
    def kernel(x, N: tl.constexpr):
        zero, three = N - N, N - N + 3
        tl.static_assert((zero or 7) == 7 and (zero and fails()) == 0 and (three or fails()) == 3)
        tl.static_assert(1 < 2 <= 2 and not 3 < 2 < fails())
        tl.static_assert((1 if N else fails()) == 1)
        if N is None or N > 100:
            fails()
        elif not N:
            fails(N)
        kept = []
        for each in [1, "a", None]:
            if each == "a":
                continue
            if each is None:
                break
            kept.append(each)
        else:
            fails()
        tl.static_assert(kept == [1])
        while len(kept) < 3:
            kept.append(2)
        else:
            kept.append(9)
        tl.static_assert(kept == [1, 2, 2, 9])
        assert N == 8, fails()
        tl.store(x, 1.0)

    kernel.compile("*fp32", N=8)
    with pytest.raises(mytriton.CompileError, match="AssertionError: it is not"):
        kernel.compile("*fp32", N=9)


def test_try_with_and_match() -> None:
    def fn(n):
        kind = "b"
        match kind:
            case "a":
                return 1
            case "b" if n > 5:
                return 2
        return 3

    error = refusal(mytriton.CompileError, mytriton.jit(lambda out, n: fn(n)), torch.zeros(1), 3)
    assert "has no Python value" in error.message  # a guard is Python's

    def other(n):
        total = 0
        for k in tl.static_range(3):
            try:
                with nullcontext():
                    if k == 1:
                        continue
                    if n > k + 1:
                        total += 1
                    if n > 10:
                        return 100 + k
            finally:
                total += 10
            try:
                (0).missing  # noqa: B018
            except AttributeError:
                total += 100
        return total

    assert results(other, 0, 3, 11) == [230, 231, 100]


def test_a_walrus_in_conditions() -> None:
    def fn(n):
        total = 0
        while (left := n - total) > 2 or left == 1:
            total += 2 if (left & 1) == 0 and (half := left // 2) > 1 else 1
            if left > 2 and n > 100:
                total += half
        return total * 10 + left

    def plain(n):
        total = 0
        while (left := n - total) > 2 or left == 1:
            total += 2 if (left & 1) == 0 and left // 2 > 1 else 1
        return total * 10 + left

    assert results(fn, 0, 1, 7, 20) == [plain(n) for n in (0, 1, 7, 20)]


def test_generators_are_left_alone() -> None:
    def rows():
        for k in range(3):
            yield k + 1

    def fn(n):
        return sum([n for _ in rows()]) + sum(k for k in range(4))

    assert results(fn, 2) == [12]


def test_a_run_time_assert() -> None:
    @mytriton.jit(debug=True)
    def kernel(x, n):
        assert n > 2
        assert n < 9, f"n is too large for {x.dtype}"
        tl.store(x, 1.0)

    x = torch.zeros(1)
    kernel[1](x, 5)
    for n, message in ((1, "n > 2"), (9, "n is too large for pointer<fp32>")):
        with pytest.raises(AssertionError, match=message):
            kernel[1](x, n)


# --- source text ---------------------------------------------------------------------------------

TEXT = """\
def helper(n, K):
    total = 0
    for i in range(3):
        total += [1, 2, 3][i] if K and i != 1 else 0
    return total

def branching(n, K):
    if n > 2:
        return 1
    return 2

def looping(n, K):
    for _ in range(n):
        n += 1
    return n

def both(n, K):
    return n > 1 and n < 3
"""


def test_functions_without_source_text() -> None:
    names: dict[str, Any] = {}
    exec(TEXT, names)
    helper = names["helper"]
    assert code_of(helper) is None
    assert results(lambda n: helper(n, True), 1) == [4]  # range gives Python's ints
    for name in ("branching", "looping", "both"):
        with pytest.raises(mytriton.CompileError) as error:
            results(functools.partial(names[name], K=True), 3)
        assert "need the function's source text, which cannot be read: put the" in str(
            error.value
        ), name


def module(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_source_text_that_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "changing.py"
    made = module(path, TEXT)
    path.write_text(TEXT.replace("return 1", "return 7"))
    linecache.checkcache(str(path))
    kernel = mytriton.jit(lambda out, n: tl.store(out, made.branching(n, True)))
    error = refusal(mytriton.CompileError, kernel, torch.zeros(1), 3)
    assert "the source text of branching has changed since the function was loaded" in error.message
    assert error.place is not None and error.place[:2] == (str(path), 7)
    assert results(lambda n: made.looping(n, True), 1) == [2]  # each function by itself
    path.write_text("\n\n" + TEXT)
    linecache.checkcache(str(path))
    with pytest.raises(mytriton.CompileError, match="the source text of both has changed"):
        results(lambda n: made.both(n, True), 1)


def test_text_that_was_read_before_its_file_changed(tmp_path: Path) -> None:
    path = tmp_path / "cached.py"
    made = module(path, TEXT)
    linecache.getlines(str(path))
    path.write_text("changed = True\n")
    assert results(lambda n: made.branching(n, True), 1, 3) == [2, 1]


def test_functions_that_need_no_rewriting_need_no_text() -> None:
    names: dict[str, Any] = {}
    exec("def plain(n):\n    return n + 1\n", names)
    assert code_of(names["plain"]) is names["plain"].__code__
    assert results(names["plain"], 1) == [2]


def test_code_is_made_once_and_forgotten_with_the_function(tmp_path: Path) -> None:
    from mytriton.control_flow import rewrite

    made = module(tmp_path / "kept.py", TEXT)
    code = code_of(made.branching)
    assert code is not None and code_of(made.branching) is code
    other = module(tmp_path / "other.py", TEXT)
    found = code_of(other.branching)
    assert found is not None and found.co_filename.endswith("other.py")
    count = len(rewrite._known)
    del made.branching, other.branching
    assert len(rewrite._known) == count - 2


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_functions_with_type_parameters(tmp_path: Path) -> None:
    made = module(tmp_path / "typed.py", "def f[T](n: T) -> T:\n    return n if n > 1 else -n\n")
    assert results(made.f, 0, 3) == [0, 3]
