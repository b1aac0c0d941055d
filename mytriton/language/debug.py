"""Printing from a running kernel."""

from __future__ import annotations

from typing import Any

from mytriton.errors import CompileError
from mytriton.source import caller_place
from mytriton.traced import constexpr, current_trace, node_of, tensor


def device_print(prefix: Any, *args: Any, hex: bool = False) -> None:
    """Prints a line for each lane: ``pid (0, 0, 0) idx (3) prefix 1.5, 7``.

    `prefix` is a string known at compile time; `args` are traced values and numbers, blocks being
    of one shape. Lines of scalars alone come once a program and have no idx. `hex` prints ints in
    hexadecimal. On the CPU lines go through Python's ``print``, program by program and lane by
    lane; CUDA text calls printf.
    """
    trace = current_trace("device_print")
    place = caller_place()
    text = prefix.value if isinstance(prefix, constexpr) else prefix
    if not isinstance(text, str):
        kind = repr(text) if isinstance(text, tensor) else type(text).__name__
        raise CompileError(f"device_print: prefix must be a string, got {kind}", place)
    show_hex = hex.value if isinstance(hex, constexpr) else hex
    nodes = [node_of(trace, each, place, "device_print") for each in args]
    trace.print(text, nodes, bool(show_hex), place)
