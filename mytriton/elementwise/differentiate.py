"""Reverse mode over a tape: what flows back from the outputs of a function to its inputs.

The result is a function of scalars again, which recomputes the rows from the inputs. It is traced
and compiled as a user's function is, so that it has a derivative of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from mytriton import language as tl
from mytriton.dtypes import DTYPES
from mytriton.elementwise.derivatives import DERIVATIVES, WITHOUT
from mytriton.elementwise.tape import Row, Tape, replay
from mytriton.errors import CompileError
from mytriton.traced import tensor

_CASTS = ("cast", "cast_rtz")


@functools.cache
def _rule(text: str) -> Callable[..., Any]:
    made: Callable[..., Any] = eval(f"lambda a, b, c, r, g: {text}", {"tl": tl})
    return made


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
                for operand, flow in _back_through(tape, row, known, back[row.result], reached):
                    _add(back, operand, flow.to(DTYPES[tape.types[operand]]))
        found = []
        for node, wants in zip(tape.inputs, wanted, strict=True):
            if wants:
                nothing = tl.cast(0.0, DTYPES[tape.types[node]])
                found.append(back.get(node, nothing))
        return tuple(found)

    return gradient


def _is_float(tape: Tape, node: int) -> bool:
    return DTYPES[tape.types[node]].is_floating()


def _reached(tape: Tape, wanted: Sequence[bool]) -> set[int]:
    """The floats that depend on a wanted input."""
    inputs = zip(tape.inputs, wanted, strict=True)
    reached = {node for node, wants in inputs if wants and _is_float(tape, node)}
    for row in tape.rows:
        if _is_float(tape, row.result) and any(each in reached for each in row.operands):
            reached.add(row.result)
    return reached


def _back_through(
    tape: Tape, row: Row, known: dict[int, Any], flow: Any, reached: set[int]
) -> list[tuple[int, tensor]]:
    """(operand, what flows back to it) for each that something flows to."""
    if row.op in _CASTS:
        return [(row.operands[0], flow)]
    if row.op == "bitcast":
        return []
    if row.op not in DERIVATIVES:
        why = WITHOUT.get(row.op, "its row has none")
        raise CompileError(f"{tape.name}: no derivative of {row.op}: {why}")
    # In the type that the row computed in, as promotion left it.
    element = DTYPES[tape.types[row.result]]
    operands = [known[each] for each in row.operands]
    for i, each in enumerate(operands):
        if isinstance(each, tensor) and (row.op, i) != ("select", 0):
            operands[i] = each.to(element)
    abc = (*operands, None, None)[:3]
    found = []
    for operand, text in zip(row.operands, DERIVATIVES[row.op], strict=True):
        if operand in reached and text != "0":
            found.append((operand, _rule(text)(*abc, known[row.result], flow)))
    return found


def _add(back: dict[int, Any], node: int, flow: Any) -> None:
    back[node] = back[node] + flow if node in back else flow
