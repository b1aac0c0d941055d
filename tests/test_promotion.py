"""Promotion: the whole table against Triton's, what traced code makes of it, and Python numbers."""

import importlib.util
import itertools
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from engines import assert_same_bits, cuda_text, every
from exact import FLOATS, INF, INTS, TORCH, TYPES, converted, int_range, tensor, wrapped

import mytriton
import mytriton.language as tl
from mytriton import _C

HERE = Path(__file__).parent
SIGNED = ["i8", "i16", "i32", "i64"]
# A number as the table spells it -> the type that it has by itself.
NUMBERS = {"True": "bool", "1": "i32", "2**31": "u32", "2**32": "i64", "2**63": "u64"}
NUMBERS |= {"0.5": "f32", "1e300": "f64"}
REFUSED = "-"


def triton_table(division: bool) -> dict[tuple[str, str], str]:
    lines = (HERE / "promotion_table.txt").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    header, *rows = [line.split() for line in text.split("\n\n")[division].splitlines()]
    assert header[0] == ("/" if division else "+")
    assert header[1:] == [row[0] for row in rows] == [*TYPES, *NUMBERS]
    return {(r[0], b): type_ for r in rows for b, type_ in zip(header[1:], r[1:], strict=True)}


def our_table(division: bool) -> dict[tuple[str, str], str]:
    """Triton's, where a bool beside a signed int may be divided too."""
    table = triton_table(division)
    bools = {"bool", "True"}
    signed = {*SIGNED, "1", "2**32"}
    for (a, b), result in table.items():
        other = b if a in bools else a
        if result == REFUSED and bools & {a, b}:
            assert division and other in signed
            table[a, b] = NUMBERS.get(other, other)
    return table


@pytest.mark.parametrize("division", [False, True])
def test_the_table_is_tritons(division: bool) -> None:
    ours = {}
    for a, b in itertools.product([*TYPES, *NUMBERS], repeat=2):
        operands = [(NUMBERS.get(each, each), each in NUMBERS) for each in (a, b)]
        try:
            ours[a, b] = _C.promote(*operands[0], *operands[1], division)
        except TypeError:
            ours[a, b] = REFUSED
    assert ours == our_table(division)


def test_the_document_is_up_to_date() -> None:
    path = HERE.parent / "tools" / "promotion_table.py"
    spec = importlib.util.spec_from_file_location("promotion_table", path)
    assert spec and spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = tool.DOCUMENT.read_text()
    assert tool.updated(text) == text, "run python tools/promotion_table.py"


# --- what traced operations make of it -----------------------------------------------------------


def type_of(function: Callable[..., Any], *operands: Any) -> str:
    try:
        return function(*operands).dtype.ir
    except mytriton.CompileError:
        return REFUSED


OPERATIONS: dict[str, Callable[..., Any]] = {
    **{"+": operator.add, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv},
    **{"%": operator.mod, "<": operator.lt, "==": operator.ne, "&": operator.and_},
    **{"<<": operator.lshift, "maximum": tl.maximum, "fma": lambda a, b: tl.fma(a, a, b)},
    "where": lambda a, b: tl.where(tl.program_id(0) == 0, a, b),
}


@mytriton.jit
def types_kernel(a, b, c, d, e, f, g, h, i, j, k, l, m, NOTE: tl.constexpr):  # noqa: E741
    pointers = (a, b, c, d, e, f, g, h, i, j, k, l, m)
    blocks = {each.dtype.element_ty.ir: tl.load(each + tl.arange(0, 4)) for each in pointers}
    scalars = {each.dtype.element_ty.ir: tl.load(each) for each in pointers}
    numbers = {name: eval(name) for name in NUMBERS}
    for left, right in ((blocks, blocks), (blocks, scalars), (scalars, scalars)):
        for (x, y), (name, operation) in itertools.product(
            itertools.product(left, right), OPERATIONS.items()
        ):
            NOTE(((name, x, y), type_of(operation, left[x], right[y])))
    for x, n in itertools.product(blocks, numbers):
        for name, operation in OPERATIONS.items():
            NOTE(((name, x, n), type_of(operation, blocks[x], numbers[n])))
            NOTE(((name, n, x), type_of(operation, numbers[n], blocks[x])))


def expected_type(operation: str, a: str, b: str, table: dict[Any, str], division: Any) -> str:
    divides = operation in ("/", "//", "%")
    common = division[a, b] if divides else table[a, b]
    if common == REFUSED:
        return REFUSED
    if operation == "/":  # a number becomes f32 at once, whatever int type the table names
        return common if common in FLOATS else "f32"
    if out_of_range(a, common) or out_of_range(b, common):
        return REFUSED
    if operation in ("<", "=="):
        return "bool"
    takes = {
        "//": INTS,
        "%": [*INTS, *FLOATS],
        "&": ["bool", *INTS],
        "<<": INTS,
        "maximum": [*INTS, *FLOATS],
        "fma": FLOATS,
    }
    return common if common in takes.get(operation, TYPES) else REFUSED


