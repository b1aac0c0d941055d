"""The variables that the body of a run-time loop assigns: what it carries from round to round."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from mytriton import _C
from mytriton.control_flow.info import LoopInfo, LoopName
from mytriton.control_flow.nodes import VALUE
from mytriton.control_flow.scope import Scope
from mytriton.control_flow.values import (
    UNSET,
    Leaf,
    Mismatch,
    Shape,
    describe,
    flatten,
    has_leaves,
    rebuild,
    require_same,
    zero_of,
)
from mytriton.errors import CompileError

if TYPE_CHECKING:
    from mytriton.control_flow.runtime import Control


class Carried:
    """Of one tracing of a loop.

    A variable that has a value before the loop keeps that value's type. One that has none has a
    value in the body only - but for what is returned from there: `returned`, the shape of that, is
    carried from nothing. `plain` are names that the body begins with as they are; `dropped` ones
    have no value when it begins, nor after the loop.
    """

    def __init__(
        self,
        trace: _C.Trace,
        info: LoopInfo,
        before: Scope,
        plain: Collection[str] = (),
        dropped: Collection[str] = (),
        returned: Shape | None = None,
    ) -> None:
        self._trace = trace
        self._info = info
        self._before = before
        self.place = before.place(info.at)
        self._dropped = dropped
        self.inits: list[int] = []
        self._shapes: dict[str, Shape] = {}  # of what is carried, and of what must not change
        self.returns: Shape | None = None  # what the body turned out to return
        for each in info.names:
            value = before.get(each.name)
            if each.name == VALUE and returned is not None and value is UNSET:
                self._shapes[VALUE] = returned
                self.inits += [zero_of(trace, leaf, self.place) for leaf in _leaves(returned)]
            elif value is not UNSET and each.name not in plain and each.name not in dropped:
                self._shapes[each.name] = flatten(trace, value, self.place, self.inits)

    def inside(self, arguments: list[int]) -> list[Any]:
        """The values that the body begins with."""
        leaves = iter(arguments)
        return [self._rebuilt(each, leaves) for each in self._info.names]

    def _rebuilt(self, each: LoopName, leaves: Iterator[int]) -> Any:
        if each.name in self._shapes:
            return rebuild(self._trace, self._shapes[each.name], leaves)
        return UNSET if each.name in self._dropped else self._before.get(each.name)

    def at_end(self, end: Scope) -> list[int]:
        """What the body carries on, given its variables at its end."""
        nodes: list[int] = []
        for each in self._info.names:
            value, leaves = end.get(each.name), list[int]()
            if each.name in self._shapes:
                self._check(each, value, leaves)
                nodes += leaves
            elif each.name == VALUE and value is not UNSET:
                self.returns = flatten(self._trace, value, self.place, leaves)
        return nodes

    def _check(self, each: LoopName, value: Any, leaves: list[int]) -> None:
        before = self._shapes[each.name]
        place = self._before.place(each.body) if each.body else self.place
        what = "returned value" if each.name == VALUE else f"variable '{each.name}'"
        line = f" (line {each.before[0]})" if each.before else ""
        if value is UNSET:
            raise CompileError(
                f"the {what} has a value before the loop{line}, but not always at the end of its "
                f"body: a loop at run time keeps the types of its variables",
                place,
            )
        try:
            require_same(before, flatten(self._trace, value, place, leaves))
        except Mismatch as error:
            raise CompileError(
                f"the {what} is {error.a} before the loop{line} and {error.b} at the end of its "
                f"body: a loop at run time keeps the types of its variables; {error.advice}",
                place,
            ) from None

    def outside(self, results: list[int], end: Scope, control: Control) -> list[Any]:
        """The values after the loop."""
        leaves = iter(results)
        values = []
        for each in self._info.names:
            value = self._rebuilt(each, leaves)
            if each.name == VALUE and value is UNSET:
                value = end.get(VALUE)  # no traced value, so it is the same in every round
            if value is UNSET:
                control.explain(self._before.code, each.name, self._why_unset(each.name))
            values.append(value)
        return values

    def _why_unset(self, name: str) -> str:
        if name in self._dropped:
            before = describe(self._trace, self._before.get(name))
            return (
                f"the variable '{name}' is {before} before the loop at line {self.place[1]} and of "
                "another type in it; which of them it is afterwards is known only at run time"
            )
        return (
            f"the variable '{name}' is set only inside the loop at line {self.place[1]}, which may "
            "run zero times; set it before"
        )


def needs_carrying(returns: Shape | None) -> bool:
    return returns is not None and has_leaves(returns)


def _leaves(shape: Shape) -> Iterator[Leaf]:
    if isinstance(shape, Leaf):
        yield shape
    for each in getattr(shape, "items", ()):
        yield from _leaves(each)
