"""Printing and checking in a running kernel."""

from __future__ import annotations

import os
from typing import Any

from mytriton.errors import CompileError
from mytriton.reads import Kind
from mytriton.recording import current_recorder
from mytriton.source import Place, caller_place
from mytriton.traced import (
    TRACED_BUILTINS,
    apply,
    current_trace,
    is_debugged,
    node_of,
    tensor,
    unwrap,
)

# What applies to all kernels. A kernel that looks here is compiled anew after a change.
SETTINGS = {
    "debug": any(
        os.environ.get(name, "") not in ("", "0") for name in ("MYTRITON_DEBUG", "TRITON_DEBUG")
    )
}


def _text(what: str, value: Any, place: Place | None) -> str:
    text = unwrap(value)
    if not isinstance(text, str):
        kind = repr(text) if isinstance(text, tensor) else type(text).__name__
        raise CompileError(f"{what} must be a string, got {kind}", place)
    return text


def device_print(prefix: Any, *args: Any, hex: bool = False) -> None:
    """Prints a line for each lane: ``pid (0, 0, 0) idx (3) prefix 1.5, 7``.

    `prefix` is a string known at compile time; `args` are traced values and numbers, blocks being
    of one shape. Lines of scalars alone come once a program and have no idx. `hex` prints ints in
    hexadecimal. On the CPU lines go through Python's ``print``, program by program and lane by
    lane; CUDA text calls printf.
    """
    trace = current_trace("device_print")
    place = caller_place()
    text = _text("device_print: prefix", prefix, place)
    nodes = [node_of(trace, each, place, "device_print") for each in args]
    trace.print(text, nodes, bool(unwrap(hex)), place)


def _print(*args: Any, **options: Any) -> None:
    """Python's print in a kernel: of strings and traced values, while the kernel runs."""
    if not args or options:
        raise CompileError(
            "print: expected values and no options; see device_print", caller_place()
        )
    prefix, values = (args[0], args[1:]) if isinstance(args[0], str) else ("", args)
    device_print(prefix, *values)


TRACED_BUILTINS[print] = _print


def device_assert(cond: Any, msg: str = "", mask: Any = None) -> None:
    """Stops the launch where a lane of `cond` is false or 0, but for lanes where `mask` is false.

    Only under ``@jit(debug=True)`` or with MYTRITON_DEBUG=1 (or TRITON_DEBUG=1) in the environment
    when mytriton is imported; otherwise it is no code at all. On the CPU the launch raises an
    AssertionError with the program, the lane, `msg` and the place; what programs have written by
    then stays, and no other program runs. CUDA text prints this and traps.
    """
    trace = current_trace("device_assert")
    place = caller_place()
    text = _text("device_assert: msg", msg, place)
    debug = SETTINGS["debug"]
    current_recorder().reads.add(Kind.ITEM, SETTINGS, "debug", debug)
    if not (debug or is_debugged()):
        return
    condition = tensor(trace, node_of(trace, cond, place, "device_assert"))
    if condition.dtype.is_ptr():
        raise CompileError(f"device_assert: expected a condition, got {condition.dtype}", place)
    if condition.dtype.name != "int1":
        condition = apply("cmp_ne", condition, 0)
    if mask is not None:
        condition = apply("bit_or", condition, apply("bit_not", mask))
    trace.device_assert(condition._node, text, place)
