"""Both modes of derivatives over a tape: what flows back from the outputs of a function to its
inputs, and the tangents of its outputs from those of its inputs.

The result is a function of scalars again, which recomputes the rows from the inputs. It is traced
and compiled as a user's function is, so that it has derivatives of its own. The derivative of each
row stands in the table of ops: csrc/ir/ops.def says how to read it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

from mytriton import _C
from mytriton import language as tl
from mytriton.dtypes import DTYPES
from mytriton.elementwise.tape import Row, Tape, replay
from mytriton.errors import CompileError
from mytriton.traced import tensor

_ROWS = {row["name"]: row for row in _C.op_rows() if row["kind"] == "pure"}
_CASTS = ("cast", "cast_rtz")


def gradient_of(
    tape: Tape, given: Sequence[bool], wanted: Sequence[bool]
) -> Callable[..., tuple[Any, ...]]:
    """A function of the tape's inputs and then of what flows back to those outputs that are
    `given`; it returns what flows back to those inputs that are `wanted`, in their type.

    CompileError where a row on the way has no derivative.
    """
    reached = _reached(tape, wanted)

    def gradient(*values: Any) -> tuple[Any, ...]:
        inputs, flows = values[: len(tape.inputs)], iter(values[len(tape.inputs) :])
        known = replay(tape, inputs)
        back: dict[int, Any] = {}
        for output, has in zip(tape.outputs, given, strict=True):
            if has:
                _add(back, output, next(flows))
        for row in reversed(tape.rows):
            if row.result in reached and row.result in back:
                for operand, rule in _rules(tape, row, known, reached):
                    flow = rule(back[row.result])
                    _add(back, operand, flow.to(DTYPES[tape.types[operand]]))
        inputs_wanted = (n for n, wants in zip(tape.inputs, wanted, strict=True) if wants)
        return tuple(_of(tape, back, node) for node in inputs_wanted)

    return gradient


def tangent_of(tape: Tape, given: Sequence[bool]) -> Callable[..., tuple[Any, ...]]:
    """A function of the tape's inputs and then of the tangents of those inputs that are `given`,
    each in the input's type; it returns the tangents of all outputs that are floats, in their
    type: zero where no such input reaches one. The tangent of an input that is no float counts for
    nothing.

    CompileError where a row on the way has no derivative.
    """
    reached = _reached(tape, given) & _needed(tape)

    def tangent(*values: Any) -> tuple[Any, ...]:
        inputs, directions = values[: len(tape.inputs)], iter(values[len(tape.inputs) :])
        known = replay(tape, inputs)
        along: dict[int, Any] = {}
        for node, has in zip(tape.inputs, given, strict=True):
            if has:
                direction = next(directions)
                if node in reached:
                    along[node] = direction
        for row in tape.rows:
            if row.result in reached:
                # Each rule is linear in what flows, so that it takes a tangent as well.
                element = DTYPES[tape.types[row.result]]
                for operand, rule in _rules(tape, row, known, along):
                    _add(along, row.result, rule(along[operand].to(element)).to(element))
        return tuple(_of(tape, along, node) for node in tape.outputs if _is_float(tape, node))

    return tangent


def _is_float(tape: Tape, node: int) -> bool:
    return DTYPES[tape.types[node]].is_floating()


def _of(tape: Tape, found: dict[int, Any], node: int) -> Any:
    """What was found for a node; else a zero of its type."""
    return found[node] if node in found else tl.cast(0.0, DTYPES[tape.types[node]])


def _reached(tape: Tape, inputs: Sequence[bool]) -> set[int]:
    """The floats that depend on one of these inputs."""
    chosen = zip(tape.inputs, inputs, strict=True)
    reached = {node for node, is_chosen in chosen if is_chosen and _is_float(tape, node)}
    for row in tape.rows:
        if _is_float(tape, row.result) and any(each in reached for each in row.operands):
            reached.add(row.result)
    return reached


def _needed(tape: Tape) -> set[int]:
    """What the outputs depend on. A gradient's tape has rows that nothing needs."""
    needed = set(tape.outputs)
    for row in reversed(tape.rows):
        if row.result in needed:
            needed.update(row.operands)
    return needed


@functools.cache
def _rule(text: str) -> Callable[..., Any]:
    made: Callable[..., Any] = eval(f"lambda a, b, c, r, g: {text}", {"tl": tl})
    return made


def _rules(
    tape: Tape, row: Row, known: dict[int, Any], operands: Container[int]
) -> Iterator[tuple[int, Callable[[Any], Any]]]:
    """For each of the row's operands that is among `operands` and that its result depends on: the
    operand, and a function from what flows to the result to what flows to the operand, before it
    has the operand's type. `known`: the values of all that the row computes with."""
    if row.op in _CASTS:
        if row.operands[0] in operands:
            yield row.operands[0], lambda flow: flow
        return
    if row.op == "bitcast":
        return
    texts = _ROWS[row.op]["derivative"]
    if not texts:
        why = _ROWS[row.op]["no_derivative"] or "its row has none"
        raise CompileError(f"{tape.name}: no derivative of {row.op}: {why}")
    # In the type that the row computed in, as promotion left it.
    element = DTYPES[tape.types[row.result]]
    values = [known[each] for each in row.operands]
    for i, each in enumerate(values):
        if isinstance(each, tensor) and (row.op, i) != ("select", 0):
            values[i] = each.to(element)
    abc = (*values, None, None)[:3]
    for operand, text in zip(row.operands, texts, strict=True):
        if operand in operands and text != "0":
            yield operand, functools.partial(_rule(text), *abc, known[row.result])


def _add(found: dict[int, Any], node: int, flow: Any) -> None:
    found[node] = found[node] + flow if node in found else flow
