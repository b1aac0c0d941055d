"""The type that an elementwise function computes in: torch's promotion of all its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

# What is known of an input while types are chosen: ("tensor", dtype), ("scalar", dtype) for a
# tensor without dimensions, ("number", "bool", "int" or "float"), None for an input that is None.
InputKind = tuple[str, Any] | None
_NUMBERS: dict[Any, torch.dtype] = {"bool": torch.bool, "int": torch.int64}


def kind_of_input(value: Any) -> InputKind:
    if isinstance(value, torch.Tensor):
        return ("tensor" if value.ndim else "scalar", value.dtype)
    if value is None:
        return None
    if isinstance(value, bool | torch.SymBool):
        return ("number", "bool")
    return ("number", "int" if isinstance(value, int | torch.SymInt) else "float")


def common_dtype(kinds: Sequence[InputKind]) -> torch.dtype:
    """As ``torch.result_type``, of any number of inputs: a tensor without dimensions counts only
    where its category (bool, int, float) is above that of those with; a number likewise."""
    found: dict[str, torch.dtype] = {}
    for kind in kinds:
        if kind is not None:
            what, dtype = kind
            if what == "number":
                dtype = _NUMBERS.get(dtype) or torch.get_default_dtype()
            found[what] = torch.promote_types(found[what], dtype) if what in found else dtype
    result: torch.dtype | None = None
    for what in ("number", "scalar", "tensor"):
        result = _combined(found.get(what), result)
    assert result is not None
    return result


def _combined(higher: torch.dtype | None, lower: torch.dtype | None) -> torch.dtype | None:
    if higher is None or lower is None:
        return higher or lower
    if higher.is_floating_point or higher is lower:
        return higher
    if higher is torch.bool or lower.is_floating_point:
        return torch.promote_types(higher, lower)
    return higher
