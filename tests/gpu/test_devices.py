"""The device of a launch is that of its tensors, whatever the current one is."""

import pytest
import torch
from elementwise_functions import eager_gated, gated
from kernels import add_kernel, relu_kernel

from gpu.machine import Gpu


def second_device(gpu: Gpu) -> str:
    if not gpu.is_real:
        return "cpu"
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    return "cuda:1"


def test_tensors_of_another_device_than_the_current_one(gpu: Gpu) -> None:
    there = second_device(gpu)
    for device in (gpu.device, there, gpu.device):
        x, out = torch.randn(2, 1000, device=device).unbind()
        relu_kernel[(4,)](x, out, 1000, BLOCK=256)
        assert torch.equal(out, torch.relu(x))
    assert not gpu.is_real or torch.cuda.current_device() == 0


def test_the_current_device_changes_between_launches(gpu: Gpu) -> None:
    there = second_device(gpu)
    x, out = torch.randn(2, 1000, device=gpu.device).unbind()
    relu_kernel[(4,)](x, out, 1000, BLOCK=256)
    out.zero_()
    if gpu.is_real:
        torch.cuda.set_device(there)
        torch.ones(1, device=there)
    try:
        relu_kernel[(4,)](x, out, 1000, BLOCK=256)
        y = torch.relu(torch.randn(10, device=there))
        assert y.device == torch.device(there)
    finally:
        if gpu.is_real:
            torch.cuda.set_device(0)
    assert torch.equal(out, torch.relu(x))


def test_a_gradient_on_another_device(gpu: Gpu) -> None:
    given = [torch.randn(100, device=second_device(gpu)).requires_grad_() for _ in range(3)]
    flow = torch.randn(100, device=given[0].device)
    found = torch.autograd.grad(gated(*given), given, flow)
    expected = torch.autograd.grad(eager_gated(*given), given, flow)
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs)


def test_tensors_of_two_devices_are_refused(gpu: Gpu) -> None:
    x, out = torch.randn(2, 256, device=gpu.device).unbind()
    if gpu.is_real:
        for other in ("cpu", *(f"cuda:{i}" for i in range(1, torch.cuda.device_count()))):
            with pytest.raises(TypeError, match=f"'y'.*{other}|{other}.*'y'"):
                add_kernel[(1,)](x, torch.ones(256, device=other), out, 256, BLOCK=256)
    add_kernel[(1,)](x, x, out, 256, BLOCK=256)
    assert torch.equal(out, x + x)
    if gpu.is_real:  # a warm launch says it too
        with pytest.raises(TypeError, match="'y'"):
            add_kernel[(1,)](x, torch.ones(256), out, 256, BLOCK=256)


def test_devices_are_named_alike(gpu: Gpu) -> None:
    """cuda is the current device, by whatever name."""
    devices = ["cuda", "cuda:0", torch.device("cuda", 0)] if gpu.is_real else ["cpu"]
    for device in devices:
        x, out = torch.randn(300, device=device), torch.empty(300, device=devices[0])
        relu_kernel[(2,)](x, out, 300, BLOCK=256)
        assert torch.equal(out, torch.relu(x))
