"""What changes the shape of blocks: new axes, broadcasting, transposition, joining."""

from __future__ import annotations

from typing import Any

from mytriton.errors import CompileError
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import tensor, unwrap

__all__ = [
    "broadcast",
    "broadcast_to",
    "cat",
    "expand_dims",
    "interleave",
    "join",
    "permute",
    "ravel",
    "reshape",
    "split",
    "squeeze",
    "trans",
    "unsqueeze",
    "view",
]


def _ints(function: str, what: str, given: tuple[Any, ...]) -> list[int]:
    """Ints known at compile time, given one by one or as one tuple or list."""
    values = [unwrap(each) for each in given]
    if len(values) == 1 and isinstance(values[0], tuple | list):
        values = list(values[0])
    return [constant_int(each, f"{function}: {what}") for each in values]


def _text(value: tensor) -> str:
    """Its type as messages of the compiler show it: ``block<4x8 x f32>``."""
    return value._trace.type(value._node)


def _axis(function: str, axis: int, rank: int, value: tensor) -> int:
    if not -rank <= axis < rank:
        wanted = f"{-rank} to {rank - 1}" if rank else "of a block"
        raise CompileError(
            f"{function}: axis must be {wanted} for {_text(value)}, got {axis}", caller_place()
        )
    return axis % rank


def expand_dims(input: Any, axis: Any) -> tensor:
    """`input` with new axes of size 1 at these places of the result: an int or a tuple of ints.

    ``x[:, None]`` is ``expand_dims(x, 1)``. A scalar becomes a block of one lane.
    """
    value = to_tensor(input)
    axes = _ints("expand_dims", "axis", (axis,))
    rank = len(value.shape) + len(axes)
    places = {_axis("expand_dims", each, rank, value) for each in axes}
    if len(places) != len(axes):
        raise CompileError(f"expand_dims: an axis is named twice in {tuple(axes)}", caller_place())
    sizes = iter(value.shape)
    shape = [1 if i in places else next(sizes) for i in range(rank)]
    return _reshaped(value, shape) if value.shape else _filled(value, shape)


def unsqueeze(x: Any, dim: Any) -> tensor:
    """`x` with a new axis of size 1 at this place of the result, as ``expand_dims``."""
    return expand_dims(x, constant_int(dim, "unsqueeze: dim"))


def squeeze(x: Any, dim: Any) -> tensor:
    """`x`, of rank 2 or more, without the axis `dim`, which has size 1."""
    value = to_tensor(x)
    shape = value.shape
    axis = _axis("squeeze", constant_int(dim, "squeeze: dim"), len(shape), value)
    if shape[axis] != 1 or len(shape) < 2:
        raise CompileError(
            f"squeeze: expected two or more axes and size 1 of axis {axis}, got {_text(value)}",
            caller_place(),
        )
    return _reshaped(value, [*shape[:axis], *shape[axis + 1 :]])


def _filled(value: tensor, shape: list[int]) -> tensor:
    trace = value._trace
    return tensor(trace, trace.broadcast_to(value._node, shape, caller_place()))


def _reshaped(value: tensor, shape: list[int]) -> tensor:
    return tensor(value._trace, value._trace.reshape(value._node, shape, caller_place()))


def reshape(input: Any, *shape: Any, can_reorder: bool = False) -> tensor:
    """The lanes of `input`, counted row by row, in another shape of as many lanes.

    `shape`: ints, or one tuple; one may be -1, which is then found. `can_reorder` is accepted:
    lanes keep their order.
    """
    value = to_tensor(input)
    sizes = _ints("reshape", "a size", shape)
    unknown = [i for i, size in enumerate(sizes) if size == -1]
    if len(unknown) > 1:
        raise CompileError(f"reshape: only one size may be -1, got {tuple(sizes)}", caller_place())
    if unknown:
        lanes, known = 1, 1
        for size in value.shape:
            lanes *= size
        for size in sizes:
            known *= size if size != -1 else 1
        if known < 1 or lanes % known:
            raise CompileError(
                f"reshape: cannot reshape {_text(value)} to {tuple(sizes)}: its {lanes} lanes are "
                f"no multiple of {known}",
                caller_place(),
            )
        sizes[unknown[0]] = lanes // known
    return _reshaped(value, sizes)


def view(input: Any, *shape: Any) -> tensor:
    """As ``reshape``."""
    return reshape(input, *shape)


def ravel(input: Any, can_reorder: bool = False) -> tensor:
    """The lanes of `input`, row by row, as a block of rank 1."""
    return reshape(input, -1)


def broadcast_to(input: Any, *shape: Any) -> tensor:
    """`input` in a larger shape: axes count from the last, those of size 1 are repeated."""
    return _filled(to_tensor(input), _ints("broadcast_to", "a size", shape))


def broadcast(input: Any, other: Any) -> tuple[tensor, tensor]:
    """Both in the shape that they have in common, as operators bring it about."""
    return _broadcast("broadcast", to_tensor(input), to_tensor(other))


