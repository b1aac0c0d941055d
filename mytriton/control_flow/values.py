"""Values of variables taken apart into traced ones, for what branches and loops give, and back.

Numbers and traced values, and those in tuples, can differ from one path at run time to another.
Anything else is fixed: it has to be the same on all of them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from mytriton import _C
from mytriton.reads import value_key
from mytriton.source import Place
from mytriton.traced import node_of, tensor, unwrap


class _Mark(enum.Enum):
    UNSET = "no value"
    SKIPPED = "an operand that was not evaluated"


UNSET = _Mark.UNSET
SKIPPED = _Mark.SKIPPED


@dataclass(frozen=True)
class Leaf:
    """A traced value: `type` as text, and what it is made of."""

    type: str
    scalar: str
    lanes: tuple[int, ...]
    is_pointer: bool


@dataclass(frozen=True)
class Fixed:
    value: Any


@dataclass(frozen=True)
class Items:
    """A tuple, or a namedtuple."""

    kind: type
    items: tuple[Shape, ...]


Shape: TypeAlias = Leaf | Fixed | Items

# Nodes that are merged; None for one that nobody will use.
Pairs: TypeAlias = list[tuple[int | None, int | None]]


class Mismatch(Exception):
    """Two values that no variable can have alike: as texts, and what could be done."""

    def __init__(self, a: str, b: str, advice: str) -> None:
        super().__init__(a, b, advice)
        self.a, self.b, self.advice = a, b, advice


def is_number(value: Any) -> bool:
    """Whether it is a traced value, or a Python number that can become one."""
    value = unwrap(value)
    plain = isinstance(value, bool | int | float) and not isinstance(value, enum.Enum)
    return isinstance(value, tensor) or (plain and type(value).__module__ != "numpy")


def leaf_of(trace: _C.Trace, node: int) -> Leaf:
    return Leaf(trace.type(node), trace.scalar(node), trace.shape(node), trace.is_pointer(node))


def zero_of(trace: _C.Trace, leaf: Leaf, place: Place | None) -> int:
    """A node of this type, whose value does not matter."""
    return trace.zero(leaf.scalar, leaf.is_pointer, leaf.lanes, place)


def _is_tuple(value: Any) -> bool:
    return type(value) is tuple or (isinstance(value, tuple) and hasattr(value, "_make"))


def flatten(trace: _C.Trace, value: Any, place: Place | None, leaves: list[int]) -> Shape:
    """The shape of a value, whose traced values and numbers are added to `leaves`."""
    value = unwrap(value)
    if is_number(value):
        leaves.append(node_of(trace, value, place, "a variable"))
        return leaf_of(trace, leaves[-1])
    if _is_tuple(value):
        return Items(type(value), tuple(flatten(trace, each, place, leaves) for each in value))
    return Fixed(value)


def rebuild(trace: _C.Trace, shape: Shape, leaves: Iterator[int]) -> Any:
    """The value of this shape with these leaves."""
    if isinstance(shape, Leaf):
        return tensor(trace, next(leaves))
    if isinstance(shape, Fixed):
        return shape.value
    items = [rebuild(trace, each, leaves) for each in shape.items]
    return tuple(items) if shape.kind is tuple else shape.kind._make(items)  # type: ignore[attr-defined]


def has_leaves(shape: Shape) -> bool:
    return isinstance(shape, Leaf) or (
        isinstance(shape, Items) and any(has_leaves(each) for each in shape.items)
    )


def same(a: Any, b: Any) -> bool:
    return a is b or bool(value_key(unwrap(a)) == value_key(unwrap(b)))


def require_same(a: Shape, b: Shape) -> None:
    """Mismatch where values of these two shapes cannot be one variable's, time after time."""
    if isinstance(a, Leaf) and isinstance(b, Leaf) and a.type == b.type:
        return
    if isinstance(a, Fixed) and isinstance(b, Fixed) and same(a.value, b.value):
        return
    if isinstance(a, Items) and isinstance(b, Items) and _alike(a.kind, a.items, b.kind, b.items):
        for each, other in zip(a.items, b.items, strict=True):
            require_same(each, other)
        return
    raise mismatch(_text(a), _text(b), isinstance(a, Leaf) and isinstance(b, Leaf))


def _alike(a: type, items: Any, b: type, others: Any) -> bool:
    return a is b and len(items) == len(others)


def merge(trace: _C.Trace, a: Any, b: Any, place: Place | None, pairs: Pairs) -> Shape:
    """The shape of what is `a` on one path and `b` on the other; its leaves go to `pairs`.

    Raises Mismatch.
    """
    if same(a, b):
        return Fixed(a)
    a, b = unwrap(a), unwrap(b)
    if is_number(a) and is_number(b):
        nodes = [node_of(trace, each, place, "a variable") for each in (a, b)]
        leaf, other = (leaf_of(trace, each) for each in nodes)
        if leaf.type != other.type:
            raise mismatch(leaf.type, other.type, True)
        pairs.append((nodes[0], nodes[1]))
        return leaf
    if _is_tuple(a) and _is_tuple(b) and _alike(type(a), a, type(b), b):
        each = zip(a, b, strict=True)
        return Items(type(a), tuple(merge(trace, *both, place, pairs) for both in each))
    raise mismatch(describe(trace, a), describe(trace, b), False)


def merge_with_unset(
    trace: _C.Trace, value: Any, is_first: bool, place: Place | None, pairs: Pairs
) -> Shape:
    """As `merge`, of a value and one that nobody will use."""
    leaves: list[int] = []
    shape = flatten(trace, value, place, leaves)
    if all(not isinstance(each, tensor) for each in _parts(value)):
        return Fixed(value)
    pairs += [(node, None) if is_first else (None, node) for node in leaves]
    return shape


def _parts(value: Any) -> Iterator[Any]:
    if _is_tuple(value):
        for each in value:
            yield from _parts(each)
    else:
        yield unwrap(value)


def mismatch(a: str, b: str, of_numbers: bool) -> Mismatch:
    advice = "give both one type, as by .to()"
    if not of_numbers:
        advice = (
            "only numbers and traced values, and tuples of as many of them, can depend on a "
            "run-time condition"
        )
    return Mismatch(a, b, advice)


def _text(shape: Shape) -> str:
    if isinstance(shape, Leaf):
        return shape.type
    if isinstance(shape, Items):
        return _tuple_text(shape.kind, len(shape.items))
    return _plain_text(shape.value)


def describe(trace: _C.Trace, value: Any) -> str:
    """A value in messages: of numbers the type."""
    value = unwrap(value)
    if is_number(value):
        return trace.type(node_of(trace, value, None, "a variable"))
    return _tuple_text(type(value), len(value)) if _is_tuple(value) else _plain_text(value)


def _tuple_text(kind: type, length: int) -> str:
    return f"a {kind.__name__} of {length}"


def _plain_text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return repr(value)
    name = getattr(value, "__name__", None)
    kind = f"a {type(value).__name__}"
    return f"{kind} ({name})" if isinstance(name, str) else kind
