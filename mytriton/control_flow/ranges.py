"""What ``range`` gives in a kernel: Python's range, or one whose bounds are known at run time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mytriton.errors import CompileError
from mytriton.source import caller_place
from mytriton.traced import TRACED_BUILTINS, needs_source, tensor, unwrap


class LoopRange:
    """The bounds of a loop at run time; each a traced value or a Python number."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step

    def __iter__(self) -> Iterator[Any]:
        instead = needs_source() or (
            "only a for statement can go through it; elsewhere the bounds must be ints known at "
            "compile time, as tl.constexpr arguments are"
        )
        raise CompileError(f"this range is for a loop at run time; {instead}", caller_place())

    __len__ = __getitem__ = __iter__


def _range(*bounds: Any) -> Any:
    """Python's range in a kernel."""
    bounds = tuple(unwrap(each) for each in bounds)
    if not any(isinstance(each, tensor) for each in bounds):
        return range(*bounds)
    if len(bounds) > 3:
        raise CompileError(f"range expected at most 3 arguments, got {len(bounds)}", caller_place())
    return loop_range("range", *bounds)


TRACED_BUILTINS[range] = _range


def loop_range(function: str, first: Any, last: Any = None, step: Any = None) -> LoopRange:
    """Of the arguments of ``range``."""
    first, last, step = unwrap(first), unwrap(last), unwrap(step)
    start, stop = (0, first) if last is None else (first, last)
    step = 1 if step is None else step
    for name, each in (("start", start), ("end", stop), ("step", step)):
        if isinstance(each, bool) or not isinstance(each, int | tensor):
            raise CompileError(
                f"{function}: {name} must be an int, got {type(each).__name__}", caller_place()
            )
    if not isinstance(step, tensor) and step == 0:
        raise CompileError(f"{function}: step must not be 0", caller_place())
    return LoopRange(start, stop, step)
