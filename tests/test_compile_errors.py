"""A wrong kernel: CompileError says what is wrong and points at it in the kernel's own source."""

import inspect
import linecache
import textwrap
import traceback
from collections.abc import Callable
from typing import Any

import pytest
import torch
from refusals import refusal
from wrong_kernels import MISTAKES

import mytriton
import mytriton.language as tl

LEAKED: list[Any] = []


def launch(fn: Callable[..., Any]) -> mytriton.CompileError:
    """Compiles a kernel of (x, n): a float tensor of 8 elements, which it must not touch, and 3."""
    kernel = mytriton.jit(fn)
    x = torch.arange(8.0)
    error = refusal(mytriton.CompileError, kernel, x, 3)
    assert isinstance(error, mytriton.CompileError)
    return error


def assert_points_at(error: mytriton.CompileError, fn: Callable[..., Any], underlined: str) -> None:
    """The text names file, line and column of `underlined`, which stands once in fn's source, and
    shows its line with carets below exactly that part."""
    lines, first = inspect.getsourcelines(fn)
    (offset,) = [i for i, line in enumerate(lines) if underlined in line]
    line = lines[offset].rstrip("\n")
    column = line.index(underlined)
    head, source, carets = str(error).split("\n")[:3]
    path = inspect.getsourcefile(fn)
    place = f"{path}:{first + offset}:{len(line[:column].encode()) + 1}: error: "
    assert head == place + error.message
    assert source == "    " + line.strip()
    start, stop = carets.index("^"), carets.rindex("^") + 1
    assert carets[start:stop] == "^" * (stop - start)
    assert source[start:stop] == underlined
    assert [c == "\t" for c in carets[:start]] == [c == "\t" for c in source[:start]]


# --- mistakes of all kinds -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fn", "underlined", "message"), MISTAKES, ids=[fn.__name__ for fn, _, _ in MISTAKES]
)
def test_mistake(fn: Callable[..., Any], underlined: str, message: str) -> None:
    error = launch(fn)
    assert message in error.message
    assert_points_at(error, fn, underlined)


def test_exceptions_of_the_kernel_are_kept_as_cause() -> None:
    causes = {"division_by_zero": ZeroDivisionError, "missing_key": KeyError}
    causes |= {"undefined_name": NameError, "wrong_attribute": AttributeError}
    by_name = {fn.__name__: fn for fn, _, _ in MISTAKES}
    for name, cause in causes.items():
        error = launch(by_name[name])
        assert type(error.__cause__) is cause
        assert error.message == f"{cause.__name__}: {error.__cause__}"


# --- where the mistake is ------------------------------------------------------------------------


def halve(value):
    return value // 2 & 0.5


@mytriton.jit
def jitted_helper(value):
    return tl.exp(value)


def test_mistake_in_a_helper() -> None:
    def plain(x, n):
        tl.store(x, 5.0)
        tl.store(x, halve(n))

    def jitted(x, n):
        tl.store(x, 5.0)
        tl.store(x, jitted_helper(n))

    assert_points_at(launch(plain), halve, "value // 2 & 0.5")
    assert_points_at(launch(jitted), jitted_helper.fn, "tl.exp(value)")


def test_calls_that_led_to_a_mistake_are_shown_innermost_first() -> None:
    def outer(value):
        return halve(value) + 1

    def kernel(x, n):
        tl.store(x, outer(n))

    error = launch(kernel)
    shown = str(error).split("\n")[3:]
    lines = [(fn, *inspect.getsourcelines(fn)) for fn in (outer, kernel)]
    for (fn, source, first), underlined in zip(lines, ("halve(value)", "outer(n)"), strict=True):
        column = source[1].index(underlined) + 1
        place = f"{fn.__code__.co_filename}:{first + 1}:{column}: called from here"
        assert shown[0] == place
        assert shown[1].strip() == source[1].strip()
        start = shown[2].index("^")
        assert shown[1][start : start + shown[2].count("^")] == underlined
        shown = shown[3:]
    assert shown == []
    frames = "".join(traceback.format_tb(error.__traceback__))
    assert "language.py" not in frames, "frames inside the language are ours"


