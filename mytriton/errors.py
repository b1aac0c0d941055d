"""CompileError: what a user sees when their kernel cannot be compiled."""

from __future__ import annotations

from mytriton.source import Place, excerpt


class CompileError(Exception):
    """The kernel is wrong. Where its place is known, ``str()`` shows it::

        kernel.py:7:13: error: incompatible shapes: vector<128 x i32>, vector<256 x i32>
            mask = a < b
                   ^^^^^

    Attributes: ``message`` without the place, and ``place``: (file, line, end_line, col, end_col),
    lines from 1 and columns from 0, or None.
    """

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.place = place

    def __str__(self) -> str:
        if self.place is None:
            return self.message
        file, line, _, column, _ = self.place
        text = f"{file}:{line}:{column + 1}: error: {self.message}"
        return "\n".join([text, *excerpt(self.place)])
