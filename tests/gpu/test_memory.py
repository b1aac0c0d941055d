"""A device without free memory: what fails says so, and all works again when there is some."""

import gc
import re

import pytest
import torch
from kernels import add_kernel

import mytriton
import mytriton.language as tl
from gpu.machine import Gpu


def works(gpu: Gpu) -> None:
    x = torch.randn(1000, device=gpu.device)
    out = torch.empty_like(x)
    add_kernel[(4,)](x, x, out, 1000, BLOCK=256)
    assert torch.equal(out, x + x)


def test_after_torch_ran_out_of_memory(gpu: Gpu) -> None:
    works(gpu)
    with pytest.raises(RuntimeError, match=r"(?i)memory"):  # torch's error
        torch.empty(1 << 50, dtype=torch.uint8, device=gpu.device)
    works(gpu)


def fill(gpu: Gpu) -> list[torch.Tensor]:
    """Takes nearly all free memory."""
    held: list[torch.Tensor] = []
    if not gpu.is_real:
        return held
    torch.cuda.empty_cache()
    size = gpu.free_bytes()
    while size >= 1 << 20:
        try:
            held.append(torch.empty(size, dtype=torch.uint8, device=gpu.device))
        except torch.cuda.OutOfMemoryError:
            size //= 2
    return held


def test_first_launches_without_free_memory(gpu: Gpu) -> None:
    """Loading a kernel needs memory: where there is none it says what to do, or it just works."""

    @mytriton.jit
    def cold_kernel(x, out, BLOCK: tl.constexpr):
        lane = tl.arange(0, BLOCK)
        value = tl.load(x + lane)
        for _ in range(3):
            value = tl.sort(value)
        tl.store(out + lane, value)

    works(gpu)
    x, out = torch.randn(2, 1024, device=gpu.device).unbind()
    held = fill(gpu)
    try:
        cold_kernel[(1,)](x, out, BLOCK=1024)
        gpu.synchronize()
    except RuntimeError as error:
        message = str(error)
        assert re.search(r"kernel 'cold_kernel' on device 0: .*OUT_OF_MEMORY", message)
        assert "torch.cuda.empty_cache()" in message
    add_kernel[(4,)](x, x, x, 1000, BLOCK=256)  # that is loaded, and needs none
    del held
    gc.collect()
    if gpu.is_real:
        torch.cuda.empty_cache()
    cold_kernel[(1,)](x, out, BLOCK=1024)
    assert torch.equal(out, x.sort().values)
    works(gpu)


def test_nothing_is_kept_by_launches(gpu: Gpu) -> None:
    works(gpu)
    gpu.synchronize()
    if gpu.is_real:
        before = torch.cuda.memory_allocated()
    for _ in range(200):
        works(gpu)
    if gpu.is_real:
        assert torch.cuda.memory_allocated() == before
