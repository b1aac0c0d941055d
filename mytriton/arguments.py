"""What the arguments and the grid of a launch may be, and what is said where they are not."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import torch

from mytriton.dtypes import DTYPES, DType, float32, int1, int32, int64
from mytriton.tools.tensor_descriptor import TensorDescriptor


def _host_name(dtype: DType) -> str:
    """Its name in torch and NumPy."""
    return "bool" if dtype is int1 else dtype.language_name


_TORCH_DTYPES: dict[torch.dtype, DType] = {
    getattr(torch, _host_name(each)): each for each in DTYPES.values()
}
_NUMPY_DTYPES = {_host_name(each): each for each in DTYPES.values() if each.ir != "bf16"}

# What is passed for a run-time parameter, as the compiler needs to know it:
# ("tensor", element type in the IR), ("scalar", type in the IR), ("none", "") or
# ("descriptor", element type in the IR, shape of the blocks, padding).
Kind = tuple[Any, ...]


def is_numpy(value: Any) -> bool:
    """Whether it is a NumPy array; NumPy is not imported to find out."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def _tensor_kind(name: str, value: torch.Tensor) -> Kind:
    if value.layout is not torch.strided:
        raise TypeError(f"argument '{name}': expected a dense tensor, got one of {value.layout}")
    if value.is_quantized or value.dtype not in _TORCH_DTYPES:
        expected = ", ".join(str(each) for each in _TORCH_DTYPES)
        raise TypeError(f"argument '{name}': expected a tensor of {expected}; got {value.dtype}")
    if value.device.type not in ("cpu", "cuda"):
        raise TypeError(
            f"argument '{name}': expected a CPU or CUDA tensor, got one on {value.device}"
        )
    return ("tensor", _TORCH_DTYPES[value.dtype].ir)


def _numpy_kind(name: str, value: Any) -> Kind:
    if value.dtype.name not in _NUMPY_DTYPES:
        expected = ", ".join(_NUMPY_DTYPES)
        raise TypeError(f"argument '{name}': expected an array of {expected}; got {value.dtype}")
    return ("tensor", _NUMPY_DTYPES[value.dtype.name].ir)


def _in_graph() -> bool:
    # torch.compile's ints may be symbolic. To compare one is to guard the graph by it, so that
    # range checks are left to the op.
    return torch.compiler.is_dynamo_compiling()


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def kind_of(name: str, value: Any) -> Kind:
    """The kind of a run-time argument. TypeError or OverflowError where a kernel cannot take it."""
    if value is None:  # a constant, of which the op gets nothing
        return ("none", "")
    if isinstance(value, torch.Tensor):
        return _tensor_kind(name, value)
    if is_numpy(value):
        return _numpy_kind(name, value)
    if isinstance(value, bool | torch.SymBool):
        return ("scalar", int1.ir)
    if isinstance(value, int):
        if _in_graph():
            # A constant of the graph has its own width. The import takes most of a second, which
            # torch.compile has spent already.
            from torch.fx.experimental.symbolic_shapes import statically_known_true

            wide = statically_known_true(value >= 2**31) or statically_known_true(value < -(2**31))
            return ("scalar", int64.ir if wide else int32.ir)
        if -(2**31) <= value < 2**31:
            return ("scalar", int32.ir)
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"argument '{name}': expected an int of 64 bits, got {value}")
        return ("scalar", int64.ir)
    if isinstance(value, torch.SymInt):
        return ("scalar", int32.ir)
    if isinstance(value, float | torch.SymFloat):
        return ("scalar", float32.ir)
    if isinstance(value, TensorDescriptor):
        value.check(f"argument '{name}'")
        element = _tensor_kind(f"{name}.base", value.base)[1]
        return ("descriptor", element, tuple(value.block_shape), value.padding)
    raise TypeError(
        f"argument '{name}': expected a tensor, int, float, bool or None, got {_type_name(value)}"
    )


def _type_name_of(dtype: DType) -> str:
    """fp32, bf16, i64, u8, i1: as Triton writes signatures."""
    if dtype is int1:
        return "i1"
    return dtype.name if dtype.is_floating() else dtype.ir


# Types in place of values.
_TYPE_NAMES: dict[str, Kind] = {
    f"*{_type_name_of(each)}": ("tensor", each.ir) for each in DTYPES.values()
} | {_type_name_of(each): ("scalar", each.ir) for each in DTYPES.values()}


def kind_or_type(name: str, value: Any) -> Kind:
    """The kind of a run-time argument, or the kind that a type in its place says.

    Types: ``"*fp32"``, ``"*bf16"``, ``"*u8"``, ``"*i1"``, ... and a torch.dtype for tensors;
    ``"fp32"``, ``"i64"``, ``"i1"``, ... for numbers.
    """
    if isinstance(value, str):
        if value not in _TYPE_NAMES:
            expected = ", ".join(_TYPE_NAMES)
            raise TypeError(f"argument '{name}': expected one of {expected}; got {value!r}")
        return _TYPE_NAMES[value]
    if isinstance(value, torch.dtype):
        if value not in _TORCH_DTYPES:
            expected = ", ".join(str(each) for each in _TORCH_DTYPES)
            raise TypeError(f"argument '{name}': expected one of {expected}; got {value}")
        return ("tensor", _TORCH_DTYPES[value].ir)
    return kind_of(name, value)


def passed(values: Iterable[Any]) -> list[Any]:
    """What the op gets of run-time arguments."""
    given: list[Any] = []
    for value in values:
        if isinstance(value, TensorDescriptor):
            given += value.parts()
        elif value is not None:
            given.append(value)
    return given


def check_devices(arguments: dict[str, Any]) -> None:
    """TypeError unless all tensors are on one device, or all are NumPy arrays."""
    first_name, first = "", ""
    for name, value in arguments.items():
        if isinstance(value, TensorDescriptor):
            value = value.base
        if is_numpy(value):
            where = "a NumPy array"
        elif isinstance(value, torch.Tensor):
            where = f"on {value.device}"
        else:
            continue
        first_name, first = first_name or name, first or where
        if where != first:
            raise TypeError(
                f"argument '{name}': expected a tensor beside '{first_name}', which is {first}; "
                f"got one that is {where}"
            )
    if not first:
        raise TypeError(
            "a launch needs at least one tensor argument, to tell where to run; got none"
        )


def check_grid(grid: Any) -> tuple[int, int, int]:
    """The grid as three sizes. An axis of 0 is allowed: nothing runs."""
    sizes = grid if isinstance(grid, tuple | list) else (grid,)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"grid: expected 1 to 3 sizes, got {len(sizes)}: {grid!r}")
    for axis, size in enumerate(sizes):
        if isinstance(size, bool) or not isinstance(size, int | torch.SymInt):
            kind = type(size).__name__
            raise TypeError(f"grid axis {axis}: expected an int, got {kind}: {size!r}")
        if isinstance(size, int) and not (_in_graph() or 0 <= size < 2**31):
            raise ValueError(f"grid axis {axis}: expected 0 to 2147483647, got {size}")
    padded = (*sizes, 1, 1)
    return (padded[0], padded[1], padded[2])
