"""What of the language is over when the kernel is traced: unrolled loops, checks, prints, hints."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, overload

from mytriton.control_flow.ranges import LoopRange, loop_range
from mytriton.errors import CompileError
from mytriton.source import caller_place
from mytriton.traced import apply, current_trace, node_of, tensor, unwrap

__all__ = [
    "assume",
    "const",
    "debug_barrier",
    "max_constancy",
    "max_contiguous",
    "multiple_of",
    "range",
    "static_assert",
    "static_print",
    "static_range",
    "swizzle2d",
    "to_tensor",
]


class const:
    """Annotates a pointer parameter whose memory a kernel only reads: ``x: tl.const``.

    It is for readers: that a kernel stores to a parameter is seen from its stores.
    """


def _kind(value: Any) -> str:
    return repr(value) if isinstance(value, tensor) else type(value).__name__


def constant_int(value: Any, what: str) -> int:
    """The int that `value` is while the kernel is traced; CompileError where it is none."""
    value = unwrap(value)
    if isinstance(value, tensor | bool) or not isinstance(value, int):
        raise CompileError(
            f"{what} must be an int known at compile time, got {_kind(value)}", caller_place()
        )
    return value


def to_tensor(x: Any) -> tensor:
    """`x` as a traced value: a Python number becomes a scalar that keeps its type from then on.

    A bool is int1; an int is the first of int32, uint32, int64 and uint64 that holds it; a float
    is float32.
    """
    if isinstance(unwrap(x), tensor):
        return unwrap(x)  # type: ignore[no-any-return]
    trace = current_trace("to_tensor")
    place = caller_place()
    node = node_of(trace, x, place, "to_tensor")
    return tensor(trace, trace.cast(node, trace.scalar(node), False, place))


# --- loops, checks and prints at compile time -----------------------------------------------------


class _Unrolled(Sequence[int]):
    """Python's range, but no loop at run time."""

    def __init__(self, values: builtins.range) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> _Unrolled: ...
    def __getitem__(self, index: int | slice) -> int | _Unrolled:
        if isinstance(index, slice):
            return _Unrolled(self._values[index])
        return self._values[index]

    def __repr__(self) -> str:
        return f"static_{self._values!r}"


def range(
    arg1: Any,
    arg2: Any = None,
    step: Any = None,
    num_stages: Any = None,
    loop_unroll_factor: Any = None,
    disallow_acc_multi_buffer: Any = False,
    flatten: Any = False,
    warp_specialize: Any = False,
    disable_licm: Any = False,
) -> LoopRange:
    """``range(end)`` or ``range(start, end, step)`` for a loop at run time.

    Bounds are ints, known at compile time or not. The options are checked, and change nothing.
    """
    for name, count in (("num_stages", num_stages), ("loop_unroll_factor", loop_unroll_factor)):
        if unwrap(count) is not None:
            constant_int(count, f"range: {name}")
    for name, switch in (
        ("disallow_acc_multi_buffer", disallow_acc_multi_buffer),
        ("flatten", flatten),
        ("warp_specialize", warp_specialize),
        ("disable_licm", disable_licm),
    ):
        if not isinstance(unwrap(switch), bool):
            raise CompileError(
                f"range: {name} must be True or False, got {_kind(unwrap(switch))}", caller_place()
            )
    return loop_range("range", arg1, arg2, step)


def static_range(arg1: Any, arg2: Any = None, step: Any = None) -> Sequence[int]:
    """``range(end)`` or ``range(start, end, step)`` for a loop that is unrolled.

    The bounds must be known at compile time; the loop's variable is a Python int.
    """
    first = 0 if arg2 is None else constant_int(arg1, "static_range: start")
    last = constant_int(arg1 if arg2 is None else arg2, "static_range: end")
    stride = 1 if step is None else constant_int(step, "static_range: step")
    if stride == 0:
        raise CompileError("static_range: step must not be 0", caller_place())
    return _Unrolled(builtins.range(first, last, stride))


