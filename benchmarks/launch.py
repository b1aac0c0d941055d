"""What a launch and a call of an op cost: python benchmarks/launch.py

The first launch (trace, compile with the host compiler, register the op), also of a kernel that an
earlier process left on disk, and later ones on 16 elements beside torch.add(out=); calls of a
@mytriton.op and a @mytriton.elementwise beside torch.add and a torch.library.custom_op. Medians of
interleaved runs, one thread. "at most" is the bar of a row.
"""

import gc
import multiprocessing
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable

import torch
from kernels import add_kernel

import mytriton
import mytriton.language as tl
from mytriton.testing import compare

N = 16
CACHED = 10_000


@mytriton.jit
def many_kernel(a, b, c, d, e, f, n, m, k, alpha, beta, flag, BLOCK: tl.constexpr, W: tl.constexpr):
    """14 arguments: six tensors, three ints, two floats, a bool, two constexprs."""
    offs = tl.arange(0, BLOCK)
    mask = (offs < n) & flag
    sums = tl.load(a + offs, mask=mask) + tl.load(b + offs, mask=mask) * alpha
    sums += tl.load(c + offs, mask=mask) + tl.load(d + offs, mask=mask) * beta
    tl.store(e + offs, sums + m, mask=mask)
    tl.store(f + offs, sums * W + k, mask=mask)


def add_again(x, y, out, n, BLOCK: tl.constexpr, K: tl.constexpr = 0):
    offs = tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask) + tl.load(y + offs, mask=mask), mask=mask)


few_kernel, many_times_kernel = mytriton.jit(add_again), mytriton.jit(add_again)


def first_launch(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> float:
    """Seconds; another BLOCK each time, as equal kernels are compiled once a process."""
    first_launch.block += 16
    start = time.perf_counter()
    add_kernel[(1,)](x, y, out, N, BLOCK=first_launch.block)
    return time.perf_counter() - start


first_launch.block = 16


def first_launches(folder: str) -> float:
    """Seconds, median, in a new process whose cache on disk is the folder."""
    os.environ["MYTRITON_CACHE_DIR"] = folder
    torch.set_num_threads(1)
    x, y, out = torch.randn(N), torch.randn(N), torch.empty(N)
    return statistics.median(first_launch(x, y, out) for _ in range(9))


def table(title: str, runs: dict[str, tuple[Callable[[], object], float | None]]) -> None:
    """The first row is the unit."""
    gc.collect()  # not while the first call says how many make a turn
    times = compare({name: run for name, (run, _) in runs.items()}, seconds=1.0, rounds=31)
    unit = next(iter(times.values()))
    print(title)
    for name, seconds in times.items():
        ratio, bar = seconds / unit, runs[name][1]
        note = "" if bar is None else f"   at most {bar:.2f}: {'ok' if ratio <= bar else 'MISSED'}"
        print(f"  {name:34} {seconds * 1e6:6.2f} us {ratio:6.2f}{note}")


def launches(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    add = add_kernel
    tensors = [torch.randn(N) for _ in range(6)]
    table(
        "launches",
        {
            "torch.add(out=)": (lambda: torch.add(x, y, out=out), None),
            "3 tensors, int, constexpr": (lambda: add[(1,)](x, y, out, N, BLOCK=256), 0.35),
            "14 arguments": (
                lambda: many_kernel[(1,)](*tensors, N, 1, 2, 0.5, 2.0, True, 16, 3),
                0.6,
            ),
            "grid=lambda": (lambda: add[lambda meta: (1,)](x, y, out, N, BLOCK=256), 0.7),
        },
    )


def specialisations(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    last = CACHED - 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that there are many
        for k in range(CACHED):
            many_times_kernel[(1,)](x, y, out, N, 16, k)
    table(
        "launches of a kernel by how often it was compiled",
        {
            "once": (lambda: few_kernel[(1,)](x, y, out, N, 16, last), None),
            f"{CACHED} times": (
                lambda: many_times_kernel[(1,)](x, y, out, N, 16, last),
                1.1,
            ),
        },
    )


@mytriton.elementwise
def elementwise_add(a, b):
    return a + b


def ops(x: torch.Tensor, y: torch.Tensor) -> None:
    def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        add_kernel[(1,)](x, y, out, N, BLOCK=256)
        return out

    def backward(ctx: object, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return grad, grad

    mine = mytriton.op("mytriton_benchmarks::add")(add)
    mine.register_autograd(backward)
    theirs = torch.library.custom_op("mytriton_benchmarks::their_add", add, mutates_args=())
    theirs.register_autograd(backward)
    with_grad = x.clone().requires_grad_()
    cases = (("ops, no grad", x, 1.0), ("ops, with grad (forward)", with_grad, 1.3))
    for title, a, bar in cases:
        table(
            title,
            {
                "torch.add": (lambda a=a: torch.add(a, y), None),
                "@mytriton.op": (lambda a=a: mine(a, y), None),
                "torch.library.custom_op": (lambda a=a: theirs(a, y), None),
                "@mytriton.elementwise": (lambda a=a: elementwise_add(a, y), bar),
            },
        )


def main() -> None:
    torch.set_num_threads(1)
    x, y, out = torch.randn(N), torch.randn(N), torch.empty(N)
    with tempfile.TemporaryDirectory() as folder:
        for title in ("first launch", "first launch, kernel on disk"):
            with multiprocessing.get_context("spawn").Pool(1) as process:
                print(f"{title} {process.apply(first_launches, (folder,)) * 1e3:.1f} ms")
    launches(x, y, out)
    ops(x, y)
    specialisations(x, y, out)


if __name__ == "__main__":
    main()
