"""Gradients of @mytriton.elementwise functions: every row, corners, broadcasting, dtypes, twice."""

from typing import Any

import pytest
import torch

import mytriton
import mytriton.language as tl
from mytriton import _C
from mytriton.elementwise.tape import record
from mytriton.traced import apply

ROWS = {row["name"]: row for row in _C.op_rows() if row["kind"] == "pure"}
DERIVATIVES = {name: row["derivative"] for name, row in ROWS.items() if row["derivative"]}
WITHOUT = {name: row["no_derivative"] for name, row in ROWS.items() if row["no_derivative"]}
F64 = torch.float64


def function_of(name: str) -> Any:
    """The row as a function of scalars; select chooses by the sign of its first operand."""
    if name == "select":
        return lambda a, b, c: tl.where(a > 0, b, c)
    return {
        1: lambda a: apply(name, a),
        2: lambda a, b: apply(name, a, b),
        3: lambda a, b, c: apply(name, a, b, c),
    }[ROWS[name]["operands"]]


def gives_floats(name: str) -> bool:
    inputs = [(each, "f32") for each in "abc"[: ROWS[name]["operands"]]]
    tape, _ = record(name, function_of(name), inputs, {}, "f32")
    return tape.types[tape.outputs[0]] == "f32"


def test_every_row_of_floats_has_a_derivative_or_says_why_not() -> None:
    of_floats = {name for name, row in ROWS.items() if "f32" in row["types"] and gives_floats(name)}
    assert DERIVATIVES.keys() | WITHOUT.keys() == of_floats
    assert not DERIVATIVES.keys() & WITHOUT.keys()
    for name, texts in DERIVATIVES.items():
        assert len(texts) == ROWS[name]["operands"], name
    others = [row for row in _C.op_rows() if row["kind"] != "pure"]
    assert not any(row["derivative"] or row["no_derivative"] for row in others)


def samples(name: str) -> list[torch.Tensor]:
    """Of each operand, in the domain of every row and away from corners and steps."""
    generator = torch.Generator().manual_seed(3)
    count = ROWS[name]["operands"]
    low, high = (1.1, 1.9) if name in ("floor", "ceil", "trunc", "round") else (0.15, 0.45)
    values = low + (high - low) * torch.rand(count, 12, generator=generator, dtype=F64)
    if name in ("rem", "fmod"):
        values[0] += 5 * values[1].detach().ceil()
        values[0], values[1] = values[1] * 2 + 0.07, values[1]
    if name not in ("log", "log2", "log10", "sqrt", "rsqrt", "pow"):
        values[:, ::3] *= -1
    if name in ("maximum", "minimum", "fmax", "fmin", "clamp", "select", "copysign"):
        values[0, ::2] += 0.3
        values[-1] += 0.4 if name == "clamp" else 0.0
        values[0, 1::4] -= 0.9
    return [each.clone().requires_grad_() for each in values]


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivative(name: str) -> None:
    function, inputs = mytriton.elementwise(function_of(name)), samples(name)
    assert torch.autograd.gradcheck(function, inputs)
    without = [each for each in WITHOUT if f"tl.{each}(" in "".join(DERIVATIVES[name])]
    if without:
        with pytest.raises(mytriton.CompileError, match=f"no derivative of {without[0]}: "):
            torch.autograd.gradgradcheck(function, inputs)
    else:
        assert torch.autograd.gradgradcheck(function, inputs)


CORNERS = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, float("inf"), -float("inf"), float("nan")]
REFERENCES = {
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "fmax": torch.fmax,
    "fmin": torch.fmin,
    "abs": torch.abs,
    "clamp": torch.clamp,
    "copysign": torch.copysign,
    "pow": torch.pow,
    "sqrt": torch.sqrt,
    "floor": torch.floor,
}