def out_of_range(number: str, common: str) -> bool:
    """Whether it is an int that is no value of the int type that it should become."""
    if NUMBERS.get(number) in (None, "bool", "f32", "f64") or common not in INTS:
        return False
    least, most = int_range(common)
    return not least <= eval(number) <= most


def test_operations_follow_the_table() -> None:
    seen: list[tuple[tuple[str, str, str], str]] = []
    types_kernel.compile(*(TORCH[name] for name in TYPES), NOTE=seen.append)
    table, division = our_table(False), our_table(True)
    wrong = {
        key: (found, expected)
        for key, found in seen
        if found != (expected := expected_type(*key, table, division))
    }
    assert len(seen) == len(OPERATIONS) * (3 * 13 * 13 + 2 * 13 * 7)
    assert not wrong


@mytriton.jit
def ternary_kernel(f16, bf16, i32, f32, NOTE: tl.constexpr):
    h, b, i, f = (tl.load(each) for each in (f16, bf16, i32, f32))
    NOTE(("a number and two values", tl.clamp(0.5, i, h).dtype, tl.clamp(i, 0.5, h).dtype))
    NOTE(("two numbers", tl.fma(2, h, 0.5).dtype, tl.fma(b, b, 1).dtype))
    NOTE(("values, from the left", tl.fma(b, i, h).dtype, tl.fma(b, f, h).dtype))
    NOTE(("numbers only", tl.fma(2, 0.5, 1).dtype, tl.clamp(1, 2, 2**40).dtype))


def test_three_operands_meet_before_the_numbers() -> None:
    seen: list[tuple[Any, ...]] = []
    ternary_kernel.compile("*fp16", "*bf16", "*i32", "*fp32", NOTE=seen.append)
    assert seen == [
        ("a number and two values", tl.float16, tl.float16),
        ("two numbers", tl.float16, tl.bfloat16),
        ("values, from the left", tl.float32, tl.float32),
        ("numbers only", tl.float32, tl.int64),
    ]


# --- values --------------------------------------------------------------------------------------


@mytriton.jit
def sums_kernel(
    x, a, b, c, d, e, f, g, h, i, j, k, l, m,  # noqa: E741
    o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12, N: tl.constexpr,
):  # fmt: skip
    """x beside every type from its own on: the sum, and whether x is less."""
    outs = (o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12)
    lane = tl.arange(0, N)
    left = tl.load(x + lane)
    for y, out in zip((a, b, c, d, e, f, g, h, i, j, k, l, m), outs, strict=True):
        right = tl.load(y + lane)
        if TYPES.index(left.dtype.ir) <= TYPES.index(right.dtype.ir):
            tl.store(out + lane, left + right)
            tl.store(out + N + lane, right > left)


PLAIN: dict[str, list[Any]] = {
    "bool": [False, True],
    **{name: [0, 1, 100, 127, -1, -128, -77] for name in SIGNED},
    **{name: [0, 1, 100, 255, 128, 200] for name in ("u8", "u16", "u32", "u64")},
    **{name: [0.0, 1.5, -2.25, 300.0, INF, -0.0, 2**-14] for name in FLOATS},
}
PLAIN["i64"] += [2**62 + 1, -(2**63)]
PLAIN["u64"] += [2**64 - 1, 2**63]
PLAIN["u32"] += [2**32 - 1, 2**31]
PLAIN["i32"] += [2**31 - 1, -(2**31)]
WIDTH = 72


