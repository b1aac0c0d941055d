"""Shapes and strides: how inputs broadcast, and how outputs lie in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._prims_common import compute_elementwise_output_strides


def broadcast_shape(
    function: str, names: Sequence[str], tensors: Sequence[torch.Tensor]
) -> tuple[int, ...]:
    """The shape that all of them broadcast to. ValueError names the two that do not fit."""
    shape: tuple[int, ...] = tuple(tensors[0].shape)
    for i, each in enumerate(tensors):
        if each.ndim != len(shape) or each.shape != shape:
            try:
                shape = tuple(torch.broadcast_shapes(shape, each.shape))
            except RuntimeError:
                raise _mismatch(function, names[: i + 1], tensors[: i + 1]) from None
    return shape


def _mismatch(function: str, names: Sequence[str], tensors: Sequence[torch.Tensor]) -> ValueError:
    """The last one does not fit; which of those before does it clash with?"""
    last = tensors[-1]
    which = len(tensors) - 2
    for i, each in enumerate(tensors[:-1]):
        pairs = zip(reversed(each.shape), reversed(last.shape), strict=False)
        if any(a != b and a != 1 and b != 1 for a, b in pairs):
            which = i
    first, second = (
        f"'{name}' of shape {tuple(each.shape)}"
        for name, each in ((names[which], tensors[which]), (names[-1], last))
    )
    return ValueError(f"{function}: {first} and {second} do not broadcast to one shape")


def output_strides(shape: Sequence[int], tensors: Sequence[torch.Tensor]) -> tuple[int, ...]:
    """The strides that torch's own pointwise ops give a new output."""
    expanded = [each.expand(shape) for each in tensors]
    if len(shape) < 2 or not expanded:
        return (1,) * len(shape)
    return tuple(compute_elementwise_output_strides(*expanded))


def overlaps(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether they may share memory, other than as the very same elements."""
    if a.untyped_storage()._cdata != b.untyped_storage()._cdata:
        return False
    same: Any = a.data_ptr() == b.data_ptr() and a.dtype == b.dtype
    return not (same and a.shape == b.shape and a.stride() == b.stride())
