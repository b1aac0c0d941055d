"""Under Inductor an elementwise function is the torch functions that its rows name, and fuses."""

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

import op_operands
import pytest
import torch
from test_elementwise_gradient import function_of
from torch._inductor.utils import fresh_cache, run_and_get_code

import mytriton
import mytriton.language as tl
from mytriton import _C
from mytriton.elementwise.decompose import torch_function
from mytriton.elementwise.promotion import kind_of_input

ROWS = {row["name"]: row for row in _C.op_rows() if row["kind"] == "pure"}
ELEMENTS = ("bool", "i32", "u8", "i64", "bf16", "f32", "f64")


def swiglu(a, b):
    return a * tl.sigmoid(a) * b


fused = mytriton.elementwise(swiglu)
opaque = mytriton.elementwise(opaque=True)(swiglu)


def eager(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * torch.sigmoid(a) * b


# --- the torch functions -------------------------------------------------------------------------


def decomposed(function: Any, inputs: tuple[Any, ...]) -> Any:
    numbers = tuple(not isinstance(each, torch.Tensor) for each in inputs)
    return function._op_of(numbers).decomposed(*inputs)


def test_every_torch_name_of_the_table_is_a_function() -> None:
    for name, row in ROWS.items():
        assert callable(torch_function(name)) == bool(row["torch"]), name


def inputs_of(name: str, element: str) -> tuple[torch.Tensor, ...]:
    inputs = tuple(op_operands.operand_triples(element)[: ROWS[name]["operands"]])
    if name in ("fmax", "fmin"):  # of a signaling NaN torch says NaN
        nan = torch.tensor(float("nan"), dtype=inputs[0].dtype)
        return tuple(torch.where(each.isnan(), nan, each) for each in inputs)
    if name == "digamma":  # beside its poles torch's loses digits
        (x,) = inputs
        return (x[~((x < 0) & (x != x.round()) & ((x - x.round()).abs() < 0.1))],)
    return inputs


def is_tried(name: str, element: str) -> bool:
    row = ROWS[name]
    return row["torch"] and element in row["types"] and (name, element) != ("select", "bool")


@functools.cache
def results_of_rows(element: str, operands: int, alone: str) -> dict[str, torch.Tensor]:
    """What the rows of so many operands give, several of them by one kernel, or what one gives that
    has inputs of its own."""
    others = [n for n in ROWS if n not in ALONE and ROWS[n]["operands"] == operands]
    names = [alone] if alone else [n for n in others if is_tried(n, element)]
    results = {}
    for first in range(0, len(names), 8):
        some = names[first : first + 8]
        function = mytriton.elementwise(outputs=len(some))(together(some))
        made = function(*inputs_of(names[first], element))
        results |= zip(some, made if len(some) > 1 else [made], strict=True)
    return results


def together(names: list[str]) -> Callable[..., Any]:
    rows = tuple(function_of(name) for name in names)
    return {
        1: lambda a: tuple(row(a) for row in rows),
        2: lambda a, b: tuple(row(a, b) for row in rows),
        3: lambda a, b, c: tuple(row(a, b, c) for row in rows),
    }[ROWS[names[0]]["operands"]]


ALONE = ("fmax", "fmin", "digamma")


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row["torch"]])
def test_torch_functions_do_what_the_rows_do(name: str) -> None:
    function = mytriton.elementwise(function_of(name))
    tried = 0
    for element in ELEMENTS:
        if not is_tried(name, element):
            continue
        made = decomposed(function, inputs_of(name, element))
        if made is NotImplemented:
            assert (
                element == "bool" or name in ("rem", "fmod") or (name, element[0]) != ("div", "f")
            )
            continue
        tried += 1
        alone = name if name in ALONE else ""
        expected = results_of_rows(element, ROWS[name]["operands"], alone)[name]
        assert (made.dtype, made.shape) == (expected.dtype, expected.shape)
        # Rows that are exact agree to the bit, but for MKL's sqrt; of the others both are a few ulp
        # off, and torch's erf near 0 and digamma near its zeros by more.
        exact = not ROWS[name]["ulp"][0] and name != "sqrt"
        bound = 0 if exact else 8 * torch.finfo(made.dtype).eps
        tiny = bound if name in ("erf", "digamma") else 0 if exact else torch.finfo(made.dtype).tiny
        torch.testing.assert_close(made, expected, rtol=bound, atol=tiny, equal_nan=True)
    assert tried or name in ("rem", "fmod")


def test_layouts_and_types_are_those_of_the_op() -> None:
    x, y = torch.randn(6, 8), torch.randn(6, 8)

    @mytriton.elementwise
    def several(a, b):
        return a, b > 0, a.to(tl.float32) * 2, 1

    for a, b in [(x, y), (x.t(), y.t()), (x, y[0]), (x[:, :1], y[0]), (x.half().t(), y[0, 0])]:
        made, expected = decomposed(several, (a, b)), several(a, b)
        for one, other in zip(made, expected, strict=True):
            assert (one.dtype, one.stride()) == (other.dtype, other.stride())
            assert torch.equal(one, other)
        assert made[0].data_ptr() != a.data_ptr()


