"""Traced values and their types: what a kernel's Python code computes with."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from mytriton import _C
from mytriton.dtypes import DTYPES, DType, pointer_type
from mytriton.errors import CompileError
from mytriton.source import Place, caller_place, user_code


class constexpr:
    """Marks a kernel parameter as a compile-time value: ``BLOCK: tl.constexpr``.

    ``tl.constexpr(value)`` wraps a value; kernels see the value itself.
    """

    def __init__(self, value: Any) -> None:
        self.value: Any = unwrap(value)

    def __repr__(self) -> str:
        return f"constexpr[{self.value!r}]"


def unwrap(value: Any) -> Any:
    """The value of a ``tl.constexpr``; any other value as it is."""
    return value.value if isinstance(value, constexpr) else value


class _Tracing(threading.local):
    current: _C.Trace | None = None
    debug: bool = False  # the kernel's own option
    forgotten: list[int]  # of each time that nodes were forgotten, the first of them
    without_source: set[CodeType]  # code that was to be rewritten

    def __init__(self) -> None:
        self.forgotten, self.without_source = [], set()


_tracing = _Tracing()


@contextmanager
def tracing(trace: _C.Trace, debug: bool = False) -> Iterator[None]:
    """Directs the functions of this module to `trace`, in this thread."""
    outer = dict(vars(_tracing))
    vars(_tracing).update(current=trace, debug=debug, forgotten=[], without_source=set())
    try:
        yield
    finally:
        vars(_tracing).clear()
        vars(_tracing).update(outer)


def forget_from(trace: _C.Trace, mark: Any) -> None:
    """Brings the trace back to a mark. Values made since are refused from then on."""
    trace.rewind(mark)
    _tracing.forgotten.append(trace.bool_constant(True))
    trace.rewind(mark)


def note_without_source(code: CodeType) -> None:
    """Says that code is traced as it is because there is no source text of it."""
    _tracing.without_source.add(code)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            note_without_source(each)


def needs_source() -> str | None:
    """What to tell the user where code that is traced as it is meets a traced value."""
    if user_code() not in _tracing.without_source:
        return None
    return (
        "branches and loops at run time need the function's source text, which cannot be read: put "
        "the kernel into a file"
    )


def is_debugged() -> bool:
    """Whether the kernel that is being traced was made with ``debug=True``."""
    return _tracing.debug


def is_tracing() -> bool:
    return _tracing.current is not None


def current_trace(function: str) -> _C.Trace:
    if _tracing.current is None:
        raise RuntimeError(f"{function} works only inside a kernel that is being launched")
    return _tracing.current


def node_of(trace: _C.Trace, value: Any, place: Place | None, what: str) -> int:
    """The graph node of an operand: a traced value or a Python number."""
    if isinstance(value, constexpr):
        value = value.value
    if isinstance(value, tensor):
        if value._trace is not trace:
            raise CompileError(f"{what}: a value of another kernel's trace is used here", place)
        return value._node
    if isinstance(value, bool):
        return trace.bool_constant(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise CompileError(f"{what}: an int must fit in 64 bits, got {value}", place)
        return trace.uint_constant(value) if value >= 2**63 else trace.int_constant(value)
    if isinstance(value, float):
        return trace.float_constant(value)
    raise CompileError(
        f"{what}: expected a traced value or a Python number, got {type(value).__name__}", place
    )


def _extremum(builtin: Callable[..., Any], op: str) -> Callable[..., Any]:
    @functools.wraps(builtin)
    def extremum(*args: Any, **kwargs: Any) -> Any:
        values = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
        # One value by itself is for Python to iterate over: there is no list of a block's lanes.
        is_list = values is not args or len(args) > 1
        if kwargs or not is_list or not any(isinstance(each, tensor) for each in values):
            return builtin(*args, **kwargs)
        return functools.reduce(lambda a, b: apply(op, a, b), values)

    return extremum


# Python's function -> the one that kernels get in its place, which takes traced values too.
TRACED_BUILTINS: dict[Any, Callable[..., Any]] = {
    min: _extremum(min, "minimum"),
    max: _extremum(max, "maximum"),
}


def apply(op: str, *operands: Any) -> tensor:
    trace = current_trace(op)
    place = caller_place()
    nodes = [node_of(trace, each, place, op) for each in operands]
    return tensor(trace, trace.apply(op, nodes, place))


def _true_divide(a: Any, b: Any) -> tensor:
    trace = current_trace("/")
    place = caller_place()
    nodes = [node_of(trace, each, place, "/") for each in (a, b)]
    return tensor(trace, trace.true_divide(nodes[0], nodes[1], place))


def _floor_divide(a: Any, b: Any) -> tensor:
    trace = current_trace("//")
    place = caller_place()
    nodes = [node_of(trace, each, place, "//") for each in (a, b)]
    if any(DTYPES[trace.scalar(node)].is_floating() for node in nodes):
        types = " and ".join(trace.type(node) for node in nodes)
        raise CompileError(f"// requires ints, got {types}; use / for floats", place)
    return apply("div", a, b)


class tensor:
    """A value that is being traced: a scalar, a block, or a pointer or block of pointers.

    ``dtype`` and ``shape`` are known while tracing. Operators follow Triton: ``/`` on ints is a
    float division, ``//`` and ``%`` truncate as in C, ``& | ^ ~`` work on bool and ints, ``>>``
    keeps the sign of signed ints.
    """

    def __init__(self, trace: _C.Trace, node: int) -> None:
        self._trace = trace
        self._number = node
        self._forgotten = len(_tracing.forgotten)

    @property
    def _node(self) -> int:
        if any(self._number >= first for first in _tracing.forgotten[self._forgotten :]):
            raise CompileError(
                "a value from inside a loop at run time is used, which was kept while the loop was "
                "traced once more; only variables that are assigned there carry values out",
                caller_place(),
            )
        return self._number

    @property
    def dtype(self) -> DType:
        element = DTYPES[self._trace.scalar(self._node)]
        return pointer_type(element) if self._trace.is_pointer(self._node) else element

    @property
    def shape(self) -> tuple[int, ...]:
        return self._trace.shape(self._node)

    def __repr__(self) -> str:
        return f"<traced {self._trace.type(self._node)}>"

    @property
    def type(self) -> DType:
        return self.dtype

    def to(
        self, dtype: DType, fp_downcast_rounding: str | None = None, bitcast: bool = False
    ) -> tensor:
        """This value as another element type; see ``tl.cast``."""
        trace, place = self._trace, caller_place()
        if isinstance(dtype, constexpr):
            dtype = dtype.value
        if isinstance(dtype, pointer_type):
            return tensor(trace, trace.cast_to_pointer(self._node, dtype.element_ty.ir, place))
        if self.dtype.is_ptr() and isinstance(dtype, DType) and dtype.ir in ("i64", "u64"):
            address = tensor(trace, trace.cast_to_address(self._node, place))
            return address.to(dtype)
        if not isinstance(dtype, DType):
            raise CompileError(f"cast: expected a dtype such as tl.float32, got {dtype!r}", place)
        if fp_downcast_rounding not in (None, "rtne", "rtz"):
            raise CompileError(
                f"cast: fp_downcast_rounding must be 'rtne' or 'rtz', got {fp_downcast_rounding!r}",
                place,
            )
        if bitcast:
            return tensor(trace, trace.bitcast(self._node, dtype.ir, place))
        narrowing = self.dtype.is_floating() and dtype.is_floating()
        narrowing &= dtype.primitive_bitwidth < self.dtype.primitive_bitwidth
        if fp_downcast_rounding and not narrowing:
            raise CompileError(
                "cast: fp_downcast_rounding is for casts of a float to a narrower float, "
                f"got {self.dtype} to {dtype}",
                place,
            )
        to_zero = fp_downcast_rounding == "rtz"
        return tensor(trace, trace.cast(self._node, dtype.ir, to_zero, place))

    def _no_value(self, instead: str) -> CompileError:
        return CompileError(
            f"a traced value ({self._trace.type(self._node)}) has no Python value while the kernel "
            f"is compiled; {instead}",
            caller_place(),
        )

    def __bool__(self) -> bool:
        raise self._no_value(
            needs_source() or "use tl.where, or & | ~ in place of and, or, not and if"
        )

    def __index__(self) -> int:
        raise self._no_value(
            "an int known at compile time is needed here: a tl.constexpr, or the variable of a "
            "loop over tl.static_range"
        )

    def __int__(self) -> int:
        raise self._no_value("use .to(tl.int32)")

    def __float__(self) -> float:
        raise self._no_value("use .to(tl.float32)")

    def __format__(self, spec: str) -> str:
        raise self._no_value("in an f-string use x.dtype and x.shape, or {x!r}")

    def __iter__(self) -> Iterator[tensor]:
        raise self._no_value("it cannot be iterated over or unpacked")

    def __len__(self) -> int:
        raise self._no_value("use .shape[0]")

    def __truediv__(self, other: Any) -> tensor:
        return _true_divide(self, other)

    def __rtruediv__(self, other: Any) -> tensor:
        return _true_divide(other, self)

    def __floordiv__(self, other: Any) -> tensor:
        return _floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> tensor:
        return _floor_divide(other, self)

    def __pos__(self) -> tensor:
        return self

    def __abs__(self) -> tensor:
        return apply("abs", self)

    def __round__(self, digits: int | None = None) -> tensor:
        if digits is not None:
            raise CompileError("round: digits cannot be given for a traced value", caller_place())
        return apply("rint", self)

    __hash__ = object.__hash__


# How a row of the table spells an operator -> the methods that Python calls for it. The class has
# / and // itself, as they are narrower than the row `div`.
_OPERATORS = {
    "+": ("__add__", "__radd__"),
    "-": ("__sub__", "__rsub__"),
    "*": ("__mul__", "__rmul__"),
    "%": ("__mod__", "__rmod__"),
    "&": ("__and__", "__rand__"),
    "|": ("__or__", "__ror__"),
    "^": ("__xor__", "__rxor__"),
    "<<": ("__lshift__", "__rlshift__"),
    ">>": ("__rshift__", "__rrshift__"),
    "<": ("__lt__",),
    "<=": ("__le__",),
    ">": ("__gt__",),
    ">=": ("__ge__",),
    "==": ("__eq__",),
    "!=": ("__ne__",),
    "-a": ("__neg__",),
    "~a": ("__invert__",),
}


def _operator(op: str, reflected: bool, unary: bool) -> Callable[..., tensor]:
    if unary:
        return lambda self: apply(op, self)
    if reflected:
        return lambda self, other: apply(op, other, self)
    return lambda self, other: apply(op, self, other)


for _row in _C.op_rows():
    _unary = _row["operands"] == 1
    for _i, _method in enumerate(_OPERATORS.get(_row["python"], ())):
        setattr(tensor, _method, _operator(_row["name"], _i == 1, _unary))
    if _row["python"] == "tl" and _row["kind"] == "pure" and _unary:  # x.exp() is tl.exp(x)
        setattr(tensor, _row["name"], _operator(_row["name"], False, True))
