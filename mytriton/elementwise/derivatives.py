"""The derivative of every row of the table that computes with floats, as text.

For each operand of a row, in order, what flows back to it: an expression in Triton's language of
the operands a, b and c, the result r and what flows back to the result, g. "0": nothing does, as
the row is constant between its steps. Where a function has a corner or a step the choice is
torch's. Rows with a result that is no float have no derivative and stand in neither table.
"""

from __future__ import annotations

import math

DERIVATIVES: dict[str, tuple[str, ...]] = {
    "add": ("g", "g"),
    "sub": ("g", "-g"),
    "mul": ("g * b", "g * a"),
    "div": ("g / b", "-g * r / b"),
    "rem": ("g", "-g * tl.trunc(a / b)"),
    "fmod": ("g", "-g * tl.trunc(a / b)"),
    "neg": ("-g",),
    # Of equals, half flows to each.
    "maximum": (
        "tl.where(a < b, 0.0, tl.where(a == b, g * 0.5, g))",
        "tl.where(b < a, 0.0, tl.where(a == b, g * 0.5, g))",
    ),
    "minimum": (
        "tl.where(a > b, 0.0, tl.where(a == b, g * 0.5, g))",
        "tl.where(b > a, 0.0, tl.where(a == b, g * 0.5, g))",
    ),
    "fmax": (
        "tl.where((a >= b) | tl.isnan(b), g, 0.0)",
        "tl.where((a >= b) | tl.isnan(b), 0.0, g)",
    ),
    "fmin": (
        "tl.where((a <= b) | tl.isnan(b), g, 0.0)",
        "tl.where((a <= b) | tl.isnan(b), 0.0, g)",
    ),
    "clamp": (
        "tl.where((a >= b) & (a <= c), g, 0.0)",
        "tl.where((b < c) & (a < b), g, 0.0)",
        "tl.where((a > c) | (c < b), g, 0.0)",
    ),
    "abs": ("tl.where(a > 0, g, tl.where(a < 0, -g, 0.0))",),
    "copysign": ("tl.where(a == 0, 0.0, tl.where((a > 0) == (r > 0), g, -g))", "0"),
    "floor": ("0",),
    "ceil": ("0",),
    "trunc": ("0",),
    "rint": ("0",),
    "round": ("0",),
    "sqrt": ("g / (2 * r)",),
    "fma": ("g * b", "g * a", "g"),
    "select": ("0", "tl.where(a, g, 0.0)", "tl.where(a, 0.0, g)"),
    "exp": ("g * r",),
    "exp2": (f"g * r * {math.log(2)!r}",),
    "expm1": ("g * (r + 1)",),
    "log": ("g / a",),
    "log2": (f"g / (a * {math.log(2)!r})",),
    "log10": (f"g / (a * {math.log(10)!r})",),
    "log1p": ("g / (a + 1)",),
    "pow": (
        "tl.where(b == 0, 0.0, g * (b * tl.pow(a, b - 1)))",
        "tl.where((a == 0) & (b >= 0), 0.0, g * (r * tl.log(a)))",
    ),
    "rsqrt": ("-0.5 * g * (r * r * r)",),
    "sigmoid": ("g * (1 - r) * r",),
    "sin": ("g * tl.cos(a)",),
    "cos": ("-g * tl.sin(a)",),
    "tan": ("g * (1 + r * r)",),
    "asin": ("g * tl.rsqrt(1 - a * a)",),
    "acos": ("-g * tl.rsqrt(1 - a * a)",),
    "atan": ("g / (a * a + 1)",),
    "atan2": ("g * (b / (a * a + b * b))", "g * (-a / (a * a + b * b))"),
    "sinh": ("g * tl.cosh(a)",),
    "cosh": ("g * tl.sinh(a)",),
    "tanh": ("g * (1 - r * r)",),
    "erf": (f"g * ({2 / math.sqrt(math.pi)!r} * tl.exp(-(a * a)))",),
    "erfc": (f"g * ({-2 / math.sqrt(math.pi)!r} * tl.exp(-(a * a)))",),
}

# Rows with a derivative that the language cannot say, and why.
WITHOUT: dict[str, str] = {"lgamma": "its derivative, digamma, is not in the language"}
