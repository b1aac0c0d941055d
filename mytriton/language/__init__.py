"""The language of kernels, used as ``import mytriton.language as tl``.

Functions here may be called only while a kernel is traced. Elementwise functions and reductions
(``exp``, ``maximum``, ``sum``, ...) come from the compiler's table of ops, one a row.
"""

from __future__ import annotations

import builtins
import enum
from collections.abc import Callable
from typing import Any

from mytriton import _C
from mytriton.constexpr_function import constexpr_function
from mytriton.dtypes import DTYPES, DType, dtype, pointer_type
from mytriton.errors import CompileError
from mytriton.language.debug import device_assert, device_print
from mytriton.language.memory import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xchg,
    atomic_xor,
    load,
    store,
)
from mytriton.language.reductions import reduction
from mytriton.language.scans import scan
from mytriton.language.static import constant_int
from mytriton.source import caller_place
from mytriton.traced import apply, constexpr, current_trace, node_of, tensor, unwrap

__all__ = [
    "PropagateNan",
    "arange",
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_xchg",
    "atomic_xor",
    "cast",
    "cdiv",
    "clamp",
    "constexpr",
    "constexpr_function",
    "device_assert",
    "device_print",
    "div_rn",
    "dtype",
    "fdiv",
    "full",
    "load",
    "maximum",
    "minimum",
    "next_power_of_2",
    "num_programs",
    "pointer_type",
    "program_id",
    "sqrt_rn",
    "store",
    "tensor",
    "where",
    "zeros",
    "zeros_like",
]

for _dtype in DTYPES.values():
    globals()[_dtype.language_name] = _dtype
    __all__ += [_dtype.language_name]


def _function(row: dict[str, Any]) -> Callable[..., tensor]:
    """The function of ``tl`` for a row: its operands by position or as x, y, z."""
    name: str = row["name"]
    names = ["x", "y", "z"][: row["operands"]]

    def function(*args: Any, **kwargs: Any) -> tensor:
        operands = dict(zip(names, args, strict=False)) | kwargs
        if len(args) > len(names) or set(operands) != set(names):
            expected = ", ".join(names)
            got = ", ".join([*(["..."] * len(args)), *kwargs])
            raise CompileError(f"{name}: expected ({expected}), got ({got})", caller_place())
        return apply(name, *(operands[each] for each in names))

    function.__name__ = function.__qualname__ = name
    types = ", ".join(DTYPES[each].language_name for each in row["types"])
    function.__doc__ = f"{row['doc']}\n\nElement types: {types}."
    if row["torch"]:
        function.__doc__ += f" In torch: {row['torch']}."
    return function


_MAKERS: dict[str, Callable[[dict[str, Any]], Callable[..., Any]]] = {
    "pure": _function,
    "reduce": reduction,
    "scan": scan,
}

# From here on max, min and sum are the language's; Python's are in `builtins`.
for _row in _C.op_rows():
    if _row["python"] == "tl" or _row["name"] in ("add", "sub", "mul"):
        globals()[_row["name"]] = _MAKERS[_row["kind"]](_row)
        if _row["name"] not in __all__:
            __all__ += [_row["name"]]
    if _row["kind"] in ("reduce", "scan"):  # x.sum(axis=0)
        setattr(tensor, _row["name"], globals()[_row["name"]])


class PropagateNan(enum.Enum):
    """Whether ``maximum``, ``minimum`` and ``clamp`` give NaN for a NaN, or the other operand."""

    NONE = 0
    ALL = 0xFFFF


def _check_propagate_nan(function: str, value: Any) -> None:
    if not isinstance(value, PropagateNan):
        raise CompileError(
            f"{function}: propagate_nan must be tl.PropagateNan.ALL or NONE, got {value!r}",
            caller_place(),
        )


def _extremum(op: str, x: Any, y: Any, propagate_nan: Any) -> tensor:
    _check_propagate_nan(f"{op}imum", propagate_nan)
    result = apply(f"{op}imum", x, y)
    if propagate_nan is PropagateNan.NONE and result.dtype.is_floating():
        return apply(f"f{op}", x, y)
    return result


def maximum(x: Any, y: Any, propagate_nan: PropagateNan = PropagateNan.ALL) -> tensor:
    """The larger of `x` and `y`, float or int; ties take `y`, so that -0.0 and 0.0 are told apart.

    By default a NaN propagates, as in torch.maximum; Triton's default is NONE.
    """
    return _extremum("max", x, y, propagate_nan)


def minimum(x: Any, y: Any, propagate_nan: PropagateNan = PropagateNan.ALL) -> tensor:
    """The smaller of `x` and `y`, float or int; ties take `y`, so that -0.0 and 0.0 are told apart.

    By default a NaN propagates, as in torch.minimum; Triton's default is NONE.
    """
    return _extremum("min", x, y, propagate_nan)


def clamp(x: Any, min: Any, max: Any, propagate_nan: PropagateNan = PropagateNan.ALL) -> tensor:
    """`x`, at least `min` and then at most `max`; float or int.

    By default a NaN propagates, as in torch.clamp. With NONE a NaN in `x` gives `min`.
    """
    _check_propagate_nan("clamp", propagate_nan)
    if propagate_nan is PropagateNan.ALL:
        return apply("clamp", x, min, max)
    return minimum(maximum(x, min, propagate_nan), max, propagate_nan)


