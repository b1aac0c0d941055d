"""``triton.runtime.jit``: the class of kernels, and what is like one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from mytriton.constexpr_function import constexpr_function
from mytriton.jit import JITFunction, jit

__all__ = ["JITFunction", "KernelInterface", "constexpr_function", "jit"]

T = TypeVar("T")


class KernelInterface(ABC, Generic[T]):
    """What is launched as ``kernel[grid](*args, **kwargs)``: kernels, and what decorators make of
    them.

    A subclass has a method ``run``; its ``kernel[grid](...)`` is
    ``run(..., grid=grid, warmup=False)``.
    """

    @abstractmethod
    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        """Launches, or with `warmup` only compiles."""

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        def launch(*args: Any, **kwargs: Any) -> Any:
            return self.run(*args, grid=grid, warmup=False, **kwargs)

        return launch

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any:
        """Compiles for these arguments, or types in their places; nothing runs."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)


KernelInterface.register(JITFunction)
