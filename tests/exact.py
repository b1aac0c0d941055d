"""Element types and conversions between them, worked out on Python's ints and fractions.

A value is a bool or int of Python, or a float, which holds each of our floats exactly. Names of
types are the IR's.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import torch

import mytriton.language as tl
from mytriton import _C
from mytriton.dtypes import DTYPES

ROWS = {row["ir"]: row for row in _C.dtype_rows()}
TYPES = list(ROWS)
FLOATS = ["f16", "bf16", "f32", "f64"]
INTS = [name for name, row in ROWS.items() if row["kind"] == "int"]
LANGUAGE = {name: getattr(tl, row["name"]) for name, row in ROWS.items()}
TORCH = {name: getattr(torch, "bool" if name == "bool" else ROWS[name]["name"]) for name in TYPES}
BITS = {name: TORCH[name].itemsize * 8 for name in TYPES}  # in memory: 8 for a bool
assert LANGUAGE == DTYPES

NAN, INF = float("nan"), float("inf")
# Significant bits, the exponent of the largest binade, and that of the smallest normal one.
FORMATS = {"f16": (11, 15, -14), "bf16": (8, 127, -126), "f32": (24, 127, -126)}
FORMATS["f64"] = (53, 1023, -1022)


def int_range(name: str) -> tuple[int, int]:
    bits = BITS[name]
    return (0, 2**bits - 1) if name.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def wrapped(value: int, name: str) -> int:
    least, _ = int_range(name)
    return (value - least) % 2 ** BITS[name] + least


def rounded(value: float, name: str, to_zero: bool = False) -> float:
    """An int or float as the nearest float of a type, ties to even; or the next one to zero."""
    if isinstance(value, float) and (not math.isfinite(value) or value == 0):
        return value
    digits, largest, smallest = FORMATS[name]
    exact = abs(Fraction(value))
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= exact < Fraction(2) ** exponent  # now 2**exponent <= exact < 2**(exponent + 1)
    last_place = Fraction(2) ** (max(exponent, smallest) - digits + 1)
    steps = exact // last_place if to_zero else round(exact / last_place)  # round() ties to even
    magnitude = steps * last_place
    if magnitude >= Fraction(2) ** (largest + 1):
        result = float((2 - Fraction(2) ** (1 - digits)) * 2**largest) if to_zero else INF
    else:
        result = float(magnitude)
    return -result if value < 0 else result


def converted(value: Any, source: str, to: str) -> Any:
    """What a cast gives."""
    if source == to:
        return value
    if to == "bool":
        return value != 0
    if to in INTS:
        if source not in FLOATS:
            return wrapped(int(value), to)
        if math.isnan(value):
            return 0
        least, most = int_range(to)
        return most if value >= most else least if value <= least else int(value)
    if source not in FLOATS:
        value = int(value)
        # Ints become f16 and bf16 through f32, as in torch.
        return rounded(rounded(value, "f32"), to) if to != "f64" else rounded(value, to)
    return rounded(value, to)


def tensor(values: Iterable[Any], name: str) -> torch.Tensor:
    """A tensor of values that the type holds."""
    if name in ("f16", "bf16"):
        return torch.tensor(list(values), dtype=torch.float64).to(TORCH[name])
    return torch.tensor(list(values), dtype=TORCH[name])


def from_bits(bits: Iterable[int], name: str) -> torch.Tensor:
    unsigned = np.dtype(f"uint{BITS[name]}")
    return torch.from_numpy(np.array(list(bits), dtype=unsigned)).view(TORCH[name])


def next_to(value: float, name: str) -> list[float]:
    """The value's neighbours in a type that holds it."""
    step = abs(value) * 2.0 ** (1 - FORMATS[name][0])
    near = [rounded(value + d * s, name) for d in (1, -1) for s in (step, step / 2)]
    return [each for each in near if each != value]


def ties(source: str, to: str) -> list[float]:
    """Values of `source` half way between neighbours of the narrower `to`, and just beside that."""
    digits, largest, smallest = FORMATS[to]
    ulp = 2.0 ** (1 - digits)
    tiny = 2.0 ** (smallest - digits + 1)  # the least denormal
    middles = [1 + ulp / 2, 1 + 1.5 * ulp, 2.0**largest * (2 - ulp / 2), 2.0**largest * (2 - ulp)]
    middles += [tiny / 2, 1.5 * tiny, 2.0**smallest - tiny / 2, 2.0**smallest, 6.5 * tiny, tiny]
    found = [near for each in middles for near in (each, *next_to(each, source))]
    return [each for each in found if rounded(each, source) == each]


def special_floats(name: str) -> list[float]:
    """Where some conversion changes what it does."""
    digits, largest, smallest = FORMATS[name]
    values = [0.0, 0.5, 0.999, 1.0, 1.5, 2.5, 7.0, 1 / 3, 100.7, 1000.9, INF, NAN]
    values += [2.0**smallest, 2.0 ** (smallest - digits + 1), 3 * 2.0 ** (smallest - digits + 1)]
    values += [2.0**largest * (2 - 2.0 ** (1 - digits)), 2.0 ** (smallest - 1)]
    for bits in (7, 8, 15, 16, 31, 32, 63, 64):
        limit = rounded(2.0**bits, name)
        values += [limit, *(next_to(limit, name) if limit < INF else [])]
    for narrow in FLOATS[: FLOATS.index(name)] if name in ("f32", "f64") else []:
        values += ties(name, narrow)
    values = [each for value in values for each in (rounded(value, name), -rounded(value, name))]
    return list({repr(each): NAN if each != each else each for each in values}.values())


def special_ints(name: str) -> list[int]:
    least, most = int_range(name)
    values = [0, 1, 2, 3, 7, 100, least, most, least + 1, most - 1]
    for bits in (7, 8, 11, 15, 16, 24, 31, 32, 53, 63):
        values += [2**bits, 2**bits - 1, 2**bits + 1, 3 * 2**bits + 1]
    # Ties of bf16, f16, f32 and f64, and just beside them.
    for digits in (8, 11, 24, 53):
        values += [2 ** (digits + 3) + d * 8 + e for d in (1, 3) for e in (-1, 0, 1)]
        values += [2**62 + 2 ** (62 - digits) + e for e in (-1, 0, 1)]
    signed = [each for value in values for each in (value, -value)]
    return list(dict.fromkeys(each for each in signed if least <= each <= most))


def special_values(name: str) -> list[Any]:
    if name == "bool":
        return [False, True]
    return special_floats(name) if name in FLOATS else special_ints(name)
