"""Forward mode: functions of tangents, derived from the rows of a tape."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from test_elementwise_gradient import DERIVATIVES, function_of, gives_floats, samples, swiglu

import mytriton
import mytriton.language as tl
from mytriton.elementwise.decompose import torch_function
from mytriton.elementwise.differentiate import gradient_of, tangent_of
from mytriton.elementwise.tape import Tape, record

F64 = torch.float64
TORCH = [name for name in DERIVATIVES if torch_function(name) is not None]
# Inputs of the functions that are run here, by place.
NAMES = "abcdefgh"


def tape_of(fn: Callable[..., Any], *types: str) -> Tape:
    inputs = list(zip(NAMES, types, strict=False))
    return record("function", fn, inputs, {}, types[0])[0]


def run(fn: Callable[..., Any], tensors: Sequence[torch.Tensor], outputs: int) -> Any:
    """A function of any number of values on tensors of one type."""
    names = ", ".join(NAMES[: len(tensors)])
    counted = eval(f"lambda {names}: fn({names})", {"fn": fn})
    return mytriton.elementwise(outputs=outputs)(counted)(*tensors)


def tangents(
    fn: Callable[..., Any],
    inputs: Sequence[torch.Tensor],
    directions: Sequence[torch.Tensor | None],
    outputs: int = 1,
) -> tuple[torch.Tensor, ...]:
    """What `tangent_of` makes of `fn`, run."""
    tape = tape_of(fn, *["f64"] * len(inputs))
    made = tangent_of(tape, [each is not None for each in directions])
    given = [each for each in directions if each is not None]
    result = run(made, [*inputs, *given], outputs)
    return result if isinstance(result, tuple) else (result,)


def random_like(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(11)
    return [torch.randn(each.shape, generator=generator, dtype=each.dtype) for each in tensors]


# --- every row -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TORCH)
def test_rows_have_the_tangents_of_torch(name: str) -> None:
    inputs = [each.detach() for each in samples(name)]
    function = torch_function(name)
    assert function is not None
    if name == "select":
        expected = torch.func.jvp(
            lambda b, c: torch.where(inputs[0] > 0, b, c),
            tuple(inputs[1:]),
            tuple(random_like(inputs)[1:]),
        )[1]
    else:
        expected = torch.func.jvp(function, tuple(inputs), tuple(random_like(inputs)))[1]
    (made,) = tangents(function_of(name), inputs, random_like(inputs))
    torch.testing.assert_close(made, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", DERIVATIVES)
def test_rows_have_the_tangents_that_differences_tend_to(name: str) -> None:
    inputs = [each.detach() for each in samples(name)]
    directions = random_like(inputs)
    (made,) = tangents(function_of(name), inputs, directions)
    step = 1e-6
    moved = [step * each for each in directions]
    above = run(function_of(name), list(map(torch.add, inputs, moved)), 1)
    below = run(function_of(name), list(map(torch.sub, inputs, moved)), 1)
    torch.testing.assert_close(made, (above - below) / (2 * step), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", DERIVATIVES)
def test_each_operand_alone(name: str) -> None:
    """Tangents are what gradients are, the other way round."""
    inputs = [each.detach() for each in samples(name)]
    tape = tape_of(function_of(name), *["f64"] * len(inputs))
    for i, direction in enumerate(random_like(inputs)):
        only = [each == i for each in range(len(inputs))]
        alone = [direction if chosen else None for chosen in only]
        (made,) = tangents(function_of(name), inputs, alone)
        back = gradient_of(tape, [True], only)
        assert torch.equal(made, run(back, [*inputs, direction], 1))


# --- whole functions -----------------------------------------------------------------------------


def both(a, b):
    return a * tl.sigmoid(a) * b, tl.exp(a) / b, tl.where(a > b, a, b * b)


def eager_both(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return a * torch.sigmoid(a) * b, torch.exp(a) / b, torch.where(a > b, a, b * b)


def test_several_outputs() -> None:
    inputs = random_like([torch.empty(40, dtype=F64)] * 2)
    directions = [each.flip(0) for each in inputs]
    expected = torch.func.jvp(eager_both, tuple(inputs), tuple(directions))[1]
    torch.testing.assert_close(tangents(both, inputs, directions, 3), expected)


def test_some_inputs() -> None:
    a, b = random_like([torch.empty(40, dtype=F64)] * 2)
    expected = torch.func.jvp(lambda b: eager_both(a, b), (b,), (a,))[1]
    torch.testing.assert_close(tangents(both, [a, b], [None, a], 3), expected)


def test_of_another_elementwise_function() -> None:
    a, b = random_like([torch.empty(40, dtype=F64)] * 2)
    expected = torch.func.jvp(lambda a: a * torch.sigmoid(a) * b, (a,), (b,))[1]
    (made,) = tangents(lambda a, b: swiglu(a, b), [a, b], [b, None])
    torch.testing.assert_close(made, expected)


def test_a_gradient_has_tangents() -> None:
    """The second derivative, forward over reverse."""
    x, t = random_like([torch.empty(40, dtype=F64)] * 2)
    back = gradient_of(tape_of(tl.tanh, "f64"), [True], [True])
    (made,) = tangents(lambda a, g: back(a, g)[0], [x, torch.ones_like(x)], [t, None])
    _, expected = torch.func.jvp(lambda x: 1 - torch.tanh(x) ** 2, (x,), (t,))
    torch.testing.assert_close(made, expected)


def test_a_tangent_has_gradients() -> None:
    """The same, reverse over forward."""
    x = random_like([torch.empty(40, dtype=F64)])[0].requires_grad_()
    tangent = tangent_of(tape_of(both, "f64", "f64"), [True, False])

    def function(x):
        return run(tangent, [x, x, x], 3)

    assert torch.autograd.gradcheck(function, (x,))


# --- types, and what nothing reaches -------------------------------------------------------------


def types_of(fn: Callable[..., Any], types: Sequence[str], given: Sequence[bool]) -> list[str]:
    """Those of the tangents that are returned."""
    tape = tape_of(fn, *types)
    passed = [*types, *(each for each, has in zip(types, given, strict=True) if has)]
    made = tape_of(tangent_of(tape, given), *passed)
    return [made.types[each] for each in made.outputs]


def test_tangents_have_the_types_of_outputs() -> None:
    def several(x, y):
        return x, x.to(tl.float32) * y, x / 3, (x > y), y.to(tl.int32), x.to(tl.float64), 1.5

    assert types_of(several, ["f16", "f32"], [True, True]) == ["f16", "f32", "f32", "f64", "f16"]
    assert types_of(several, ["f16", "f32"], [False, True]) == ["f16", "f32", "f32", "f64", "f16"]
    assert types_of(several, ["bf16", "f16"], [True, False])[:2] == ["bf16", "f32"]


def test_casts_pass_tangents_on() -> None:
    """Rounded where the value is, and nothing through an int, a bool or bits."""
    x, t = random_like([torch.empty(40, dtype=F64)] * 2)

    def narrowed(x):
        return x.to(tl.float16).to(tl.float32).to(tl.float64) * 1.0

    (made,) = tangents(narrowed, [x], [t])
    assert torch.equal(made, t.half().double())

    def towards_zero(x):
        return x.to(tl.float32, fp_downcast_rounding="rtz").to(tl.float64) * 2.0

    (made,) = tangents(towards_zero, [x], [t])
    assert torch.equal(made, 2 * t.float().double())

    for dtype, bits in ((tl.int32, False), (tl.int1, False), (tl.int64, True)):

        def lost(x, dtype=dtype, bits=bits):
            return x.to(dtype, bitcast=bits).to(tl.float64)

        (made,) = tangents(lost, [x], [t])
        assert torch.equal(made, torch.zeros_like(x))


def test_zero_where_nothing_reaches() -> None:
    def several(a, b):
        steps = tl.floor(a)
        return b, 2.0, steps, tl.exp(steps.to(tl.float32)), a

    a, t = random_like([torch.empty(8, dtype=F64)] * 2)
    tape = tape_of(several, "f64", "f64")
    made = run(tangent_of(tape, [True, False]), [a, a, t], 5)
    for each in made[:4]:
        assert torch.equal(each.double(), torch.zeros_like(a))
    assert torch.equal(made[4], t)


def test_tangents_of_ints_count_for_nothing() -> None:
    tape = tape_of(lambda a, i: a * i, "f32", "i32")
    made = tape_of(tangent_of(tape, [True, True]), "f32", "i32", "f32", "i32")
    without = tape_of(tangent_of(tape, [True, False]), "f32", "i32", "f32")
    assert [row.op for row in made.rows] == [row.op for row in without.rows]
    assert [len(each.outputs) for each in (made, without)] == [1, 1]


def test_a_row_without_a_derivative() -> None:
    tape = tape_of(lambda x, y: tl.digamma(x) + y, "f32", "f32")
    with pytest.raises(mytriton.CompileError, match=r"function: no derivative of digamma: .*tri"):
        tape_of(tangent_of(tape, [True, False]), "f32", "f32", "f32")
    beside = tape_of(tangent_of(tape, [False, True]), "f32", "f32", "f32")
    assert beside.outputs == beside.inputs[2:]


def test_a_row_that_no_output_needs() -> None:
    """The gradient for y has no use for digamma(x), which has no derivative."""
    tape = tape_of(lambda x, y: tl.digamma(x) + y, "f32", "f32")
    back = tape_of(gradient_of(tape, [True], [False, True]), "f32", "f32", "f32")
    assert not back.rows
    made = tape_of(tangent_of(back, [True, True, True]), *["f32"] * 6)
    assert made.outputs == made.inputs[5:]


def test_rows_are_those_of_floats() -> None:
    assert all(gives_floats(name) for name in TORCH) and len(TORCH) > 30
