"""Launches inside torch.compile: whole graphs, few recompiles, eager's results and errors."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from kernels import add_kernel
from torch._dynamo.exc import TorchDynamoException
from torch._dynamo.testing import CompileCounterWithBackend

import mytriton
import mytriton.language as tl

SIZES = (1000, 7, 129, 4096)


@mytriton.jit
def scale_kernel(x, out, s, n, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask) * s, mask=mask)


@mytriton.jit
def double_kernel(x, n, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(x + offs, tl.load(x + offs, mask=mask) * 2.0, mask=mask)


def blocks(meta: dict[str, Any]) -> tuple[int]:
    return (mytriton.cdiv(meta["n"], meta["BLOCK"]),)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    add_kernel[blocks](x, y, out, x.numel(), BLOCK=128)
    return out


def scale(x: torch.Tensor, s: Any) -> torch.Tensor:
    out = torch.empty_like(x)
    scale_kernel[lambda meta: (mytriton.cdiv(meta["n"], meta["BLOCK"]),)](x, out, s, x.numel())
    return out


def mixture(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Several kernels, views as arguments, and kernels in place between torch's own ops."""
    hidden = x.relu()
    total = add(hidden, x)
    double_kernel[2](total[500:], 256)
    before = total.sum()
    double_kernel[(1, 1)](total.view(10, 100)[3], 100)
    return total.view(10, 100).t() + 1, before, add(total, total)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Each test begins with nothing compiled, so that the first launch is in the graph."""
    torch.compiler.reset()
    for kernel in (add_kernel, scale_kernel, double_kernel):
        kernel.clear_cache()
    yield
    torch.compiler.reset()


def whole(fn: Any, backend: Any = "eager", **options: Any) -> Any:
    return torch.compile(fn, fullgraph=True, backend=backend, **options)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_a_function_of_launches_and_torch_ops(backend: str) -> None:
    x = torch.randn(1000)
    got = whole(mixture, backend)(x.clone())
    for mine, expected in zip(got, mixture(x.clone()), strict=True):
        torch.testing.assert_close(mine, expected)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_an_argument_is_written_in_place(backend: str) -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        kept = x.clone()
        double_kernel[blocks](x, x.numel())
        return kept + x

    x = torch.randn(1000)
    changed = x.clone()
    assert torch.equal(whole(run, backend)(changed), 3 * x)
    assert torch.equal(changed, 2 * x)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_dynamic_sizes_are_compiled_once(backend: str) -> None:
    counter = CompileCounterWithBackend(backend)
    compiled = whole(add, counter, dynamic=True)
    for n in SIZES:
        x, y = torch.randn(n), torch.randn(n)
        assert torch.equal(compiled(x, y), x + y)
    assert counter.frame_count == 1


def test_values_of_numbers_are_compiled_twice_at_most() -> None:
    # First as constants, as always in torch, and then as symbols.
    x = torch.randn(1000)
    for values in ([1.5, 2.5, 3.5, -4.5], [2, 3, -5, 7, 2**31 - 1]):
        torch.compiler.reset()
        counter = CompileCounterWithBackend("eager")
        compiled = whole(scale, counter)
        for value in values:
            assert torch.equal(compiled(x, value), x * torch.tensor(value).float())
        assert counter.frame_count == 2


def test_a_constant_of_the_graph_may_be_wider_than_32_bits() -> None:
    @mytriton.jit
    def add_number(x, s):
        offs = tl.arange(0, 8)
        tl.store(x + offs, tl.load(x + offs) + s)

    def run(x: torch.Tensor) -> torch.Tensor:
        for each in (2**31, -(2**40), 3):
            add_number[1](x, each)
        return x

    x = torch.zeros(8, dtype=torch.int64)
    assert torch.equal(whole(run)(x), torch.full((8,), 2**31 - 2**40 + 3))


def test_each_kind_of_a_number_is_its_own_specialisation() -> None:
    compiled = whole(scale)
    x = torch.randn(1000)
    for value in (2.5, True, 3, False):
        assert torch.equal(compiled(x, value), x * value)


@pytest.mark.parametrize(
    "grid", [8, (8,), (8, 1), (2, 2, 2), blocks, lambda meta: mytriton.cdiv(meta["n"], 128)]
)
def test_forms_of_the_grid(grid: Any) -> None:
    @mytriton.jit
    def kernel(x, n, BLOCK: tl.constexpr):
        program = tl.program_id(0)
        program += tl.num_programs(0) * (tl.program_id(1) + tl.num_programs(1) * tl.program_id(2))
        offs = program * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + offs, tl.load(x + offs, mask=offs < n) + 1.0, mask=offs < n)

    def run(x: torch.Tensor) -> torch.Tensor:
        kernel[grid](x, x.numel(), BLOCK=128)
        return x

    assert torch.equal(whole(run)(torch.zeros(1000)), torch.ones(1000))


def test_defaults_and_keywords() -> None:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        outs = [torch.zeros_like(x) for _ in range(4)]
        scale_kernel[1](x, outs[0], 2.0, 128)
        scale_kernel[1](x, outs[1], 2.0, 128, 64)
        scale_kernel[1](n=128, s=2.0, out=outs[2], x=x)
        assert scale_kernel[1](x, outs[3], 2.0, n=128, BLOCK=tl.constexpr(32)) is None
        return tuple(outs)

    x = torch.ones(128)
    sums = [int(out.sum()) for out in whole(run)(x)]
    assert sums == [2 * 128, 2 * 64, 2 * 128, 2 * 32]


def test_a_modules_forward() -> None:
    class Scaled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(300))
            self.kernel = add_kernel

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out = torch.empty_like(x)
            self.kernel[blocks](x, self.weight, out, x.numel(), BLOCK=128)
            return out

    model = Scaled()
    x = torch.randn(300)
    with torch.no_grad():
        assert torch.equal(whole(model, "aot_eager")(x), x + model.weight)


def test_a_kernel_of_a_closure() -> None:
    scale_by = 3.0

    @mytriton.jit
    def kernel(x, n):
        offs = tl.arange(0, 16)
        tl.store(x + offs, tl.load(x + offs, mask=offs < n) * scale_by, mask=offs < n)

    def run(x: torch.Tensor) -> torch.Tensor:
        kernel[1](x, 16)
        return x

    assert torch.equal(whole(run)(torch.ones(16)), torch.full((16,), 3.0))


def test_compiled_code_outlives_clear_cache() -> None:
    x = torch.randn(1000)
    compiled = whole(scale)
    for _ in range(2):
        assert torch.equal(compiled(x, 2.0), 2 * x)
        scale_kernel.clear_cache()


def test_sizes_that_depend_on_data() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        return scale(x[torch.nonzero(x > 0).flatten()], 2.0)

    x = torch.randn(1000)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        assert torch.equal(whole(run, "aot_eager")(x), 2 * x[x > 0])


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((torch.zeros(8).cfloat(), 1.0), "argument 'x': expected a tensor of .*got .*complex64"),
        ((torch.zeros(8, device="meta"), 1.0), "argument 'x': expected a CPU or CUDA tensor"),
        ((torch.zeros(8), "2"), "argument 's': expected a tensor, int, float, bool or None, got s"),
        ((torch.zeros(8), torch.zeros(8)), "mul requires"),
    ],
)
def test_errors_keep_their_words(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(TorchDynamoException, match=message):
        whole(scale)(*arguments)


def test_without_fullgraph_errors_are_the_launchs_own() -> None:
    with pytest.raises(TypeError, match=r"argument 'x': expected a tensor of .*got .*complex64"):
        torch.compile(scale, backend="eager")(torch.zeros(8).cfloat(), 1.0)


def test_symbolic_numbers_are_checked_when_the_code_runs() -> None:
    def run(x: torch.Tensor, n: int, programs: int) -> torch.Tensor:
        double_kernel[programs](x, n)
        return x

    counter = CompileCounterWithBackend("eager")
    compiled = whole(run, counter, dynamic=True)
    assert torch.equal(compiled(torch.ones(8), 8, 3), torch.full((8,), 2.0))
    x = torch.ones(8)
    with pytest.raises(
        ValueError, match="argument 'n': expected an int of 32 bits, got 2147483648"
    ):
        compiled(x, 2**31, 3)
    with pytest.raises(ValueError, match="grid axis 0: expected 0 to 2147483647, got -4"):
        compiled(x, 8, -4)
    assert torch.equal(x, torch.ones(8))
    assert counter.frame_count == 1  # no guard on them


def test_a_gradient_is_not_lost_by_overwriting() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        y = x * 1
        double_kernel[1](y, 8)
        return y

    with pytest.raises(TorchDynamoException, match="argument 'x' is written by the kernel"):
        whole(run, "aot_eager")(torch.ones(8, requires_grad=True))


def test_the_mark_of_a_constant_function_is_torchs_own() -> None:
    # JITFunction sets it by hand, to leave torch._dynamo out of its import.
    def fn() -> None: ...

    torch.compiler.assume_constant_result(fn)
    assert vars(mytriton.JITFunction._op_name) == vars(fn) != {}
