"""Constexpr arguments: which values they may be, and how they are compared."""

from __future__ import annotations

import enum
import functools
from types import BuiltinFunctionType, CellType, FunctionType, MethodType
from typing import Any

import torch

from mytriton.dtypes import DType
from mytriton.libraries import is_library
from mytriton.reads import Identity, value_key
from mytriton.recording import Kernel
from mytriton.traced import constexpr

_EXPECTED = "a bool, int, float, str, None, dtype, enum, function, or a tuple of these"


def constexpr_key(name: str, value: Any) -> Any:
    """The value as part of the artifact key: with its type, floats by their bits.

    Functions equal one another where they have the same code, globals and values in their closures,
    so that a lambda made for each launch is compiled once.
    """
    kind = type(value)
    if value is None or kind in (bool, int, str) or isinstance(value, enum.Enum):
        return value_key(value)
    if isinstance(value, int | float | str) and kind.__module__ != "numpy":
        return value_key(value)
    if isinstance(value, constexpr):  # in a tuple
        return constexpr_key(name, value.value)
    if isinstance(value, DType | torch.dtype | BuiltinFunctionType):
        return (kind, value)
    if isinstance(value, tuple):
        return (kind, tuple(constexpr_key(name, each) for each in value))
    if isinstance(value, Kernel):
        return Identity(value)
    if isinstance(value, FunctionType):
        return _function_key(value, ())
    if isinstance(value, MethodType):
        return (kind, _function_key(value.__func__, ()), Identity(value.__self__))
    if isinstance(value, functools.partial):
        values = (*value.args, *value.keywords.values())
        keys = tuple(constexpr_key(name, each) for each in (value.func, *values))
        return (kind, keys, tuple(value.keywords))
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    got = f"{module}{kind.__qualname__}"
    if isinstance(value, torch.Tensor) or kind.__module__ == "numpy":
        got += "; a number of it is its .item()"
    raise TypeError(f"constexpr argument '{name}': expected {_EXPECTED}; got {got}")


def _function_key(fn: Any, outer: tuple[int, ...]) -> Any:
    if not isinstance(fn, FunctionType) or id(fn) in outer or is_library(fn.__globals__):
        return Identity(fn)
    defaults = (fn.__defaults__, fn.__kwdefaults__)
    contents = tuple(_cell_key(each, (*outer, id(fn))) for each in fn.__closure__ or ())
    return (FunctionType, fn.__code__, Identity(fn.__globals__), value_key(defaults), contents)


def _cell_key(cell: CellType, outer: tuple[int, ...]) -> Any:
    try:
        value = cell.cell_contents
    except ValueError:
        return None
    if isinstance(value, FunctionType):
        return _function_key(value, outer)
    return value_key(value)


def is_itself(value: Any) -> bool:
    """Whether the same object means the same constexpr for ever, as the launch path in C assumes.
    (A function's code and closure may change.)"""
    if isinstance(value, tuple):
        return all(is_itself(each) for each in value)
    if isinstance(value, FunctionType):
        return is_library(value.__globals__)
    plain = bool | int | float | str | DType | torch.dtype | enum.Enum | BuiltinFunctionType
    return value is None or isinstance(value, plain | Kernel)
