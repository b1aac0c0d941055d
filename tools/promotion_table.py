"""Writes the tables of docs/promotion.md from the compiler's own rules and torch's.

What stands between `<!-- NAME -->` and `<!-- end -->` is replaced. To run after a change of the
rules or of torch's: python tools/promotion_table.py
"""

import re
from collections.abc import Callable
from itertools import combinations_with_replacement, product
from pathlib import Path

import torch

from mytriton import _C

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "promotion.md"
TYPES = [row["ir"] for row in _C.dtype_rows()]
# A number as it stands in a kernel -> the type that it has by itself.
NUMBERS = {
    **{"True": "bool", "1": "i32", "2**31": "u32", "2**32": "i64", "2**63": "u64"},
    **{"0.5": "f32", "1e300": "f64"},
}
REFUSED = "-"


def promoted(a: str, b: str, division: bool) -> str:
    """The type of an operation on two operands, each a name of TYPES or NUMBERS; or REFUSED."""
    types = [(NUMBERS.get(each, each), each in NUMBERS) for each in (a, b)]
    try:
        return _C.promote(*types[0], *types[1], division)
    except TypeError:
        return REFUSED


def table(corner: str, columns: list[str], division: bool) -> str:
    """One row a type, one column for each of `columns`."""
    lines = [[corner, *columns]]
    lines += [[a, *(promoted(a, b, division) for b in columns)] for a in TYPES]
    rows = ["".join(f"{each:6}" for each in line).rstrip() for line in lines]
    return "\n".join(["```", *rows, "```"])


def torch_dtype(name: str) -> torch.dtype:
    row = next(row for row in _C.dtype_rows() if row["ir"] == name)
    return getattr(torch, "bool" if name == "bool" else row["name"])


TORCH_NAMES = {torch_dtype(name): name for name in TYPES}


def by_torch(a: str, b: str, division: bool) -> str:
    """What torch makes of a tensor of type `a` and a tensor or number `b`; `/` where `division`."""
    left = torch.ones(2, dtype=torch_dtype(a))
    right = eval(b) if b in NUMBERS else torch.ones(2, dtype=torch_dtype(b))
    try:
        return TORCH_NAMES[(left / right).dtype if division else torch.result_type(left, right)]
    except RuntimeError:
        return REFUSED


def by_us(a: str, b: str, division: bool) -> str:
    result = promoted(a, b, division)
    return (
        "f32"
        if division and result in TYPES and result[0] in "bui" and result != "bf16"
        else result
    )


def differences(pairs: list[tuple[str, str]], division: bool) -> str:
    """A line for each (our type, torch's type) that differ, and all pairs that they are for."""
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for a, b in pairs:
        ours, theirs = by_us(a, b, division), by_torch(a, b, division)
        if ours != theirs:
            groups.setdefault((ours, theirs), {}).setdefault(b, []).append(a)
    lines = ["| here | torch | operands |", "|---|---|---|"]
    for (ours, theirs), columns in groups.items():
        operands = "; ".join(f"{', '.join(rows)} with {b}" for b, rows in columns.items())
        lines.append(f"| {ours} | {theirs.replace(REFUSED, 'refused')} | {operands} |")
    return "\n".join(line.replace(f"| {REFUSED} |", "| refused |") for line in lines)


PAIRS = list(combinations_with_replacement(TYPES, 2))
WITH_NUMBERS = list(product(TYPES, ["True", "1", "0.5"]))
PARTS: dict[str, Callable[[], str]] = {
    "types": lambda: table("", TYPES, False),
    "division": lambda: table("", TYPES, True),
    "numbers": lambda: table("", list(NUMBERS), False),
    "numbers in division": lambda: table("", list(NUMBERS), True),
    "torch": lambda: differences(PAIRS, False),
    "torch, division": lambda: differences(PAIRS, True),
    "torch, numbers": lambda: differences(WITH_NUMBERS, False),
}


def updated(document: str) -> str:
    """The document with all its parts made anew."""

    def part(match: re.Match[str]) -> str:
        return f"<!-- {match[1]} -->\n{PARTS[match[1]]()}\n<!-- end -->"

    names = re.findall(r"<!-- (?!end)(.*?) -->", document)
    assert sorted(names) == sorted(PARTS), f"the document has the parts {names}"
    return re.sub(r"<!-- (?!end)(.*?) -->\n.*?<!-- end -->", part, document, flags=re.DOTALL)


if __name__ == "__main__":
    DOCUMENT.write_text(updated(DOCUMENT.read_text()))
