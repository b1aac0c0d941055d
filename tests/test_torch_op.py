"""A compiled kernel is a torch op: its schema and name, and how torch's own machinery treats it."""

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from kernels import add_kernel, copy_kernel, leaky_relu_kernel
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode

import mytriton
import mytriton.language as tl

N = 100


@mytriton.jit
def double_kernel(x, n, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(x + offs, tl.load(x + offs, mask=mask) * 2.0, mask=mask)


@mytriton.jit
def two_outputs_kernel(first, x, flag, scale, second, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    mask = (offs < n) & flag
    a = tl.load(x + offs, mask=mask)
    tl.store(first + offs, a * scale, mask=mask)
    tl.store(second + offs, a < 0.0, mask=mask)


@mytriton.jit
def add_by_hand(x, y, out, n, BLOCK: tl.constexpr = 128):
    add_kernel(x, y, out, n, BLOCK)


def op_of(compiled: mytriton.CompiledKernel) -> Any:
    return getattr(torch.ops.mytriton, str(compiled.op_name).removeprefix("mytriton::")).default


def tensors(count: int, n: int = N) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(n, generator=generator) for _ in range(count)]


@pytest.fixture
def add_op() -> Any:
    return op_of(add_kernel[1](*tensors(3), N, BLOCK=128))


@pytest.fixture
def double_op() -> Any:
    return op_of(double_kernel[1](*tensors(1), N))


# --- schema and name -----------------------------------------------------------------------------


def test_schema_comes_from_the_stores() -> None:
    first, x = tensors(2)
    second = torch.zeros(N, dtype=torch.bool)
    op = op_of(two_outputs_kernel[1](first, x, True, 2.0, second, N, BLOCK=128))
    assert str(op._schema).partition("(")[2] == (
        "Tensor(a!) first, Tensor x, bool flag, Scalar scale, Tensor(e!) second, SymInt n, "
        "SymInt grid_0, SymInt grid_1, SymInt grid_2) -> ()"
    )


def test_an_int_where_a_float_is_expected_is_another_op() -> None:
    x, out = tensors(2)
    by_float = op_of(leaky_relu_kernel[1](x, out, N, 2.0, BLOCK=128))
    by_int = op_of(leaky_relu_kernel[1](x, out, N, 2, BLOCK=128))
    by_bool = op_of(leaky_relu_kernel[1](x, out, N, True, BLOCK=128))
    kinds = [str(op._schema).split(", ")[3] for op in (by_float, by_int, by_bool)]
    assert kinds == ["Scalar alpha", "SymInt alpha", "bool alpha"]


def test_parameters_named_like_keywords_or_the_grid() -> None:
    @mytriton.jit
    def kernel(grid_0, int, operator, other):
        offs = tl.arange(0, 16)
        tl.store(other + offs, tl.load(grid_0 + offs) + tl.load(int + offs) * operator)

    x, y, out = tensors(3, 16)
    kernel[1](x, y, 2.0, out)
    assert torch.equal(out, x + y * 2)


def test_name_is_the_kernels_and_a_hash() -> None:
    x, out = tensors(2)
    small = copy_kernel[1](x, out, N, BLOCK=128)
    large = copy_kernel[1](x, out, N, BLOCK=256)
    assert re.fullmatch(r"mytriton::copy_kernel_[0-9a-f]{16}", str(small.op_name))
    assert small.op_name != large.op_name
    copy_kernel.clear_cache()
    assert copy_kernel[1](x, out, N, BLOCK=128).op_name == small.op_name


def test_equal_kernels_have_equal_names_in_every_process(add_op: Any) -> None:
    # The caches that torch keeps on disk depend on it.
    script = (
        "import torch; from kernels import add_kernel\n"
        "xs = torch.zeros(3, 8)\n"
        "print(add_kernel[1](*xs, 8, BLOCK=128).op_name)"
    )
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", script],
            env={
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": ":".join(sys.path),
                "MYTRITON_EVALUATE": "1",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == add_op._schema.name


def test_keys_that_are_registered(add_op: Any) -> None:
    lines = torch._C._dispatch_dump(add_op._schema.name).splitlines()
    keys = {line.partition(":")[0].removesuffix("[alias]") for line in lines if "[ boxed ]" in line}
    # No composite key: it would run the kernel on fake tensors.
    launch = {"CPU", "CUDA", "Meta"}
    refuse = {"Autograd", "Conjugate", "Negative", "ZeroTensor"}
    assert keys == launch | refuse | {"ADInplaceOrView"}
    assert torch.Tag.pt2_compliant_tag in add_op.tags
    assert torch.Tag.needs_exact_strides in add_op.tags


# --- direct calls --------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*requires grad, but a launch has no derivative")
def test_opcheck(add_op: Any, double_op: Any) -> None:
    x, y, out = tensors(3)
    torch.library.opcheck(add_op, (x, y, out, N, 1, 1, 1))
    torch.library.opcheck(add_op, (x.requires_grad_(), y, out, N, 1, 1, 1))
    torch.library.opcheck(double_op, (y[10:], N - 10, 1, 1, 1))
    op = op_of(leaky_relu_kernel[1](y, out, N, 0.5, BLOCK=128))
    torch.library.opcheck(op, (y, out, N, 0.25, 1, 1, 1))


def test_a_call_of_the_op_launches(add_op: Any) -> None:
    x, y, out = tensors(3)
    assert add_op(x, y, out, n=N, grid_0=1, grid_1=1, grid_2=1) is None
    assert torch.equal(out, x + y)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"x": torch.zeros(N, dtype=torch.float64)},
            ValueError,
            "'x': expected .* Float, got Doub",
        ),
        (
            {"out": torch.zeros(N, dtype=torch.int32)},
            ValueError,
            "'out': expected .* Float, got In",
        ),
        ({"y": torch.zeros(N, device="meta")}, ValueError, "'y': is on meta, other .* on cpu"),
        ({"x": torch.zeros(N, device="meta")}, ValueError, "'y': is on cpu, other .* on meta"),
        ({"x": torch.zeros(N).to_sparse()}, NotImplementedError, "SparseCPU"),
        ({"n": 2**31}, ValueError, "'n': expected an int of 32 bits, got 2147483648"),
        ({"n": 1.5}, RuntimeError, "'n'"),
        ({"grid_0": -1}, ValueError, "grid axis 0: expected 0 to 2147483647, got -1"),
        ({"grid_2": 2**31}, ValueError, "grid axis 2: expected 0 to 2147483647, got 2147483648"),
        (dict.fromkeys(["grid_0", "grid_1", "grid_2"], 2**31 - 1), ValueError, "grid: .* 2.63"),
    ],
)
def test_a_wrong_call_of_the_op_writes_nothing(
    add_op: Any, change: dict[str, Any], error: type[Exception], message: str
) -> None:
    x, y, out = tensors(3)
    before = out.clone()
    call = {"x": x, "y": y, "out": out, "n": N, "grid_0": 1, "grid_1": 1, "grid_2": 1}
    with pytest.raises(error, match=message):
        add_op(**(call | change))
    assert torch.equal(out, before)