def test_what_has_no_torch_function_keeps_the_op() -> None:
    x = torch.randn(4)
    assert decomposed(mytriton.elementwise(lambda x: tl.fma(x, x, 1.0)), (x,)) is NotImplemented
    assert decomposed(mytriton.elementwise(lambda x: x.to(tl.int8)), (x,)) is NotImplemented
    assert decomposed(mytriton.elementwise(lambda x: x // 2), (x.int(),)) is NotImplemented
    narrowed = mytriton.elementwise(lambda x: x.to(tl.float16, fp_downcast_rounding="rtz"))
    assert decomposed(narrowed, (x,)) is NotImplemented


# --- Inductor ------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def caches() -> Iterator[None]:
    """Of this test's own: torch's may hold graphs that an older version of this project made."""
    torch._dynamo.reset()
    with fresh_cache():
        yield


def code_of(function: Callable[..., Any], *inputs: Any) -> tuple[list[torch.Tensor], str]:
    """Results and gradients, and the text that Inductor makes."""
    torch._dynamo.reset()
    compiled = torch.compile(function, fullgraph=True)
    leaves = [each.clone().requires_grad_(each.is_floating_point()) for each in inputs]

    def both() -> list[torch.Tensor]:
        result = compiled(*leaves)
        result.square().sum().backward()
        return [result.detach(), *(each.grad for each in leaves)]

    results, codes = run_and_get_code(both)
    return results, "\n".join(codes)


def kernels_in(code: str) -> int:
    return len(re.findall(r"async_compile\.\w+\(", code))


def block(activation: Any) -> Callable[..., torch.Tensor]:
    def run(x, gate, bias, residual, weight):
        hidden = activation(x + bias, gate) + residual
        return hidden * torch.rsqrt(hidden.square().mean(-1, keepdim=True) + 1e-6) * weight

    return run


def block_inputs() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = ((16, 64), (16, 64), (64,), (16, 64), (64,))
    return [torch.randn(each, generator=generator) for each in shapes]


@functools.cache
def plain_block() -> tuple[list[torch.Tensor], str]:
    return code_of(block(eager), *block_inputs())


@pytest.mark.parametrize("function", [fused, opaque])
def test_fusion_in_both_directions(function: Any) -> None:
    made, code = code_of(block(function), *block_inputs())
    expected, plain = plain_block()
    torch.testing.assert_close(made, expected, rtol=1e-4, atol=1e-5)
    assert ("torch.ops.mytriton" in code) == (function is opaque)
    if function is fused:
        assert kernels_in(code) == kernels_in(plain)
    else:
        assert code.count("torch.ops.mytriton.swiglu") >= 2


def test_gradients_of_some_inputs_decompose_too() -> None:
    def block(x, gate):
        return fused(x, gate.detach())

    torch._dynamo.reset()
    x, gate = torch.randn(6, 8, requires_grad=True), torch.randn(6, 8)
    compiled = torch.compile(block, fullgraph=True)
    _, codes = run_and_get_code(lambda: compiled(x, gate).sum().backward())
    assert codes and not any("torch.ops.mytriton" in each for each in codes)
    grad, x.grad = x.grad, None
    eager(x, gate).sum().backward()
    torch.testing.assert_close(grad, x.grad)


def test_a_function_without_torch_functions_runs_its_kernel() -> None:
    fma = mytriton.elementwise(lambda x, y: tl.fma(x, y, 1.0))
    x, y = torch.randn(2, 6, 8).unbind()
    (made, *grads), code = code_of(lambda x, y: fma(x, y) * 2, x, y)
    assert "torch.ops.mytriton" in code
    torch.testing.assert_close(made, (x * y + 1) * 2)
    torch.testing.assert_close(grads[0], 8 * (x * y + 1) * y)


def test_numbers_and_options() -> None:
    @mytriton.elementwise
    def leaky(x, slope: float, SIGN: tl.constexpr = 1):
        return tl.where(x > 0, x, SIGN * slope * x)

    x = torch.randn(6, 8)
    (made, _), code = code_of(lambda x: leaky(x, 0.1, SIGN=-1), x)
    assert "torch.ops.mytriton" not in code
    torch.testing.assert_close(made, torch.where(x > 0, x, -0.1 * x))


def test_graphs_of_different_contents_have_different_digests() -> None:
    functions = [mytriton.elementwise(lambda x, k=k: x * k) for k in (2.0, 3.0)]
    kinds = (kind_of_input(torch.ones(2)), kind_of_input(1.0))
    same = [each._in_graph(kinds, ())[2] for each in functions]
    assert same[0] == same[1]  # they compute the same, of two inputs

    scale = 2.0

    @mytriton.elementwise
    def scaled(x):
        return x * scale

    before = scaled._in_graph(kinds[:1], ())[2]
    scale = 3.0
    assert scaled._in_graph(kinds[:1], ())[2] != before