def _float_only(function: str, value: tensor) -> tensor:
    if value.dtype.name != "fp32":
        raise CompileError(f"{function} requires float32, got {value.dtype}", caller_place())
    return value


def sqrt_rn(x: Any) -> tensor:
    """Square root of float32, correctly rounded: as ``tl.sqrt``."""
    return _float_only("sqrt_rn", apply("sqrt", x))


def div_rn(x: Any, y: Any) -> tensor:
    """Quotient of float32, correctly rounded: as ``x / y``."""
    return _float_only("div_rn", apply("div", x, y))


def fdiv(x: Any, y: Any, ieee_rounding: bool = False, approx: bool = False) -> tensor:
    """Quotient of floats, correctly rounded whatever is asked for: as ``x / y``."""
    quotient = apply("div", x, y)
    if not quotient.dtype.is_floating():
        raise CompileError(f"fdiv requires floats, got {quotient.dtype}", caller_place())
    return quotient


def _constant_int(value: Any, what: str) -> int:
    # Of what no int64 holds, one that is out of every range that is accepted below.
    return builtins.min(builtins.max(constant_int(value, what), -(2**62)), 2**62)


def program_id(axis: int) -> tensor:
    """This program's index along axis 0, 1 or 2 of the grid, as an int32."""
    trace = current_trace("program_id")
    return tensor(trace, trace.program_id(_constant_int(axis, "program_id: axis"), caller_place()))


def num_programs(axis: int) -> tensor:
    """The grid's size along axis 0, 1 or 2, as an int32."""
    trace = current_trace("num_programs")
    return tensor(
        trace, trace.num_programs(_constant_int(axis, "num_programs: axis"), caller_place())
    )


def arange(start: int, end: int) -> tensor:
    """The int32 block start, start + 1, ..., end - 1. Any width of at most 2**20 lanes."""
    trace = current_trace("arange")
    first, last = _constant_int(start, "arange: start"), _constant_int(end, "arange: end")
    return tensor(trace, trace.arange(first, last, caller_place()))


def full(shape: Any, value: Any, dtype: DType) -> tensor:
    """A block of `shape` with `value` in every lane, as `dtype`; an empty shape gives a scalar.

    `value`: a number or a traced scalar. Sizes are known at compile time.
    """
    trace = current_trace("full")
    place = caller_place()
    sizes = unwrap(shape)
    if not isinstance(sizes, list | tuple):
        sizes = [sizes]
    lengths = [_constant_int(size, "full: a size") for size in sizes]
    scalar = cast(value, dtype)
    return tensor(trace, trace.splat(scalar._node, lengths, place))


def zeros(shape: Any, dtype: DType) -> tensor:
    """A block of `shape` with 0 in every lane."""
    return full(shape, 0, dtype)


def zeros_like(input: tensor) -> tensor:
    """Zeros of the shape and type of `input`."""
    return zeros(input.shape, input.dtype)


def where(condition: Any, x: Any, y: Any) -> tensor:
    """`x` where `condition` holds, else `y`. Both are evaluated; the condition must be bool."""
    return apply("select", condition, x, y)


def cast(
    input: Any,
    dtype: DType,
    fp_downcast_rounding: str | None = None,
    bitcast: bool = False,
) -> tensor:
    """`input` as another element type.

    To int1 is ``!= 0``. Float to int truncates, saturates out of range and gives 0 for NaN. Ints
    keep their low bits. Float to a narrower float rounds to nearest even, or towards zero with
    ``fp_downcast_rounding="rtz"``. ``bitcast=True`` keeps the bits, for a type of the same width.
    """
    trace = current_trace("cast")
    value = tensor(trace, node_of(trace, input, caller_place(), "cast"))
    return value.to(dtype, fp_downcast_rounding, bitcast)


def cdiv(x: Any, div: Any) -> Any:
    """``ceil(x / div)`` of non-negative ints, of Python or traced."""
    return (x + div - 1) // div


tensor.cdiv = cdiv  # type: ignore[attr-defined]


def next_power_of_2(n: int) -> int:
    """The smallest power of two that is at least n (and at least 1)."""
    return 1 << builtins.max(0, n - 1).bit_length()


from mytriton.language import (  # noqa: E402
    block_pointers,
    combining,
    core,
    derived,
    descriptors,
    extra,
    indices,
    math,
    ordering,
    products,
    random,
    shapes,
    standard,
    static,
)
from mytriton.language.block_pointers import *  # noqa: E402, F403
from mytriton.language.combining import *  # noqa: E402, F403
from mytriton.language.derived import *  # noqa: E402, F403
from mytriton.language.descriptors import *  # noqa: E402, F403
from mytriton.language.indices import *  # noqa: E402, F403
from mytriton.language.ordering import *  # noqa: E402, F403
from mytriton.language.products import *  # noqa: E402, F403
from mytriton.language.random import *  # noqa: E402, F403
from mytriton.language.shapes import *  # noqa: E402, F403
from mytriton.language.static import *  # noqa: E402, F403

__all__ += ["core", "extra", "math", "random", "standard", *random.__all__]
__all__ += [*block_pointers.__all__, *derived.__all__, *descriptors.__all__, *indices.__all__]
__all__ += [*combining.__all__, *ordering.__all__]
__all__ += [*products.__all__, *shapes.__all__, *static.__all__]
