"""Refuses, before it is traced, code that writes what outlives a trace."""

from __future__ import annotations

import dis
from types import CodeType

from mytriton.errors import CompileError
from mytriton.source import Place, place_in

_GLOBAL = {"STORE_GLOBAL", "DELETE_GLOBAL"}
_CLOSURE = {"STORE_DEREF", "DELETE_DEREF"}
_CLASS = {"LOAD_BUILD_CLASS"}
_SUSPECT = {dis.opmap[name] for name in _GLOBAL | _CLOSURE | _CLASS}


def refuse_writes(code: CodeType) -> None:
    """CompileError where the function assigns to a global variable, or to a closure variable of
    what is around it, or defines a class."""
    _check(code, set(code.co_freevars))


def _check(code: CodeType, outside: set[str]) -> None:
    if not _SUSPECT.isdisjoint(code.co_code[::2]):  # a quick look; dis takes its time
        for each in dis.get_instructions(code):
            name = each.argval
            if each.opname in _GLOBAL or (each.opname in _CLOSURE and name in outside):
                variable = "global" if each.opname in _GLOBAL else "closure"
                raise CompileError(
                    f"a kernel cannot assign to the {variable} variable '{name}': Python runs only "
                    "while the kernel is compiled; store results through a pointer, return them "
                    "from a helper, or use a local variable",
                    place_in(code, each.offset),
                )
            if each.opname in _CLASS:
                raise CompileError(
                    "a class cannot be defined in a kernel; define it outside",
                    place_in(code, each.offset),
                )
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _check(constant, outside & set(constant.co_freevars))


def load_place(code: CodeType, name: str) -> Place | None:
    """Where the code, or code within it, first reads the variable."""
    for each in dis.get_instructions(code):
        if each.argval == name and each.opname.startswith("LOAD_"):
            place = place_in(code, each.offset)
            if place is not None and each.opname != "LOAD_CLOSURE":
                return place
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            place = load_place(constant, name)
            if place is not None:
                return place
    return None
