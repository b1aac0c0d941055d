"""If statements and conditional expressions: by Python, or as branches at run time."""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

from mytriton.control_flow.info import BranchInfo, BranchName
from mytriton.control_flow.nodes import VALUE
from mytriton.control_flow.scope import Scope
from mytriton.control_flow.values import (
    SKIPPED,
    UNSET,
    Mismatch,
    Pairs,
    Shape,
    merge,
    merge_with_unset,
    rebuild,
)
from mytriton.errors import CompileError
from mytriton.source import Place
from mytriton.traced import current_trace, tensor

if TYPE_CHECKING:
    from mytriton.control_flow.runtime import Control


def check_condition(what: str, test: tensor, place: Place | None) -> None:
    if test.shape:
        raise CompileError(
            f"{what}: the condition must be a scalar, got {test._trace.type(test._node)}; choose "
            "lanes of a block by tl.where",
            place,
        )
    if test.dtype.is_ptr():
        raise CompileError(f"{what}: the condition must be a number, got {test.dtype}", place)


class PythonBranch:
    """An if whose condition is a Python value."""

    traced = some_unset = False

    def __init__(self, taken: bool) -> None:
        self._taken = taken

    def enters_body(self) -> bool:
        return self._taken

    def enters_orelse(self) -> bool:
        return not self._taken

    def leaves(self) -> None:
        pass

    def values(self) -> list[Any]:
        raise AssertionError("asked only where it is traced")


class TracedBranch:
    """An if at run time: both arms are traced, with the variables as they were before."""

    traced = True

    def __init__(self, control: Control, test: tensor, info: BranchInfo, frame: FrameType) -> None:
        self._control = control
        self._info = info
        self._before = Scope(frame)
        self._place = self._before.place(info.at)
        self._arms: list[Scope] = []
        check_condition("if", test, self._place)
        self._trace = test._trace
        self._containers = self._before.containers()
        self._trace.begin_if(test._node, self._place)
        control.open_regions += 1
        self._values = [self._before.get(each.name) for each in info.names]

    def enters_body(self) -> bool:
        return True

    def enters_orelse(self) -> bool:
        return True

    def leaves(self) -> None:
        """At the end of each arm."""
        self._containers.check("the if", self._place)
        self._arms.append(Scope(sys._getframe(1)))
        if len(self._arms) == 1:
            self._trace.begin_else(self._place)
        else:
            self._merge()

    @property
    def some_unset(self) -> bool:
        return any(each is UNSET for each in self._values)

    def values(self) -> list[Any]:
        """Of the variables that the arms assign: for the else, those before; in the end, merged."""
        return self._values

    def _merge(self) -> None:
        pairs: Pairs = []
        shapes: list[Shape | None] = []
        for each in self._info.names:
            count = len(pairs)
            try:
                shapes.append(self._merge_one(each, pairs))
            except Mismatch as error:
                del pairs[count:]
                self._refuse(each, error)
                shapes.append(None)
        results = self._trace.end_if([a for a, _ in pairs], [b for _, b in pairs])
        self._control.open_regions -= 1
        leaves = iter(results)
        self._values = [
            UNSET if shape is None else rebuild(self._trace, shape, leaves) for shape in shapes
        ]

    def _merge_one(self, name: BranchName, pairs: Pairs) -> Shape | None:
        """The shape of a variable after the if; None where it has no value then."""
        then, other = (arm.get(name.name) for arm in self._arms)
        trace, place = self._trace, self._place
        dead = self._info.ends_function and name.name != VALUE
        if dead or (then is UNSET and other is UNSET):
            return None
        if then is not UNSET and other is not UNSET:
            return merge(trace, then, other, place, pairs)
        if name.name == VALUE:
            is_first = other is UNSET
            return merge_with_unset(trace, then if is_first else other, is_first, place, pairs)
        self._control.explain(
            self._before.code,
            name.name,
            f"the variable '{name.name}' has a value only on one side of the if at line "
            f"{self._place[1]}, whose condition is known only at run time; set it before, or on "
            "both sides",
        )
        return None

    def _refuse(self, name: BranchName, error: Mismatch) -> None:
        lines = [arm or name.before for arm in (name.body, name.orelse)]
        a, b = (
            f"{text} at line {line[0]}" if line else f"{text} before"
            for text, line in zip((error.a, error.b), lines, strict=True)
        )
        what = "returned value" if name.name == VALUE else f"variable '{name.name}'"
        message = (
            f"the {what} is {a} and {b}, and the condition at line {self._place[1]}, which is "
            f"known only at run time, decides which: {error.advice}"
        )
        at = name.orelse or name.body
        if name.name == VALUE:  # else whoever uses the variable gets to know
            raise CompileError(message, self._before.place(at) if at else self._place)
        self._control.explain(self._before.code, name.name, message)


class PythonChoice:
    def __init__(self, first: bool) -> None:
        self._first = first

    def enters_other(self) -> bool:
        return not self._first

    def result(self, body: Any, orelse: Any) -> Any:
        return orelse if body is SKIPPED else body


class TracedChoice:
    """``a if c else b`` at run time."""

    def __init__(self, control: Control, test: tensor, place: Place | None) -> None:
        check_condition("if else", test, place)
        self._control = control
        self._place = place
        self._trace = current_trace("if")
        self._trace.begin_if(test._node, place)
        control.open_regions += 1

    def enters_other(self) -> bool:
        self._trace.begin_else(self._place)
        return True

    def result(self, body: Any, orelse: Any) -> Any:
        pairs: Pairs = []
        try:
            shape = merge(self._trace, body, orelse, self._place, pairs)
        except Mismatch as error:
            raise CompileError(
                "the condition of 'if else' is known only at run time, and its values are "
                f"{error.a} and {error.b}: {error.advice}",
                self._place,
            ) from None
        results = self._trace.end_if([a for a, _ in pairs], [b for _, b in pairs])
        self._control.open_regions -= 1
        return rebuild(self._trace, shape, iter(results))
