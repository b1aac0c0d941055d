"""CompileError: what a user sees when their kernel cannot be compiled."""

from __future__ import annotations

from mytriton.source import Place, excerpt

_MAX_CALLERS = 8  # shown; a runaway recursion has a thousand


class CompileError(Exception):
    """The kernel is wrong. Where its place is known, ``str()`` shows it, and how it was reached::

        kernel.py:3:12: error: incompatible shapes: vector<128 x i32>, vector<256 x i32>
            return a < b
                   ^^^^^
        kernel.py:9:12: called from here
            mask = below(offsets, bounds)
                   ^^^^^^^^^^^^^^^^^^^^^^

    Attributes: ``message`` without the place; ``place``: (file, line, end_line, col, end_col),
    lines from 1 and columns from 0, or None; ``callers``: the places of the calls that led there,
    innermost first.
    """

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.callers: list[Place] = []

    def __str__(self) -> str:
        if self.place is None:
            return self.message
        lines = [f"{_where(self.place)}: error: {self.message}", *excerpt(self.place)]
        for caller in self.callers[:_MAX_CALLERS]:
            lines += [f"{_where(caller)}: called from here", *excerpt(caller)]
        if len(self.callers) > _MAX_CALLERS:
            lines.append(f"... and {len(self.callers) - _MAX_CALLERS} more calls")
        return "\n".join(lines)


def _where(place: Place) -> str:
    file, line, _, column, _ = place
    return f"{file}:{line}:{column + 1}"