def _broadcast(function: str, a: tensor, b: tensor) -> tuple[tensor, tensor]:
    rank = max(len(a.shape), len(b.shape))
    shapes = [(1,) * (rank - len(each.shape)) + each.shape for each in (a, b)]
    shape = [max(sizes) for sizes in zip(*shapes, strict=True)]
    if any(
        size not in (1, most) for each in shapes for size, most in zip(each, shape, strict=True)
    ):
        raise CompileError(
            f"{function}: incompatible shapes: {_text(a)}, {_text(b)}", caller_place()
        )
    return _filled(a, shape), _filled(b, shape)


def permute(input: Any, *dims: Any) -> tensor:
    """Axis i of the result is axis dims[i] of `input`; each is named once."""
    value = to_tensor(input)
    axes, rank = _ints("permute", "an axis", dims), len(value.shape)
    order = [_axis("permute", each, rank, value) for each in axes]
    return tensor(value._trace, value._trace.permute(value._node, order, caller_place()))


def trans(input: Any, *dims: Any) -> tensor:
    """`input` with its axes in another order; without `dims`, with the last two exchanged."""
    value = to_tensor(input)
    rank = len(value.shape)
    if dims:
        return permute(value, *dims)
    if rank < 2:
        raise CompileError(f"trans: expected two or more axes, got {_text(value)}", caller_place())
    return permute(value, *range(rank - 2), rank - 1, rank - 2)


def join(a: Any, b: Any) -> tensor:
    """`a` and `b`, of one shape, along a new last axis of size 2. Scalars make a block of 2."""
    a, b = to_tensor(a), to_tensor(b)
    return tensor(a._trace, a._trace.join(a._node, b._node, caller_place()))


def split(a: Any) -> tuple[tensor, tensor]:
    """The two halves of a block whose last axis has size 2: the opposite of ``join``."""
    value = to_tensor(a)
    if value.shape == (2,):  # of scalars
        value = _reshaped(value, [1, 2])
        one, other = value._trace.split(value._node, caller_place())
        halves = (tensor(value._trace, one), tensor(value._trace, other))
        return only_lane(halves[0]), only_lane(halves[1])
    one, other = value._trace.split(value._node, caller_place())
    return tensor(value._trace, one), tensor(value._trace, other)


def only_lane(block: tensor) -> tensor:
    """The scalar in a block of one lane."""
    place = caller_place()
    lane = tensor(block._trace, block._trace.reduce("sum", block._node, 0, False, place))
    return lane.to(block.dtype)  # narrow types sum in 32 bits


def interleave(a: Any, b: Any) -> tensor:
    """Lanes of `a` and `b` in turn along the last axis, which becomes twice as long."""
    a, b = _broadcast("interleave", to_tensor(a), to_tensor(b))
    if not a.shape:
        return join(a, b)
    *others, last = a.shape
    return reshape(join(ravel(a), ravel(b)), *others, 2 * last)


def cat(input: Any, other: Any, can_reorder: bool = False, dim: int = 0) -> tensor:
    """Two blocks of rank 1, one after the other; `can_reorder` is accepted, lanes stay."""
    a, b = to_tensor(input), to_tensor(other)
    if constant_int(dim, "cat: dim") not in (0, -1):
        raise CompileError(f"cat: dim must be 0, got {unwrap(dim)}", caller_place())
    return tensor(a._trace, a._trace.cat(a._node, b._node, caller_place()))


def _index_text(key: Any) -> str:
    if not isinstance(key, slice):
        return "..." if key is Ellipsis else _text(key) if isinstance(key, tensor) else repr(key)
    bounds = (key.start, key.stop, *(() if key.step is None else (key.step,)))
    return ":".join("" if each is None else _index_text(unwrap(each)) for each in bounds)


def _getitem(self: tensor, index: Any) -> tensor:
    """``x[:, None]``: an axis for each ``:``, and a new one of size 1 for each None."""
    keys = index if isinstance(index, tuple) else (index,)
    keys = tuple(unwrap(each) for each in keys)
    for each in keys:
        if each is not None and not (isinstance(each, slice) and each == slice(None)):
            raise CompileError(
                f"{_text(self)} is indexed by : and None only, got {_index_text(each)}; load lanes "
                "from a pointer, or use tl.reshape, tl.split or tl.sum",
                caller_place(),
            )
    kept = sum(each is not None for each in keys)
    if kept > len(self.shape):
        raise CompileError(
            f"{_text(self)} has {len(self.shape)} axes, got an index of {kept}", caller_place()
        )
    new = [i for i, each in enumerate(keys) if each is None]
    return expand_dims(self, tuple(new)) if new else self


tensor.__getitem__ = _getitem  # type: ignore[misc]
tensor.T = property(trans)  # type: ignore[attr-defined]
for _function in (expand_dims, reshape, view, ravel, broadcast_to, permute, trans, split):
    setattr(tensor, _function.__name__, _function)
