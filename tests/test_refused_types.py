"""An op is given types or numbers that it refuses: CompileError shows where, and which types.

x points to floats, n is an int of 32 bits. An expression here is stored by a kernel of (x, n).
"""

import linecache
from collections.abc import Callable
from typing import Any

import pytest
from test_compile_errors import assert_points_at, launch

import mytriton.language as tl
from mytriton.language.extra import libdevice

ROUNDING = "fp_downcast_rounding is for casts of a float to a narrower float"
NAN = "propagate_nan must be tl.PropagateNan.ALL or NONE"

# What is to be underlined -> what the message holds.
REFUSED: dict[str, str] = {
    # Numbers beside a type.
    "n.to(tl.uint8) + 300": "300 is out of range for u8",
    "n.to(tl.uint32) + -1": "-1 is out of range for u32",
    "n + 2**31": "2147483648 is out of range for i32",
    "n < 2**31": "2147483648 is out of range for i32",
    "n.to(tl.int64) + 2**63": "9223372036854775808 is out of range for i64",
    "n.to(tl.int8) * -129": "-129 is out of range for i8",
    "tl.where(n > 1, n.to(tl.uint16), -1)": "-1 is out of range for u16",
    "tl.clamp(n.to(tl.int8), -200, 3)": "-200 is out of range for i8",
    "n - 2**64": f"sub: an int must fit in 64 bits, got {2**64}",
    "n * (-(2**63) - 1)": f"mul: an int must fit in 64 bits, got {-(2**63) - 1}",
    "tl.store(x, 2**100)": f"store: value: an int must fit in 64 bits, got {2**100}",
    # Ints only.
    "tl.load(x) // 2": "// requires ints, got f32 and i32; use / for floats",
    "n // 2.0": "// requires ints, got i32 and f32; use / for floats",
    "n // tl.load(x).to(tl.float16)": "// requires ints, got i32 and f16; use / for floats",
    "(n > 1) // (n > 2)": "div requires float or int, got bool",
    "tl.load(x) & 1": "bit_and requires int or bool, got f32",
    "tl.load(x).to(tl.bfloat16) | 1": "bit_or requires int or bool, got bf16",
    "n ^ 1.5": "bit_xor requires int or bool, got f32",
    "~tl.load(x)": "bit_not requires int or bool, got f32",
    "tl.load(x) << 1": "shl requires int, got f32",
    "n >> tl.load(x).to(tl.float64)": "shr requires int, got f64",
    "(n > 1) >> (n > 2)": "shr requires int, got bool",
    "tl.popc(tl.load(x))": "popc requires int of 32 or 64 bits, got f32",
    "tl.clz(n.to(tl.int16))": "clz requires int of 32 or 64 bits, got i16",
    "tl.umulhi(n.to(tl.uint8), n.to(tl.uint8))": "umulhi requires int of 32 or 64 bits, got u8",
    # Signed beside unsigned.
    "n // n.to(tl.uint32)": "div cannot combine i32 and u32, as one is signed",
    "n.to(tl.uint8) % n.to(tl.int64)": "rem cannot combine u8 and i64, as one is signed",
    "n.to(tl.uint64) % -1": "-1 is out of range for u64",
    # Floats only.
    "tl.exp(n)": "exp requires float, got i32",
    "n.to(tl.int64).exp()": "exp requires float, got i64",
    "tl.math.sqrt(n.to(tl.uint16))": "sqrt requires float, got u16",
    "tl.sin(n > 1)": "sin requires float, got bool",
    "tl.pow(n, 2)": "pow requires float, got i32",
    "round(n)": "rint requires float, got i32",
    "round(tl.load(x), 1)": "round: digits cannot be given for a traced value",
    "tl.isnan(n)": "isnan requires float, got i32",
    "libdevice.floor(n)": "floor requires float, got i32",
    "tl.fdiv(n, n)": "fdiv requires floats, got int32",
    "tl.sqrt_rn(tl.load(x).to(tl.float16))": "sqrt_rn requires float32, got fp16",
    "tl.div_rn(n, n)": "div_rn requires float32, got int32",
    # No bools.
    "-(n > 1)": "neg requires float or int, got bool",
    "abs(n > 1)": "abs requires float or int, got bool",
    "tl.maximum(n > 1, n > 2)": "maximum requires float or int, got bool",
    "tl.clamp(n > 1, False, True)": "clamp requires float or int, got bool",
    "(tl.arange(0, 4) > 1) % (n > 2)": "rem requires float or int, got vector<4 x bool>",
    # Bools only.
    "tl.store(x, 1.0, mask=n)": "store: mask must be bool, got i32",
    "tl.store(x, 1.0, mask=n.to(tl.uint8))": "store: mask must be bool, got u8",
    "tl.load(x, mask=tl.load(x))": "load: mask must be bool, got f32",
    "tl.where(n, 1.0, 2.0)": "condition must be bool, got i32",
    # Pointers.
    "x + 0.5": "pointer offset must be an int, got f32",
    "x - tl.load(x).to(tl.float16)": "pointer offset must be an int, got f16",
    "x + x": "add cannot combine ptr<f32> and ptr<f32>",
    "1 - x": "sub cannot combine i32 and ptr<f32>",
    "x * 2": "mul requires float or int or bool, got ptr<f32> and i32",
    "x < x + 1": "cmp_lt requires float or int or bool, got ptr<f32> and ptr<f32>",
    "tl.exp(x)": "exp requires float, got ptr<f32>",
    "tl.where(n > 1, x, x)": "select requires float or int or bool, got ptr<f32> and ptr<f32>",
    "x.to(tl.int32)": "cannot cast ptr<f32> to i32",
    # Conversions.
    "n.to(float)": "cast: expected a dtype such as tl.float32, got <class 'float'>",
    'tl.cast(n, "float32")': "cast: expected a dtype such as tl.float32, got 'float32'",
    "n.to(tl.int64, bitcast=True)": "cannot bitcast i32 to i64, of another width",
    "tl.cast(tl.load(x), tl.float16, bitcast=True)": "cannot bitcast f32 to f16, of another width",
    "(n > 1).to(tl.int8, bitcast=True)": "cannot bitcast bool to i8, of another width",
    'tl.cast(tl.load(x), tl.float32, fp_downcast_rounding="rtz")': f"{ROUNDING}, got fp32 to fp32",
    'tl.load(x).to(tl.float64, fp_downcast_rounding="rtne")': f"{ROUNDING}, got fp32 to fp64",
    'n.to(tl.float16).to(tl.bfloat16, fp_downcast_rounding="rtz")': f"{ROUNDING}, got fp16 to bf16",
    'n.to(tl.float16, fp_downcast_rounding="rtz")': f"{ROUNDING}, got int32 to fp16",
    'tl.load(x).to(tl.int8, fp_downcast_rounding="rtz")': f"{ROUNDING}, got fp32 to int8",
    'tl.load(x).to(tl.float16, fp_downcast_rounding="up")': "must be 'rtne' or 'rtz', got 'up'",
    # What becomes of NaN.
    "tl.maximum(n, 2, propagate_nan=True)": f"maximum: {NAN}, got True",
    "tl.minimum(n, 2, propagate_nan=n)": f"minimum: {NAN}, got <traced i32>",
    "tl.clamp(n, 2, 3, propagate_nan=None)": f"clamp: {NAN}, got None",
}


def kernel_of(expression: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """A kernel that stores something, to show that no part of it runs, and then the expression."""
    statement = expression if expression.startswith("tl.store") else f"tl.store(x, {expression})"
    text = f"def kernel(x, n):\n    tl.store(x, 5.0)\n    {statement}\n"
    file = f"<{expression}>"
    names: dict[str, Any] = {"tl": tl, "libdevice": libdevice}
    monkeypatch.setitem(
        linecache.cache, file, (len(text), None, text.splitlines(keepends=True), file)
    )
    exec(compile(text, file, "exec"), names)
    return names["kernel"]


@pytest.mark.parametrize(("expression", "message"), REFUSED.items())
def test_refused(expression: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fn = kernel_of(expression, monkeypatch)
    error = launch(fn)
    assert message in error.message
    assert_points_at(error, fn, expression)
