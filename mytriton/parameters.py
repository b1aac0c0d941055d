"""A kernel's parameters, and from a launch's arguments to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from mytriton.reads import Identity
from mytriton.traced import constexpr, unwrap


def _is_constexpr(annotation: Any) -> bool:
    if isinstance(annotation, str):  # from __future__ import annotations
        return annotation.rpartition(".")[2] == "constexpr"
    return annotation is constexpr


def _annotation(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    if isinstance(annotation, str):
        return annotation.removeprefix("tl.")
    return str(getattr(annotation, "__name__", annotation))


class Parameter:
    """One parameter of a kernel: an element of ``kernel.params``.

    `num` counts from 0; `name`, `is_constexpr`, `has_default`; `default`, without one
    ``inspect.Parameter.empty``; `annotation`, a name such as "constexpr", without one "";
    `do_not_specialize`, as ``@jit`` was told. `by_position` and `by_name`: how it may be given.
    """

    def __init__(self, num: int, parameter: inspect.Parameter, told: Collection[int | str]) -> None:
        self.num = num
        self.name = parameter.name
        self.is_constexpr = _is_constexpr(parameter.annotation)
        self.default = unwrap(parameter.default)
        self.has_default = self.default is not inspect.Parameter.empty
        self.annotation = "constexpr" if self.is_constexpr else _annotation(parameter.annotation)
        self.do_not_specialize = num in told or parameter.name in told
        self.by_position = parameter.kind is not parameter.KEYWORD_ONLY
        self.by_name = parameter.kind is not parameter.POSITIONAL_ONLY

    def for_binding(self) -> tuple[Any, ...]:
        """As the launch path in C takes it; its mark of a missing default is `...`."""
        default = self.default if self.has_default else ...
        return (self.name, self.is_constexpr, self.by_position, self.by_name, default)

    def __repr__(self) -> str:
        return f"<parameter {self.num} {self.name}>"


def parameters_of(
    name: str, fn: Callable[..., Any], do_not_specialize: Collection[int | str] = ()
) -> list[Parameter]:
    parameters = []
    for num, parameter in enumerate(inspect.signature(fn).parameters.values()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{name}: a kernel has a fixed list of parameters; got '{parameter}'")
        parameters.append(Parameter(num, parameter, do_not_specialize))
    return parameters


def signature_of(fn: Any) -> tuple[Any, ...]:
    """What a function's parameters and their defaults are made of; it may be assigned to."""
    parts = [getattr(fn, name, None) for name in ("__code__", "__defaults__")]
    by_name = getattr(fn, "__kwdefaults__", None) or {}
    return tuple(Identity(each) for each in (*parts, *by_name, *by_name.values()))


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


def _word(name: str, value: Any, word: str) -> None:
    if value is not None and value != word:
        raise ValueError(f"option '{name}': expected {word!r} or None, got {value!r}")


# Keywords of a launch that are no parameters. num_warps, layout and accuracy shape the CUDA text;
# Triton's others are checked, and change nothing.
OPTIONS: dict[str, Callable[[str, Any], None]] = {
    "layout": lambda name, value: _word(name, value, "lane"),
    "accuracy": lambda name, value: _word(name, value, "fast"),
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


class Options(NamedTuple):
    """What a launch asks of CUDA text: `num_warps`, 0 where it does not say, whether the layout is
    to be one lane a thread, and whether float32 functions may be approximations."""

    num_warps: int = 0
    lane_layout: bool = False
    fast: bool = False


def options_of(parameters: list[Parameter], kwargs: dict[str, Any]) -> Options:
    """The options among a launch's keywords, which ``bind`` has checked."""
    taken = {p.name for p in parameters if p.by_name}
    given = {name: unwrap(value) for name, value in kwargs.items() if name not in taken}
    asked = (given.get(name) is not None for name in ("layout", "accuracy"))
    return Options(given.get("num_warps") or 0, *asked)


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
        if parameter.name not in given and not parameter.has_default:
            raise TypeError(f"{kernel}: argument '{parameter.name}' is missing")
        bound[parameter.name] = unwrap(given.get(parameter.name, parameter.default))
    return bound
