"""Tensor descriptors: a tensor's base, shape and strides, and the shape of the blocks it moves."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mytriton.dtypes import DType
from mytriton.errors import CompileError
from mytriton.language import memory
from mytriton.language.block_pointers import (
    addresses,
    along,
    base_pointer,
    block_sizes,
    block_value,
    element_type,
    int64,
    int64s,
    items_of,
    padding_value,
)
from mytriton.language.shapes import broadcast_to
from mytriton.source import caller_place
from mytriton.traced import apply, tensor, unwrap

__all__ = [
    "load_tensor_descriptor",
    "make_tensor_descriptor",
    "store_tensor_descriptor",
    "tensor_descriptor",
]


@dataclass(frozen=True)
class DescriptorLayout:
    """What of a descriptor is known at compile time; one object for each."""

    block_shape: tuple[int, ...]
    padding: str

    @property
    def __name__(self) -> str:  # for messages
        return "x".join(map(str, self.block_shape))


_layout = functools.cache(DescriptorLayout)


class tensor_descriptor(NamedTuple):
    """What ``tl.make_tensor_descriptor`` gives, and what a kernel gets for a TensorDescriptor.

    `shape` and `strides` are traced int64 scalars. Elements out of range are never touched: they
    are read as 0, or NaN, and not written. Offsets are int scalars, one an axis, of Python or
    traced.
    """

    base: tensor
    shape: tuple[tensor, ...]
    strides: tuple[tensor, ...]
    layout: DescriptorLayout

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return element_type(self.base)

    @property
    def block_shape(self) -> list[int]:
        return list(self.layout.block_shape)

    def load(self, offsets: Sequence[Any]) -> tensor:
        """The block that begins at `offsets`, of shape `block_shape`."""
        return _load("descriptor.load", self, *_block(self, "descriptor.load", offsets))

    def store(self, offsets: Sequence[Any], value: Any) -> None:
        """Writes `value`, a block of shape `block_shape` or a scalar, as the elements' type."""
        block = block_value("descriptor.store", value, self.block_shape)
        pointer, mask = _block(self, "descriptor.store", offsets)
        memory.store(pointer, block, mask)

    def gather(self, x_offsets: Any, y_offset: Any) -> tensor:
        """The rows `x_offsets`, a block of ints, each from column `y_offset` on.

        For descriptors of rank 2 whose blocks are one row; gives a block of as many rows as there
        are offsets.
        """
        return _load("descriptor.gather", self, *_rows(self, "gather", x_offsets, y_offset))

    def scatter(self, value: Any, x_offsets: Any, y_offset: Any) -> None:
        """Writes rows of `value` where ``gather`` reads them."""
        pointer, mask = _rows(self, "scatter", x_offsets, y_offset)
        memory.store(pointer, block_value("descriptor.scatter", value, pointer.shape), mask)

    def __repr__(self) -> str:
        return f"<tensor descriptor {self.dtype} {self.block_shape}>"


def _block(
    descriptor: tensor_descriptor, function: str, offsets: Any
) -> tuple[tensor, tensor | None]:
    base, shape, strides, layout = descriptor
    rank = len(shape)
    starts = int64s(function, "offsets", offsets, rank)
    return addresses(base, shape, strides, starts, layout.block_shape, range(rank))


def _rows(
    descriptor: tensor_descriptor, name: str, x_offsets: Any, y_offset: Any
) -> tuple[tensor, tensor | None]:
    function = f"descriptor.{name}"
    base, shape, strides, layout = descriptor
    if len(shape) != 2 or layout.block_shape[0] != 1:
        raise CompileError(
            f"{function}: expected a descriptor whose blocks are one row, [1, n]; got "
            f"{list(layout.block_shape)}",
            caller_place(),
        )
    rows = unwrap(x_offsets)
    if not isinstance(rows, tensor) or len(rows.shape) != 1 or not rows.dtype.is_int():
        got = repr(rows) if isinstance(rows, tensor) else type(rows).__name__
        raise CompileError(
            f"{function}: x_offsets: expected a block of ints of rank 1, got {got}", caller_place()
        )
    rows = along(0, 2, rows.to(shape[0].dtype))
    start = int64(function, "y_offset", y_offset)
    # One row, of which the columns are checked; then each at its place.
    zero = int64(function, "x_offsets", 0)
    row, inside = addresses(base, shape, strides, (zero, start), layout.block_shape, [1])
    pointer = apply("add", row, apply("mul", rows, strides[0]))
    for bound in (apply("cmp_ge", rows, 0), apply("cmp_lt", rows, shape[0])):
        inside = apply("bit_and", inside, bound)
    return pointer, broadcast_to(inside, pointer.shape)