@pytest.mark.parametrize("name", REFERENCES)
def test_corners_are_those_of_torch(name: str) -> None:
    count = ROWS[name]["operands"]
    grid = torch.cartesian_prod(*[torch.tensor(CORNERS, dtype=F64)] * count).reshape(-1, count)
    if name in ("clamp", "copysign", "abs"):  # of NaN torch says 0, or NaN
        grid = grid[~grid.isnan().any(1)]
    if name == "copysign":  # of infinity torch says NaN
        grid = grid[~grid[:, 0].isinf()]
    made = [each.clone().requires_grad_() for each in grid.unbind(1)]
    known = [each.clone().requires_grad_() for each in grid.unbind(1)]
    mytriton.elementwise(function_of(name))(*made).backward(torch.ones(len(grid), dtype=F64))
    REFERENCES[name](*known).backward(torch.ones(len(grid), dtype=F64))
    for i, (a, b) in enumerate(zip(made, known, strict=True)):
        same = torch.isclose(a.grad, b.grad, rtol=1e-14, atol=0, equal_nan=True)
        assert same.all(), (i, grid[~same], a.grad[~same], b.grad[~same])


# --- whole functions -----------------------------------------------------------------------------


@mytriton.elementwise
def swiglu(a, b):
    return a * tl.sigmoid(a) * b


@mytriton.elementwise
def gelu(x):
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + tl.tanh(inner))


@mytriton.elementwise
def wide(x, y):
    """Computed in float32, whatever comes in."""
    return tl.exp(x.to(tl.float32)) * y.to(tl.float32), x > y


@mytriton.elementwise
def chosen(x, scale: float, SIGN: tl.constexpr = 1):
    return tl.where(x > 0, x, SIGN * scale * x), tl.floor(x)


def eager_swiglu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * torch.sigmoid(a) * b


def leaf(*shape: int, dtype: torch.dtype = F64) -> torch.Tensor:
    return torch.randn(shape, dtype=dtype, requires_grad=True)


@pytest.mark.parametrize(
    "shapes", [((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 1, 3), (4, 1)), ((), (3,)), ((0, 2), (2,))]
)
def test_inputs_that_were_broadcast(shapes: tuple) -> None:
    inputs = [leaf(*shape) for shape in shapes]
    assert torch.autograd.gradcheck(swiglu, inputs)
    assert torch.autograd.gradgradcheck(swiglu, inputs)
    swiglu(*inputs).sum().backward()
    for each in inputs:
        assert each.grad.shape == each.shape


def test_layouts_and_views() -> None:
    x = leaf(6, 5)
    assert torch.autograd.gradcheck(lambda x: swiglu(x.t()[::2], x[0, 3:4]), (x,))
    assert torch.autograd.gradcheck(lambda x: swiglu(x, x), (x,))


def test_inputs_of_which_some_need_a_gradient() -> None:
    a, b = leaf(3, 4), torch.randn(4, dtype=F64)
    assert torch.autograd.gradcheck(swiglu, (a, b))
    assert torch.autograd.gradcheck(swiglu, (b, a))
    swiglu(a, b).sum().backward()
    assert b.grad is None


def test_numbers_options_and_outputs() -> None:
    x = leaf(3, 4)
    assert torch.autograd.gradcheck(lambda x: chosen(x, 0.25, SIGN=-1)[0], (x,))
    assert torch.autograd.gradgradcheck(lambda x: chosen(x * x * x, 0.25)[0], (x,))
    made = chosen(x, torch.tensor(0.25, dtype=F64, requires_grad=True))
    (made[0].sum() + made[1].sum()).backward()
    torch.testing.assert_close(x.grad, torch.where(x > 0, 1.0, 0.25).to(F64))


