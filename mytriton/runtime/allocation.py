"""``triton.set_allocator``: who gives the memory that kernels need of their own. None do here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def set_allocator(allocator: Callable[[int, int, Any], Any]) -> None:
    """Accepts a function of (size, alignment, stream), which is never called: descriptors that
    kernels make take no memory. TypeError for anything but a function."""
    if not callable(allocator):
        raise TypeError(f"set_allocator: expected a function, got {type(allocator).__name__}")
