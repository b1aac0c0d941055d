"""What @mytriton.elementwise says of wrong functions and wrong calls."""

import pytest
import torch

import mytriton
import mytriton.language as tl

X, Y = torch.randn(2, 4, 6).unbind()


@mytriton.elementwise
def mixed(a, b, c, N: tl.constexpr = 1):
    return a + b * c * N


@mytriton.elementwise
def grown(x):
    return tl.exp(x) + 1


def helper(x):
    return tl.sqrt(x)


@mytriton.elementwise
def rooted(x):
    return helper(x)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((X, Y), TypeError, "mixed: argument 'c' is missing"),
        ((X, Y, X, 1, X), TypeError, "mixed: expected at most 4 arguments by position, got 5"),
        ((X, Y, "3"), TypeError, "mixed: argument 'c': expected a tensor or a number, got str"),
        ((X, None, Y), TypeError, "mixed: argument 'b': expected a tensor .* got NoneType"),
        ((1, 2, 3.0), TypeError, "mixed: expected at least one tensor"),
        (
            (X, Y.to(torch.complex64), X),
            TypeError,
            "mixed: argument 'b': expected a tensor of .*; got torch.complex64",
        ),
        (
            (X, torch.randn(6), torch.randn(5)),
            ValueError,
            r"mixed: 'b' of shape \(6,\) and 'c' of shape \(5,\) do not broadcast",
        ),
        (
            (torch.randn(1, 6), X, torch.randn(3, 1)),
            ValueError,
            r"mixed: 'b' of shape \(4, 6\) and 'c' of shape \(3, 1\) do not broadcast",
        ),
    ],
)
def test_wrong_arguments(arguments: tuple, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        mixed(*arguments)


def test_unexpected_keywords() -> None:
    with pytest.raises(
        TypeError, match="unexpected argument 'd'; the parameters are a, b, c, N, out"
    ):
        mixed(X, X, X, d=1)
    with pytest.raises(TypeError, match="'num_warps'"):
        mixed(X, X, X, num_warps=4)


def test_ints_for_a_row_of_floats() -> None:
    with pytest.raises(mytriton.CompileError) as caught:
        grown(torch.arange(4))
    text = str(caught.value)
    assert "exp" in text and "i64" in text and "return tl.exp(x) + 1" in text and "^^^" in text


def test_errors_in_helpers_show_the_call() -> None:
    with pytest.raises(mytriton.CompileError) as caught:
        rooted(torch.arange(4))
    text = str(caught.value)
    assert "return tl.sqrt(x)" in text and "called from here" in text
    assert text.count("called from here") == 1


def loads(x):
    return tl.load(x)


def stores(x):
    tl.store(x, x)
    return x


def sums(x):
    return x - tl.sum(x)


def scans(x):
    return tl.cumsum(x)


def loops(x):
    for _ in range(3):
        x = x + 1
    return x


def branches(x):
    if x > 0:
        return x
    return -x


def asks(x):
    return x + tl.program_id(0)


def prints(x):
    tl.device_print("x", x)
    return x


def shapes(x):
    return x[:, None]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (loads, "loads: load: not in an elementwise function: it maps elements"),
        (stores, "stores: store: not in an elementwise function"),
        (sums, "sums: reduce: not in an elementwise function"),
        (scans, "scans: scan: not in an elementwise function"),
        (loops, "loops: for: not in an elementwise function: .* use tl.static_range"),
        (branches, "the condition must be a scalar"),
        (asks, "asks: program_id: not in an elementwise function"),
        (prints, "prints: print: not in an elementwise function"),
        (shapes, "shapes: reshape: not in an elementwise function"),
    ],
)
def test_what_a_function_cannot_do(function: object, message: str) -> None:
    with pytest.raises(mytriton.CompileError, match=message) as caught:
        mytriton.elementwise(function)(X)
    assert f"{__file__}:" in str(caught.value) and "^" in str(caught.value)


def nothing(x):
    x + 1


def text(x):
    return "x"


def hidden(x):
    both = (x, x)
    return both


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (nothing, "returns a value or a tuple of values, .* got NoneType"),
        (text, "returns a value or a tuple of values, .* got str"),
        (hidden, r"hidden: expected 1 output, got 2: .*@mytriton.elementwise\(outputs=2\)"),
    ],
)
def test_what_a_function_returns(function: object, message: str) -> None:
    with pytest.raises(mytriton.CompileError, match=message):
        mytriton.elementwise(function)(X)


def test_outputs_that_are_told() -> None:
    a, b = mytriton.elementwise(outputs=2)(hidden)(X)
    assert torch.equal(a, X) and torch.equal(b, X)


def test_wrong_decorations() -> None:
    with pytest.raises(TypeError, match="elementwise: expected a function, got int"):
        mytriton.elementwise(3)
    with pytest.raises(TypeError, match="unexpected option 'inline'"):
        mytriton.elementwise(inline=True)
    with pytest.raises(TypeError, match="has no parameter that is not a constexpr"):

        @mytriton.elementwise
        def constant(N: tl.constexpr):
            return N

    with pytest.raises(TypeError, match="fixed list of parameters"):
        mytriton.elementwise(lambda *xs: xs[0])
