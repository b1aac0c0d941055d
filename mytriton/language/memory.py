"""Loads, stores and atomics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mytriton import _C
from mytriton.errors import CompileError
from mytriton.language import block_pointers
from mytriton.source import Place, caller_place
from mytriton.traced import current_trace, node_of, tensor, unwrap

Attrs = list[tuple[str, str]]


def _word(function: str, argument: str, value: Any, words: list[str], place: Place | None) -> str:
    if value not in words:
        expected = ", ".join(repr(word) for word in words)
        raise CompileError(
            f"{function}: {argument} must be one of {expected}; got {value!r}", place
        )
    return str(value)


def _cache_attrs(
    function: str,
    cache_modifier: Any,
    eviction_policy: Any,
    volatile: Any,
    modifiers: list[str],
    place: Place | None,
) -> Attrs:
    attrs: Attrs = []
    modifier, policy, is_volatile = map(unwrap, (cache_modifier, eviction_policy, volatile))
    if modifier:
        attrs += [("cache", _word(function, "cache_modifier", modifier, modifiers, place)[1:])]
    if policy and policy != "evict_normal":
        words = ["evict_normal", "evict_first", "evict_last"]
        attrs += [("evict", _word(function, "eviction_policy", policy, words, place))]
    if is_volatile:
        attrs += [("volatile", "1")]
    return attrs


def load(
    pointer: tensor,
    mask: Any = None,
    other: Any = None,
    boundary_check: Any = (),
    padding_option: str = "",
    cache_modifier: str = "",
    eviction_policy: str = "",
    volatile: bool = False,
) -> tensor:
    """The pointed-to values. Lanes where `mask` is false touch no memory and take `other`, or 0.

    Shapes: those of `pointer`, with scalar masks and fallbacks stretched. `mask` must be bool.
    Of a block pointer the block; in the axes of `boundary_check`, a tuple of ints, what is out of
    range touches no memory and gives 0, or NaN with ``padding_option="nan"`` (floats only).
    `mask` and `other` are then refused, as are those two otherwise.
    `cache_modifier` (``".ca"``, ``".cg"``, ``".cs"``, ``".cv"``), `eviction_policy`
    (``"evict_first"``, ``"evict_last"``) and `volatile` show in CUDA text; the CPU needs none.
    """
    trace = current_trace("load")
    place = caller_place()
    modifiers = [".ca", ".cg", ".cs", ".cv"]
    attrs = _cache_attrs("load", cache_modifier, eviction_policy, volatile, modifiers, place)
    if isinstance(unwrap(pointer), block_pointers.BlockPointer):
        block, given = unwrap(pointer), {"mask": mask, "other": other}
        padding = block_pointers.padding_value("load", padding_option, block.dtype.element_ty)
        pointer, mask = block_pointers.access("load", block, given, boundary_check)
        other = None if mask is None else padding
    else:
        block_pointers.refuse_options("load", boundary_check, padding_option)
    at = node_of(trace, pointer, place, "load: pointer")
    on = None if mask is None else node_of(trace, mask, place, "load: mask")
    fallback = None if other is None else node_of(trace, other, place, "load: other")
    return tensor(trace, trace.load(at, on, fallback, attrs, place))


def store(
    pointer: tensor,
    value: Any,
    mask: Any = None,
    boundary_check: Any = (),
    cache_modifier: str = "",
    eviction_policy: str = "",
) -> None:
    """Writes `value`, cast to the pointed-to type, where `mask` holds; other lanes do nothing.

    To a block pointer goes a scalar, or a block of its shape; what is out of range in the axes of
    `boundary_check` is not written, and `mask` is refused.
    `cache_modifier`: ``".wb"``, ``".cg"``, ``".cs"`` or ``".wt"``, for CUDA text. `eviction_policy`
    is checked and changes nothing.
    """
    trace = current_trace("store")
    place = caller_place()
    modifiers = [".wb", ".cg", ".cs", ".wt"]
    attrs = _cache_attrs("store", cache_modifier, eviction_policy, False, modifiers, place)
    if isinstance(unwrap(pointer), block_pointers.BlockPointer):
        block = unwrap(pointer)
        value = block_pointers.block_value("store", value, block.layout.block_shape)
        pointer, mask = block_pointers.access("store", block, {"mask": mask}, boundary_check)
    else:
        block_pointers.refuse_options("store", boundary_check, "")
    at = node_of(trace, pointer, place, "store: pointer")
    stored = node_of(trace, value, place, "store: value")
    on = None if mask is None else node_of(trace, mask, place, "store: mask")
    trace.store(at, stored, on, attrs, place)


def _order_attrs(function: str, sem: Any, scope: Any, place: Place | None) -> Attrs:
    sem, scope = unwrap(sem) or "acq_rel", unwrap(scope) or "gpu"
    return [
        ("sem", _word(function, "sem", sem, _C.attr_words("sem"), place)),
        ("scope", _word(function, "scope", scope, _C.attr_words("scope"), place)),
    ]


def _atomic(rmw: str, what: str) -> Callable[..., tensor]:
    name = f"atomic_{rmw}"

    def function(
        pointer: tensor, val: Any, mask: Any = None, sem: Any = None, scope: Any = None
    ) -> tensor:
        trace = current_trace(name)
        place = caller_place()
        attrs = [("rmw", rmw), *_order_attrs(name, sem, scope, place)]
        at = node_of(trace, pointer, place, f"{name}: pointer")
        value = node_of(trace, val, place, f"{name}: val")
        on = None if mask is None else node_of(trace, mask, place, f"{name}: mask")
        return tensor(trace, trace.atomic_rmw(at, value, on, attrs, place))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Atomically {what}; gives what was there before.

    `val` is cast to the pointed-to type. Lanes where `mask` is false touch no memory and give 0.
    `sem`: ``"relaxed"``, ``"acquire"``, ``"release"`` or ``"acq_rel"`` (the default). `scope`:
    ``"cta"``, ``"gpu"`` (the default) or ``"sys"``. On the CPU all are sequentially consistent;
    lanes of one program go in ascending order.
    """
    return function


atomic_add = _atomic("add", "adds `val` (a float, or an int of 32 or 64 bits; ints wrap)")
atomic_max = _atomic("max", "keeps the larger (32 or 64 bits); of floats as ``tl.maximum``")
atomic_min = _atomic("min", "keeps the smaller (32 or 64 bits); of floats as ``tl.minimum``")
atomic_and = _atomic("and", "does a bitwise and (an int of 32 or 64 bits)")
atomic_or = _atomic("or", "does a bitwise or (an int of 32 or 64 bits)")
atomic_xor = _atomic("xor", "does a bitwise exclusive or (an int of 32 or 64 bits)")
atomic_xchg = _atomic("xchg", "writes `val` (a type of 32 or 64 bits)")


def atomic_cas(pointer: tensor, cmp: Any, val: Any, sem: Any = None, scope: Any = None) -> tensor:
    """Atomically writes `val` where the pointed-to bits are those of `cmp`; gives what was there.

    Types of 16, 32 and 64 bits. Comparing bits finds a NaN, and tells -0.0 from 0.0. `sem` and
    `scope` as for ``tl.atomic_add``.
    """
    trace = current_trace("atomic_cas")
    place = caller_place()
    attrs = _order_attrs("atomic_cas", sem, scope, place)
    at = node_of(trace, pointer, place, "atomic_cas: pointer")
    compare = node_of(trace, cmp, place, "atomic_cas: cmp")
    value = node_of(trace, val, place, "atomic_cas: val")
    return tensor(trace, trace.atomic_cas(at, compare, value, attrs, place))
