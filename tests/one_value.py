"""Launches of kernels that store one number, and what they run in Python."""

import sys
from collections.abc import Callable
from typing import Any

import torch


def result(kernel: Any, *args: Any, **kwargs: Any) -> float:
    """What becomes of 1.0; launched twice, as the second launch may go another way."""
    values = []
    for _ in range(2):
        x = torch.ones(1)
        kernel[1](x, *args, **kwargs)
        values.append(x.item())
    assert values[0] == values[1]
    return values[0]


def compiled(kernel: Any) -> Any:
    return kernel[1](torch.ones(1))


def python_calls(launch: Callable[[], Any]) -> list[str]:
    calls: list[str] = []
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name))
    try:
        launch()
    finally:
        sys.setprofile(None)
    return calls
