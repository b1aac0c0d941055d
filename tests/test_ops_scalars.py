"""Every elementwise op on scalars, on mixtures of scalars and blocks, and on constants, of every
element type it takes.

A scalar is a kernel's argument cast to the type, a loaded one, or a constant that the compiler may
compute with itself. Exact rows are held to op_references.py, the others to what blocks give.
"""

import functools
import math

import pytest
import torch
from engines import every
from op_kernels import Answers, Results, rows_of, store_rows
from op_operands import DTYPES, HALF, is_int, random_values, special_tensor, special_values
from op_references import MATH, ROWS

import mytriton
import mytriton.language as tl
from mytriton.dtypes import DTYPES as LANGUAGE

# k and x, y are blocks; s, t and flag are scalars. Each row takes one of these, on the next
# element type the next: compiling takes long.
MIXTURES = {
    1: [("s",), ("t",)],
    2: [("s", "t"), ("x", "t"), ("t", "s"), ("s", "y")],
    3: [("t", "s", "t"), ("x", "t", "s"), ("s", "y", "t"), ("t", "s", "x")],
}
SELECTS = [
    *(("flag", "s", "t"), ("flag", "x", "y"), ("flag", "s", "y")),
    *(("k", "s", "y"), ("k", "x", "t"), ("k", "s", "t")),
]


@mytriton.jit
def mixtures_kernel(
    on, a, b, flag, s, o0, o1, o2, o3, n, ROWS: tl.constexpr, TO: tl.constexpr, N: tl.constexpr
):
    lane = tl.arange(0, N)
    k, x, y = (tl.load(each + lane) for each in (on, a, b))
    t = tl.load(b + tl.program_id(0))
    operands = {"k": k, "x": x, "y": y, "flag": flag, "s": s.to(TO), "t": t}
    at = tl.program_id(0) * N + lane
    store_rows(ROWS, operands, (o0, o1, o2, o3), n, at, None)


def arguments_of(element: str) -> list[bool | int | float]:
    """Special values that a kernel's bool, i32 or f32 parameter holds."""
    values = special_values(element)
    dtype = DTYPES[element]
    if is_int(dtype):
        return [each for each in values if -(2**31) <= each < 2**31]
    if dtype.is_floating_point:
        return [each for each in values if each != each or float(torch.tensor(each)) == each]
    return values


def mixtures(name: str, i: int) -> list[tuple[str, ...]]:
    if name == "select":
        return SELECTS[i % 2 :: 2]
    operands = MIXTURES[ROWS[name]["operands"]]
    return [operands[i % len(operands)]]


@functools.cache
def mixed_operands(element: str) -> list[tuple[bool | int | float, bool, Answers]]:
    """For some arguments and either flag: what the kernel's names stand for."""
    b = torch.cat([special_tensor(element), random_values(DTYPES[element], 2)])
    a = torch.tensor(b.tolist()[::-1], dtype=b.dtype)
    lanes = b.numel()
    on = torch.arange(lanes) % 3 == 0
    cases = []
    for i, s in enumerate(arguments_of(element)[::3]):
        operands = {
            "k": on.repeat(lanes),
            "x": a.repeat(lanes),
            "y": b.repeat(lanes),
            "t": b.repeat_interleave(lanes),
            "s": torch.tensor(s).to(b.dtype).expand(lanes * lanes),
            "flag": torch.tensor(i % 2 == 0).expand(lanes * lanes),
        }
        cases.append((s, i % 2 == 0, Answers(element, operands)))
    return cases


@every
@pytest.mark.parametrize("element", DTYPES)
def test_scalars_beside_blocks(engine, element: str) -> None:
    wanted = [
        (name, operands)
        for i, name in enumerate(rows_of(element), list(DTYPES).index(element))
        if not (name in MATH and DTYPES[element] in HALF)  # as those of f32
        for operands in mixtures(name, i)
    ]
    for s, flag, answers in mixed_operands(element):
        size = answers.operands["x"].numel()
        lanes = math.isqrt(size)
        on, a, b = (answers.operands[name][:lanes] for name in ("k", "x", "y"))
        results = Results(element, wanted, size)
        rows, to = results.constexpr(), LANGUAGE[element]
        launch = engine(mixtures_kernel)[lanes]
        launch(on, a, b, flag, s, *results.outputs, size, ROWS=rows, TO=to, N=lanes)
        answers.check(engine, results)


@mytriton.jit
def constants_kernel(
    on, a, o0, o1, o2, o3, n, ROWS: tl.constexpr, CONSTANTS: tl.constexpr, N: tl.constexpr
):
    lane = tl.arange(0, N)
    operands = {"k": tl.load(on + lane), "x": tl.load(a + lane)}
    for name, bits, integer, to in CONSTANTS:
        operands[name] = tl.cast(tl.cast(bits, integer), to, bitcast=True)
    operands["true"] = tl.cast(True, tl.int1)
    store_rows(ROWS, operands, (o0, o1, o2, o3), n, lane, None)


@every
@pytest.mark.parametrize("element", DTYPES)
def test_constants(engine, element: str) -> None:
    """Rows whose operands are all constants, and ones beside a block. Every constant of the type
    meets some rows, but not all of them."""
    dtype = DTYPES[element]
    special = special_tensor(element)
    ints = f"i{8 * dtype.itemsize}"
    holder = "bool" if dtype == torch.bool else ints
    bits = special if dtype == torch.bool else special.view(DTYPES[ints])
    names = [f"c{i}" for i in range(len(special))]
    constants = tuple(
        (name, value, LANGUAGE[holder], LANGUAGE[element])
        for name, value in zip(names, bits.tolist(), strict=True)
    )
    wanted: list[tuple[str, tuple[str, ...]]] = []
    for row in rows_of(element):
        if row in MATH and dtype in HALF:  # as those of f32
            continue
        for beside in (False, True)[: 1 if row in MATH else 2]:
            i = 5 * len(wanted)
            first, second, third = (names[(i + step) % len(names)] for step in (0, 1, 3))
            count = ROWS[row]["operands"]
            if row == "select":
                first, third = ("k", "x") if beside else ("true", third)
            elif beside and count > 1:
                first = "x"
            wanted += [(row, (first, second, third)[:count])]
    a = torch.cat([special, random_values(dtype, 2)])
    lanes = a.numel()
    on = torch.arange(lanes) % 3 == 0
    results = Results(element, wanted, lanes)
    launch = engine(constants_kernel)[1]
    rows = results.constexpr()
    launch(on, a, *results.outputs, lanes, ROWS=rows, CONSTANTS=constants, N=lanes)
    operands = {"k": on, "x": a, "true": torch.tensor(True).expand(lanes)}
    operands |= {name: special[i].expand(lanes) for i, name in enumerate(names)}
    Answers(element, operands).check(engine, results)
