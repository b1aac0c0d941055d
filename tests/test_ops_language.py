"""How kernels spell elementwise ops: operators and reflected ones, functions of tl with their
options, and Python's own functions. Each spelling gives the bits of its row."""

from typing import Any

import pytest
import torch
from engines import assert_same_bits, every
from op_references import expected
from op_spellings import Spelling, check_spellings, columns_of

import mytriton
import mytriton.language as tl
from mytriton.language.extra import libdevice

NONE, ALL = tl.PropagateNan.NONE, tl.PropagateNan.ALL


ARITHMETIC: list[Spelling] = [
    (lambda x, y, z: x + y, "add", ("x", "y")),
    (lambda x, y, z: 3 + x, "add", (3, "x")),
    (lambda x, y, z: tl.add(x, y), "add", ("x", "y")),
    (lambda x, y, z: x - y, "sub", ("x", "y")),
    (lambda x, y, z: 3 - x, "sub", (3, "x")),
    (lambda x, y, z: tl.sub(x, 3), "sub", ("x", 3)),
    (lambda x, y, z: x * y, "mul", ("x", "y")),
    (lambda x, y, z: 3 * x, "mul", (3, "x")),
    (lambda x, y, z: tl.mul(x=x, y=y), "mul", ("x", "y")),
    (lambda x, y, z: x % y, "rem", ("x", "y")),
    (lambda x, y, z: 3 % x, "rem", (3, "x")),
    (lambda x, y, z: -x, "neg", ("x",)),
    (lambda x, y, z: x > 3, "cmp_gt", ("x", 3)),
    (lambda x, y, z: x >= 3, "cmp_ge", ("x", 3)),
    (lambda x, y, z: x < 3, "cmp_lt", ("x", 3)),
    (lambda x, y, z: x <= 3, "cmp_le", ("x", 3)),
    (lambda x, y, z: x == 3, "cmp_eq", ("x", 3)),
    (lambda x, y, z: x != 3, "cmp_ne", ("x", 3)),
    (lambda x, y, z: abs(x), "abs", ("x",)),
    (lambda x, y, z: x.abs(), "abs", ("x",)),
    (lambda x, y, z: tl.math.abs(x), "abs", ("x",)),
    (lambda x, y, z: libdevice.abs(x), "abs", ("x",)),
    (lambda x, y, z: tl.maximum(x, y), "maximum", ("x", "y")),
    (lambda x, y, z: tl.math.maximum(x, 3), "maximum", ("x", 3)),
    (lambda x, y, z: tl.maximum(x, y, propagate_nan=ALL), "maximum", ("x", "y")),
    (lambda x, y, z: tl.minimum(x, y), "minimum", ("x", "y")),
    (lambda x, y, z: tl.minimum(x, y, propagate_nan=ALL), "minimum", ("x", "y")),
    (lambda x, y, z: tl.clamp(x, y, z), "clamp", ("x", "y", "z")),
    (lambda x, y, z: tl.math.clamp(x, min=y, max=z), "clamp", ("x", "y", "z")),
    (lambda x, y, z: tl.clamp(x, y, z, propagate_nan=ALL), "clamp", ("x", "y", "z")),
    (lambda x, y, z: tl.where(y < z, x, 3), "select", ("y < z", "x", 3)),
]
INTS: list[Spelling] = [
    (lambda x, y, z: x // y, "div", ("x", "y")),
    (lambda x, y, z: 3 // x, "div", (3, "x")),
    (lambda x, y, z: x & y, "bit_and", ("x", "y")),
    (lambda x, y, z: 3 & x, "bit_and", (3, "x")),
    (lambda x, y, z: x | y, "bit_or", ("x", "y")),
    (lambda x, y, z: 3 | x, "bit_or", (3, "x")),
    (lambda x, y, z: x ^ y, "bit_xor", ("x", "y")),
    (lambda x, y, z: 3 ^ x, "bit_xor", (3, "x")),
    (lambda x, y, z: ~x, "bit_not", ("x",)),
    (lambda x, y, z: x << y, "shl", ("x", "y")),
    (lambda x, y, z: 3 << x, "shl", (3, "x")),
    (lambda x, y, z: x >> 3, "shr", ("x", 3)),
    (lambda x, y, z: 3 >> x, "shr", (3, "x")),
    (lambda x, y, z: tl.maximum(x, y, propagate_nan=NONE), "maximum", ("x", "y")),
    (lambda x, y, z: tl.minimum(x, y, propagate_nan=NONE), "minimum", ("x", "y")),
    (lambda x, y, z: tl.clamp(x, y, z, propagate_nan=NONE), "clamp", ("x", "y", "z")),
    (lambda x, y, z: x.popc(), "popc", ("x",)),
    (lambda x, y, z: libdevice.popc(x), "popc", ("x",)),
    (lambda x, y, z: libdevice.clz(x), "clz", ("x",)),
    (lambda x, y, z: tl.math.umulhi(x, y), "umulhi", ("x", "y")),
]
FLOATS: list[Spelling] = [
    (lambda x, y, z: x / y, "div", ("x", "y")),
    (lambda x, y, z: 3 / x, "div", (3, "x")),
    (lambda x, y, z: x / 3, "div", ("x", 3)),
    (lambda x, y, z: round(x), "rint", ("x",)),
    (lambda x, y, z: tl.fdiv(x, y), "div", ("x", "y")),
    (lambda x, y, z: tl.fdiv(x, y, ieee_rounding=True), "div", ("x", "y")),
    (lambda x, y, z: tl.math.fdiv(3.0, y), "div", (3, "y")),
    (lambda x, y, z: tl.maximum(x, y, NONE), "fmax", ("x", "y")),
    (lambda x, y, z: tl.minimum(x, y, propagate_nan=NONE), "fmin", ("x", "y")),
    (lambda x, y, z: tl.math.fma(x, y, z=z), "fma", ("x", "y", "z")),
    # These are of f32 only.
    (lambda x, y, z: tl.sqrt_rn(x), "sqrt", ("x",)),
    (lambda x, y, z: tl.math.sqrt_rn(x), "sqrt", ("x",)),
    (lambda x, y, z: tl.div_rn(x, y), "div", ("x", "y")),
    (lambda x, y, z: libdevice.rcp_rn(x), "div", (1, "x")),
]
ANY_FLOAT = 10  # so many of them


@every
@pytest.mark.parametrize("element", ["i32", "u64", "f32", "f64"])
def test_operators_and_functions(engine, element: str) -> None:
    floats = FLOATS if element == "f32" else FLOATS[:ANY_FLOAT]
    check_spellings(engine, element, ARITHMETIC + (floats if element[0] == "f" else INTS))


# --- Python's functions, in kernels and helpers --------------------------------------------------


@mytriton.jit
def smallest_of(a, b, c):
    return min(a, min([b, c])) + min(0, 1)


@mytriton.jit
def rounded_of(a, half):
    return round(abs(a) * half)


def plain_largest_of(a, b):
    return max((a, b))


@mytriton.jit
def builtins_kernel(a, b, c, out, N: tl.constexpr):
    lane = tl.arange(0, N)
    x, y, z = tl.load(a + lane), tl.load(b + lane), tl.load(c + lane)
    tl.store(out + lane, min(x, y))
    tl.store(out + N + lane, max(x, y, z))
    tl.store(out + 2 * N + lane, max(1, x))
    tl.store(out + 3 * N + lane, abs(x))
    tl.store(out + 4 * N + lane, round(x))
    tl.store(out + 5 * N + lane, smallest_of(x, y, z))
    tl.store(out + 6 * N + lane, rounded_of(x, 0.5))
    tl.store(out + 7 * N + lane, libdevice.saturatef(x))
    tl.store(out + 8 * N + lane, tl.clamp(x, y, z, propagate_nan=NONE))
    tl.store(out + 9 * N + lane, max(min(2, 3), abs(-1)) + 0.0 * lane)


@every
def test_builtins_of_python(engine) -> None:
    x, y, z = columns_of("f32")
    n = x.numel()
    out = torch.empty(10 * n)
    engine(builtins_kernel)[1](x, y, z, out, N=n)
    one = torch.ones(n)
    results = [
        expected("minimum", x, y),
        expected("maximum", expected("maximum", x, y), z),
        expected("maximum", one, x),
        x.abs(),
        torch.round(x),
        expected("minimum", x, expected("minimum", y, z)) + 0.0,
        torch.round(x.abs() * 0.5),
        expected("fmin", expected("fmax", x, 0 * one), one),
        expected("fmin", expected("fmax", x, y), z),
        2 * one,
    ]
    for got, each in zip(out.split(n), results, strict=True):
        assert_same_bits(got, each, x, y, z)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, d: tl.sqrt_rn(d), "sqrt_rn requires float32, got fp64"),
        (lambda x, d: tl.div_rn(d, x), "div_rn requires float32, got fp64"),
        (lambda x, d: tl.fdiv(x.to(tl.int32), 2), "fdiv requires floats, got int32"),
        (lambda x, d: tl.maximum(x, d, propagate_nan=True), "propagate_nan must be"),
        (lambda x, d: tl.clamp(x, 0.0, 1.0, propagate_nan=True), "propagate_nan must be"),
        (lambda x, d: round(x, 2), "digits cannot be given"),
        (lambda x, d: tl.add(x), r"add: expected \(x, y\), got"),
        (lambda x, d: tl.exp(y=x), r"exp: expected \(x\), got"),
    ],
)
def test_wrong_calls(call: Any, message: str) -> None:
    x, d = torch.ones(4), torch.ones(4, dtype=torch.float64)
    with pytest.raises(mytriton.CompileError, match=message):
        wrong_kernel[1](x, d, CALL=call)


@mytriton.jit
def wrong_kernel(x, d, CALL: tl.constexpr):
    lane = tl.arange(0, 4)
    tl.store(x + lane, CALL(tl.load(x + lane), tl.load(d + lane)))
