"""Kernels that hold many rows of the table of ops at once, and what compares their results.

One kernel for all rows that take an element type: compiling a kernel costs far more than a row.
"""

import dataclasses
import operator
from collections.abc import Callable
from typing import Any

import torch
from engines import assert_same_bits, compiled, cuda_text
from op_operands import DTYPES
from op_references import MATH, OTHERWISE_ON_CUDA, ROWS, expected, result_type

import mytriton
import mytriton.language as tl

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "-a": operator.neg,
    "~a": operator.invert,
}


def spelling(name: str, element: str) -> Callable[..., Any]:
    """What a kernel calls for this row."""
    if name == "select":
        return tl.where
    if name == "div" and DTYPES[element].is_floating_point:
        return operator.truediv
    python = ROWS[name]["python"]
    return getattr(tl, name) if python == "tl" else OPERATORS[python]


def rows_of(element: str) -> list[str]:
    return [name for name, row in ROWS.items() if element in row["types"]]


def output_types(element: str) -> list[torch.dtype]:
    """What rows give on this element type: the same, bool, a count, or f32 where that is wider."""
    return list(dict.fromkeys([DTYPES[element], torch.bool, torch.int32, torch.float32]))


@dataclasses.dataclass
class Result:
    """One row on operands that are named as in the kernel, and where the kernel stores it."""

    name: str
    operands: tuple[str, ...]
    output: int
    place: int


class Results:
    """What one kernel computes on an element type: `size` elements of each row and operands."""

    def __init__(self, element: str, wanted: list[tuple[str, tuple[str, ...]]], size: int) -> None:
        self.element, self.size = element, size
        types = output_types(element)
        places = [0] * 4
        self.rows: list[Result] = []
        for name, operands in wanted:
            output = types.index(result_type(name, element))
            self.rows.append(Result(name, operands, output, places[output]))
            places[output] += 1
        types += [torch.int8] * (4 - len(types))  # kernels have four outputs
        self.outputs = [
            torch.full((max(1, count) * size,), 1, dtype=dtype)
            for dtype, count in zip(types, places, strict=True)
        ]

    def constexpr(self) -> tuple[Any, ...]:
        return tuple(
            (spelling(each.name, self.element), each.operands, each.output, each.place)
            for each in self.rows
        )

    def of(self, row: Result) -> torch.Tensor:
        return self.outputs[row.output][row.place * self.size :][: self.size]

    def check(self, check: Callable[[Result, torch.Tensor], None]) -> None:
        """Calls `check` with each row and what the kernel gave; raises all that it raises."""
        failures = []
        for row in self.rows:
            try:
                check(row, self.of(row))
            except AssertionError as error:
                failures.append(f"{row.name} of {', '.join(row.operands)}: {error}")
        assert not failures, "\n".join([f"{len(failures)} rows on {self.element}:", *failures])

    def check_exact(self, operands: dict[str, torch.Tensor]) -> None:
        def check(row: Result, got: torch.Tensor) -> None:
            given = [operands[each] for each in row.operands]
            assert_same_bits(got, expected(row.name, *given), *given)

        self.check(check)


def store_rows(
    rows: Any, operands: dict[str, Any], outputs: Any, size: Any, at: Any, mask: Any
) -> None:
    """Part of a kernel: `rows` is a Results' constexpr."""
    for function, names, output, place in rows:
        value = function(*(operands[each] for each in names))
        assert value.dtype == outputs[output].dtype.element_ty, (function, value)
        tl.store(outputs[output] + (place * size + at), value, mask=mask)


@mytriton.jit
def blocks_kernel(on, a, b, c, o0, o1, o2, o3, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    k, x, y, z = (tl.load(each + at, mask=mask) for each in (on, a, b, c))
    operands = {"k": k, "x": x, "y": y, "z": z}
    store_rows(ROWS, operands, (o0, o1, o2, o3), n, at, mask)


def block_operands(name: str) -> tuple[str, ...]:
    return ("k", "x", "y") if name == "select" else ("x", "y", "z")[: ROWS[name]["operands"]]


def run_blocks(
    engine: Callable[..., Any], element: str, names: list[str], columns: list[torch.Tensor]
) -> tuple[Results, dict[str, torch.Tensor]]:
    """Rows on whole columns of operands x, y, z; with every third lane of a select's k on."""
    n = columns[0].numel()
    on = torch.arange(n) % 3 == 0
    results = Results(element, [(name, block_operands(name)) for name in names], n)
    arguments = [on, *columns, *results.outputs, n]
    rows = results.constexpr()
    engine(blocks_kernel)[mytriton.cdiv(n, 256)](*arguments, ROWS=rows, BLOCK=256)
    return results, dict(zip("kxyz", [on, *columns], strict=True))


def math_rows(element: str) -> list[str]:
    """One list for all uses, and so one kernel."""
    return [name for name in rows_of(element) if name in MATH]


class Answers:
    """What rows must give for operands by name: exact rows by their references, others the bits
    that compiled blocks give."""

    def __init__(self, element: str, operands: dict[str, torch.Tensor]) -> None:
        self.element = element
        self.operands = {name: each.contiguous() for name, each in operands.items()}
        self.of_blocks: dict[tuple[str, ...], dict[str, torch.Tensor]] = {}
        self.exact: dict[tuple[str, tuple[str, ...]], torch.Tensor] = {}

    def of(self, row: Result) -> torch.Tensor:
        given = [self.operands[each] for each in row.operands]
        if row.name in MATH:
            if row.operands not in self.of_blocks:
                columns = [given[0], given[-1], given[0]]
                results, _ = run_blocks(compiled, self.element, math_rows(self.element), columns)
                by_name = {each.name: results.of(each) for each in results.rows}
                self.of_blocks[row.operands] = by_name
            return self.of_blocks[row.operands][row.name]
        key = (row.name, row.operands)
        if key not in self.exact:
            self.exact[key] = expected(row.name, *given)
        return self.exact[key]

    def check(self, engine: Any, results: Results) -> None:
        def check(row: Result, got: torch.Tensor) -> None:
            given = [self.operands[each] for each in row.operands]
            assert_same_bits(got, self.of(row), *given)

        if engine is cuda_text:
            results.rows = [row for row in results.rows if row.name not in OTHERWISE_ON_CUDA]
        results.check(check)
