"""The torch functions that a function's rows name: what torch.compile's Inductor is given of it.

An op is a wall for Inductor's fusion; as torch functions it fuses with its neighbours. Where a row
has no torch function of the same meaning the op stays, with its kernel.
"""

from __future__ import annotations

import importlib
import operator
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from mytriton import _C
from mytriton.dtypes import DTYPES
from mytriton.elementwise.functions import Case
from mytriton.elementwise.kernels import TORCH_TYPES
from mytriton.elementwise.layout import output_strides
from mytriton.elementwise.tape import WIDER, Row, Tape

if TYPE_CHECKING:
    from mytriton.elementwise.ops import TorchOp

_ROWS = {row["name"]: row for row in _C.op_rows() if row["kind"] == "pure"}
_COMPARISONS = {name for name in _ROWS if name.startswith("cmp_")}
# Those whose meaning on bool is torch's.
_OF_BOOL = {"bit_and", "bit_or", "bit_xor", "bit_not", "select", *_COMPARISONS}
# Of ints torch's have no defined result for a divisor of zero; of floats its remainders are not
# exact on CPUs.
_NOT_OF_INTS = {"div"}
_OTHERS = {"rem", "fmod"}
_UNKNOWN_TO_INDUCTOR = ("u16", "u32", "u64")


def torch_function(name: str) -> Callable[..., torch.Tensor] | None:
    """The function that a row of the table names."""
    path = _ROWS[name]["torch"] if name in _ROWS else ""
    function: Callable[..., torch.Tensor] | None = None
    if path:
        function = operator.attrgetter(path.removeprefix("torch."))(torch)
    return function


def has_torch_functions(tape: Tape) -> bool:
    """Whether torch functions do the same as these rows."""
    if any(each in _UNKNOWN_TO_INDUCTOR for each in tape.types.values()):
        return False
    return all(_has_torch_function(tape, row) for row in tape.rows)


def _has_torch_function(tape: Tape, row: Row) -> bool:
    result = DTYPES[tape.types[row.result]]
    if row.op == "cast":  # of floats to ints: ours saturates, torch's is undefined
        of_float = DTYPES[tape.types[row.operands[0]]].is_floating()
        return result.is_floating() or result.is_bool() or not of_float
    if torch_function(row.op) is None or row.op in _OTHERS:
        return False
    computed = DTYPES[operand_type(tape, row)]
    if computed.is_bool():
        return row.op in _OF_BOOL
    return computed.is_floating() or row.op not in _NOT_OF_INTS


def operand_type(tape: Tape, row: Row) -> str:
    """The type that a row of the table computes in: promotion's, of its operands."""
    result = tape.types[row.result]
    if row.op not in _COMPARISONS:
        operands = row.operands[-1:]
        return tape.types[operands[0]] if result == "bool" and row.op != "select" else result
    (a, b) = row.operands
    weak = [each in tape.constants for each in (a, b)]
    return _C.promote(tape.types[a], weak[0], tape.types[b], weak[1], False)


def run(case: Case, inputs: tuple[Any, ...]) -> list[torch.Tensor]:
    """What the case's kernel does, by torch functions."""
    tape = case.wide
    tensors = [each for each in inputs if isinstance(each, torch.Tensor)]
    placed = [each for each in tensors if each.ndim] or tensors
    device = placed[0].device
    shape = torch.broadcast_shapes(*(each.shape for each in tensors))
    strides = output_strides(shape, tensors)

    def constant(value: Any, element: str) -> torch.Tensor:
        return torch.full((), value, dtype=TORCH_TYPES[element], device=device)

    values: dict[int, torch.Tensor] = {}
    given = [each for each in inputs if each is not None]
    types = [each for each in case.types if each is not None]
    for node, value, element in zip(tape.inputs, given, types, strict=True):
        if isinstance(value, torch.Tensor):
            values[node] = value.to(device=device, dtype=TORCH_TYPES[element])
        else:
            values[node] = constant(value, WIDER.get(element, element))

    def operand(node: int, element: str) -> torch.Tensor:
        if node in tape.constants:
            return constant(tape.constants[node], element)
        return values[node].to(TORCH_TYPES[element])

    for row in tape.rows:
        result = TORCH_TYPES[tape.types[row.result]]
        if row.op == "cast":
            node = row.operands[0]
            values[row.result] = operand(node, tape.types[node]).to(result)
            continue
        element = operand_type(tape, row)
        elements = [element] * len(row.operands)
        if row.op == "select":
            elements[0] = "bool"
        function = torch_function(row.op)
        assert function is not None
        values[row.result] = function(*map(operand, row.operands, elements)).to(result)
    outputs = []
    for node, result in zip(tape.outputs, case.results, strict=True):
        value = operand(node, tape.types[node]).to(result)
        if value.shape != shape or any(value is each for each in tensors):
            value = value.expand(shape).clone(memory_format=torch.contiguous_format)
        if value.stride() != strides:
            made = torch.empty_strided(shape, strides, dtype=value.dtype, device=device)
            value = made.copy_(value)
        outputs.append(value)
    return outputs


# --- Inductor's table ----------------------------------------------------------------------------

_waiting: list[TorchOp] = []


def offer(op: TorchOp) -> None:
    """Has Inductor decompose an op, once something is compiled."""
    _waiting.append(op)


def tell_inductor() -> None:
    """Puts the ops that wait into Inductor's table. To be called before it copies that."""
    if not _waiting:
        return
    with unset_fake_temporarily():
        inductor: Any = importlib.import_module("torch._inductor.decomposition")
    while _waiting:
        op = _waiting.pop()
        # The second is the first as it was when something was compiled first.
        for table in (inductor.decompositions, inductor.fast_random_decomps()):
            table[op.overload] = op.decomposed


def keep(op: torch._ops.OpOverload) -> None:
    """Has Inductor call an op for inputs of which it is not decomposed. By itself it calls ops that
    it does not know, but none that stand in its table."""
    inductor: Any = sys.modules.get("torch._inductor.lowering")
    if inductor is not None and op not in inductor.lowerings:
        inductor.make_fallback(
            op,
            layout_constraint=inductor.constrain_to_fake_tensors,
            warn=False,
            override_decomp=True,
        )
