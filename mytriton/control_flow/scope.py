"""What a rewritten statement sees of the function it stands in: its variables, and its places."""

from __future__ import annotations

from types import CodeType, FrameType
from typing import Any

from mytriton.control_flow.names import Position
from mytriton.control_flow.values import UNSET
from mytriton.errors import CompileError
from mytriton.reads import value_key
from mytriton.source import Place


class Scope:
    """The variables of a function at some moment."""

    def __init__(self, frame: FrameType) -> None:
        self.code: CodeType = frame.f_code
        self._values: dict[str, Any] = dict(frame.f_locals)

    def get(self, name: str) -> Any:
        return self._values.get(name, UNSET)

    def place(self, position: Position) -> Place:
        return (self.code.co_filename, *position)

    def containers(self) -> Containers:
        return Containers(self._values)


class Containers:
    """The lists, dicts and sets among variables, to see whether they are changed.

    Python changes them once, while the kernel is compiled - whether or not a branch is taken, and
    however often a loop runs.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self._keys = [
            (name, value, value_key(value))
            for name, value in values.items()
            if type(value) in (list, dict, set)
        ]

    def check(self, statement: str, place: Place) -> None:
        for name, value, key in self._keys:
            if value_key(value) != key:
                raise CompileError(
                    f"the {type(value).__name__} '{name}' is changed in {statement} at line "
                    f"{place[1]}: Python runs only while the kernel is compiled; use variables, or "
                    "a tuple, which are assigned anew",
                    place,
                )