def test_twice_and_no_more_is_promised() -> None:
    x = leaf(5)
    assert torch.autograd.gradgradcheck(gelu, (x,))
    (first,) = torch.autograd.grad(gelu(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    reference = torch.nn.functional.gelu(x, approximate="tanh").sum()
    (known,) = torch.autograd.grad(reference, x, create_graph=True)
    (known_second,) = torch.autograd.grad(known.sum(), x)
    torch.testing.assert_close(first, known)
    torch.testing.assert_close(second, known_second)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_dtypes(dtype: torch.dtype) -> None:
    made = [leaf(64, dtype=dtype), leaf(8, 64, dtype=dtype)]
    known = [each.detach().double().requires_grad_() for each in made]
    swiglu(*made).sum().backward()
    eager_swiglu(*known).sum().backward()
    # A few roundings of each of the terms and, of the sum, of what they add up to.
    bound = 8 * torch.finfo(dtype).eps
    for a, b in zip(made, known, strict=True):
        assert a.grad.dtype == dtype
        torch.testing.assert_close(a.grad.double(), b.grad, rtol=bound, atol=8 * bound)


def test_mixed_dtypes() -> None:
    x = leaf(6, dtype=torch.bfloat16)
    y = leaf(6, dtype=torch.float32)
    made, greater = wide(x, y)
    assert made.dtype == torch.float32 and greater.dtype == torch.bool
    assert not greater.requires_grad
    made.sum().backward()
    assert (x.grad.dtype, y.grad.dtype) == (torch.bfloat16, torch.float32)
    torch.testing.assert_close(y.grad, x.detach().float().exp())
    ints = torch.arange(6)
    swiglu(ints, y).sum().backward()
    assert y.grad.dtype == torch.float32


def test_a_result_that_depends_on_nothing() -> None:
    x = leaf(3)
    result = mytriton.elementwise(lambda x: tl.floor(x))(x)
    result.sum().backward()
    assert torch.equal(x.grad, torch.zeros(3, dtype=F64))


def test_a_changed_global_changes_the_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    function = mytriton.elementwise(lambda x: x * FACTOR)
    x = leaf(3)
    function(x).sum().backward()
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    function(x).sum().backward()
    assert torch.equal(x.grad, torch.full((3,), 7.0, dtype=F64))


FACTOR = 2.0


# --- a backward of the user's --------------------------------------------------------------------


def double_of(x, y, flow):
    return 2 * flow * y, None


def test_a_backward_that_is_given() -> None:
    product = mytriton.elementwise(backward=double_of)(lambda x, y: x * y)
    x, y = leaf(3, 4), leaf(4)
    product(x, y).sum().backward()
    torch.testing.assert_close(x.grad, (2 * y).expand(3, 4))
    assert torch.equal(y.grad, torch.zeros(4, dtype=F64))


def test_a_backward_that_is_given_has_a_derivative() -> None:
    def backward(x, flow):
        return 3 * x * x * flow

    cube = mytriton.elementwise(backward=backward)(lambda x: x * x * x)
    assert torch.autograd.gradgradcheck(cube, (leaf(4),))


def test_a_backward_with_options() -> None:
    def backward(x, flow, N: tl.constexpr):
        return flow * N

    @mytriton.elementwise(backward=backward)
    def times(x, N: tl.constexpr = 2):
        return x * N

    x = leaf(4)
    times(x, N=3).sum().backward()
    assert torch.equal(x.grad, torch.full((4,), 3.0, dtype=F64))


def test_wrong_backwards() -> None:
    x, y = leaf(3), leaf(3)
    result = mytriton.elementwise(backward=lambda x, y, g: g)(lambda x, y: x * y)(x, y)
    with pytest.raises(mytriton.CompileError, match="a value for each of the inputs x, y; got 1"):
        result.sum().backward()


def test_a_row_without_a_derivative() -> None:
    x = leaf(3)
    result = mytriton.elementwise(lambda x: tl.digamma(x))(x)
    with pytest.raises(mytriton.CompileError, match=r"no derivative of digamma: .*trigamma"):
        result.sum().backward()

    own = mytriton.elementwise(backward=lambda x, g: g * tl.digamma(x))(lambda x: x * x)
    (first,) = torch.autograd.grad(own(x).sum(), x, create_graph=True)
    with pytest.raises(mytriton.CompileError, match="no derivative of digamma"):
        first.sum().backward()
