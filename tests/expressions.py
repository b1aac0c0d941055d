"""Random well-typed expressions over all element types, rows of the op table, casts and numbers.

An expression is a tuple (kind, type, *rest), so that a kernel takes it as a constexpr:

    ("block", type)             all lanes of the input of that type
    ("scalar", type)            the first element of it
    ("slot", type, i)           operand i, where one operation is launched by itself
    ("constant", type, value)   a value as the compiler knows it
    ("number", None, value)     a Python number
    ("cast", type, a)   ("rtz", type, a)   ("bitcast", type, a)   ("/", type, a, b)
    (row, type, *operands)      a row of the table
"""

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from exact import BITS, FLOATS, INTS, LANGUAGE, TYPES, int_range

import mytriton.language as tl
from mytriton import _C

Expression = tuple[Any, ...]
Choose = Callable[[Sequence[Any]], Any]

ROWS = {row["name"]: row for row in _C.op_rows() if row["kind"] == "pure"}
# `-a`, `%` and the like; / has a name of its own, as it also takes ints.
OPERATORS = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv},
    **{"%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor},
    **{"<<": operator.lshift, ">>": operator.rshift, "<": operator.lt, "<=": operator.le},
    **{">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne},
    **{"-a": operator.neg, "~a": operator.invert},
}
LEAVES = ("block", "scalar", "slot", "constant", "number")
NUMBERS = [True, 0, 1, -1, 2, 3, 7, 100, 255, -128, 40000, 2**31 - 1, 2**31, -(2**31), 2**40]
NUMBERS += [2**63, 0.0, -0.0, 0.1, 1.0, 0.5, -2.5, 1e-3, 70000.0, 1e300, 1e-40, math.inf, math.nan]


def number_type(value: Any) -> str:
    """The type of a number by itself."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return next(name for name in ("i32", "u32", "i64", "u64") if fits(value, name))
    normal = 2.0**-126 <= abs(value) < 2.0**128
    return "f32" if normal or value == 0 or not math.isfinite(value) else "f64"


# --- in kernels ----------------------------------------------------------------------------------


def traced(expression: Expression, leaf: Callable[[Expression], Any]) -> Any:
    """The value of an expression inside a kernel; `leaf` loads inputs."""
    kind, type_, *rest = expression
    if kind == "number":
        return rest[0]
    if kind == "constant":
        return tl.cast(rest[0], LANGUAGE[type_])
    if kind in LEAVES:
        return leaf(expression)
    operands = [traced(each, leaf) for each in rest]
    if kind in ("cast", "rtz", "bitcast"):
        how = {"rtz": {"fp_downcast_rounding": "rtz"}, "bitcast": {"bitcast": True}}.get(kind, {})
        return tl.cast(operands[0], LANGUAGE[type_], **how)
    if kind == "/":
        return operands[0] / operands[1]
    if kind == "select":
        return tl.where(*operands)
    python = ROWS[kind]["python"]
    return (getattr(tl, kind) if python == "tl" else OPERATORS[python])(*operands)


# --- making them ---------------------------------------------------------------------------------


def generated(choose: Choose, depth: int) -> Expression:
    """An expression of at most this depth. `choose` picks from a list."""
    if depth == 0:
        return (choose(["block", "block", "scalar"]), choose(TYPES))
    deeper = functools.partial(generated, choose)
    kind = choose(["row"] * 5 + ["cast", "cast", "bitcast", "/"])
    if kind == "row":
        return row_of(choose, choose(list(ROWS)), depth)
    if kind == "/":
        operands = [deeper(depth - 1), deeper(choose(range(depth)))]
        return division(operands, promoted([each[1] for each in operands], True))
    source = deeper(depth - 1)
    if kind == "cast":
        to = choose(TYPES)
        narrower = source[1] in ("f32", "f64") and to in FLOATS and BITS[to] < BITS[source[1]]
        return (choose(["cast", "rtz"]) if narrower else "cast", to, source)
    same = [each for each in TYPES if BITS[each] == BITS[source[1]] and each != "bool"]
    return ("bitcast", choose(same), without_nan(source)) if source[1] != "bool" else source


def division(operands: list[Expression], common: str | None) -> Expression:
    if common is None:  # ints of different signs
        operands, common = [("cast", "i64", each) for each in operands], "i64"
    return ("/", common if common in FLOATS else "f32", *operands)


def row_of(choose: Choose, name: str, depth: int) -> Expression:
    row = ROWS[name]
    values = row["operands"] - (name == "select")
    operands = [generated(choose, depth - 1)]
    operands += [generated(choose, choose(range(depth))) for _ in range(values - 1)]
    divides = name in ("div", "rem")
    common = promoted([each[1] for each in operands], divides)
    accepted = [each for each in row["types"] if name != "div" or each in INTS]
    if common not in accepted:
        common = choose(accepted)
        operands = [("cast", common, each) for each in operands]
    if values > 1 and choose([True, False, False]):
        operands, common = with_number(choose, operands, accepted, divides)
    if name == "copysign":
        operands[1] = without_nan(operands[1])
    if name == "select":
        condition = generated(choose, choose(range(depth)))
        operands.insert(0, condition if condition[1] == "bool" else ("cast", "bool", condition))
    counts = {"popc": "i32", "clz": "i32", "isnan": "bool", "isinf": "bool", "isfinited": "bool"}
    result = "bool" if name.startswith("cmp_") else counts.get(name, common)
    return (name, result, *operands)


def with_number(
    choose: Choose, operands: list[Expression], accepted: list[str], divides: bool
) -> tuple[list[Expression], str]:
    """One operand becomes a number that fits there; and the type that this makes."""
    at = choose(range(len(operands)))
    others = [each[1] for i, each in enumerate(operands) if i != at]
    value = choose(NUMBERS)
    strong = promoted(others, divides)
    assert strong
    common = _C.promote(strong, False, number_type(value), True, divides)
    number = ("number", None, value)
    if common not in accepted or (common in INTS and not fits(value, common)):
        common = strong if strong in accepted else accepted[0]
        number = ("cast", common, number)
        operands = [("cast", common, each) for each in operands]
    return [number if i == at else each for i, each in enumerate(operands)], common


def fits(value: Any, type_: str) -> bool:
    least, most = int_range(type_)
    return least <= value <= most


def promoted(types: Sequence[str], divides: bool) -> str | None:
    try:
        return functools.reduce(lambda a, b: _C.promote(a, False, b, False, divides), types)
    except TypeError:
        return None


def without_nan(expression: Expression) -> Expression:
    """The sign and payload of a NaN are not promised, so what would show them does not see one."""
    if expression[1] not in FLOATS:
        return expression
    is_nan = ("isnan", "bool", expression)
    return ("select", expression[1], is_nan, ("number", None, 0.0), expression)


def text(expression: Expression) -> str:
    kind, type_, *rest = expression
    if kind in LEAVES:
        return " ".join(str(each) for each in expression if each is not None)
    return f"{kind}:{type_}({', '.join(text(each) for each in rest)})"
