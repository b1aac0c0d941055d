"""Places in the user's source: found from frames while tracing, shown under error messages."""

from __future__ import annotations

import dis
import inspect
import linecache
import os
import re
import sys
import textwrap
import unicodedata
import warnings
from collections import Counter
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeAlias

import torch

# (file, line, end_line, col, end_col); lines count from 1, columns from 0 in UTF-8 bytes.
Place: TypeAlias = tuple[str, int, int, int, int]

_PACKAGE = os.path.dirname(__file__) + os.sep
_TORCH = os.path.dirname(torch.__file__) + os.sep


def _is_torchs(code: CodeType) -> bool:
    return code.co_filename.startswith(_TORCH)


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_PACKAGE)


_Positions: TypeAlias = list[tuple[int | None, int | None, int | None, int | None]]

# By id, beside the code, which keeps the id: of equal codes the positions may differ.
_positions: dict[int, tuple[CodeType, _Positions]] = {}
_MAX_KEPT = 64


def _positions_of(code: CodeType) -> _Positions:
    known = _positions.get(id(code))
    if known is None:
        if len(_positions) >= _MAX_KEPT:
            _positions.clear()
        known = _positions[id(code)] = (code, list(code.co_positions()))
    return known[1]


def place_in(code: CodeType, instruction: int) -> Place | None:
    """Where the instruction at this byte offset comes from; None where nothing is recorded.

    Under ``-X no_debug_ranges`` columns are unknown: the place is then the whole line.
    """
    positions = _positions_of(code)
    if not 0 <= instruction // 2 < len(positions):
        return None
    line, end_line, column, end_column = positions[instruction // 2]
    if line is None:
        return None
    return (code.co_filename, line, end_line or line, column or 0, end_column or 0)


def caller_place() -> Place | None:
    """The innermost place outside this package, of the call that is going on."""
    frame: FrameType | None = _user_frame()
    return None if frame is None else place_in(frame.f_code, frame.f_lasti)


def _user_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code):
        frame = frame.f_back
    return frame


def user_code() -> CodeType | None:
    """The innermost code outside this package that is being executed."""
    frame = _user_frame()
    return None if frame is None else frame.f_code


def warn_user(message: str, category: type[Warning]) -> None:
    """Warns, as of the innermost line outside this package and torch, which may lie between."""
    frame, level = sys._getframe(1), 2
    while (_is_ours(frame.f_code) or _is_torchs(frame.f_code)) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def user_places(traceback: TracebackType | None) -> list[Place]:
    """The places outside this package that an exception passed through, innermost first."""
    places = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        place = None if _is_ours(code) else place_in(code, traceback.tb_lasti)
        if place is not None:
            places.append(place)
        traceback = traceback.tb_next
    return places[::-1]


def most_entered(traceback: TracebackType | None) -> str:
    """The function outside this package that the exception passed through most often."""
    names: Counter[str] = Counter()
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not _is_ours(code):
            names[code.co_name] += 1
        traceback = traceback.tb_next
    return names.most_common(1)[0][0] if names else "a function"


def return_place(code: CodeType) -> Place | None:
    """Where a function first returns a value."""
    previous = None
    for each in dis.get_instructions(code):
        constant = each if each.opname == "RETURN_CONST" else previous  # RETURN_CONST: Python 3.12
        if each.opname.startswith("RETURN_") and constant is not None:
            is_none = constant.opname in ("LOAD_CONST", "RETURN_CONST") and constant.argval is None
            if not is_none:
                return place_in(code, each.offset)
        previous = each
    return None


def text_of(fn: Any) -> str:
    """A function's source without what precedes its ``def``; OSError where there is none."""
    text = textwrap.dedent(inspect.getsource(fn))
    start = re.search(r"^(async )?def\s", text, re.MULTILINE)
    return text[start.start() :] if start else text  # a lambda has none


def _blank(text: str) -> str:
    """Spaces as wide as the text on a screen; tabs stay."""
    wide = unicodedata.east_asian_width
    return "".join("\t" if c == "\t" else "  " if wide(c) in "WF" else " " for c in text)


def excerpt(place: Place) -> list[str]:
    """The source line and a line of carets below it; empty where there is no text to show."""
    file, line, end_line, column, end_column = place
    text = linecache.getline(file, line).rstrip("\n")
    if not text.strip():
        return []
    raw = text.encode()
    stop = end_column if end_line == line and end_column > column else len(raw.rstrip())
    before = raw[:column].decode(errors="replace")
    under = raw[column:stop].decode(errors="replace")
    indent = len(text) - len(text.lstrip())
    margin = _blank(before[indent:]) if end_column else ""
    carets = "^" * max(1, len(_blank(under if end_column else text.strip())))
    return ["    " + text.strip(), "    " + margin + carets]
