"""``triton.Config`` and ``triton.heuristics``: where meta-parameters come from."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from mytriton.compiled import CompiledKernel
from mytriton.runtime.jit import KernelInterface

__all__ = ["Config", "Heuristics", "heuristics"]


class Config:
    """One choice of meta-parameters and options of a kernel.

    `kwargs`: values of constexpr parameters by name. The rest are options of a launch;
    `pre_hook` is called with the arguments before one. A plain record: equal where its fields are.
    """

    def __init__(
        self,
        kwargs: dict[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[..., Any] | None = None,
        ir_override: str | None = None,
    ) -> None:
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def _options(self) -> dict[str, Any]:
        names = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")
        return {name: getattr(self, name) for name in names}

    def all_kwargs(self) -> dict[str, Any]:
        """The meta-parameters and those options that are not None, by name."""
        return self.kwargs | {k: v for k, v in self._options().items() if v is not None}

    def __str__(self) -> str:
        return ", ".join(f"{k}: {v}" for k, v in (self.kwargs | self._options()).items())

    def __repr__(self) -> str:
        return f"Config({self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((*self.kwargs.items(), *self._options().values(), self.pre_hook))


class Heuristics(KernelInterface[Any]):
    """A kernel some of whose arguments are computed from the others at each launch."""

    def __init__(self, fn: Any, values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.values = dict(values)
        self.arg_names = list(inspect.signature(fn).parameters)

    def _with_values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        for name, value in self.values.items():
            given = dict(zip(self.arg_names, args, strict=False)) | kwargs
            kwargs = kwargs | {name: value(given)}
        return kwargs

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        if warmup:
            return self.compile(*args, **kwargs)
        return self.fn[grid](*args, **self._with_values(args, kwargs))

    def compile(self, *args: Any, **kwargs: Any) -> CompiledKernel:
        """Compiles without running, as the kernel's own ``compile``."""
        compiled: CompiledKernel = self.fn.compile(*args, **self._with_values(args, kwargs))
        return compiled

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """The kernel's own ``explain``."""
        return self.compile(*args, **kwargs).explain()

    def clear_cache(self) -> None:
        """Forgets every specialisation."""
        self.fn.clear_cache()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Inside another kernel: a call of the kernel, without the heuristics."""
        return self.fn(*args, **kwargs)

    def __reduce__(self) -> Any:
        return self.fn.__reduce__()  # by name, which is this object's too

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
