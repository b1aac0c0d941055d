"""Tape: the rows that a function of scalars goes through, noted while it is traced.

It stands where a trace stands, hands what is elementwise on to one - which infers types and words
the errors -, and refuses the rest. From it come the gradient and the torch functions of a function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from mytriton import _C
from mytriton.dtypes import DTYPES
from mytriton.errors import CompileError
from mytriton.reads import Reads, value_key
from mytriton.recording import Recorder
from mytriton.source import Place, caller_place, return_place
from mytriton.traced import apply, current_trace, node_of, tensor, tracing, unwrap
from mytriton.tracing import user_errors

_LANES = [16]  # as kernels trace it: what needs a scalar is refused here too
_LOOPS = "loops of the run are not supported: use tl.static_range, or a for over a list"
_BRANCHES = "branches of the run are not supported: use tl.where"
_REFUSED = {
    "begin_for": _LOOPS,
    "begin_while": _LOOPS,
    "rewind": _LOOPS,
    "begin_if": _BRANCHES,
    "reduce": "it sees one element at a time, so there is nothing to reduce",
    "scan": "it sees one element at a time, so there is nothing to scan",
}
WIDER = {"f16": "f32", "bf16": "f32"}  # what is computed in place of them
_CASTS = ("cast", "cast_rtz", "bitcast")


class Row(NamedTuple):
    """One step: ``result = op(*operands)``; values are named by numbers."""

    op: str  # of the table, or one of cast, cast_rtz and bitcast
    operands: tuple[int, ...]
    result: int


class Tape:
    """The rows of one function; ``types`` has the element type of every value in them."""

    def __init__(self, name: str) -> None:
        self.rows: list[Row] = []
        self.types: dict[int, str] = {}
        self.constants: dict[int, bool | int | float] = {}
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.name = name
        self._trace = _C.Trace(name)

    def input(self, name: str, element: str) -> tensor:
        """A value to call the function with."""
        scalar = self._trace.scalar_param(name, element)
        node = self._trace.splat(scalar, _LANES, None)
        self.types[node] = element
        self.inputs.append(node)
        return tensor(self, node)  # type: ignore[arg-type]

    def key(self) -> tuple[Any, ...]:
        """What the function computes, comparable, with floats by their bits."""
        constants = value_key(self.constants)
        types = tuple(self.types.items())
        return (tuple(self.rows), types, constants, tuple(self.inputs), tuple(self.outputs))

    def drop_unused(self) -> None:
        """Leaves out the rows that no output needs."""
        needed = set(self.outputs)
        rows = []
        for row in reversed(self.rows):
            if row.result in needed:
                needed.update(row.operands)
                rows.append(row)
        self.rows = rows[::-1]

    def widened(self) -> Tape:
        """The same with float32 in place of float16 and bfloat16, as fused functions compute: only
        casts to these types round. It cannot be traced further."""
        if not any(each in WIDER for each in self.types.values()):
            return self
        made = Tape(self.name)
        made.constants, made.inputs, made.outputs = self.constants, self.inputs, self.outputs
        made.types = {node: WIDER.get(each, each) for node, each in self.types.items()}
        made.rows = [each for row in self.rows for each in self._widened(made, row)]
        return made

    def _widened(self, made: Tape, row: Row) -> list[Row]:
        if row.op not in _CASTS:
            return [row]
        rows = []
        (value,) = row.operands
        if row.op == "bitcast" and self.types[value] in WIDER:
            value = made._extra(self.types[value])
            rows.append(Row("cast", row.operands, value))
        result = row.result
        if self.types[result] in WIDER:
            result = made._extra(self.types[result])
        rows.append(Row(row.op, (value,), result))
        if result != row.result:
            rows.append(Row("cast", (result,), row.result))
        return rows

    def _extra(self, element: str) -> int:
        node = min(0, *self.types) - 1
        self.types[node] = element
        return node

    # --- as a trace ------------------------------------------------------------------------------

    def bool_constant(self, value: bool) -> int:
        return self._constant(self._trace.bool_constant(value), value)

    def int_constant(self, value: int) -> int:
        return self._constant(self._trace.int_constant(value), value)

    def uint_constant(self, value: int) -> int:
        return self._constant(self._trace.uint_constant(value), value)

    def float_constant(self, value: float) -> int:
        return self._constant(self._trace.float_constant(value), value)

    def apply(self, op: str, operands: list[int], place: Place | None) -> int:
        return self._row(op, operands, self._trace.apply(op, operands, place))

    def true_divide(self, a: int, b: int, place: Place | None) -> int:
        return self._row("div", [a, b], self._trace.true_divide(a, b, place))

    def cast(self, value: int, to: str, towards_zero: bool, place: Place | None) -> int:
        made = self._trace.cast(value, to, towards_zero, place)
        return self._row("cast_rtz" if towards_zero else "cast", [value], made)

    def bitcast(self, value: int, to: str, place: Place | None) -> int:
        return self._row("bitcast", [value], self._trace.bitcast(value, to, place))

    def splat(self, value: int, shape: list[int], place: Place | None) -> int:
        if list(shape) not in ([], _LANES):
            raise self._refusal("splat", "it has no shape")
        return value

    def scalar(self, node: int) -> str:
        return self._trace.scalar(node)

    def is_pointer(self, node: int) -> bool:
        return self._trace.is_pointer(node)

    def shape(self, node: int) -> tuple[int, ...]:
        return self._trace.shape(node)

    def type(self, node: int) -> str:
        return self._trace.type(node)

    def mark(self) -> Any:
        return self._trace.mark()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        default = "it maps elements to elements, wherever they lie in memory"
        raise self._refusal(name, _REFUSED.get(name, default))

    def _refusal(self, name: str, why: str) -> CompileError:
        what = name.removeprefix("begin_")
        return CompileError(
            f"{self.name}: {what}: not in an elementwise function: {why}", caller_place()
        )

    def _constant(self, node: int, value: bool | int | float) -> int:
        self.constants[node] = value
        self.types[node] = self._trace.scalar(node)
        return node

    def _row(self, op: str, operands: Sequence[int], result: int) -> int:
        if result not in self.types:  # else the same was computed before, or a cast changes nothing
            self.types[result] = self._trace.scalar(result)
            self.rows.append(Row(op, tuple(operands), result))
        return result


def record(
    name: str,
    fn: Any,
    inputs: Sequence[tuple[str, str]],
    by_name: dict[str, Any],
    returned_type: str,
    none_is_zero: bool = False,
) -> tuple[Tape, Reads]:
    """Traces `fn` with inputs of these names and element types, by position, and other arguments
    by name. Numbers that it returns get `returned_type`;
    None is refused, or `none_is_zero`. CompileError where it is wrong."""
    tape, recorder = Tape(name), Recorder()
    with user_errors(recorder), tracing(tape), recorder.recording():  # type: ignore[arg-type]
        given = [tape.input(each, element) for each, element in inputs]
        options = {key: recorder.wrap(v, f"argument '{key}'") for key, v in by_name.items()}
        returned = recorder.callable_of(fn)(*given, **options)
        recorder.finish()
    returned = unwrap(returned)
    for each in returned if isinstance(returned, tuple) else (returned,):
        tape.outputs.append(_output(tape, unwrap(each), fn, returned_type, none_is_zero))
    recorder.close()
    tape.drop_unused()
    return tape, recorder.reads


def _output(tape: Tape, value: Any, fn: Any, returned_type: str, none_is_zero: bool = False) -> int:
    if value is None and none_is_zero:
        value = 0
    if isinstance(value, bool | int | float):
        made = node_of(tape, value, None, tape.name)  # type: ignore[arg-type]
        return tape.cast(made, returned_type, False, None)
    if isinstance(value, tensor) and value._trace is tape:  # type: ignore[comparison-overlap]
        return value._node
    raise CompileError(
        f"{tape.name}: an elementwise function returns a value or a tuple of values, one for each "
        f"output; got {type(value).__name__}",
        return_place(fn.__code__) if hasattr(fn, "__code__") else None,
    )


def function_of(tape: Tape) -> Callable[..., tuple[Any, ...]]:
    """The function of scalars that goes through the rows, with a value for each of the outputs."""

    def function(*values: Any) -> tuple[Any, ...]:
        known = replay(tape, values)
        return tuple(known[each] for each in tape.outputs)

    return function


def replay(tape: Tape, inputs: Sequence[Any]) -> dict[int, Any]:
    """Goes through the rows again, in the trace that is going on. Value of the tape -> value."""
    values: dict[int, Any] = dict(tape.constants)
    values.update(zip(tape.inputs, inputs, strict=True))
    for row in tape.rows:
        values[row.result] = step(tape, row, [values[each] for each in row.operands])
    return values


def step(tape: Tape, row: Row, operands: Sequence[Any]) -> tensor:
    """One row again, with these operands."""
    if row.op in _CASTS:
        value = _traced(operands[0])
        rounding = "rtz" if row.op == "cast_rtz" else None
        return value.to(DTYPES[tape.types[row.result]], rounding, row.op == "bitcast")
    if row.op == "div" and DTYPES[tape.types[row.result]].is_floating():
        made: tensor = _traced(operands[0]) / operands[1]
        return made
    return apply(row.op, *operands)


def _traced(value: Any) -> tensor:
    if isinstance(value, tensor):
        return value
    trace = current_trace("elementwise")
    return tensor(trace, node_of(trace, value, None, "elementwise"))