def _load(
    function: str, descriptor: tensor_descriptor, pointer: tensor, mask: tensor | None
) -> tensor:
    other = padding_value(function, descriptor.layout.padding, descriptor.dtype)
    return memory.load(pointer, mask, other)


def _atomic(name: str, what: str) -> Callable[..., None]:
    function = getattr(memory, f"atomic_{name}")

    def method(self: tensor_descriptor, offsets: Sequence[Any], value: Any) -> None:
        where = f"descriptor.atomic_{name}"
        block = block_value(where, value, self.block_shape)
        pointer, mask = _block(self, where, offsets)
        function(pointer, block, mask)

    method.__name__ = f"atomic_{name}"
    method.__qualname__ = f"tensor_descriptor.atomic_{name}"
    method.__doc__ = f"""{what} to each element in range, atomically; see ``tl.atomic_{name}``."""
    return method


for _name, _what in (
    ("add", "Adds `value`"),
    ("min", "Keeps the smaller of `value` and what is there, in"),
    ("max", "Keeps the larger of `value` and what is there, in"),
    ("and", "Does a bitwise and"),
    ("or", "Does a bitwise or"),
    ("xor", "Does a bitwise exclusive or"),
):
    setattr(tensor_descriptor, f"atomic_{_name}", _atomic(_name, _what))


# --- tl -------------------------------------------------------------------------------------------


def make_tensor_descriptor(
    base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: str = "zero"
) -> tensor_descriptor:
    """A descriptor of a tensor, for its methods ``load``, ``store`` and ``atomic_add``.

    `base`: the pointer to the tensor's first element. `shape` and `strides` (in elements): ints,
    one an axis, 1 to 5 of them, known at compile time or not; the last stride is 1. `block_shape`:
    ints known at compile time. `padding_option`: ``"zero"``, or ``"nan"`` for floats: what is read
    out of range. CompileError where counts differ, or where another last stride is known.
    """
    function = "make_tensor_descriptor"
    pointer = base_pointer(function, base)
    sizes = int64s(function, "shape", shape, None)
    rank = len(sizes)
    last = items_of(function, "strides", strides, rank)[-1]
    if isinstance(last, int) and last != 1:
        raise CompileError(
            f"{function}: strides: expected 1 as the last, got {last}", caller_place()
        )
    steps = int64s(function, "strides", strides, rank)
    block = block_sizes(function, block_shape, rank)
    return described(function, pointer, sizes, steps, block, padding_option)


def described(
    function: str,
    base: tensor,
    shape: tuple[tensor, ...],
    strides: tuple[tensor, ...],
    block_shape: tuple[int, ...],
    padding: Any,
) -> tensor_descriptor:
    """The descriptor of these parts, whose padding is checked."""
    padding_value(function, padding, element_type(base))
    return tensor_descriptor(base, shape, strides, _layout(block_shape, unwrap(padding)))


def _descriptor(function: str, desc: Any) -> tensor_descriptor:
    value = unwrap(desc)
    if not isinstance(value, tensor_descriptor):
        got = repr(value) if isinstance(value, tensor) else type(value).__name__
        raise CompileError(
            f"{function}: desc: expected a tensor descriptor, got {got}", caller_place()
        )
    return value


def load_tensor_descriptor(desc: Any, offsets: Sequence[Any]) -> tensor:
    """``desc.load(offsets)``."""
    return _descriptor("load_tensor_descriptor", desc).load(offsets)


def store_tensor_descriptor(desc: Any, offsets: Sequence[Any], value: Any) -> None:
    """``desc.store(offsets, value)``."""
    _descriptor("store_tensor_descriptor", desc).store(offsets, value)
