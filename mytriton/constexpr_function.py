"""``triton.constexpr_function``: Python functions that kernels call on compile-time values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mytriton.errors import CompileError
from mytriton.recording import Kernel, current_recorder
from mytriton.source import caller_place
from mytriton.traced import constexpr, is_tracing, tensor, unwrap


class ConstexprFunction(Kernel):
    """What :func:`constexpr_function` makes of a function. A kernel takes it as it takes kernels:
    as a global variable, or as a constexpr argument."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_tracing():
            current_recorder().note_untraced(self.fn)
            for i, each in enumerate(args):
                self._check(f"argument {i + 1}", each)
            for name, each in kwargs.items():
                self._check(f"argument '{name}'", each)
        given = [_unwrapped(each) for each in args]
        named = {name: _unwrapped(each) for name, each in kwargs.items()}
        return unwrap(self.fn(*given, **named))

    def _check(self, what: str, value: Any) -> None:
        if isinstance(value, list | tuple):
            for each in value:
                self._check(what, each)
        elif isinstance(unwrap(value), tensor):
            name = getattr(self.fn, "__name__", "constexpr_function")
            raise CompileError(
                f"{name}: {what}: a constexpr_function takes values known at compile time, "
                f"got {unwrap(value)!r}",
                caller_place(),
            )

    def __reduce__(self) -> str:
        return str(getattr(self, "__qualname__", ""))

    def __repr__(self) -> str:
        return f"<mytriton.constexpr_function {getattr(self.fn, '__name__', self.fn)}>"


def _unwrapped(value: Any) -> Any:
    """Without constexprs, in lists and tuples too."""
    if type(value) in (list, tuple) and any(isinstance(each, constexpr) for each in value):
        return type(value)(unwrap(each) for each in value)
    return unwrap(value)


def constexpr_function(fn: Callable[..., Any]) -> ConstexprFunction:
    """Decorates a function that kernels call while they are compiled::

        @triton.constexpr_function
        def largest_power(n):
            return max(p for p in (1, 2, 4, 8) if n % p == 0)

    It runs as plain Python - no loop of it is one at run time -, on values known at compile time:
    constexprs come as what they hold, and CompileError names a traced argument. What it returns is
    such a value again. A kernel is compiled anew where global or closure variables that its code
    names have changed. Outside kernels it is the function.
    """
    if not callable(fn):
        raise TypeError(f"constexpr_function: expected a function, got {type(fn).__name__}")
    return ConstexprFunction(fn)
