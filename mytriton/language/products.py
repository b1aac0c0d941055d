"""Products of matrices: tl.dot."""

from __future__ import annotations

from typing import Any

from mytriton.dtypes import DTYPES, DType
from mytriton.errors import CompileError
from mytriton.language.shapes import expand_dims, permute, reshape, split
from mytriton.language.static import constant_int
from mytriton.source import caller_place
from mytriton.traced import apply, tensor, unwrap

__all__ = ["dot"]

_MAX_LANES = 2**20  # of a block
_PRECISIONS = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
_NARROW = ("fp16", "bf16")


def _matrix(what: str, value: Any) -> tensor:
    value = unwrap(value)
    if not isinstance(value, tensor) or value.dtype.is_ptr() or len(value.shape) not in (2, 3):
        got = repr(value) if isinstance(value, tensor) else type(value).__name__
        raise CompileError(
            f"dot: {what}: expected a block of rank 2 or 3, got {got}", caller_place()
        )
    return value


def _check_shapes(a: tensor, b: tensor) -> None:
    if len(a.shape) != len(b.shape) or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
        raise CompileError(
            f"dot: expected input of shape [M, K] and other of [K, N], or both with the same first "
            f"axis before; got {list(a.shape)} and {list(b.shape)}",
            caller_place(),
        )


def _types(a: tensor, b: tensor, out_dtype: Any) -> tuple[DType, DType]:
    """In which type is summed, and that of the result."""
    place = caller_place()
    if a.dtype is not b.dtype:
        raise CompileError(
            f"dot: expected input and other of one type, got {a.dtype} and {b.dtype}", place
        )
    out = unwrap(out_dtype)
    if not isinstance(out, DType) or out.name not in ("fp32", "fp16", "fp64", "int32"):
        raise CompileError(f"dot: out_dtype: expected tl.float32 or tl.float16, got {out!r}", place)
    name = a.dtype.name
    if name in ("int8", "uint8"):
        return DTYPES["i32"], DTYPES["i32"]
    if name == "fp64":
        return a.dtype, a.dtype
    if name not in ("fp32", *_NARROW):
        raise CompileError(f"dot: expected floats, int8 or uint8; got {a.dtype}", place)
    is_half = name == "fp16" and out.name == "fp16"
    return DTYPES["f32"], out if is_half else DTYPES["f32"]


def _check_options(input_precision: Any, allow_tf32: Any, max_num_imprecise_acc: Any) -> None:
    precision, allow = unwrap(input_precision), unwrap(allow_tf32)
    if precision is not None and precision not in _PRECISIONS:
        expected = ", ".join(repr(each) for each in _PRECISIONS)
        raise CompileError(
            f"dot: input_precision must be one of {expected}; got {precision!r}", caller_place()
        )
    if allow is not None and not isinstance(allow, bool | int):
        raise CompileError(f"dot: allow_tf32 must be a bool, got {allow!r}", caller_place())
    if precision is not None and allow is not None:
        raise CompileError(
            "dot: input_precision and allow_tf32 cannot both be given", caller_place()
        )
    if unwrap(max_num_imprecise_acc) is not None:
        constant_int(max_num_imprecise_acc, "dot: max_num_imprecise_acc")


def _halves(value: tensor, axis: int) -> tuple[tensor, tensor]:
    """A block cut in the middle of an axis."""
    shape = value.shape
    cut = reshape(value, *shape[:axis], 2, shape[axis] // 2, *shape[axis + 1 :])
    others = [i for i in range(len(shape) + 1) if i != axis]
    return split(permute(cut, *others, axis))


def _product(a: tensor, b: tensor) -> tensor:
    """The sums over K, which is halved until the products fit into a block."""
    rank, k = len(a.shape), a.shape[-1]
    lanes = b.shape[-1]
    for size in a.shape:
        lanes *= size
    if lanes > _MAX_LANES:
        if k % 2:
            raise CompileError(
                f"dot: {list(a.shape)} by {list(b.shape)} takes {lanes} products, more than "
                f"{_MAX_LANES}, and K is odd; choose smaller blocks",
                caller_place(),
            )
        halves = zip(_halves(a, rank - 1), _halves(b, rank - 2), strict=True)
        first, second = (_product(*each) for each in halves)
        return apply("add", first, second)
    products = apply("mul", expand_dims(a, rank), expand_dims(b, rank - 2))
    trace = products._trace
    return tensor(trace, trace.reduce("sum", products._node, rank - 1, False, caller_place()))


def dot(
    input: Any,
    other: Any,
    acc: Any = None,
    input_precision: str | None = None,
    allow_tf32: bool | None = None,
    max_num_imprecise_acc: int | None = None,
    out_dtype: DType = DTYPES["f32"],
) -> tensor:
    """The product of the matrices `input` [M, K] and `other` [K, N], or of as many of them as both
    have along a first axis; plus `acc` where it is given.

    Both have one type. ``float16``, ``bfloat16`` and ``float32`` are multiplied and summed in
    ``float32``, which is the result's type - of float16 `out_dtype` may be ``float16``, to which
    the result is rounded once; ``float64`` in ``float64``; ``int8`` and ``uint8`` in ``int32``.
    `acc` has the shape and type of the result. `input_precision`, `allow_tf32` and
    `max_num_imprecise_acc` are checked, and change nothing. CompileError where shapes or types do
    not fit.
    """
    a, b = _matrix("input", input), _matrix("other", other)
    _check_shapes(a, b)
    summed, result = _types(a, b, out_dtype)
    _check_options(input_precision, allow_tf32, max_num_imprecise_acc)
    total = _product(a.to(summed), b.to(summed))
    added = unwrap(acc)
    if added is not None:
        if not isinstance(added, tensor) or (added.shape, added.dtype) != (total.shape, result):
            got = repr(added) if isinstance(added, tensor) else type(added).__name__
            raise CompileError(
                f"dot: acc: expected a block of shape {list(total.shape)} of {result}, got {got}",
                caller_place(),
            )
        total = apply("add", added.to(summed), total)
    return total.to(result)
