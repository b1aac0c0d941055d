"""Launches from threads: the first ones at once, autograd's, and those that never used CUDA."""

import ctypes
import threading
from typing import Any

import pytest
import torch
from elementwise_functions import gated
from kernels import relu_kernel
from test_launch_threads import in_threads

import mytriton
import mytriton.language as tl
from gpu.machine import Gpu

THREADS = 16


@mytriton.jit
def scale_kernel(x, out, s, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * s, mask=at < n)


def test_first_launches_of_one_kernel_at_once(gpu: Gpu) -> None:
    x = torch.randn(10_000, device=gpu.device)
    gpu.synchronize()
    for block in (128, 256, 512):

        def work(i: int, block: int = block) -> torch.Tensor:
            out = torch.empty_like(x)
            with gpu.on(gpu.stream()):
                for _ in range(20):
                    scale_kernel[(mytriton.cdiv(10_000, block),)](
                        x, out, float(i), 10_000, BLOCK=block
                    )
            return out

        results = in_threads(work, THREADS)
        gpu.synchronize()
        for i, out in enumerate(results):
            assert torch.equal(out, x * float(i))


def test_first_launches_of_many_kernels_at_once(gpu: Gpu) -> None:
    x = torch.randn(4096, device=gpu.device)
    gpu.synchronize()

    def work(i: int) -> torch.Tensor:
        @mytriton.jit
        def kernel(x, out, BLOCK: tl.constexpr, K: tl.constexpr):
            at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(out + at, tl.load(x + at) + K)

        out = torch.empty_like(x)
        for _ in range(10):
            kernel[(16,)](x, out, BLOCK=256, K=i)
        return out

    results = in_threads(work, THREADS)
    gpu.synchronize()
    for i, out in enumerate(results):
        assert torch.equal(out, x + i)


class Relu(torch.autograd.Function):
    """Its backward launches a kernel, in a thread of autograd's."""

    threads: set[int] = set()  # noqa: RUF012

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return torch.relu(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        Relu.threads.add(threading.get_ident())
        (x,) = ctx.saved_tensors
        grad = grad.contiguous()
        out = torch.empty_like(grad)
        scale_kernel[(mytriton.cdiv(x.numel(), 256),)](grad, out, 2.0, x.numel(), BLOCK=256)
        return out


def test_autograds_threads(gpu: Gpu) -> None:
    x = torch.randn(1000, device=gpu.device, requires_grad=True)
    Relu.threads.clear()
    Relu.apply(x).sum().backward()
    assert torch.equal(x.grad, torch.full_like(x, 2.0))
    assert not gpu.is_real or threading.get_ident() not in Relu.threads


def test_backwards_of_elementwise_functions_in_threads(gpu: Gpu) -> None:
    def work(i: int) -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(i)
        given = [torch.randn(300, generator=generator).to(gpu.device) for _ in range(3)]
        for each in given:
            each.requires_grad_()
        gated(*given).square().sum().backward()
        return given

    for x, gate, bias in in_threads(work, THREADS):
        other = [each.detach().clone().requires_grad_() for each in (x, gate, bias)]
        hidden = other[0] + other[2]
        (hidden * torch.sigmoid(hidden) * other[1]).square().sum().backward()
        for mine, theirs in zip((x, gate, bias), other, strict=True):
            torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-4, atol=1e-5)


def test_a_thread_without_a_context(gpu: Gpu) -> None:
    """The kernel is loaded, and the thread's first use of CUDA is a launch of it."""
    x, out = torch.randn(2, 1000, device=gpu.device).unbind()
    relu_kernel[(4,)](x, out, 1000, BLOCK=256)
    out.zero_()
    gpu.synchronize()
    in_threads(lambda i: relu_kernel[(4,)](x, out, 1000, BLOCK=256), 1)
    gpu.synchronize()
    assert torch.equal(out, torch.relu(x))


def test_a_launch_after_the_context_was_taken_away(gpu: Gpu) -> None:
    x, out = torch.randn(2, 1000, device=gpu.device).unbind()
    relu_kernel[(4,)](x, out, 1000, BLOCK=256)
    out.zero_()
    gpu.synchronize()

    def work(i: int) -> None:
        if gpu.is_real:
            assert ctypes.CDLL("libcuda.so.1").cuCtxSetCurrent(None) == 0
        relu_kernel[(4,)](x, out, 1000, BLOCK=256)

    in_threads(work, 1)
    gpu.synchronize()
    assert torch.equal(out, torch.relu(x))


@pytest.mark.parametrize("cold", [True, False])
def test_threads_that_launch_while_another_allocates(gpu: Gpu, cold: bool) -> None:
    x = torch.ones(1000, device=gpu.device)
    gpu.synchronize()
    if cold:
        scale_kernel.clear_cache()

    def work(i: int) -> bool:
        right = True
        for k in range(30):
            out = torch.empty(1000, device=gpu.device)
            scale_kernel[(8,)](x, out, float(k), 1000, BLOCK=128)
            right &= bool((out == k).all())
        return right

    assert all(in_threads(work, 4))
