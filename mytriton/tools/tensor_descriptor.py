"""``triton.tools.tensor_descriptor``: tensors as kernels take them by blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["TensorDescriptor"]

_MAX_RANK = 5


@dataclass
class TensorDescriptor:
    """A tensor with the shape of its blocks: an argument that is a ``tl.tensor_descriptor`` in the
    kernel.

    `base`: a tensor, whose first element is the descriptor's. `shape` and `strides` (in elements):
    ints, one an axis, 1 to 5 of them; the last stride is 1. `block_shape`: ints, which are part of
    what a kernel is compiled for. `padding`: ``"zero"``, or ``"nan"`` for floats: what is read out
    of range. `round_f32_to_tf32` changes nothing. Attributes may be assigned to; a launch checks
    them again. ValueError and TypeError where they do not fit.
    """

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self) -> None:
        self.check("TensorDescriptor")

    @staticmethod
    def from_tensor(
        tensor: Any,
        block_shape: Sequence[int],
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
    ) -> TensorDescriptor:
        """The descriptor of a whole tensor: of its shape and strides."""
        shape, strides = tensor.shape, tensor.stride()
        return TensorDescriptor(tensor, shape, strides, block_shape, padding, round_f32_to_tf32)

    def check(self, what: str) -> None:
        """ValueError or TypeError where the parts do not fit; `what` names it."""
        if not isinstance(self.base, torch.Tensor):
            got = type(self.base).__name__
            raise TypeError(f"{what}: base: expected a tensor, got {got}")
        rank = len(self.shape)
        if not 1 <= rank <= _MAX_RANK:
            raise ValueError(f"{what}: shape: expected 1 to {_MAX_RANK} sizes, got {rank}")
        for name in ("strides", "block_shape"):
            count = len(getattr(self, name))
            if count != rank:
                raise ValueError(f"{what}: {name}: expected {rank}, one an axis; got {count}")
        if self.strides[-1] != 1:
            raise ValueError(f"{what}: strides: expected 1 as the last, got {self.strides[-1]}")
        for size in self.block_shape:
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise ValueError(f"{what}: block_shape: expected positive ints, got {size!r}")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f"{what}: padding: expected 'zero' or 'nan', got {self.padding!r}")
        if self.padding == "nan" and not self.base.dtype.is_floating_point:
            raise ValueError(f"{what}: padding 'nan' is for floats, got {self.base.dtype}")

    def parts(self) -> list[Any]:
        """What a launch passes: the tensor, its sizes, and all strides but the last."""
        return [self.base, *map(int, self.shape), *map(int, self.strides[:-1])]
