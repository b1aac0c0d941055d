"""Block pointers: a base, a shape and strides, and where in it the block begins."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from mytriton.dtypes import DType, pointer_type
from mytriton.errors import CompileError
from mytriton.language.shapes import broadcast_to, expand_dims
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import apply, current_trace, node_of, tensor, unwrap

__all__ = ["advance", "make_block_ptr"]

MAX_RANK = 5


@dataclass(frozen=True)
class BlockLayout:
    """What of a block is known at compile time. One object for each: variables of a run-time loop
    or branch that hold something else than traced values must hold the same object."""

    block_shape: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def __name__(self) -> str:  # for messages
        return "x".join(map(str, self.block_shape))


_layout = functools.cache(BlockLayout)


class BlockPointer(NamedTuple):
    """What ``tl.make_block_ptr`` gives. Sizes, strides and offsets are traced int64 scalars, so
    that loops and branches at run time carry it as they do tuples."""

    base: tensor
    shape: tuple[tensor, ...]
    strides: tuple[tensor, ...]
    offsets: tuple[tensor, ...]
    layout: BlockLayout

    @property
    def dtype(self) -> DType:
        """As of a block of pointers: ``p.dtype.element_ty`` is the type of the elements."""
        return self.base.dtype

    @property
    def type(self) -> DType:
        return self.base.dtype

    def advance(self, offsets: Any) -> BlockPointer:
        """As ``tl.advance``."""
        return advance(self, offsets)

    def __repr__(self) -> str:
        return f"<block pointer {element_type(self.base)} {list(self.layout.block_shape)}>"


def _no_arithmetic(self: BlockPointer, other: Any) -> NoReturn:
    raise CompileError(
        "a block pointer is not added to; move it by tl.advance(pointer, offsets)", caller_place()
    )


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul"):
    setattr(BlockPointer, f"__{_name}__", _no_arithmetic)


def element_type(base: tensor) -> DType:
    kind = base.dtype
    assert isinstance(kind, pointer_type)
    return kind.element_ty


# --- arguments ------------------------------------------------------------------------------------


def base_pointer(function: str, base: Any) -> tensor:
    """`base`, which has to be a pointer to one element."""
    value = unwrap(base)
    if not isinstance(value, tensor) or not value.dtype.is_ptr() or value.shape:
        got = repr(value) if isinstance(value, tensor | BlockPointer) else type(value).__name__
        raise CompileError(f"{function}: base: expected a pointer, got {got}", caller_place())
    return value


def items_of(function: str, what: str, given: Any, rank: int | None) -> list[Any]:
    """The values of an argument that has one an axis: a list or tuple."""
    values = unwrap(given)
    if isinstance(values, BlockPointer) or not isinstance(values, list | tuple):
        got = repr(values) if isinstance(values, tensor) else type(values).__name__
        raise CompileError(
            f"{function}: {what}: expected a list or tuple, one value an axis; got {got}",
            caller_place(),
        )
    if rank is None and not 1 <= len(values) <= MAX_RANK:
        raise CompileError(
            f"{function}: {what}: expected 1 to {MAX_RANK} values, got {len(values)}",
            caller_place(),
        )
    if rank is not None and len(values) != rank:
        raise CompileError(
            f"{function}: {what}: expected {rank} values, one an axis; got {len(values)}",
            caller_place(),
        )
    return [unwrap(each) for each in values]


def int64(function: str, what: str, value: Any) -> tensor:
    """An int scalar, of Python or traced, as a traced int64."""
    place = caller_place()
    value = unwrap(value)
    if isinstance(value, tensor):
        if value.shape or not value.dtype.is_int() or value.dtype.is_bool():
            raise CompileError(f"{function}: {what}: expected int scalars, got {value!r}", place)
    elif isinstance(value, bool) or not isinstance(value, int):
        kind = type(value).__name__
        raise CompileError(f"{function}: {what}: expected int scalars, got {kind}", place)
    trace = current_trace(function)
    node = node_of(trace, value, place, f"{function}: {what}")
    return tensor(trace, trace.cast(node, "i64", False, place))


def int64s(function: str, what: str, given: Any, rank: int | None) -> tuple[tensor, ...]:
    return tuple(int64(function, what, each) for each in items_of(function, what, given, rank))


def block_sizes(function: str, given: Any, rank: int) -> tuple[int, ...]:
    """`block_shape`: ints known at compile time, of at least 1."""
    values = items_of(function, "block_shape", given, rank)
    sizes = tuple(constant_int(each, f"{function}: block_shape: a size") for each in values)
    for size in sizes:
        if size < 1:
            raise CompileError(
                f"{function}: block_shape: expected sizes of at least 1, got {size}",
                caller_place(),
            )
    return sizes


def padding_value(function: str, padding: Any, element: DType) -> float | None:
    """What is read out of range: None stands for 0."""
    padding = unwrap(padding)
    if padding not in ("", "zero", "nan"):
        raise CompileError(
            f"{function}: padding_option must be one of '', 'zero', 'nan'; got {padding!r}",
            caller_place(),
        )
    if padding != "nan":
        return None
    if not element.is_floating():
        raise CompileError(
            f"{function}: padding_option 'nan' is for floats, got elements of {element}",
            caller_place(),
        )
    return float("nan")


# --- addresses ------------------------------------------------------------------------------------


def along(axis: int, rank: int, block: tensor) -> tensor:
    """A block of rank 1, laid along one axis of a block of this rank."""
    others = tuple(i for i in range(rank) if i != axis)
    return expand_dims(block, others) if others else block


def _lanes(size: int) -> tensor:
    """0, 1, ..., size - 1 as int64."""
    trace, place = current_trace("arange"), caller_place()
    return tensor(trace, trace.cast(trace.arange(0, size, place), "i64", False, place))


def addresses(
    base: tensor,
    shape: Sequence[tensor],
    strides: Sequence[tensor],
    offsets: Sequence[tensor],
    sizes: Sequence[int],
    checked: Sequence[int],
) -> tuple[tensor, tensor | None]:
    """The pointers of a block of these sizes, and which of them are in range in the axes that are
    checked. Indices are computed in 64 bits."""
    rank = len(sizes)
    pointer = base
    mask: tensor | None = None
    for offset, stride in zip(offsets, strides, strict=True):
        pointer = apply("add", pointer, apply("mul", offset, stride))
    for axis, size in enumerate(sizes):
        lanes = along(axis, rank, _lanes(size))
        pointer = apply("add", pointer, apply("mul", lanes, strides[axis]))
        if axis in checked:
            index = apply("add", offsets[axis], lanes)
            for bound in (apply("cmp_ge", index, 0), apply("cmp_lt", index, shape[axis])):
                mask = bound if mask is None else apply("bit_and", mask, bound)
    if mask is not None and mask.shape != tuple(sizes):
        mask = broadcast_to(mask, tuple(sizes))
    return pointer, mask


def _checked_axes(function: str, given: Any, rank: int) -> list[int]:
    values = unwrap(given)
    values = list(values) if isinstance(values, list | tuple) else [values]
    axes = [constant_int(each, f"{function}: boundary_check: an axis") for each in values]
    for axis in axes:
        if not 0 <= axis < rank or axes.count(axis) > 1:
            raise CompileError(
                f"{function}: boundary_check: expected axes from 0 to {rank - 1}, each once; "
                f"got {tuple(axes)}",
                caller_place(),
            )
    return axes


def access(
    function: str, pointer: BlockPointer, given: dict[str, Any], boundary_check: Any
) -> tuple[tensor, tensor | None]:
    """Pointers and mask of a load or store; CompileError where it was given `mask` or `other`."""
    for name, value in given.items():
        if unwrap(value) is not None:
            raise CompileError(
                f"{function}: {name} cannot be given with a block pointer; name the axes to be "
                "checked in boundary_check",
                caller_place(),
            )
    sizes = pointer.layout.block_shape
    axes = _checked_axes(function, boundary_check, len(sizes))
    base, shape, strides, offsets, _ = pointer
    return addresses(base, shape, strides, offsets, sizes, axes)


def refuse_options(function: str, boundary_check: Any, padding_option: Any) -> None:
    """CompileError for options that block pointers only take, given with others."""
    for name, value in (("boundary_check", boundary_check), ("padding_option", padding_option)):
        value = unwrap(value)
        if isinstance(value, tensor) or value not in ((), [], "", None):
            raise CompileError(
                f"{function}: {name} is for block pointers, got {value!r}; give a mask",
                caller_place(),
            )


def block_value(function: str, value: Any, sizes: Sequence[int]) -> tensor:
    """What is stored: a scalar, or a block of exactly these sizes."""
    block = to_tensor(value) if isinstance(unwrap(value), bool | int | float) else unwrap(value)
    if isinstance(block, tensor) and block.shape not in ((), tuple(sizes)):
        raise CompileError(
            f"{function}: value: expected a block of shape {tuple(sizes)}, got {block!r}",
            caller_place(),
        )
    return block


# --- tl -------------------------------------------------------------------------------------------


def make_block_ptr(
    base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any
) -> BlockPointer:
    """A pointer to a block of a tensor, for ``tl.load`` and ``tl.store``.

    `base`: the pointer to the tensor's first element. `shape`, `strides` (in elements) and
    `offsets` (where the block begins): ints, one an axis, 1 to 5 of them, known at compile time or
    not; indices are 64 bits wide. `block_shape`: ints known at compile time. `order`: the axes, the
    fastest first; each is named once, and nothing depends on it. CompileError where their counts
    differ.
    """
    function = "make_block_ptr"
    pointer = base_pointer(function, base)
    sizes = int64s(function, "shape", shape, None)
    rank = len(sizes)
    steps = int64s(function, "strides", strides, rank)
    starts = int64s(function, "offsets", offsets, rank)
    block = block_sizes(function, block_shape, rank)
    axes = tuple(
        constant_int(each, f"{function}: order: an axis")
        for each in items_of(function, "order", order, rank)
    )
    if sorted(axes) != list(range(rank)):
        raise CompileError(
            f"{function}: order: expected each axis from 0 to {rank - 1} once, got {axes}",
            caller_place(),
        )
    return BlockPointer(pointer, sizes, steps, starts, _layout(block, axes))


def advance(base: Any, offsets: Any) -> BlockPointer:
    """The block pointer `base`, `offsets` elements further: ints, one an axis."""
    pointer = unwrap(base)
    if not isinstance(pointer, BlockPointer):
        got = repr(pointer) if isinstance(pointer, tensor) else type(pointer).__name__
        raise CompileError(
            f"advance: base: expected a block pointer (tl.make_block_ptr), got {got}",
            caller_place(),
        )
    steps = items_of("advance", "offsets", offsets, len(pointer.offsets))
    moved = tuple(
        apply("add", start, int64("advance", "offsets", by))
        for start, by in zip(pointer.offsets, steps, strict=True)
    )
    return pointer._replace(offsets=moved)