@pytest.mark.parametrize("what", ["negated", "without memory"])
def test_values_that_are_not_in_memory_are_refused(what: str) -> None:
    x, out = tensors(2)
    copy_kernel[1](x, out, N, BLOCK=128)
    lazy = torch._neg_view(x) if what == "negated" else torch._efficientzerotensor(N)
    with pytest.raises(ValueError, match=rf"argument 'x': is a .*{what}"):
        copy_kernel[1](lazy, out, N, BLOCK=128)
    with pytest.raises(ValueError, match=rf"argument 'out': is a .*{what}"):
        copy_kernel[1](x, lazy, N, BLOCK=128)
    assert torch.equal(out, x)


def test_floats_are_rounded_as_constants_are() -> None:
    x, out = tensors(2)
    for value in (0.1, 1e300, -1e300, 1e-60, float("nan")):
        leaky_relu_kernel[1](-x.abs(), out, N, value, BLOCK=128)
        assert torch.equal(out.nan_to_num(1), (torch.tensor(value) * -x.abs()).nan_to_num(1))


# --- modes, profiler, transformations ------------------------------------------------------------


class Recorder(TorchDispatchMode):
    """Calls nothing: what it saw is in `seen`."""

    def __init__(self, fail: Exception | None = None) -> None:
        super().__init__()
        self.seen: list[tuple[str, int]] = []
        self.fail = fail

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> None:
        self.seen.append((func._schema.name, len(args)))
        if self.fail:
            raise self.fail


