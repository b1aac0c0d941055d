"""Reductions and scans by a function of the user: tl.reduce, tl.associative_scan.

The function is traced on whole blocks, a few times: it is applied lane by lane.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from mytriton.errors import CompileError
from mytriton.language.shapes import broadcast_to, only_lane, permute, reshape, split
from mytriton.language.static import constant_int, to_tensor
from mytriton.source import caller_place
from mytriton.traced import apply, node_of, tensor, unwrap

__all__ = ["associative_scan", "reduce"]

Blocks = tuple[tensor, ...]


def _blocks(function: str, input: Any) -> Blocks:
    """The input as blocks of one shape."""
    given = unwrap(input)
    values = given if isinstance(given, tuple | list) else (given,)
    blocks = tuple(to_tensor(each) for each in values)
    for each in blocks:
        if not each.shape or each.dtype.is_ptr():
            raise CompileError(
                f"{function}: input: expected blocks of numbers, got {each!r}", caller_place()
            )
        if each.shape != blocks[0].shape:
            raise CompileError(
                f"{function}: input: expected blocks of one shape, got {blocks[0]!r} and {each!r}",
                caller_place(),
            )
    if not blocks:
        raise CompileError(f"{function}: input: expected a block or more, got ()", caller_place())
    return blocks


def _power_of_two(function: str, lanes: int, block: tensor) -> None:
    if lanes & (lanes - 1):
        raise CompileError(
            f"{function}: expected an axis of a power of two lanes, got {lanes} of {block!r}",
            caller_place(),
        )


def _axis(function: str, axis: Any, block: tensor) -> int:
    along, rank = constant_int(axis, f"{function}: axis"), len(block.shape)
    if not -rank <= along < rank:
        raise CompileError(
            f"{function}: axis must be {-rank} to {rank - 1} for {block!r}, got {along}",
            caller_place(),
        )
    return along % rank


def _product(sizes: tuple[int, ...]) -> int:
    lanes = 1
    for size in sizes:
        lanes *= size
    return lanes


def _combining(
    function: str, combine_fn: Any, inputs: Blocks
) -> Callable[[Blocks, Blocks], Blocks]:
    """`combine_fn`, whose results are checked and have the shape of what it was given."""
    combine = unwrap(combine_fn)
    count = len(inputs)
    if not callable(combine):
        raise CompileError(
            f"{function}: combine_fn: expected a function, got {combine!r}", caller_place()
        )
    try:
        inspect.signature(combine).bind(*range(2 * count))
    except TypeError:
        raise CompileError(
            f"{function}: combine_fn: expected a function of {2 * count} values, "
            f"got {inspect.signature(combine)}",
            caller_place(),
        ) from None
    except ValueError:  # it has no signature: the call will tell
        pass

    def combined(earlier: Blocks, later: Blocks) -> Blocks:
        given = unwrap(combine(*earlier, *later))
        results = tuple(given) if isinstance(given, tuple | list) else (given,)
        if len(results) != count:
            raise CompileError(
                f"{function}: combine_fn: expected {count} result{'s'[: count > 1]}, "
                f"got {len(results)}",
                caller_place(),
            )
        return tuple(map(checked, results, earlier))

    def checked(result: Any, operand: tensor) -> tensor:
        node_of(operand._trace, result, caller_place(), f"{function}: combine_fn")
        value = to_tensor(result)
        if value.dtype is not operand.dtype:
            raise CompileError(
                f"{function}: combine_fn: expected a result of {operand.dtype}, as its operand is; "
                f"got {value!r}",
                caller_place(),
            )
        if value.shape not in ((), operand.shape):
            raise CompileError(
                f"{function}: combine_fn: expected a result of one lane a lane; it was given "
                f"{operand!r}, and gave {value!r}",
                caller_place(),
            )
        return value if value.shape else broadcast_to(value, *operand.shape)

    return combined


def _pairs(blocks: Blocks) -> tuple[Blocks, Blocks]:
    """Of blocks [2 * n, inner] those at even places and those at odd ones along the first axis."""
    even, odd = [], []
    for each in blocks:
        lanes, inner = each.shape
        one, other = split(permute(reshape(each, lanes // 2, 2, inner), 0, 2, 1))
        even.append(one)
        odd.append(other)
    return tuple(even), tuple(odd)


def _result(blocks: Blocks, input: Any) -> Any:
    return blocks if isinstance(unwrap(input), tuple | list) else blocks[0]


def reduce(input: Any, axis: int | None, combine_fn: Any, keep_dims: bool = False) -> Any:
    """`input` combined along `axis`, or over all lanes with None, by `combine_fn`.

    `input`: a block, or a tuple of N blocks of one shape. `combine_fn`: a function, ``@jit`` or
    not, of 2 * N values - N of earlier lanes and N of later ones - that gives N of the same types,
    as a tuple if there are several; it has to be associative. Neighbours are combined in a tree.
    The result is as `input`, without the axis, or with it as of size 1 under `keep_dims`. The axis,
    or all of them, must have a power of two lanes.
    """
    blocks = _blocks("reduce", input)
    keep = unwrap(keep_dims)
    if not isinstance(keep, bool):
        raise CompileError(f"reduce: keep_dims must be a bool, got {keep!r}", caller_place())
    combine = _combining("reduce", combine_fn, blocks)
    shape = blocks[0].shape
    if unwrap(axis) is None:
        lanes, outer, inner = _product(shape), 1, 1
        left: tuple[int, ...] = (1,) * len(shape) if keep else ()
    else:
        along = _axis("reduce", axis, blocks[0])
        lanes, outer, inner = shape[along], _product(shape[:along]), _product(shape[along + 1 :])
        left = (*shape[:along], *((1,) if keep else ()), *shape[along + 1 :])
    _power_of_two("reduce", lanes, blocks[0])
    values = tuple(reshape(each, outer * lanes, inner) for each in blocks)
    while lanes > 1:
        lanes //= 2
        values = combine(*_pairs(values))
    if not left:
        return _result(tuple(only_lane(reshape(each, 1)) for each in values), input)
    return _result(tuple(reshape(each, *left) for each in values), input)


def associative_scan(input: Any, axis: int, combine_fn: Any, reverse: bool = False) -> Any:
    """What the lanes of `input` up to each one combine to along `axis`, by `combine_fn`.

    `input` and `combine_fn` are as for ``reduce``; the result is as `input`. With `reverse` lanes
    are taken from the last to the first, which then is the earlier of two. The axis must have a
    power of two lanes. Lanes are combined in a tree, of which each level doubles the number of
    lanes that are done.
    """
    blocks = _blocks("associative_scan", input)
    backwards = unwrap(reverse)
    if not isinstance(backwards, bool):
        raise CompileError(
            f"associative_scan: reverse must be a bool, got {backwards!r}", caller_place()
        )
    combine = _combining("associative_scan", combine_fn, blocks)
    shape = blocks[0].shape
    along = _axis("associative_scan", axis, blocks[0])
    lanes, outer, inner = shape[along], _product(shape[:along]), _product(shape[along + 1 :])
    _power_of_two("associative_scan", lanes, blocks[0])
    trace = blocks[0]._trace
    place = tensor(trace, trace.arange(0, lanes, caller_place()))
    places = broadcast_to(reshape(place, 1, lanes, 1), outer, lanes, inner)
    scanned = tuple(reshape(each, outer, lanes, inner) for each in blocks)
    # Runs of `size` lanes are done, and what each combines to is known. Of two such neighbours the
    # one that comes later goes on from what the earlier one combines to.
    totals = tuple(reshape(each, outer * lanes, inner) for each in blocks)
    size = 1
    while size < lanes:
        first, second = _pairs(totals)
        earlier, later = (second, first) if backwards else (first, second)
        runs = outer * lanes // (2 * size)
        carried = tuple(
            reshape(
                broadcast_to(reshape(each, runs, 1, inner), runs, 2 * size, inner),
                outer,
                lanes,
                inner,
            )
            for each in earlier
        )
        goes_on = apply("cmp_eq", apply("bit_and", places, size), 0 if backwards else size)
        scanned = tuple(
            apply("select", goes_on, new, old)
            for new, old in zip(combine(carried, scanned), scanned, strict=True)
        )
        size *= 2
        if size < lanes:
            totals = combine(earlier, later)
    return _result(tuple(reshape(each, *shape) for each in scanned), input)


tensor.reduce = reduce  # type: ignore[attr-defined]
tensor.associative_scan = associative_scan  # type: ignore[attr-defined]
