"""What each elementwise row of the table must give: torch's answer, or what is said here.

A new row needs a line here only where it names no function of torch, or torch has another rule.
"""

import ctypes
import functools
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from engines import DEVICE
from op_operands import DTYPES, HALF, INF, is_int

from mytriton import _C

ROWS = {row["name"]: row for row in _C.op_rows() if row["kind"] == "pure"}
# Rows whose bits are not fixed; test_ops_math.py has them.
MATH = {name for name, row in ROWS.items() if row["ulp"][0] > 0}
# CUDA text spells these out. What else it calls is the evaluator's when it runs on the CPU, and
# CUDA's on a GPU.
OTHERWISE_ON_CUDA = {
    name for name in MATH if DEVICE == "cuda" or "sigmoidf" in ROWS[name]["expressions"][0]
}
Answer = Callable[..., torch.Tensor]

# --- ints: on Python's, which do not overflow, and then wrapped ----------------------------------


def wrapped(value: int, dtype: torch.dtype) -> int:
    info, bits = torch.iinfo(dtype), 8 * dtype.itemsize
    value &= (1 << bits) - 1
    return value - (1 << bits) if value > info.max else value


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def quotient(a: int, b: int, bits: int) -> int:
    """Truncated; all bits are set where b is 0. MIN / -1 is wrapped later."""
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int, bits: int) -> int:
    return a if b == 0 else a - b * quotient(a, b, bits)


def shifted_left(a: int, b: int, bits: int) -> int:
    return a << b if unsigned(b, bits) < bits else 0


def shifted_right(a: int, b: int, bits: int) -> int:
    return a >> min(unsigned(b, bits), bits)


def high_product(a: int, b: int, bits: int) -> int:
    return unsigned(a, bits) * unsigned(b, bits) >> bits


# Functions of the operands and of the width in bits. Results that are counts are i32.
INT: dict[str, Callable[..., int]] = {
    "div": quotient,
    "rem": remainder,
    "shl": shifted_left,
    "shr": shifted_right,
    "umulhi": high_product,
    "popc": lambda a, bits: unsigned(a, bits).bit_count(),
    "clz": lambda a, bits: bits - unsigned(a, bits).bit_length(),
    "clamp": lambda a, b, c, bits: min(max(a, b), c),
}
COUNTS = {"popc", "clz"}
# Torch computes little on u64.
U64: dict[str, Callable[..., Any]] = {
    "add": lambda a, b, bits: a + b,
    "sub": lambda a, b, bits: a - b,
    "mul": lambda a, b, bits: a * b,
    "neg": lambda a, bits: -a,
    "abs": lambda a, bits: a,
    "bit_not": lambda a, bits: ~a,
    "cmp_lt": lambda a, b, bits: a < b,
    "cmp_le": lambda a, b, bits: a <= b,
    "cmp_gt": lambda a, b, bits: a > b,
    "cmp_ge": lambda a, b, bits: a >= b,
    "maximum": lambda a, b, bits: max(a, b),
    "minimum": lambda a, b, bits: min(a, b),
}


def of_ints(function: Callable[..., Any], name: str, operands: tuple[torch.Tensor, ...]) -> Any:
    dtype = operands[0].dtype
    columns = [each.tolist() for each in operands]
    values = [function(*each, 8 * dtype.itemsize) for each in zip(*columns, strict=True)]
    if isinstance(values[0], bool):
        return torch.tensor(values)
    result = torch.int32 if name in COUNTS else dtype
    return torch.tensor([wrapped(each, result) for each in values], dtype=result)


# --- floats --------------------------------------------------------------------------------------


def chosen(a: torch.Tensor, b: torch.Tensor, a_wins: torch.Tensor) -> torch.Tensor:
    """A tie takes b, which shows in the sign of zero."""
    return torch.where(a_wins, a, b)


def with_nan(result: torch.Tensor, *operands: torch.Tensor) -> torch.Tensor:
    for each in operands:
        result = torch.where(each.isnan(), each, result)
    return result


