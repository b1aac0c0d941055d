"""``triton.heuristics``, and what it and ``triton.autotune`` make of kernels."""

from __future__ import annotations

import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from mytriton.compiled import CompiledKernel
from mytriton.runtime.jit import KernelInterface

__all__ = ["Decorated", "Heuristics", "heuristics"]


class Decorated(KernelInterface[Any]):
    """A kernel some of whose arguments a decorator supplies. `fn` is the kernel as it was, which
    may be decorated too."""

    def __init__(self, fn: Any) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.name: str = getattr(fn, "__name__", type(fn).__name__)
        parameters = inspect.signature(fn).parameters.values()
        self.arg_names = [each.name for each in parameters]
        self._defaults = {p.name: p.default for p in parameters if p.default is not p.empty}

    @abstractmethod
    def _supplied(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name of a call, with those that the decorator supplies."""

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        return dict(zip(self.arg_names, args, strict=False)) | kwargs

    def compile(self, *args: Any, **kwargs: Any) -> CompiledKernel:
        """Compiles without running, as the kernel's own ``compile``."""
        compiled: CompiledKernel = self.fn.compile(*args, **self._supplied(args, kwargs))
        return compiled

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """The kernel's own ``explain``."""
        return self.compile(*args, **kwargs).explain()

    def clear_cache(self) -> None:
        """Forgets every specialisation."""
        self.fn.clear_cache()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Inside another kernel: a call of the kernel, to which nothing is supplied."""
        return self.fn(*args, **kwargs)

    def __reduce__(self) -> Any:
        return self.fn.__reduce__()  # by name, which is this object's too


class Heuristics(Decorated):
    """A kernel some of whose arguments are computed from the others at each launch."""

    def __init__(self, fn: Any, values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None:
        super().__init__(fn)
        self.values = dict(values)

    def _supplied(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        for name, value in self.values.items():
            kwargs = kwargs | {name: value(self._named(args, kwargs))}
        return kwargs

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        supplied = self._supplied(args, kwargs)
        if warmup:
            return self.fn.warmup(*args, grid=grid, **supplied)
        return self.fn[grid](*args, **supplied)

    def __repr__(self) -> str:
        return f"<mytriton.heuristics {', '.join(self.values)} of {self.fn!r}>"


def heuristics(
    values: Mapping[str, Callable[[dict[str, Any]], Any]],
) -> Callable[[Any], Heuristics]:
    """Decorates a kernel: arguments, by name, that a function computes from the others.

    Each function gets a dict of the arguments of the launch by name - without defaults, with what
    earlier functions gave - and returns the value, which replaces one given by name::

        @triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
        @triton.jit
        def kernel(x, n, BLOCK: tl.constexpr): ...
    """
    for name, value in values.items():
        if not callable(value):
            raise TypeError(
                f"heuristics: expected a function for '{name}', got {type(value).__name__}"
            )

    def decorate(fn: Any) -> Heuristics:
        if not isinstance(fn, KernelInterface):
            raise TypeError(f"heuristics: expected a kernel, got {type(fn).__name__}")
        return Heuristics(fn, values)

    return decorate
