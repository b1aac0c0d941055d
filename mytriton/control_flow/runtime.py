"""What rewritten code calls: one object a trace, which it knows as the global variable `$control`.

Each method does what Python would, unless it meets a traced value.
"""

from __future__ import annotations

import re
import sys
from types import CodeType, TracebackType
from typing import Any

from mytriton import _C
from mytriton.control_flow import values
from mytriton.control_flow.branches import (
    PythonBranch,
    PythonChoice,
    TracedBranch,
    TracedChoice,
)
from mytriton.control_flow.info import BranchInfo, BranchName, LoopInfo, LoopName
from mytriton.control_flow.loops import PythonFor, TracedFor, While
from mytriton.control_flow.ranges import LoopRange
from mytriton.control_flow.scope import Scope
from mytriton.errors import CompileError
from mytriton.source import caller_place
from mytriton.traced import apply, forget_from, tensor, unwrap


class Control:
    """The branches and loops of one trace."""

    UNSET = values.UNSET
    SKIPPED = values.SKIPPED

    def __init__(self) -> None:
        self.open_regions = 0
        self._first: Any = None
        self._kept: list[Any] = []
        self._choices: list[PythonChoice | TracedChoice] = []
        self._explanations: dict[tuple[CodeType, str], str] = {}

    # --- statements ------------------------------------------------------------------------------

    def if_(self, test: Any, info: tuple[Any, ...]) -> PythonBranch | TracedBranch:
        test = unwrap(test)
        if not isinstance(test, tensor):
            return PythonBranch(bool(test))
        at, names, ends_function = info
        known = BranchInfo(at, tuple(map(BranchName._make, names)), ends_function)
        return TracedBranch(self, test, known, sys._getframe(1))

    def for_(self, items: Any, info: tuple[Any, ...]) -> PythonFor | TracedFor:
        known = _loop_info(info)
        items = unwrap(items)
        if type(items) is range:
            items = LoopRange(items.start, items.stop, items.step)
        if isinstance(items, LoopRange):
            return TracedFor(self, items, known, Scope(sys._getframe(1)))
        return PythonFor(items, known)

    def while_(self, info: tuple[Any, ...]) -> While:
        known = _loop_info(info)
        return While(self, known, (sys._getframe(1).f_code.co_filename, *known.at))

    def assertion(self, test: Any, text: str) -> Assertion:
        return Assertion(unwrap(test), text)

    # --- operators -------------------------------------------------------------------------------

    def first(self, value: Any) -> Any:
        """The first operand of an and or an or."""
        self._first = unwrap(value)
        return self._first

    def goes_on_and(self) -> bool:
        """Whether the second operand is evaluated: called right after `first`."""
        return isinstance(self._first, tensor) or bool(self._first)

    def goes_on_or(self) -> bool:
        return isinstance(self._first, tensor) or not self._first

    def and_(self, a: Any, b: Any) -> Any:
        return self._logical("and", "bit_and", a, b)

    def or_(self, a: Any, b: Any) -> Any:
        return self._logical("or", "bit_or", a, b)

    def _logical(self, word: str, op: str, a: Any, b: Any) -> Any:
        if b is values.SKIPPED:
            return a
        if not isinstance(a, tensor):
            return b
        return apply(op, _truth(word, a), _truth(word, b))

    def not_(self, value: Any) -> Any:
        value = unwrap(value)
        return apply("bit_not", _truth("not", value)) if isinstance(value, tensor) else not value

    def keep(self, value: Any) -> Any:
        """An operand between two comparisons, for the second of them."""
        self._kept.append(value)
        return value

    def kept(self) -> Any:
        return self._kept.pop()

    def dropped(self) -> Any:
        self._kept.pop()
        return values.SKIPPED

    def enters(self, test: Any) -> bool:
        """Whether the first value of a conditional expression is evaluated."""
        test = unwrap(test)
        if isinstance(test, tensor):
            self._choices.append(TracedChoice(self, test, caller_place()))
            return True
        self._choices.append(PythonChoice(bool(test)))
        return bool(test)

    def enters_other(self) -> bool:
        return self._choices[-1].enters_other()

    def choose(self, body: Any, orelse: Any) -> Any:
        return self._choices.pop().result(body, orelse)

    # --- exceptions ------------------------------------------------------------------------------

    def depth(self) -> tuple[int, int, int]:
        """Where a try begins."""
        return self.open_regions, len(self._kept), len(self._choices)

    def caught(self, depth: tuple[int, int, int]) -> None:
        """Where an exception was caught."""
        regions, kept, choices = depth
        del self._kept[kept:], self._choices[choices:]
        if self.open_regions != regions:
            raise CompileError(
                "an exception left a branch or loop whose condition is known only at run time: "
                "Python runs only while the kernel is compiled; catch it inside",
                caller_place(),
            )

    # --- tracing again ---------------------------------------------------------------------------

    def mark(self, trace: _C.Trace) -> Any:
        return trace.mark(), self.depth()

    def rewind(self, trace: _C.Trace, mark: Any) -> None:
        state, (self.open_regions, kept, choices) = mark
        del self._kept[kept:], self._choices[choices:]
        forget_from(trace, state)

    # --- variables without values ----------------------------------------------------------------

    def explain(self, code: CodeType, name: str, why: str) -> None:
        """Says why a variable of the function has no value from here on."""
        self._explanations[code, name] = why

    def explanation(self, error: NameError, traceback: TracebackType | None) -> str | None:
        """Why the variable that an exception complains about has no value, where that is known."""
        found = re.search("'([^']+)'", str(error))
        while traceback is not None and traceback.tb_next is not None:
            traceback = traceback.tb_next
        if found is None or traceback is None:
            return None
        code, name = traceback.tb_frame.f_code, found[1]
        if (code, name) in self._explanations or name not in code.co_freevars:
            return self._explanations.get((code, name))
        for (other, known), why in self._explanations.items():
            if known == name and other.co_filename == code.co_filename:
                return why
        return None


class Assertion:
    """An assert: Python's, or one at run time."""

    def __init__(self, test: Any, text: str) -> None:
        self._test = test
        self._text = text

    def goes_on(self) -> bool:
        """Whether the message is evaluated."""
        return isinstance(self._test, tensor) or not self._test

    def fail(self, *message: Any) -> None:
        if not isinstance(self._test, tensor):
            raise AssertionError(*message)
        from mytriton.language.debug import device_assert

        device_assert(self._test, str(unwrap(message[0])) if message else self._text)


def _truth(word: str, value: Any) -> Any:
    value = unwrap(value)
    if isinstance(value, tensor):
        if value.dtype.is_ptr():
            raise CompileError(
                f"{word}: expected a number or a condition, got {value.dtype}", caller_place()
            )
        return value if value.dtype.name == "int1" else apply("cmp_ne", value, 0)
    if not values.is_number(value):
        raise CompileError(
            f"{word}: beside a traced value expected another, or a number; got "
            f"{type(value).__name__}",
            caller_place(),
        )
    return bool(value)


def _loop_info(info: tuple[Any, ...]) -> LoopInfo:
    at, names, targets, flags = info
    return LoopInfo(at, tuple(map(LoopName._make, names)), targets, flags)
