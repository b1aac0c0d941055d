"""Ops of @mytriton.op and elementwise functions under the rest of torch: each once, on the CPU."""

import copy
import io
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.utils._pytree as pytree
from custom_ops import Silu, blocks, double_, scale_kernel, scaled, silu
from elementwise_functions import Block, gated, opaque_leaky
from torch._dynamo.testing import CompileCounterWithBackend
from torch.profiler import ProfilerActivity, profile
from torch.utils.checkpoint import checkpoint

N = 300
TESTS = Path(__file__).parent


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def with_gradient(fn: Any, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.clone().requires_grad_()
    y = fn(x)
    y.square().sum().backward()
    assert x.grad is not None
    return y.detach(), x.grad


def block(x: torch.Tensor) -> torch.Tensor:
    return silu(x * 2 + 1).sin() + scaled(x.t(), 3.0).t()


def block_in_torch(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.silu(x * 2 + 1).sin() + 3 * x


@pytest.fixture
def fresh() -> Any:
    torch.compiler.reset()
    yield
    torch.compiler.reset()


# --- torch.compile and export --------------------------------------------------------------------


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compile_with_dynamic_sizes_is_done_once(backend: str) -> None:
    counter = CompileCounterWithBackend(backend)
    run = torch.compile(block, backend=counter, fullgraph=True, dynamic=True)
    for shape in ((7, 20), (30, 5), (1000, 3)):
        x = numbers(*shape)
        for mine, theirs in zip(
            with_gradient(run, x), with_gradient(block_in_torch, x), strict=True
        ):
            torch.testing.assert_close(mine, theirs)
    assert counter.frame_count == 1


@pytest.mark.usefixtures("fresh")
def test_an_op_that_writes_inside_a_graph() -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        double_(y[10:])
        return y * 2

    x = numbers(N)
    for backend in ("aot_eager", "inductor"):
        compiled = torch.compile(run, backend=backend, fullgraph=True)
        torch.testing.assert_close(compiled(x), run(x))


def test_export_and_aot_inductor_in_a_fresh_process(tmp_path: Path) -> None:
    model, x = Block(40).eval(), numbers(5, 40)
    with torch.no_grad():
        program = torch.export.export(
            model, (x,), dynamic_shapes={"x": {0: torch.export.Dim("rows", min=2)}}
        )
        called = [node.target for node in program.graph.nodes]
        assert {silu.op, gated.op, opaque_leaky.op} <= {*called}
        torch.export.save(program, tmp_path / "program.pt2")
        package = torch._inductor.aoti_compile_and_package(
            program, package_path=str(tmp_path / "package.pt2")
        )
        x = numbers(9, 40)  # other rows than those that it was exported with
        torch.save((x, model(x)), tmp_path / "values.pt")
    assert "exported: agrees\naot inductor: agrees\n" in in_process(
        "use_exported.py", str(tmp_path), package
    )


def in_process(script: str, *arguments: str) -> str:
    process = start(script, *arguments)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    return output


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(TESTS / script), *arguments],
        env=os.environ | {"PYTHONPATH": ":".join([str(TESTS), *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


# --- transformations -----------------------------------------------------------------------------


def test_func_grad_and_vmap() -> None:
    x = numbers(4, N)
    expected = with_gradient(torch.nn.functional.silu, x)[1]
    got = torch.func.vmap(torch.func.grad(lambda row: silu(row).square().sum()))(x)
    torch.testing.assert_close(got, expected)
    torch.testing.assert_close(torch.func.grad(lambda x: silu(x).square().sum())(x), expected)
    torch.testing.assert_close(torch.vmap(silu, in_dims=1, out_dims=1)(x), silu(x))


def test_func_grad_of_grad() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(lambda x: scaled(x, 3.0).square().sum())(x).sum()

    assert torch.equal(torch.func.grad(inner)(numbers(N)), torch.full((N,), 18.0))


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_vmap_without_a_rule_goes_entry_by_entry() -> None:
    x = numbers(4, N)
    assert torch.equal(torch.vmap(scaled)(x), 2 * x)


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint(reentrant: bool) -> None:
    def run(x: torch.Tensor) -> torch.Tensor:
        return checkpoint(block, x, use_reentrant=reentrant)

    x = numbers(6, 50)
    for mine, plain in zip(with_gradient(run, x), with_gradient(block, x), strict=True):
        assert torch.equal(mine, plain)


def test_autocast_leaves_the_arguments_as_they_are() -> None:
    x = numbers(8, 8)
    with torch.autocast("cpu", torch.bfloat16):
        assert silu(x).dtype == torch.float32
        assert torch.equal(silu(x), silu(x.clone()))
        hidden = x @ x
        assert hidden.dtype == silu(hidden).dtype == torch.bfloat16
        out = torch.empty(64)
        scale_kernel[blocks](x, out, 2.0, 64)
    assert torch.equal(out.view(8, 8), 2 * x)


def test_inference_mode() -> None:
    with torch.inference_mode():
        x = numbers(N)
        y = silu(x)
        double_(y)
    assert y.is_inference()
    torch.testing.assert_close(y, 2 * torch.nn.functional.silu(x))


# --- subclasses ----------------------------------------------------------------------------------


class TwoTensor(torch.Tensor):
    """Two tensors that go through every op side by side."""

    @staticmethod
    def __new__(cls, a: torch.Tensor, b: torch.Tensor) -> Any:
        return torch.Tensor._make_wrapper_subclass(cls, a.shape, dtype=a.dtype)

    def __init__(self, a: torch.Tensor, b: torch.Tensor) -> None:
        self.a, self.b = a, b

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        def run(name: str) -> Any:
            each = pytree.tree_map_only(TwoTensor, lambda t: getattr(t, name), (args, kwargs or {}))
            return func(*each[0], **each[1])

        a, b = run("a"), run("b")
        return TwoTensor(a, b) if isinstance(a, torch.Tensor) else a


def test_a_subclass_with_a_dispatch_of_its_own() -> None:
    a, b = numbers(2, N).unbind()
    x = TwoTensor(a, b).requires_grad_()
    y = silu(x)
    assert isinstance(y, TwoTensor)
    assert torch.equal(y.a, silu(a)) and torch.equal(y.b, silu(b))
    y.backward(TwoTensor(torch.ones(N), torch.ones(N)))
    for mine, plain in ((x.grad.a, a), (x.grad.b, b)):
        plain = plain.clone().requires_grad_()
        silu(plain).sum().backward()
        assert torch.equal(mine, plain.grad)


def test_a_raw_launch_on_a_subclass() -> None:
    x, out = (TwoTensor(*numbers(2, N).unbind()) for _ in range(2))
    scale_kernel[blocks](x, out, 2.0, N)
    assert torch.equal(out.a, 2 * x.a) and torch.equal(out.b, 2 * x.b)


def test_distributed_tensors_in_two_processes(tmp_path: Path) -> None:
    processes = [start("use_sharded.py", str(i), str(tmp_path / "rendezvous")) for i in range(2)]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    for process, output in zip(processes, outputs, strict=True):
        assert process.returncode == 0, output
        assert "op: agrees\nelementwise: agrees\n" in output


# --- the rest ------------------------------------------------------------------------------------


def test_modules_that_hold_ops_and_kernels_are_copied_and_pickled() -> None:
    model, x = Silu(N), numbers(N)
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), loaded):
        assert made.activation is silu and made.kernel is scale_kernel
        assert torch.equal(made(x), model(x))


def test_the_profiler_shows_the_op_and_its_kernel() -> None:
    x = numbers(N)
    silu(x)
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        silu(x)
    names = [event.key for event in recorded.key_averages()]
    assert "mytriton_tests::silu" in names
    assert any(name.startswith("mytriton::silu_kernel_") for name in names)
