"""Traced values and their types: what a kernel's Python code computes with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mytriton import _C
from mytriton.errors import CompileError
from mytriton.source import Place, caller_place


class dtype:
    """An element type, e.g. ``tl.float32``. ``str`` gives Triton's short name: ``fp32``."""

    def __init__(self, name: str, short: str, ir: str, bits: int) -> None:
        self.name = name
        self.short = short
        self.ir = ir
        self.primitive_bitwidth = bits

    def __str__(self) -> str:
        return self.short

    def __repr__(self) -> str:
        return f"mytriton.language.{self.name}"

    def is_floating(self) -> bool:
        return self.short.startswith("fp")

    def is_int(self) -> bool:
        return self.short.startswith("int")

    def is_ptr(self) -> bool:
        return False


class pointer_type(dtype):
    """The type of a pointer; ``element_ty`` is what it points to."""

    def __init__(self, element_ty: dtype) -> None:
        super().__init__(f"pointer<{element_ty.short}>", f"pointer<{element_ty.short}>", "", 64)
        self.element_ty = element_ty

    def is_ptr(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, pointer_type) and other.element_ty is self.element_ty

    def __hash__(self) -> int:
        return hash((pointer_type, self.element_ty.name))


int1 = dtype("int1", "int1", "bool", 1)
int32 = dtype("int32", "int32", "i32", 32)
float32 = dtype("float32", "fp32", "f32", 32)
DType = dtype  # a name for annotations where a parameter is called dtype
DTYPES = {each.ir: each for each in (int1, int32, float32)}


class constexpr:
    """Marks a kernel parameter as a compile-time value: ``BLOCK: tl.constexpr``.

    ``tl.constexpr(value)`` wraps a value; kernels see the value itself.
    """

    def __init__(self, value: Any) -> None:
        self.value: Any = value.value if isinstance(value, constexpr) else value

    def __repr__(self) -> str:
        return f"constexpr[{self.value!r}]"


class _Tracing(threading.local):
    current: _C.Trace | None = None


_tracing = _Tracing()


@contextmanager
def tracing(trace: _C.Trace) -> Iterator[None]:
    """Directs the functions of this module to `trace`, in this thread."""
    outer, _tracing.current = _tracing.current, trace
    try:
        yield
    finally:
        _tracing.current = outer


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
        if abs(value) >= 2**63:
            raise CompileError(f"an int in a kernel must fit in 32 bits, got {value}", place)
        return trace.int_constant(value, place)
    if isinstance(value, float):
        return trace.float_constant(value)
    raise CompileError(
        f"{what}: expected a traced value or a Python number, got {type(value).__name__}", place
    )


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
    types = [trace.type(node_of(trace, each, place, "//")) for each in (a, b)]
    quotient = apply("div", a, b)
    if quotient.dtype is float32:
        raise CompileError(f"// requires i32, got {types[0]} and {types[1]}; use / for f32", place)
    return quotient


class tensor:
    """A value that is being traced: a scalar, a block, or a pointer or block of pointers.

    ``dtype`` and ``shape`` are known while tracing. Operators follow Triton: ``/`` on ints is a
    float division, ``//`` and ``%`` truncate as in C, ``& | ^ ~`` work on bool and int32.
    """

    def __init__(self, trace: _C.Trace, node: int) -> None:
        self._trace = trace
        self._node = node

    @property
    def dtype(self) -> DType:
        element = DTYPES[self._trace.scalar(self._node)]
        return pointer_type(element) if self._trace.is_pointer(self._node) else element

    @property
    def shape(self) -> tuple[int, ...]:
        return self._trace.shape(self._node)

    def __repr__(self) -> str:
        return f"<traced {self._trace.type(self._node)}>"

    def to(self, dtype: DType) -> tensor:
        """This value as another element type; see ``tl.cast``."""
        trace, place = self._trace, caller_place()
        if not isinstance(dtype, DType) or dtype.is_ptr():
            raise CompileError(f"cast: expected a dtype such as tl.float32, got {dtype!r}", place)
        return tensor(trace, trace.cast(self._node, dtype.ir, place))

    def _no_value(self, instead: str) -> CompileError:
        return CompileError(
            f"a traced value ({self._trace.type(self._node)}) has no Python value while the kernel "
            f"is compiled; {instead}",
            caller_place(),
        )

    def __bool__(self) -> bool:
        raise self._no_value("use tl.where, or & | ~ in place of and, or, not and if")

    def __index__(self) -> int:
        raise self._no_value("an int known at compile time is needed here: a tl.constexpr")

    def __int__(self) -> int:
        raise self._no_value("use .to(tl.int32)")

    def __float__(self) -> float:
        raise self._no_value("use .to(tl.float32)")

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
    for _i, _method in enumerate(_OPERATORS.get(_row["python"], ())):
        setattr(tensor, _method, _operator(_row["name"], _i == 1, _row["operands"] == 1))