@pytest.mark.parametrize("warm", [True, False])
def test_a_dispatch_mode_sees_a_launch(warm: bool) -> None:
    x, y, out = tensors(3)
    before = out.clone()
    add_by_hand.clear_cache()
    if warm:
        add_by_hand[1](x, y, torch.empty(N), N)
    with Recorder() as mode:
        compiled = add_by_hand[1](x, y, out, N)
    assert mode.seen == [(compiled.op_name, 7)]
    assert torch.equal(out, before)


def test_what_a_mode_raises_comes_out_of_a_warm_launch() -> None:
    x, y, out = tensors(3)
    add_by_hand[1](x, y, out, N)
    with Recorder(KeyError("mine")), pytest.raises(KeyError, match="mine"):
        add_by_hand[1](x, y, out, N)


def test_the_profiler_shows_a_launch() -> None:
    x, y, out = tensors(3)
    compiled = add_kernel[1](x, y, out, N, BLOCK=128)
    with profile(activities=[ProfilerActivity.CPU]) as recorded:
        add_kernel[1](x, y, out, N, BLOCK=128)
    assert [event.key for event in recorded.key_averages()] == [compiled.op_name]


def test_fake_tensors_run_nothing(add_op: Any) -> None:
    with torch._subclasses.FakeTensorMode():
        x, y, out = (torch.empty(N) for _ in range(3))
        add_kernel[1](x, y, out, N, BLOCK=128)
        assert isinstance(out, torch._subclasses.FakeTensor)
        assert add_op(x, y, out, N, 1, 1, 1) is None


def test_meta_tensors(add_op: Any) -> None:
    x, y, out = (torch.empty(N, device="meta") for _ in range(3))
    assert add_op(x, y, out, N, 1, 1, 1) is None
    with pytest.raises(ValueError, match="'y': expected a tensor of Float, got Int"):
        add_op(x, y.int(), out, N, 1, 1, 1)


def test_vmap_says_that_it_does_not_apply() -> None:
    def add(x: torch.Tensor) -> torch.Tensor:
        out = torch.zeros_like(x)
        add_kernel[1](x, x, out, 5, BLOCK=128)
        return out

    with pytest.raises(RuntimeError, match="Batching rule not implemented for mytriton::add_kern"):
        torch.vmap(add)(torch.zeros(3, 5))


class Doubled(torch.nn.Module):
    def __init__(self, grid: Callable[[dict[str, Any]], Any] | int) -> None:
        super().__init__()
        self.grid = grid

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = x.clone()
        double_kernel[self.grid](out, x.numel())
        return out


@pytest.mark.parametrize("strict", [True, False])
def test_export(strict: bool, double_op: Any) -> None:
    model = Doubled(lambda meta: (mytriton.cdiv(meta["n"], meta["BLOCK"]),))
    sizes = {"x": {0: torch.export.Dim("n", min=2)}}
    program = torch.export.export(model, tuple(tensors(1)), dynamic_shapes=sizes, strict=strict)
    assert double_op in [node.target for node in program.graph.nodes]
    for n in (N, 2, 1000):
        (x,) = tensors(1, n)
        assert torch.equal(program.module()(x), 2 * x)
    functional = program.run_decompositions()
    assert torch.equal(functional.module()(x), 2 * x)
