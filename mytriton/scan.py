"""What functions might read, from their code: for those that a trace calls but cannot follow.

A class is used as it is, so the methods of its objects run outside any recording. All that their
code names is taken to be read.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from mytriton.libraries import is_library, is_library_class
from mytriton.proxies import class_dict
from mytriton.reads import MISSING, Kind, Reads


def _is_bookkeeping(name: str, value: Any) -> bool:
    """Whether it is an entry that Python makes in a class: __annotations__, _field_defaults, ..."""
    special = name.startswith("__") and name.endswith("__")
    return name == "_field_defaults" or (
        special and not isinstance(value, FunctionType | property | staticmethod | classmethod)
    )


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _functions(value: Any) -> Iterator[Any]:
    """The functions in what a class or a module has."""
    if isinstance(value, property):
        yield from (each for each in (value.fget, value.fset, value.fdel) if each is not None)
    elif isinstance(value, staticmethod | classmethod | MethodType):
        yield value.__func__
    elif isinstance(value, functools.partial):
        yield value.func
    elif isinstance(value, FunctionType | type):
        yield value
    else:  # a kernel, or what functools.cache makes
        own = getattr(value, "__dict__", None)
        if isinstance(own, dict) and "__wrapped__" in own:
            yield own["__wrapped__"]


class Scanner:
    """Adds to `reads` what these values' code might read."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads
        self._seen: set[int] = set()

    def scan(self, value: Any) -> None:
        pending = [value]
        while pending:
            each = pending.pop()
            if id(each) in self._seen:
                continue
            self._seen.add(id(each))
            if isinstance(each, type):
                pending += self._class(each)
            elif isinstance(each, FunctionType):
                pending += self._function(each)
            else:
                pending += _functions(each)

    def _class(self, value: type) -> Iterator[Any]:
        for kind in value.__mro__:
            if is_library_class(kind):
                continue
            names = class_dict(kind)
            if not issubclass(kind, enum.Enum):  # the members of an enum cannot be changed
                self._reads.add(Kind.SIZE, names, "", len(names))
            for name, each in list(names.items()):
                if not (_is_bookkeeping(name, each) or issubclass(kind, enum.Enum)):
                    self._reads.add(Kind.ITEM, names, name, each)
                yield from _functions(each)

    def _function(self, fn: FunctionType) -> Iterator[Any]:
        if is_library(fn.__globals__):
            return
        self._reads.add(Kind.CODE, fn, "", fn.__code__)
        self._reads.add(Kind.DEFAULTS, fn, "", fn.__defaults__)
        self._reads.add(Kind.KWDEFAULTS, fn, "", fn.__kwdefaults__)
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
            try:
                value = cell.cell_contents
            except ValueError:
                value = MISSING
            self._reads.add(Kind.CELL, cell, name, value)
            yield value
        names = set(_names(fn.__code__))
        yield from self._items(fn.__globals__, names)

    def _items(self, holder: dict[str, Any], names: set[str]) -> Iterator[Any]:
        for name in names & holder.keys():
            value = holder[name]
            self._reads.add(Kind.ITEM, holder, name, value)
            if not isinstance(value, ModuleType):
                yield value
            elif not is_library(vars(value)) and id(value) not in self._seen:
                self._seen.add(id(value))
                yield from self._items(vars(value), names)
