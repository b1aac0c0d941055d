"""Launches go to torch's current stream: in its order, and beside other streams."""

import torch
from kernels import add_kernel, copy_kernel, relu_kernel

from gpu.machine import Gpu

N = 1 << 20


def doubled(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    add_kernel[(N // 1024,)](x, x, out, N, BLOCK=1024)
    return out


def test_a_launch_waits_for_what_its_stream_does(gpu: Gpu) -> None:
    x = torch.ones(N, device=gpu.device)
    gpu.synchronize()
    stream = gpu.stream()
    with gpu.on(stream):
        gpu.sleep()
        x.fill_(2.0)
        out = doubled(x)
    stream.synchronize()
    assert (out == 4.0).all()


def test_a_launch_does_not_wait_for_another_stream(gpu: Gpu) -> None:
    x = torch.ones(N, device=gpu.device)
    doubled(x)  # loaded
    gpu.synchronize()
    slow, quick, done = gpu.stream(), gpu.stream(), gpu.event()
    with gpu.on(slow):
        gpu.sleep()
        done.record()
    with gpu.on(quick):
        out = doubled(x)
    quick.synchronize()
    assert not gpu.is_real or not done.query()
    assert (out == 2.0).all()
    gpu.synchronize()


def test_streams_that_wait_for_each_other(gpu: Gpu) -> None:
    """Kernels of ours, of torch and of ours again, on two streams that take turns."""
    x = torch.zeros(N, device=gpu.device)
    one = torch.ones(N, device=gpu.device)
    gpu.synchronize()
    streams = gpu.stream(), gpu.stream()
    for turn in range(10):
        stream, other = streams[turn % 2], streams[1 - turn % 2]
        stream.wait_stream(other)
        with gpu.on(stream):
            if turn == 0:
                gpu.sleep()
            if turn % 3:
                x.add_(1.0)
            else:
                add_kernel[(N // 1024,)](x, one, x, N, BLOCK=1024)
    gpu.synchronize()
    assert (x == 10.0).all()


def test_the_allocator_knows_the_stream(gpu: Gpu) -> None:
    """Memory that is freed while a kernel of its stream still reads it is not given to others."""
    stream = gpu.stream()
    source = torch.full((N,), 3.0, device=gpu.device)
    gpu.synchronize()
    with gpu.on(stream):
        held = source.clone()
        gpu.sleep()
        out = torch.empty_like(held)
        copy_kernel[(N // 1024,)](held, out, N, BLOCK=1024)
        del held
        torch.full((N,), -1.0, device=gpu.device)
    stream.synchronize()
    assert (out == 3.0).all()


def test_launches_of_one_stream_keep_their_order(gpu: Gpu) -> None:
    x = torch.randn(N, device=gpu.device)
    expected = torch.relu(x) * 2**20
    for _ in range(20):
        add_kernel[(N // 1024,)](x, x, x, N, BLOCK=1024)
    relu_kernel[(N // 1024,)](x, x, N, BLOCK=1024)
    assert torch.equal(x, expected)
