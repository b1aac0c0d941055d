"""A state in which launches do nothing: the function runs only for the shapes that it gives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Depth(threading.local):
    value = 0


_depth = _Depth()


def is_shapes_only() -> bool:
    return _depth.value > 0


@contextmanager
def shapes_only() -> Iterator[None]:
    """While it lasts, this thread's launches return None and check, compile and run nothing."""
    _depth.value += 1
    try:
        yield
    finally:
        _depth.value -= 1
