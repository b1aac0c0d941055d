"""A kernel's parameters, and from a launch's arguments to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from mytriton.traced import constexpr, unwrap


def _is_constexpr(annotation: Any) -> bool:
    if isinstance(annotation, str):  # from __future__ import annotations
        return annotation.rpartition(".")[2] == "constexpr"
    return annotation is constexpr


class Parameter:
    """One parameter of a kernel: its name, whether it is a constexpr, its default, and how it may
    be given."""

    def __init__(self, parameter: inspect.Parameter) -> None:
        self.name = parameter.name
        self.is_constexpr = _is_constexpr(parameter.annotation)
        self.default = unwrap(parameter.default)
        self.by_position = parameter.kind is not parameter.KEYWORD_ONLY
        self.by_name = parameter.kind is not parameter.POSITIONAL_ONLY

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty


def parameters_of(name: str, fn: Callable[..., Any]) -> list[Parameter]:
    parameters = []
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{name}: a kernel has a fixed list of parameters; got '{parameter}'")
        parameters.append(Parameter(parameter))
    return parameters


# --- options of a launch -------------------------------------------------------------------------


def _power_of_two(name: str, value: Any, limit: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"option '{name}': expected an int, got {type(value).__name__}")
    if not (1 <= value <= limit and value & (value - 1) == 0):
        raise ValueError(f"option '{name}': expected a power of two, 1 to {limit}; got {value}")


def _at_least(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"option '{name}': expected an int, got {type(value).__name__}")
    if value < least:
        raise ValueError(f"option '{name}': expected at least {least}, got {value}")


def _flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"option '{name}': expected a bool, got {type(value).__name__}")


# Keywords of a launch that are no parameters: Triton's. They are checked, and change nothing.
OPTIONS: dict[str, Callable[[str, Any], None]] = {
    "num_warps": lambda name, value: _power_of_two(name, value, 32),
    "num_ctas": lambda name, value: _power_of_two(name, value, 16),
    "num_stages": lambda name, value: _at_least(name, value, 0),
    "maxnreg": lambda name, value: None if value is None else _at_least(name, value, 1),
    "launch_pdl": _flag,
    "launch_cooperative_grid": _flag,
}


def _indices(name: str, value: Any) -> None:
    if isinstance(value, str) or not all(type(each) in (int, str) for each in value):
        raise TypeError(f"jit: {name}: expected names or indices of parameters, got {value!r}")


def _callable(name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"jit: {name}: expected a function, got {type(value).__name__}")


_JIT_OPTIONS: dict[str, Callable[[str, Any], Any]] = {
    "do_not_specialize": _indices,
    "do_not_specialize_on_alignment": _indices,
    "debug": _flag,
    "noinline": _flag,
    "repr": _callable,
    "launch_metadata": _callable,
    "version": lambda name, value: None,
}


def check_jit_options(options: dict[str, Any]) -> None:
    """TypeError for what ``@mytriton.jit(...)`` does not take."""
    for name, value in options.items():
        if name not in _JIT_OPTIONS:
            expected = ", ".join(_JIT_OPTIONS)
            raise TypeError(f"jit: unexpected option '{name}'; the options are {expected}")
        if value is not None:
            _JIT_OPTIONS[name](name, value)


def bind(
    kernel: str, parameters: list[Parameter], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Parameter name -> argument, in the order of the parameters. Options are left out."""
    by_position = [p for p in parameters if p.by_position]
    if len(args) > len(by_position):
        raise TypeError(
            f"{kernel}: expected at most {len(by_position)} arguments by position, got {len(args)}"
        )
    given = {p.name: arg for p, arg in zip(by_position, args, strict=False)}
    by_name = [p.name for p in parameters if p.by_name]
    for name, value in kwargs.items():
        if name not in by_name:
            if name in OPTIONS:
                OPTIONS[name](name, unwrap(value))
                continue
            expected = ", ".join(by_name)
            raise TypeError(
                f"{kernel}: unexpected argument '{name}'; the parameters are {expected}"
            )
        if name in given:
            raise TypeError(f"{kernel}: argument '{name}' is given twice")
        given[name] = value
    bound = {}
    for parameter in parameters:
        if parameter.name not in given and parameter.required:
            raise TypeError(f"{kernel}: argument '{parameter.name}' is missing")
        bound[parameter.name] = unwrap(given.get(parameter.name, parameter.default))
    return bound
