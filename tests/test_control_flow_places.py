"""Places in functions whose code was made anew: decorators do not shift their lines."""

import inspect

import pytest
import torch
from engines import evaluated

import mytriton
import mytriton.language as tl
from mytriton import CompileError


def plain(fn):
    return fn


@mytriton.jit
@plain
def decorated(x, n):
    if n > 3:
        y = tl.load(x)
    tl.store(x, y)


@mytriton.jit(
    debug=False,
    do_not_specialize=["n"],
)
def decorated_over_lines(x, n):
    for i in range(n):
        tl.store(x + i, undefined)  # noqa: F821


@mytriton.jit
def asserted(x, n):
    # Says where it stands.
    assert n > 3, "small"
    tl.store(x, 1.0)


def line_of(kernel: mytriton.JITFunction, text: str) -> int:
    lines, first = inspect.getsourcelines(kernel.fn)
    return next(first + i for i, line in enumerate(lines) if text in line)


@pytest.mark.parametrize(
    ("kernel", "text", "marked"),
    [(decorated, "tl.store(x, y)", "y"), (decorated_over_lines, "tl.store(x + i", "undefined")],
)
def test_errors_stand_on_their_line(kernel: mytriton.JITFunction, text: str, marked: str) -> None:
    with pytest.raises(CompileError) as raised:
        kernel.compile("*fp32", "i32")
    shown = str(raised.value).split("\n")
    assert shown[0].startswith(f"{__file__}:{line_of(kernel, text)}:")
    assert text in shown[1]
    assert shown[1][shown[2].index("^") : shown[2].rindex("^") + 1] == marked


def test_assertions_name_their_line() -> None:
    kernel = mytriton.jit(debug=True)(asserted.fn)
    with pytest.raises(AssertionError, match=f":{line_of(asserted, 'assert n')}"):
        kernel[(1,)](torch.zeros(1), 2)


@mytriton.jit
def loop_kernel(x, n):
    for i in range(n):
        tl.store(x + i, 1.0)


def test_explain_shows_loops_below_their_lines() -> None:
    text = loop_kernel.explain("*fp32", "i32")
    loop, store = text.index("for i in range(n):"), text.index("tl.store(x + i, 1.0)")
    assert loop < text.index("for %0 in range(0, n, 1)") < store < text.index("store %1, 1.0")


@mytriton.jit
def endless(x, n):
    while n > 0:
        tl.store(x, 1.0)


def test_an_endless_loop_ends_at_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_MAX_STEPS", "5000")
    line = line_of(endless, "while n > 0")
    expected = rf"kernel endless: stopped after 5000 steps .* at {__file__}:({line}|{line + 1}),"
    with pytest.raises(RuntimeError, match=expected):
        evaluated(endless)[(1,)](torch.zeros(1), 3)