def number_first(result: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.where(b.isnan(), a, torch.where(a.isnan(), b, result))


def clamped(a: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    raised = chosen(a, low, a > low)
    return with_nan(chosen(raised, high, raised < high), a, low, high)


def away_from_zero(a: torch.Tensor) -> torch.Tensor:
    whole = torch.trunc(a)
    return torch.where((a - whole).abs() >= 0.5, whole + torch.sign(a), whole)


def rounded(x: Fraction, dtype: torch.dtype) -> float:
    """A positive number to the nearest float of this type, ties to even."""
    info = torch.finfo(dtype)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()  # or one less
    exponent -= x < Fraction(2) ** exponent
    exponent = max(exponent, round(math.log2(info.smallest_normal)))
    unit = Fraction(2) ** (exponent + round(math.log2(info.eps)))
    nearest = round(x / unit) * unit
    return float(nearest) if nearest <= info.max else INF


def multiply_add(a: float, b: float, c: float, dtype: torch.dtype) -> float:
    if not all(map(math.isfinite, (a, b, c))):
        return c if math.isfinite(a) and math.isfinite(b) else a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:  # the sign is that of IEEE's sum, which may be one of zeros
        return 0.0 if a * b + c == 0 and c != 0 else a * b + c
    return rounded(exact, dtype) if exact > 0 else -rounded(-exact, dtype)


def fma(*operands: torch.Tensor) -> torch.Tensor:
    dtype = operands[0].dtype
    columns = zip(*(each.tolist() for each in operands), strict=True)
    return torch.tensor([multiply_add(*each, dtype) for each in columns], dtype=dtype)


def square_root(a: torch.Tensor) -> torch.Tensor:
    """Torch's is not always correctly rounded."""
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.sqrt(a.numpy()))


def float_remainder(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Torch's vectors take denormals as zeros."""
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.fmod(a.numpy(), b.numpy()))


# Of f32 and f64. Those of 16 bits are computed in f32 and rounded.
FLOAT: dict[str, Answer] = {
    "maximum": lambda a, b: with_nan(chosen(a, b, a > b), a, b),
    "minimum": lambda a, b: with_nan(chosen(a, b, a < b), a, b),
    "fmax": lambda a, b: number_first(chosen(a, b, a > b), a, b),
    "fmin": lambda a, b: number_first(chosen(a, b, a < b), a, b),
    "clamp": clamped,
    "rem": float_remainder,
    "fmod": float_remainder,
    "round": away_from_zero,
    "sqrt": square_root,
    "fma": fma,
}
# `a` and `b` are bool.
BOOL: dict[str, Answer] = {
    "add": torch.logical_xor,
    "sub": torch.logical_xor,
    "mul": torch.logical_and,
}
# The language computes these of 16 bits in f32 and gives that.
WIDENED = {"div", "rem"}


def of_torch(name: str) -> Answer:
    function = ROWS[name]["torch"].removeprefix("torch.")
    assert function, f"what {name} must give is said neither here nor by torch"
    answer: Answer = operator.attrgetter(function)(torch)
    return answer


def expected(name: str, *operands: torch.Tensor) -> torch.Tensor:
    """What an exact row gives for these operands, to the bit."""
    dtype = operands[-1].dtype
    if name == "select":
        return torch.where(*operands)
    if dtype == torch.bool:
        return BOOL.get(name, of_torch(name))(*operands)
    if is_int(dtype):
        spelled = INT.get(name) or (U64.get(name) if dtype == torch.uint64 else None)
        if spelled:
            return of_ints(spelled, name, operands)
        if dtype in (torch.uint16, torch.uint32):
            result = of_torch(name)(*(each.to(torch.int64) for each in operands))
            return result if result.dtype == torch.bool else result.to(dtype)
        return of_torch(name)(*operands)
    if dtype in HALF:
        result = expected(name, *(each.float() for each in operands))
        narrow = result.dtype == torch.float32 and name not in WIDENED
        return result.to(dtype) if narrow else result
    return FLOAT[name](*operands) if name in FLOAT else of_torch(name)(*operands)


def result_type(name: str, element: str) -> torch.dtype:
    """Of an exact row or of one of MATH."""
    dtype = DTYPES[element]
    if name in MATH:
        return dtype
    values = [torch.ones(1, dtype=dtype)] * ROWS[name]["operands"]
    if name == "select":
        values[0] = torch.ones(1, dtype=torch.bool)
    return expected(name, *values).dtype


# --- rows whose bits are not fixed ---------------------------------------------------------------


def rsqrt(a: torch.Tensor) -> torch.Tensor:
    return 1.0 / square_root(a)


def sigmoid(a: torch.Tensor) -> torch.Tensor:
    """Torch's loses the small results of very negative operands."""
    small = torch.exp(-a.abs())
    return torch.where(a < 0, small, torch.ones_like(a)) / (1.0 + small)


def digamma(a: torch.Tensor) -> torch.Tensor:
    """Torch's loses digits next to poles. Here the series of an argument raised to 25 and, of
    negative arguments, the reflection formula, with some more digits than f64 where numpy has."""
    x = a.numpy().astype(np.longdouble)
    pi = np.longdouble("3.14159265358979323846264338327950288")
    with np.errstate(all="ignore"):
        raised, lifted = np.where(x < 0, 1 - x, x), np.zeros_like(x)
        for _ in range(25):
            small = raised < 25
            lifted += np.where(small, 1 / raised, 0)
            raised = np.where(small, raised + 1, raised)
        z, series = 1 / (raised * raised), np.zeros_like(x)
        for divisor in (12, -np.longdouble(32760) / 691, 132, -240, 252, -120, 12):
            series = z * (1 / np.longdouble(divisor) + series)
        result = np.log(raised) - 1 / (2 * raised) - series - lifted
        from_pole = x - np.rint(x)
        reflected = np.where(from_pole == 0, np.nan, result - pi / np.tan(pi * from_pole))
        return torch.from_numpy(np.where(x < 0, reflected, result).astype(np.float64))


OF_NO_LIBRARY: dict[str, Answer] = {"rsqrt": rsqrt, "sigmoid": sigmoid, "digamma": digamma}


@functools.cache
def c_function(name: str, operands: int) -> Callable[..., float] | None:
    function = getattr(ctypes.CDLL("libm.so.6"), name, None)
    if function is not None:
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * operands
    return function


def accurate(name: str, *operands: torch.Tensor) -> torch.Tensor:
    """What a row of MATH comes close to, in f64: the C library's answer, or else torch's."""
    doubles = [each.double() for each in operands]
    if name in OF_NO_LIBRARY:
        return OF_NO_LIBRARY[name](*doubles)
    function = c_function(name, len(operands))
    if function is None:
        return of_torch(name)(*doubles)
    columns = zip(*(each.tolist() for each in doubles), strict=True)
    return torch.tensor([function(*each) for each in columns], dtype=torch.float64)
