"""Elementwise functions in the graph of autograd, which they enter in C."""

from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

import mytriton
import mytriton.language as tl


@mytriton.elementwise
def swiglu(a, b):
    return a * tl.sigmoid(a) * b


def eager(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * torch.sigmoid(a) * b


def leaves() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(5)
    a, b = torch.randn(8, 16, generator=generator), torch.randn(16, generator=generator)
    return a.requires_grad_(), b.requires_grad_()


def gradients(function: Any, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return torch.autograd.grad(function(a, b).square().sum(), (a, b))


def close(made: Any, expected: Any) -> None:
    for each, other in zip(made, expected, strict=True):
        torch.testing.assert_close(each, other)


def test_the_graph() -> None:
    a, b = leaves()
    made = swiglu(a, b)
    assert made.requires_grad and not made.is_leaf
    assert made.grad_fn.name() == "swigluBackward"
    into = [each.variable for each, _ in made.grad_fn.next_functions]
    assert into[0] is a and into[1] is b and len(into) == 2
    assert not swiglu(a.detach(), b.detach()).requires_grad
    with torch.no_grad():
        assert not swiglu(a, b).requires_grad
    with torch.inference_mode():
        assert swiglu(a, b).is_inference()
    assert swiglu(a, 2.0).grad_fn.next_functions[1][0] is None


def test_hooks_and_retained_gradients() -> None:
    a, b = leaves()
    seen = []
    made = swiglu(a, b)
    made.retain_grad()
    made.register_hook(lambda grad: grad * 2)
    made.grad_fn.register_hook(lambda inputs, outputs: seen.append((len(inputs), len(outputs))))
    made.sum().backward()
    assert torch.equal(made.grad, torch.full_like(made, 2.0))
    close((a.grad, b.grad), [2 * each for each in torch.autograd.grad(eager(a, b).sum(), (a, b))])
    assert seen == [(2, 1)]


def test_what_was_saved() -> None:
    a, b = leaves()
    made = swiglu(a, b).sum()
    with torch.no_grad():
        a.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        made.backward()
    made = swiglu(a, b).sum()
    made.backward(retain_graph=True)
    made.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        made.backward()
    with torch.autograd.graph.save_on_cpu():
        close(gradients(swiglu, a, b), gradients(eager, a, b))
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: packed.append(x) or x, lambda x: x):
        swiglu(a, b)
    assert [each.shape for each in packed] == [a.shape, b.shape]  # nothing but the inputs


def test_only_what_is_asked_for() -> None:
    a, b = leaves()
    made = swiglu(a, b).sum()
    (found,) = torch.autograd.grad(made, b, retain_graph=True)
    close([found], gradients_of_sum(eager, a, b)[1:])
    assert torch.autograd.grad(made, a, allow_unused=True)[0] is not None


def gradients_of_sum(function: Any, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return torch.autograd.grad(function(a, b).sum(), (a, b))


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # of tensors that torch looks at
def test_compiled_autograd() -> None:
    a, b = leaves()
    expected = gradients(eager, a, b)
    scaled = mytriton.elementwise(lambda a, b, c: swiglu(a, b) * c)
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager", fullgraph=True)):
        for _ in range(2):
            swiglu(a, b).square().sum().backward()
        scaled(a, b, 2.0).sum().backward()
    once = gradients_of_sum(eager, a, b)
    close([a.grad, b.grad], [2 * x + 2 * y for x, y in zip(expected, once, strict=True)])


def test_anomaly_mode_names_the_call() -> None:
    bad = mytriton.elementwise(lambda a: tl.sqrt(a))
    a = torch.zeros(3, requires_grad=True)
    with (
        pytest.warns(UserWarning, match="Anomaly|Error detected in .*Backward"),
        pytest.raises(RuntimeError, match=r"Backward.* returned nan values in its 0th output"),
        torch.autograd.detect_anomaly(),
    ):
        (bad(a) * 0).sum().backward()


def test_modes_see_the_op() -> None:
    seen = []

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            seen.append(func)
            return func(*args, **kwargs or {})

    a, b = leaves()
    swiglu(a, b)
    with Mode():
        made = swiglu(a, b)
    assert seen.count(swiglu.op) == 1
    assert made.grad_fn.name() == "swigluBackward"


def test_more_strides_than_an_op_has_arguments() -> None:
    def total(a, b, c, d, e, f, g, h, i, j, k, m):
        return a + b + c + d + e + f + g + h + i + j + k + m

    base = torch.randn(4, 6, 8, 10, 60)
    inputs = [base[::2, ::2, ::2, ::2, i : i + 40].requires_grad_() for i in range(12)]
    made = mytriton.elementwise(total)(*inputs)
    expected = total(*inputs)
    torch.testing.assert_close(made, expected)
    assert made.stride() == expected.stride()
    made.sum().backward()
    assert all(torch.equal(each.grad, torch.ones_like(each)) for each in inputs)


def test_export_of_a_broadcast_with_any_number_of_rows() -> None:
    add = mytriton.elementwise(lambda x, b: x + b)

    class Block(torch.nn.Module):
        def forward(self, x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return add(x, b)

    rows = torch.export.Dim("rows", min=2)
    x, b = torch.randn(5, 40), torch.randn(40)
    program = torch.export.export(Block(), (x, b), dynamic_shapes={"x": {0: rows}, "b": {}})
    x = torch.randn(40, 40)
    assert torch.equal(program.module()(x, b), x + b)
