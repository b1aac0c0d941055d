"""Many spellings of elementwise ops in one kernel, compared with the rows that they stand for."""

from collections.abc import Callable
from typing import Any

import torch
from engines import assert_same_bits, cuda_text
from op_kernels import Answers, Result
from op_operands import DTYPES, operand_triples
from op_references import OTHERWISE_ON_CUDA, expected

import mytriton
import mytriton.language as tl

# What is called, the row that it is, and the row's operands: x, y and z are blocks, the condition
# "y < z" another; numbers fill one.
Spelling = tuple[Callable[..., Any], str, tuple[Any, ...]]


@mytriton.jit
def spellings_kernel(a, b, c, same, truth, counts, CALLS: tl.constexpr, N: tl.constexpr):
    lane = tl.arange(0, N)
    x, y, z = tl.load(a + lane), tl.load(b + lane), tl.load(c + lane)
    for place, (call, output) in enumerate(CALLS):
        value = call(x, y, z)
        pointer = (same, truth, counts)[output]
        assert value.dtype == pointer.dtype.element_ty, value
        tl.store(pointer + (place * N + lane), value)


def columns_of(element: str) -> list[torch.Tensor]:
    """Triples of special values and random ones."""
    return [column[-500:].contiguous() for column in operand_triples(element)]


def check_spellings(engine: Any, element: str, spellings: list[Spelling]) -> None:
    if engine is cuda_text:
        spellings = [each for each in spellings if each[1] not in OTHERWISE_ON_CUDA]
    columns = columns_of(element)
    lanes = columns[0].numel()
    operands = dict(zip("xyz", columns, strict=True))
    operands |= {"y < z": expected("cmp_lt", columns[1], columns[2])}
    for number in (1, 3):
        operands[str(number)] = torch.tensor(number, dtype=DTYPES[element]).expand(lanes)
    answers = Answers(element, operands)
    exact = [answers.of(Result(row, tuple(map(str, each)), 0, 0)) for _, row, each in spellings]
    outputs = [
        torch.empty(len(spellings) * lanes, dtype=dtype)
        for dtype in (DTYPES[element], torch.bool, torch.int32)
    ]
    kinds = [
        0 if each.dtype == DTYPES[element] else 1 + (each.dtype == torch.int32) for each in exact
    ]
    calls = tuple(zip([call for call, _, _ in spellings], kinds, strict=True))
    engine(spellings_kernel)[1](*columns, *outputs, CALLS=calls, N=lanes)
    for i, (_, row, names) in enumerate(spellings):
        got = outputs[kinds[i]][i * lanes :][:lanes]
        given = [answers.operands[str(each)] for each in names]
        assert_same_bits(got, exact[i], f"spelling {i}", row, *given)
