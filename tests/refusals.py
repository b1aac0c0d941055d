"""Launches that must fail: what was raised, and that nothing was written to any argument."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mytriton


def contents(value: Any) -> bytes | None:
    """The bytes of what a launch could write to; None for anything else."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, torch.Tensor) and value.layout == torch.strided and value.is_cpu:
        storage = value.untyped_storage()
        return bytes(storage.tolist())
    return None


def refusal(
    error: type[Exception],
    kernel: mytriton.JITFunction,
    *args: Any,
    grid: Any = 1,
    **kwargs: Any,
) -> Exception:
    """The exception of a launch, twice: the second one finds what the first left in the caches."""
    given = [*args, *kwargs.values()]
    before = [contents(value) for value in given]
    for _ in range(2):
        with pytest.raises(error) as raised:
            kernel[grid](*args, **kwargs)
        assert raised.type is error
        assert [contents(value) for value in given] == before, "a refused launch wrote something"
    return raised.value


def mistake(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """What the CompileError of a function says, which is on a line of it that ends in ``# wrong``.

    The launch is refused.
    """
    error = refusal(mytriton.CompileError, mytriton.jit(fn), *args, **kwargs)
    assert isinstance(error, mytriton.CompileError) and error.place is not None
    line = linecache.getline(error.place[0], error.place[1])
    assert line.rstrip().endswith("# wrong"), str(error)
    return error.message
