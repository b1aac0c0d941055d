"""Random expressions: optimised = op by op = of constants = compiled = CUDA text, to the bit."""

import functools
import random
from typing import Any

import pytest
import torch
from engines import assert_same_bits, compiled, cuda_text, evaluated
from exact import TORCH, TYPES, special_values, tensor
from expressions import LEAVES, Expression, generated, text, traced
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mytriton
import mytriton.language as tl

N = 72  # lanes: whole vectors and a rest


@mytriton.jit
def expressions_kernel(
    a, b, c, d, e, f, g, h, i, j, k, l, m,  # noqa: E741
    o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12, EXPRESSIONS: tl.constexpr,
):  # fmt: skip
    """An input and an output of each type; in an output N elements for each expression."""
    inputs = dict(zip(TYPES, (a, b, c, d, e, f, g, h, i, j, k, l, m), strict=True))
    outputs = dict(zip(TYPES, (o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12), strict=True))
    lane = tl.arange(0, N)

    def leaf(expression):
        pointer = inputs[expression[1]]
        return tl.load(pointer + lane if expression[0] == "block" else pointer)

    for slot, expression in enumerate(EXPRESSIONS):
        tl.store(outputs[expression[1]] + slot * N + lane, traced(expression, leaf))


@mytriton.jit
def operation_kernel(a, b, c, out, EXPRESSION: tl.constexpr):
    """One operation, whose operands are slots or numbers."""
    lane = tl.arange(0, N)
    slots = (a, b, c)
    tl.store(out + lane, traced(EXPRESSION, lambda leaf: tl.load(slots[leaf[2]] + lane)))


@functools.cache
def inputs() -> dict[str, torch.Tensor]:
    order = random.Random(5)
    given = {}
    for name in TYPES:
        values = special_values(name) * (N // len(special_values(name)) + 1)
        order.shuffle(values)
        given[name] = tensor(values[:N], name)
    return given


def launch(engine: Any, expressions: tuple[Expression, ...]) -> list[torch.Tensor]:
    outputs = [torch.zeros(len(expressions) * N, dtype=TORCH[name]) for name in TYPES]
    engine(expressions_kernel)[1](*inputs().values(), *outputs, EXPRESSIONS=expressions)
    results = dict(zip(TYPES, outputs, strict=True))
    return [results[each[1]][i * N : (i + 1) * N] for i, each in enumerate(expressions)]


def op_by_op(expression: Expression) -> torch.Tensor:
    """Each operation launched by itself, so that no pass can see two of them."""
    kind, type_, *operands = expression
    if kind in LEAVES:
        values = inputs()[type_]
        return values if kind == "block" else values[:1].repeat(N)
    slots: list[torch.Tensor] = []
    single: list[Expression] = []
    for operand in operands:
        if operand[0] != "number":
            single.append(("slot", operand[1], len(slots)))
            slots.append(op_by_op(operand))
        else:
            single.append(operand)
    out = torch.zeros(N, dtype=TORCH[type_])
    padded = (slots + [out] * 3)[:3]
    evaluated(operation_kernel)[1](*padded, out, EXPRESSION=(kind, type_, *single))
    return out


def at_lane(expression: Expression, lane: int) -> Expression:
    """The expression of one lane's values, as constants."""
    kind, type_, *rest = expression
    if kind in ("block", "scalar"):
        return ("constant", type_, inputs()[type_][lane if kind == "block" else 0].item())
    return (
        expression if kind == "number" else (kind, type_, *(at_lane(each, lane) for each in rest))
    )


@settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_what_passes_do_changes_no_bit(data: st.DataObject) -> None:
    expression = generated(lambda options: data.draw(st.sampled_from(options)), 3)
    expected = op_by_op(expression)
    (got,) = launch(evaluated, (expression,))
    assert_same_bits(got, expected)
    lanes = (1, 8, N - 1)
    folded = launch(evaluated, tuple(at_lane(expression, lane) for lane in lanes))
    for lane, values in zip(lanes, folded, strict=True):
        assert_same_bits(values, expected[lane].repeat(N))


KERNELS, EXPRESSIONS = 3, 14


@functools.cache
def batches() -> list[tuple[Expression, ...]]:
    """Kernels of several expressions, all made into CUDA text before the first one runs."""
    choose = random.Random(11).choice
    made = [tuple(generated(choose, 4) for _ in range(EXPRESSIONS)) for _ in range(KERNELS)]
    for expressions in made:
        outputs = [torch.zeros(len(expressions) * N, dtype=TORCH[name]) for name in TYPES]
        given = (*inputs().values(), *outputs)
        cuda_text(expressions_kernel).prepare(*given, EXPRESSIONS=expressions)
    return made


@pytest.mark.parametrize("batch", range(KERNELS))
def test_all_engines_agree(batch: int) -> None:
    expressions = batches()[batch]
    expected = launch(evaluated, expressions)
    for engine in (compiled, cuda_text):
        results = launch(engine, expressions)
        for got, answer, expression in zip(results, expected, expressions, strict=True):
            try:
                assert_same_bits(got, answer)
            except AssertionError as error:
                message = f"{engine.__name__}, {text(expression)}: {error}"
                raise AssertionError(message) from None