def sums_launch(source: str) -> list[torch.Tensor]:
    x = tensor([PLAIN[source][i % len(PLAIN[source])] for i in range(WIDTH)], source)
    others, outs = [], []
    for name in TYPES:
        values = PLAIN[name]
        seen = [values[i // len(PLAIN[source]) % len(values)] for i in range(WIDTH)]
        others.append(tensor(seen, name))
        common = _C.promote(source, False, name, False, False)
        outs.append(torch.zeros(2 * WIDTH, dtype=TORCH[common]))
    return [x, *others, *outs]


@pytest.fixture(scope="module")
def texts() -> None:
    """All CUDA texts are made before the first one runs: they are then compiled in one go."""
    for source in TYPES:
        cuda_text(sums_kernel).prepare(*sums_launch(source), N=WIDTH)


def as_type(values: torch.Tensor, source: str, to: str) -> torch.Tensor:
    return tensor([converted(each, source, to) for each in values.tolist()], to)


@every
@pytest.mark.parametrize("source", TYPES)
def test_both_operands_are_converted_to_the_common_type(engine, texts: None, source: str) -> None:
    launch = sums_launch(source)
    engine(sums_kernel)[1](*launch, N=WIDTH)
    x, others, outs = launch[0], launch[1:14], launch[14:]
    table = our_table(False)
    for name, other, out in list(zip(TYPES, others, outs, strict=True))[TYPES.index(source) :]:
        common = table[source, name]
        a, b = as_type(x, source, common), as_type(other, name, common)
        if common == "bool":
            total, less = a ^ b, ~a & b
        elif common in ("u16", "u32", "u64"):  # torch has neither + nor < for them
            pairs = list(zip(a.tolist(), b.tolist(), strict=True))
            total = tensor([wrapped(p + q, common) for p, q in pairs], common)
            less = torch.tensor([p < q for p, q in pairs])
        else:
            total, less = a + b, a < b
        assert_same_bits(out[:WIDTH], total, x, other)
        assert_same_bits(out[WIDTH:], less.to(TORCH[common]), x, other)


@mytriton.jit
def numbers_kernel(
    f16, bf16, f32, f64, i8, u8, i32, i64, u64, halves, brains, singles, doubles, longs
):
    tl.store(halves, tl.load(f16) * 2.0)
    tl.store(halves + 1, tl.load(f16) + 1e300)
    tl.store(halves + 2, tl.load(f16) * (1 + 2**-11 + 2**-30))  # rounded once, from 64 bits
    tl.store(brains, tl.load(bf16) + (1 + 2**-8 + 2**-30))
    tl.store(singles, tl.load(f32) + 0.1)
    tl.store(singles + 1, tl.load(f16) / 3)
    tl.store(singles + 2, tl.load(f32) * 16777217)
    tl.store(singles + 3, tl.load(i32) * 0.1)
    tl.store(doubles, tl.load(f64) + 0.1)
    tl.store(doubles + 1, 0.1 - tl.load(f64))
    tl.store(doubles + 2, tl.load(i32) * 1e300)
    tl.store(doubles + 3, tl.load(f64) * (2**53 + 1))
    tl.store(doubles + 4, tl.load(i32) * 1e-40)
    tl.store(longs, tl.load(i64) + 1)
    tl.store(longs + 1, tl.load(i64) + (2**62 + 1))
    tl.store(longs + 2, tl.load(i32) + 1)  # wraps before it is stored
    tl.store(longs + 3, tl.load(i8) + 127)
    tl.store(longs + 4, tl.load(u8) + 255)
    tl.store(longs + 5, (tl.load(u64) >= 2**63).to(tl.int64))
    tl.store(longs + 6, tl.load(i8) + True)


@every
def test_numbers_take_the_other_operands_type(engine) -> None:
    ones = {name: tensor([1], name) for name in TYPES}
    ints = [ones["i8"], ones["u8"], tensor([2**31 - 1], "i32"), tensor([2], "i64")]
    ints += [tensor([2**63], "u64")]
    floats = [ones[name] for name in FLOATS]
    outs = [torch.zeros(8, dtype=TORCH[name]) for name in (*FLOATS, "i64")]
    engine(numbers_kernel)[1](*floats, *ints, *outs)
    halves, brains, singles, doubles, longs = (each.tolist() for each in outs)
    assert halves[:3] == [2.0, INF, 1 + 2**-10]
    assert brains[0] == torch.tensor(2.0 + 2**-7, dtype=torch.bfloat16).item()
    tenth, third = torch.tensor(0.1), torch.tensor(1.0) / 3
    scaled = torch.tensor(2.0**31) * tenth
    assert singles[:4] == [(1 + tenth).item(), third.item(), 16777216.0, scaled.item()]
    most = 2**31 - 1
    assert doubles[:5] == [1.1, 0.1 - 1.0, most * 1e300, float(2**53), most * 1e-40]
    assert longs[:7] == [3, 2**62 + 3, -(2**31), -128, 0, 1, 2]


@pytest.mark.parametrize(
    ("operation", "element", "message"),
    [
        (lambda a: a + 300, "u8", "300 is out of range for u8"),
        (lambda a: a + -1, "u8", "-1 is out of range for u8"),
        (lambda a: 128 - a, "i8", "128 is out of range for i8"),
        (lambda a: a * 2**31, "i32", "2147483648 is out of range for i32"),
        (lambda a: a & 2**63, "i64", "9223372036854775808 is out of range for i64"),
        (lambda a: a < -1, "u64", "-1 is out of range for u64"),
        (lambda a: tl.maximum(a, 70000), "u16", "70000 is out of range for u16"),
        (lambda a: tl.where(a > 1, a, -1), "u32", "-1 is out of range for u32"),
        (lambda a: a + 2**64, "i64", "an int must fit in 64 bits, got 18446744073709551616"),
        (lambda a: a + (-(2**63) - 1), "i64", "an int must fit in 64 bits, got -92233720368547758"),
        (lambda a: a // 2.0, "i32", r"// requires ints, got i32 and f32; use / for floats"),
        (lambda a: a & 1.0, "i32", "bit_and requires bool or int"),
        (lambda a: a // a.to(tl.uint16), "i32", "div cannot combine i32 and u16, as one is signed"),
        (lambda a: a / a.to(tl.uint16), "i32", "div cannot combine i32 and u16, as one is signed"),
        (lambda a: a % a.to(tl.int8), "u8", "rem cannot combine u8 and i8, as one is signed"),
    ],
)  # fmt: skip
def test_refused_operands(operation: Callable[[Any], Any], element: str, message: str) -> None:
    def kernel(x):
        operation(tl.load(x))

    with pytest.raises(mytriton.CompileError, match=message) as raised:
        mytriton.jit(kernel).compile(TORCH[element])
    assert "test_promotion.py" in str(raised.value)  # the place
