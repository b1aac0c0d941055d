"""Launches from several threads, and many launches: right results, nothing leaked."""

import gc
import os
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from kernels import add_kernel

import mytriton
import mytriton.language as tl

THREADS = 8


@mytriton.jit
def scale_kernel(x, out, s, n, BLOCK: tl.constexpr = 128):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask) * s, mask=mask)


def in_threads(work: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """The results of work(0), work(1), ..., begun at one moment; raises what one of them raised."""
    start = threading.Barrier(count)
    results: list[Any] = [None] * count

    def run(i: int) -> None:
        start.wait()
        try:
            results[i] = work(i)
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


@pytest.fixture
def often_switched() -> Any:
    """Python gives the next thread its turn a thousand times as often."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(interval / 1000)
    yield
    sys.setswitchinterval(interval)


# --- threads -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("often_switched")
def test_first_launches_of_one_kernel_at_once() -> None:
    x = torch.arange(1000.0)
    for attempt in range(10):
        scale_kernel.clear_cache()
        outs = [torch.zeros(1000) for _ in range(THREADS)]
        s = attempt + 0.5
        compiled = in_threads(lambda i, outs=outs, s=s: scale_kernel[8](x, outs[i], s + i, 1000))
        for i, out in enumerate(outs):
            assert torch.equal(out, x * (s + i))
        # One kind of launch, one compiled kernel, whoever was first.
        assert len({id(each) for each in [*compiled, scale_kernel[8](x, x.clone(), s, 1000)]}) == 1


@pytest.mark.usefixtures("often_switched")
def test_sixteen_threads_at_a_first_launch_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []
    compile_kernel = mytriton.JITFunction._compile

    def counting(self: mytriton.JITFunction, *args: Any) -> mytriton.CompiledKernel:
        compiled.append(compile_kernel(self, *args))
        return compiled[-1]

    monkeypatch.setattr(mytriton.JITFunction, "_compile", counting)
    scale_kernel.clear_cache()
    x = torch.arange(1000.0)
    outs = [torch.zeros(1000) for _ in range(16)]
    in_threads(lambda i: scale_kernel[8](x, outs[i], i + 0.5, 1000), 16)
    assert len(compiled) == 1
    for i, out in enumerate(outs):
        assert torch.equal(out, x * (i + 0.5))


@pytest.mark.usefixtures("often_switched")
def test_threads_that_compile_different_kernels() -> None:
    def work(i: int) -> bool:
        @mytriton.jit
        def kernel(x, out, factor: tl.constexpr):
            offs = tl.arange(0, 16)
            tl.store(out + offs, tl.load(x + offs) * factor + i)

        x, out = torch.arange(16.0), torch.zeros(16)
        for factor in (2.0, 3.0):
            kernel[1](x, out, factor)
            assert torch.equal(out, x * factor + i)
        return True

    assert all(in_threads(work))


@pytest.mark.usefixtures("often_switched")
def test_launches_while_another_thread_clears_the_cache() -> None:
    x = torch.arange(128.0)
    stop = threading.Event()

    def work(i: int) -> None:
        if i == 0:
            while not stop.is_set():
                scale_kernel.clear_cache()
            return
        try:
            out = torch.zeros(128)
            for k in range(150):
                compiled = scale_kernel[lambda meta: 1](x, out, float(k), 128)
                assert str(compiled.op_name).startswith("mytriton::scale_kernel_")
                assert torch.equal(out, x * k)
        finally:
            if i == 1:
                stop.set()

    in_threads(work, 4)


def test_other_threads_run_while_a_kernel_does() -> None:
    x = torch.ones(1 << 20)
    out = torch.empty_like(x)
    running = threading.Event()
    ran = []

    def work(i: int) -> None:
        if i == 0:
            running.wait()
            ran.append(True)
            return
        scale_kernel[8192](x, out, 2.0, x.numel())
        running.set()
        for _ in range(1000):
            scale_kernel[8192](x, out, 2.0, x.numel())
            if ran:
                return
        raise AssertionError("the other thread never had its turn")

    # Turns are taken only where someone gives the lock away, as a launch does.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        in_threads(work, 2)
    finally:
        sys.setswitchinterval(interval)


# --- leaks ---------------------------------------------------------------------------------------


class Grid:
    def __call__(self, meta: dict[str, Any]) -> tuple[int]:
        return (len(meta) - 3,)


def refused(error: type[Exception], launch: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(error):
        launch(*args, **kwargs)


def launches(x: torch.Tensor, out: torch.Tensor, n: int, s: float, grid: Any) -> list[Any]:
    """One launch each way that the C code goes."""
    return [
        lambda: scale_kernel[2](x, out, s, n),
        lambda: scale_kernel[(2,)](x, out, s=s, n=n, BLOCK=128),
        lambda: scale_kernel[grid](x, out, s, n=n),
        lambda: scale_kernel[grid](x, out, s, n, tl.constexpr(128)),  # in Python, each time
        lambda: scale_kernel[2](x, out, s, n=2**40),
        lambda: refused(OverflowError, scale_kernel[2], x, out, s, n=2**70),
        lambda: refused(ValueError, scale_kernel[-1], x, out, s, n),
        lambda: refused(TypeError, scale_kernel[2], x, out, s),
    ]


def test_reference_counts_stay_level() -> None:
    # int("300"), float("2.5"): objects that no one else holds.
    x, out, n, s, grid = torch.ones(300), torch.zeros(300), int("300"), float("2.5"), Grid()
    every = launches(x, out, n, s, grid)
    for launch in every:
        launch()
    compiled = scale_kernel[2](x, out, s, n)
    held = (x, out, n, s, grid, compiled, scale_kernel, None)
    gc.collect()
    before = [sys.getrefcount(each) for each in held]
    for launch in every:
        for _ in range(1000):
            launch()
    gc.collect()
    after = [sys.getrefcount(each) for each in held]
    # None and the kernel are everyone's: some drift, far from a thousand, is not the launch's.
    assert after[:-2] == before[:-2]
    assert all(abs(a - b) < 100 for a, b in zip(after, before, strict=True))
    gone = weakref.ref(x)
    del x, every, held, launch
    assert gone() is None


def test_memory_stays_level() -> None:
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    x, out = torch.ones(200), torch.zeros(200)
    every = launches(x, out, 200, 2.5, Grid())[:4]
    for launch in every:
        for _ in range(500):
            launch()
    gc.collect()
    before = resident()
    tracemalloc.start()
    try:
        python_before = tracemalloc.get_traced_memory()[0]
        for launch in every[:3]:
            for _ in range(10_000):
                launch()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - python_before < 50_000
    finally:
        tracemalloc.stop()
    for launch in every[:3]:
        for _ in range(10_000):
            launch()
    # Less than 32 bytes a launch; the first 30,000 cost what tracemalloc itself needs.
    assert resident() - before < 2_000_000


def test_clearing_the_cache_frees_what_was_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_EVALUATE", "1")  # 29 runs of the host compiler less
    x, out = torch.ones(128), torch.zeros(128)

    def compile_some() -> int:
        before = len(gc.get_objects())
        for block in range(1, 30):
            scale_kernel[1](x, out, 2.0, 128, block)
        held = len(gc.get_objects()) - before
        scale_kernel.clear_cache()
        return held

    scale_kernel.clear_cache()
    compile_some()
    gc.collect()
    before = len(gc.get_objects())
    assert compile_some() >= 29
    gc.collect()
    assert len(gc.get_objects()) - before < 20


def test_add_kernel_in_many_threads_with_large_tensors() -> None:
    # Enough programs for at::parallel_for to share them out, from several threads at once.
    n = 300_000
    xs = [torch.randn(n) for _ in range(4)]

    def work(i: int) -> bool:
        out = torch.empty(n)
        for _ in range(10):
            out.zero_()
            add_kernel[lambda meta: (mytriton.cdiv(n, 256),)](xs[i], xs[i], out, n, BLOCK=256)
            assert torch.equal(out, xs[i] + xs[i])
        return True

    assert all(in_threads(work, 4))
