"""What tracing a kernel read beside its arguments, and whether all of it still is as it was.

A launch takes a kernel that was compiled before only where every read holds. The launch path in C
compares objects by identity; where that fails, or where a list, dict or set may have changed
within, :meth:`Reads.hold` compares values here.
"""

from __future__ import annotations

import enum
import functools
import struct
from typing import Any

from mytriton.traced import constexpr


class _Missing(enum.Enum):
    MISSING = "nothing"


MISSING = _Missing.MISSING  # what a read finds where there is no such name


class Kind(enum.IntEnum):
    """What a read looks at; csrc/torch/checks.h has the same list, but for ATTRIBUTE."""

    ITEM = 0  # holder[name], of a dict: globals, attributes of modules and classes
    CELL = 1  # what a closure cell holds
    CODE = 2  # holder.__code__, of a function
    DEFAULTS = 3  # holder.__defaults__
    KWDEFAULTS = 4  # holder.__kwdefaults__
    SIZE = 5  # len(holder), of a dict
    ATTRIBUTE = 6  # getattr(holder, name): computed, so only Python can compare it


def _fetch(kind: Kind, holder: Any, name: str) -> Any:
    if kind is Kind.ITEM:
        return holder.get(name, MISSING)
    if kind is Kind.CELL:
        try:
            return holder.cell_contents
        except ValueError:
            return MISSING
    if kind is Kind.CODE:
        return holder.__code__
    if kind is Kind.DEFAULTS:
        return holder.__defaults__
    if kind is Kind.KWDEFAULTS:
        return holder.__kwdefaults__
    if kind is Kind.SIZE:
        return len(holder)
    return getattr(holder, name, MISSING)


class Identity:
    """The key of an object that equals nothing but itself."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


def value_key(value: Any) -> Any:
    """The value as it is compared: with its type, floats by their bits, containers by contents in
    their order, everything that is no plain value by identity."""
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes):
        return (kind, value)
    if isinstance(value, float) and kind.__module__ != "numpy":
        return (kind, struct.pack("d", value))
    if isinstance(value, enum.Enum):
        return Identity(value)
    if isinstance(value, constexpr):
        return (kind, value_key(value.value))
    if isinstance(value, tuple) or kind in (list, set, frozenset):
        return (kind, tuple(value_key(each) for each in value))
    if kind is dict:
        return (kind, tuple((value_key(k), value_key(v)) for k, v in value.items()))
    if isinstance(value, functools.partial):
        return (kind, value_key((value.func, value.args, dict(value.keywords))))
    return Identity(value)


def is_mutable(value: Any) -> bool:
    """Whether it may equal something else later and yet be the same object."""
    if isinstance(value, tuple):
        return any(is_mutable(each) for each in value)
    if isinstance(value, functools.partial):
        return is_mutable((*value.args, *value.keywords.values()))
    return type(value) in (list, dict, set)


class _Read:
    __slots__ = ("expected", "holder", "key", "kind", "mutable", "name")

    def __init__(self, kind: Kind, holder: Any, name: str, value: Any) -> None:
        self.kind = kind
        self.holder = holder
        self.name = name
        self.expected = value
        self.key = value_key(value)
        self.mutable = kind is Kind.ATTRIBUTE or is_mutable(value)

    def holds(self) -> bool:
        value = _fetch(self.kind, self.holder, self.name)
        if value is self.expected and not self.mutable:
            return True
        try:
            same = bool(value_key(value) == self.key)
        except RecursionError:  # a list that contains itself, by now
            return False
        if same:
            self.expected = value
        return same


class Reads:
    """All that one trace read, each name once."""

    def __init__(self) -> None:
        self._reads: dict[tuple[Kind, int, str], _Read] = {}

    def add(self, kind: Kind, holder: Any, name: str, value: Any) -> None:
        """Notes that `holder` has this value; of one name, what was read first."""
        where = (kind, id(holder), name)
        if where not in self._reads:
            self._reads[where] = _Read(kind, holder, name, value)

    def hold(self) -> bool:
        """Whether a trace now would read the same values."""
        return all(read.holds() for read in self._reads.values())

    def names(self) -> list[str]:
        """The global and closure variables and attributes among what was read."""
        return [read.name for read in self._reads.values() if read.name]

    def changed(self) -> list[str]:
        """The names whose values differ now."""
        return [read.name for read in self._reads.values() if not read.holds() and read.name]

    def checks(self) -> list[tuple[int, Any, str, Any]] | None:
        """(kind, holder, name, the object expected there; ... for nothing), for the launch path in
        C; None where identity does not tell."""
        checks = []
        for read in self._reads.values():
            plain = type(read.holder) is dict or read.kind not in (Kind.ITEM, Kind.SIZE)
            if read.mutable or not plain:
                return None
            expected = ... if read.expected is MISSING else read.expected
            if read.expected is ...:
                return None
            checks.append((int(read.kind), read.holder, read.name, expected))
        return checks