def static_assert(cond: Any, msg: Any = "") -> None:
    """CompileError with `msg` unless `cond`, which must be known at compile time, is true."""
    cond, msg = unwrap(cond), unwrap(msg)
    if isinstance(cond, tensor):
        raise CompileError(
            f"static_assert: the condition must be known at compile time, got {cond!r}",
            caller_place(),
        )
    if not cond:
        raise CompileError(f"static_assert failed{f': {msg}' if msg else ''}", caller_place())


def static_print(
    *values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False
) -> None:
    """Python's ``print``, while the kernel is compiled: once a specialisation.

    Of traced values it shows the types, ``<traced vector<256 x f32>>``; they have no other value
    then.
    """
    print(*(unwrap(each) for each in values), sep=sep, end=end, file=file, flush=flush)


# --- hints ----------------------------------------------------------------------------------------


def _hint(function: str, input: Any, values: Any) -> Any:
    values = unwrap(values)
    sizes = list(values) if isinstance(values, tuple | list) else [values]
    for size in sizes:
        if constant_int(size, f"{function}: values") < 1:
            raise CompileError(
                f"{function}: values must be positive, got {unwrap(size)}", caller_place()
            )
    input = unwrap(input)
    if isinstance(input, tensor):
        if input.dtype.is_floating():
            raise CompileError(
                f"{function}: input must be ints or pointers, got {input!r}", caller_place()
            )
        rank = max(1, len(input.shape))
    else:
        constant_int(input, f"{function}: input")
        rank = 1
    if len(sizes) != rank:
        raise CompileError(
            f"{function}: expected {rank} values, one a dimension of input; got {len(sizes)}",
            caller_place(),
        )
    return input


def multiple_of(input: Any, values: Any) -> Any:
    """`input`, said to start at a multiple of `values`: one int, or one a dimension.

    Hints are checked for form and change no result; what they say is found out otherwise.
    """
    return _hint("multiple_of", input, values)


def max_contiguous(input: Any, values: Any) -> Any:
    """`input`, said to count up by 1 over runs of `values` lanes; see ``multiple_of``."""
    return _hint("max_contiguous", input, values)


def max_constancy(input: Any, values: Any) -> Any:
    """`input`, said to be equal over runs of `values` lanes; see ``multiple_of``."""
    return _hint("max_constancy", input, values)


def assume(cond: Any) -> None:
    """Says that `cond`, a bool scalar, holds. One that is false at compile time is an error."""
    cond = unwrap(cond)
    if not isinstance(cond, tensor | bool):
        raise CompileError(f"assume: expected a bool, got {_kind(cond)}", caller_place())
    if isinstance(cond, tensor):
        if not cond.dtype.is_bool() or cond.shape:
            raise CompileError(f"assume: expected a bool scalar, got {cond!r}", caller_place())
    elif not cond:
        raise CompileError("assume: the condition is false", caller_place())


def debug_barrier() -> None:
    """Nothing: a load sees every earlier store of its program anyway, whichever lane made it."""
    current_trace("debug_barrier")


# --- indices --------------------------------------------------------------------------------------


def swizzle2d(i: Any, j: Any, size_i: Any, size_j: Any, size_g: Any) -> tuple[Any, Any]:
    """Where the program (i, j) of a `size_i` by `size_j` grid goes, so that programs that run
    together share rows and columns.

    The grid is cut into bands of `size_g` rows, the last one perhaps of fewer; programs, counted
    row by row, fill each band column by column. Returns the new (i, j).
    """
    i, j, size_i, size_j, size_g = (unwrap(each) for each in (i, j, size_i, size_j, size_g))
    count = i * size_j + j
    band = size_g * size_j
    top = count // band * size_g
    rows = size_i - top
    traced = isinstance(rows, tensor) or isinstance(size_g, tensor)
    height = apply("minimum", rows, size_g) if traced else min(rows, size_g)
    place = count % band
    return top + place % height, place // height
