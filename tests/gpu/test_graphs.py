"""Launches are captured into CUDA graphs and replayed; one that is not loaded yet is refused."""

import pytest
import torch
from custom_ops import silu
from elementwise_functions import eager_gated, gated
from kernels import add_kernel, relu_kernel, softmax_kernel

import mytriton
import mytriton.language as tl
from gpu.machine import Gpu


def test_replays_see_new_inputs(gpu: Gpu) -> None:
    x, out = torch.randn(1024, device=gpu.device), torch.empty(1024, device=gpu.device)
    relu_kernel[(4,)](x, out, 1024, BLOCK=256)
    replay = gpu.capture(lambda: relu_kernel[(4,)](x, out, 1024, BLOCK=256))
    for _ in range(3):
        x.copy_(torch.randn(1024))
        replay()
        assert torch.equal(out, torch.relu(x))


def test_what_is_captured_is_not_run(gpu: Gpu) -> None:
    x, out = torch.ones(256, device=gpu.device), torch.zeros(256, device=gpu.device)
    relu_kernel[(1,)](x, out, 256, BLOCK=256)
    out.zero_()
    replay = gpu.capture(lambda: relu_kernel[(1,)](x, out, 256, BLOCK=256))
    assert not gpu.is_real or not out.any()
    replay()
    assert (out == 1).all()


def test_many_kernels_among_torch_ops(gpu: Gpu) -> None:
    x, y = torch.randn(2, 8, 1000, device=gpu.device).unbind()
    bias = torch.randn(1000, device=gpu.device)
    out = torch.empty_like(x)

    def run() -> None:
        total = torch.empty_like(x)
        add_kernel[(8,)](x, y, total, 8000, BLOCK=1024)
        hidden = silu(gated(total.mul(0.5), y, bias))
        softmax_kernel[(8,)](hidden, out, 1000, 1000, BLOCK=1024)

    for _ in range(2):
        run()
    gpu.synchronize()
    replay = gpu.capture(run)
    x.copy_(torch.randn(8, 1000))
    replay()
    expected = torch.nn.functional.silu(eager_gated((x + y) * 0.5, y, bias)).softmax(1)
    torch.testing.assert_close(out, expected)


def test_a_cold_kernel_is_refused(gpu: Gpu) -> None:
    @mytriton.jit
    def cold_kernel(x, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(x + at, tl.load(x + at) + 1)

    x = torch.zeros(64, device=gpu.device)
    other = torch.zeros(64, device=gpu.device)

    def run() -> None:
        other.add_(1)
        cold_kernel[(1,)](x, BLOCK=64)

    if gpu.is_real:
        with pytest.raises(
            RuntimeError, match=r"'cold_kernel' is not loaded on device 0 yet.*warm"
        ):
            gpu.capture(run)
        gpu.synchronize()
        assert not x.any()
    # The refusal broke nothing: neither launches, nor captures, nor torch.
    cold_kernel[(1,)](x, BLOCK=64)
    before = x.clone()
    replay = gpu.capture(run)
    x.copy_(before)
    replay()
    assert (x == 2).all() and other.any()


def test_a_capture_on_one_stream_leaves_others_alone(gpu: Gpu) -> None:
    """A cold kernel may be loaded by another thread's stream where the capture allows it."""
    x, out = torch.randn(2, 512, device=gpu.device).unbind()
    relu_kernel[(2,)](x, out, 512, BLOCK=256)
    gpu.synchronize()
    if not gpu.is_real:
        return
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        relu_kernel[(2,)](x, out, 512, BLOCK=256)
        with torch.cuda.stream(torch.cuda.Stream()):
            relu_kernel[(2,)](x.clone(), torch.empty_like(x), 512, BLOCK=256)
    graph.replay()
    assert torch.equal(out, torch.relu(x))