def test_a_runaway_recursion_shows_a_few_calls() -> None:
    def down(value):
        return down(value + 1)

    def kernel(x, n):
        tl.store(x, down(n))

    error = launch(kernel)
    assert error.message.startswith("RecursionError: down calls itself without end")
    assert_points_at(error, down, "down(value + 1)")
    assert str(error).count("called from here") == 1
    assert str(error).endswith("^^^^^^^")


def test_mistake_of_several_lines() -> None:
    def kernel(x, n):
        tl.store(x, 5.0)
        tl.store(
            x + tl.arange(0, 4),
            tl.arange(0, 8),
        )

    text = str(launch(kernel)).split("\n")
    first = kernel.__code__.co_firstlineno
    assert text[0].startswith(f"{__file__}:{first + 2}:9: error: store: incompatible shapes")
    assert text[1:] == ["    tl.store(", "    ^^^^^^^^^"]


def execute(source: str, file: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"tl": tl}
    exec(compile(textwrap.dedent(source), file, "exec"), names)
    return names["kernel"]


SOURCE = """\
    def kernel(x, n):
    \ttl.store(x, 5.0)
    \tgrößer = "→" if True else n + 0.5 ;\ttl.store(x,\ttl.exp(n))
"""


def test_source_that_is_nowhere_to_be_found() -> None:
    error = launch(execute(SOURCE, "<made up>"))
    column = len(textwrap.dedent(SOURCE).splitlines()[2].split("tl.exp")[0].encode()) + 1
    assert str(error) == f"<made up>:3:{column}: error: exp requires float, got i32"


def test_tabs_and_letters_of_several_bytes() -> None:
    file = "<cached>"
    text = textwrap.dedent(SOURCE)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    _, source, carets = str(launch(execute(SOURCE, file))).split("\n")
    assert source == "    " + text.splitlines()[2].strip()
    before = source[: source.index("tl.exp(n)")]
    assert carets == "".join(c if c == "\t" else " " for c in before) + "^" * len("tl.exp(n)")


def test_wide_letters_take_two_columns() -> None:
    file = "<wide>"
    text = 'def kernel(x, n):\n    tl.store(x, tl.load("漢字" and n))\n'
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    _, _, carets = str(launch(execute(text, file))).split("\n")
    assert carets == " " * len("    tl.store(x, ") + "^" * (len('tl.load("漢字" and n)') + 2)


# --- what a kernel gives back --------------------------------------------------------------------


def test_a_kernel_that_returns_a_value() -> None:
    def traced(x, n):
        tl.store(x, 5.0)
        return n + 1

    def number(x, n):
        tl.store(x, 5.0)
        return 7

    expected = "a kernel returns nothing, got {}; store results through a pointer"
    error = launch(traced)
    assert error.message == f"traced: {expected.format('tensor')}"
    assert_points_at(error, traced, "return n + 1")
    error = launch(number)
    assert error.message == f"number: {expected.format('int')}"
    assert error.place is not None
    assert error.place[1] == number.__code__.co_firstlineno + 2


def test_a_value_of_another_kernels_trace() -> None:
    keep = LEAKED.append

    def leak(x, n):
        keep(n + 1)
        tl.store(x, 5.0)

    def use(x, n):
        tl.store(x, 5.0)
        tl.store(x, n + LEAKED[-1])

    LEAKED.clear()
    mytriton.jit(leak)[1](torch.zeros(8), 3)
    error = launch(use)
    assert error.message == "add: a value of another kernel's trace is used here"
    assert_points_at(error, use, "n + LEAKED[-1]")
    with pytest.raises(RuntimeError, match="works only inside a kernel"):
        LEAKED[-1] + 1


def test_a_kernel_compiles_after_it_was_mended() -> None:
    broken = [True]

    @mytriton.jit
    def kernel(x):
        tl.store(x, 5.0)
        tl.store(x + 1, "text" if broken[0] else 6.0)

    x = torch.zeros(2)
    refusal(mytriton.CompileError, kernel, x)
    broken[0] = False
    kernel[1](x)
    assert x.tolist() == [5.0, 6.0]
