"""``triton.tools.tensor_descriptor``: a class to import, which cannot be used yet."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["TensorDescriptor"]


class TensorDescriptor:
    """A tensor with the shape of its blocks, to be passed to a kernel: not supported yet.

    Making one raises NotImplementedError.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _not_supported()

    @staticmethod
    def from_tensor(tensor: Any, block_shape: Any, *args: Any, **kwargs: Any) -> NoReturn:
        """NotImplementedError."""
        _not_supported()


def _not_supported() -> NoReturn:
    raise NotImplementedError(
        "TensorDescriptor: tensor descriptors are not supported yet; pass the tensor, its sizes "
        "and its strides to the kernel, and load through pointers"
    )
