"""torch.library.opcheck of every op that a gradient of an elementwise function calls."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from elementwise_functions import gated, leaky, opaque_leaky
from torch.utils._python_dispatch import TorchDispatchMode

import mytriton
import mytriton.language as tl


def cube_backward(x, flow, SCALE):
    return 3 * SCALE * x * x * flow


@mytriton.elementwise(backward=cube_backward)
def cube(x, SCALE: tl.constexpr = 2.0):
    return SCALE * x * x * x


def parts_backward(x, y, of_sum, of_product):
    return of_sum + y * of_product, of_sum + x * of_product


@mytriton.elementwise(backward=parts_backward)
def parts(x, y):
    return x + y, x * y


@mytriton.elementwise
def sum_of_six(a, b, c, d, e, f):
    return a * b + c * d + e * f


class Recorder(TorchDispatchMode):
    """Keeps the calls of our ops."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace == "mytriton":
            self.calls.append((func, args, kwargs or {}))
        return func(*args, **kwargs or {})


def leaves(*shapes: tuple[int, ...], dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


X, Y, ROW = leaves((4, 6), (4, 6), (6,))
COLUMN = torch.randn(4, 1)
(WIDE,) = leaves((4, 6), dtype=torch.float64)
(HALF,) = leaves((6, 4), dtype=torch.bfloat16)

CALLS: dict[str, Callable[[], torch.Tensor]] = {
    "inputs that broadcast": lambda: gated(X, COLUMN, ROW),
    "inputs of several dtypes and strides": lambda: gated(WIDE, HALF.t(), ROW),
    "one output of two": lambda: leaky(X, 0.25)[0],
    "opaque, with options": lambda: opaque_leaky(X, 0.25, POWER=2)[0],
    "a backward of the user, with options": lambda: cube(X, SCALE=3.0),
    "a backward of the user, of an output that nobody used": lambda: parts(X, ROW)[1],
    "more inputs than there are choices for": lambda: sum_of_six(
        X, Y, Y, X, X, COLUMN.expand(4, 6).clone()
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_opcheck_of_gradients(call: str) -> None:
    made = CALLS[call]()
    wanted = [each for each in (X, Y, ROW, WIDE, HALF) if reaches(made, each)]
    with Recorder() as first:
        found = torch.autograd.grad(made.float().square().sum(), wanted, create_graph=True)
    assert len(first.calls) == 1  # one kernel
    with Recorder() as second:
        torch.autograd.grad(sum(each.square().sum() for each in found), wanted)
    assert second.calls
    check(first.calls[0], requires_grad=True)
    check(second.calls[0], requires_grad=False)


def check(call: tuple[Any, tuple[Any, ...], dict[str, Any]], requires_grad: bool) -> None:
    op, args, kwargs = call
    given = tuple(
        each.detach().clone().requires_grad_(requires_grad)
        if isinstance(each, torch.Tensor)
        else each
        for each in args
    )
    torch.library.opcheck(op, given, kwargs)


def reaches(made: torch.Tensor, leaf: torch.Tensor) -> bool:
    (found,) = torch.autograd.grad(made.sum(), [leaf], allow_unused=True, retain_graph=True)
    return found is not None
