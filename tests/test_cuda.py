"""Kernels on CUDA tensors give torch's results. Needs a GPU; MYTRITON_REQUIRE_CUDA=1 insists."""

import os

import pytest
import torch
from kernels import add_kernel, leaky_relu_kernel, relu_kernel, sigmoid_kernel, softmax_kernel

import mytriton as triton

SIZES = (0, 1, 255, 256, 257, 1_000_003)


@pytest.fixture(autouse=True)
def gpu() -> None:
    if not torch.cuda.is_available():
        if os.environ.get("MYTRITON_REQUIRE_CUDA") == "1":
            pytest.fail("MYTRITON_REQUIRE_CUDA=1, but torch sees no GPU")
        pytest.skip("no GPU")


def run(kernel, inputs, n, *scalars):
    """The kernel's output, after checking that nothing past n was written."""
    out = torch.full((n + 512,), 7.0, device="cuda")
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)  # noqa: E731
    kernel[grid](*inputs, out, n, *scalars, BLOCK=256)
    assert (out[n:] == 7.0).all()
    return out[:n]


@pytest.mark.parametrize("n", SIZES)
def test_seed_kernels(n: int) -> None:
    x = torch.randn(n, device="cuda")
    y = torch.randn(n, device="cuda")
    assert torch.equal(run(add_kernel, (x, y), n), x + y)
    assert torch.equal(run(relu_kernel, (x,), n), torch.relu(x))
    leaky = torch.nn.functional.leaky_relu(x, 0.1)
    assert torch.equal(run(leaky_relu_kernel, (x,), n, 0.1), leaky)
    torch.testing.assert_close(run(sigmoid_kernel, (x,), n), torch.sigmoid(x))


def test_nan_propagates_through_relu() -> None:
    x = torch.tensor([float("nan"), -0.0, 1.0], device="cuda")
    assert torch.isnan(run(relu_kernel, (x,), 3)[0])


@pytest.mark.parametrize("columns", [1, 31, 100, 256, 1000])
def test_softmax(columns: int) -> None:
    x = torch.randn(64, columns, device="cuda")
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    softmax_kernel[(64,)](x, out, columns, columns, BLOCK=block)
    torch.testing.assert_close(out, torch.softmax(x, 1))


def test_launch_goes_to_the_current_stream() -> None:
    stream = torch.cuda.Stream()
    x = torch.ones(1 << 20, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.fill_(2.0)
        doubled = run(add_kernel, (x, x), x.numel())
    stream.synchronize()
    assert (doubled == 4.0).all()


def test_launch_in_a_cuda_graph() -> None:
    x, out = torch.randn(1024, device="cuda"), torch.empty(1024, device="cuda")
    relu_kernel[(4,)](x, out, 1024, BLOCK=256)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        relu_kernel[(4,)](x, out, 1024, BLOCK=256)
    x.copy_(torch.randn(1024))
    graph.replay()
    assert torch.equal(out, torch.relu(x))


def test_compiles_with_inductor() -> None:
    def twice_relu(x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
        return out * 2

    x = torch.randn(1000, device="cuda")
    assert torch.equal(torch.compile(twice_relu, fullgraph=True)(x), torch.relu(x) * 2)
