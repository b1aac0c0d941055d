"""Kernels beside torch, torch.compile and Triton on a GPU: python benchmarks/gpu.py

Times of large kernels by CUDA events, as ratios to ours (above 1: ours is faster), with the
bandwidth of ours; and what a launch takes of the CPU. Medians of runs in which all take turns.

--device cpu tries the script without a GPU, on small tensors. --rows FILE: a line of JSON for each
row as it is made (tools/gpu_check reads it). --seconds: how long all of it may take.
"""

import argparse
import json
import statistics
import time
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import kernels
import torch

import mytriton
from mytriton.testing import compare

Call = Callable[[], Any]
ROUNDS = 15
EPS = 1e-5
DTYPES = (torch.float32, torch.bfloat16)
BLOCK = 1024
AHEAD = 100  # launches that are queued before the CPU waits
LEAST = 8.0  # seconds that a row with torch.compile may take
TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 3e-2}


def interleaved(runs: Mapping[str, Call], seconds: float) -> dict[str, float]:
    """Median seconds of the device a call: each turn is many calls between two events."""
    calls = {}
    for name, run in runs.items():
        for _ in range(3):
            run()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(5):
            run()
        torch.cuda.synchronize()
        once = max((time.perf_counter() - start) / 5, 1e-6)
        calls[name] = max(1, int(seconds / ROUNDS / once))
    turns: dict[str, list[tuple[Any, Any]]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            first.record()
            for _ in range(calls[name]):
                run()
            last.record()
            turns[name].append((first, last))
        torch.cuda.synchronize()
    return {
        name: statistics.median(a.elapsed_time(b) for a, b in each) / 1e3 / calls[name]
        for name, each in turns.items()
    }


def queueing(runs: Mapping[str, Call], device: str) -> dict[str, float]:
    """Median seconds of the CPU a call, while the device is still busy with earlier ones."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(3 * ROUNDS):
        for name, run in runs.items():
            if device == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(AHEAD):
                run()
            if turn:  # the first one compiles
                times[name].append((time.perf_counter() - start) / AHEAD)
    return {name: statistics.median(each) for name, each in times.items()}


def in_triton(kernel: mytriton.JITFunction) -> Any:
    """The same text as a kernel of Triton, whose names it then means; None without Triton."""
    try:
        import triton
        import triton.language as tl
    except ImportError:
        return None
    fn = kernel.fn
    names = {**fn.__globals__, "triton": triton, "tl": tl}
    copy = types.FunctionType(fn.__code__, names, fn.__name__, fn.__defaults__, fn.__closure__)
    copy.__module__, copy.__qualname__ = fn.__module__, fn.__qualname__
    copy.__annotations__ = {name: tl.constexpr for name in fn.__annotations__}
    return triton.jit(copy)


class Workload:
    """One function on tensors of one size, as torch computes it and as a kernel does."""

    def __init__(
        self,
        name: str,
        kernel: mytriton.JITFunction,
        torchs: Callable[..., torch.Tensor],
        inputs: list[torch.Tensor],
        scalars: tuple[Any, ...],
        columns: int = 0,
    ) -> None:
        self.name, self.torchs, self.inputs, self.columns = name, torchs, inputs, columns
        self.kernel, self.scalars = kernel, scalars
        x = inputs[0]
        self.elements = x.numel()
        if columns:
            block = mytriton.next_power_of_2(columns)
            self.grid = (x.numel() // columns,)
            warps = 4 if block <= 1024 else 8 if block <= 4096 else 16
        else:
            block, warps = BLOCK, 4
            self.grid = (mytriton.cdiv(x.numel(), block),)
        self.options = {"BLOCK": block, "num_warps": warps}
        self.bytes = (sum(each.numel() for each in inputs) + x.numel()) * x.element_size()

    def title(self) -> str:
        shape = f"{self.elements // max(1, self.columns)}"
        columns = f" x {self.columns}" if self.columns else ""
        return f"{self.name} {str(self.inputs[0].dtype)[6:]} {shape}{columns}"

    def run(self, kernel: Any) -> torch.Tensor:
        out = torch.empty_like(self.inputs[0])
        kernel[self.grid](*self.inputs, out, *self.scalars, **self.options)
        return out

    def contestants(self, compiled: bool) -> dict[str, Call]:
        """All of them give what eager torch gives."""
        runs: dict[str, Call] = {
            "ours": lambda: self.run(self.kernel),
            "eager": lambda: self.torchs(*self.inputs),
        }
        if compiled:
            torch.compiler.reset()  # else it gives up after a number of shapes
            fused = torch.compile(self.torchs, dynamic=False)
            runs["compile"] = lambda: fused(*self.inputs)
        triton = in_triton(self.kernel) if self.inputs[0].is_cuda else None
        if triton is not None:
            runs["triton"] = lambda: self.run(triton)
        expected = runs["eager"]()
        close = TOLERANCE[expected.dtype]
        for name, run in runs.items():
            torch.testing.assert_close(
                run(), expected, rtol=close, atol=close, msg=lambda text, n=name: f"{n}: {text}"
            )
        return runs


def workloads(device: str) -> list[Workload]:
    """Those that say most come first."""
    functional = torch.nn.functional
    large = device == "cuda"
    found: list[Workload] = []
    for n, width in ((1 << 26, 4096), (1 << 22, 1024)) if large else ((1 << 12, 128),):
        for dtype in DTYPES:

            def normal(*shape: int, dtype: torch.dtype = dtype) -> torch.Tensor:
                return torch.randn(shape, device=device).to(dtype)

            x, y = normal(n), normal(n)
            rows, weight, bias = x.view(-1, width), normal(width), normal(width)
            found += [
                Workload("add", kernels.add_kernel, torch.add, [x, y], (n,)),
                Workload("silu", kernels.silu_kernel, functional.silu, [x], (n,)),
                Workload(
                    "swiglu",
                    kernels.swiglu_kernel,
                    lambda a, b: functional.silu(a) * b,
                    [x, y],
                    (n,),
                ),
                Workload(
                    "softmax",
                    kernels.softmax_kernel,
                    lambda x: torch.softmax(x, 1),
                    [rows],
                    (width,),
                    width,
                ),
                Workload(
                    "layer_norm",
                    kernels.layer_norm_kernel,
                    lambda x, w, b: functional.layer_norm(x, w.shape, w, b, EPS),
                    [rows, weight, bias],
                    (width, EPS),
                    width,
                ),
                Workload(
                    "rms_norm",
                    kernels.rms_norm_kernel,
                    lambda x, w: functional.rms_norm(x, w.shape, w, EPS),
                    [rows, weight],
                    (width, EPS),
                    width,
                ),
            ]
    return found


@mytriton.elementwise
def elementwise_add(a, b):
    return a + b


def launches(device: str) -> dict[str, dict[str, Call]]:
    x, y, out = torch.randn(3, 16, device=device).unbind()
    add = kernels.add_kernel
    rows = {
        "launch of 3 tensors, 16 elements": {
            "ours": lambda: add[(1,)](x, y, out, 16, BLOCK=256),
            "torch.add(out=)": lambda: torch.add(x, y, out=out),
        },
        "call that allocates, 16 elements": {
            "ours": lambda: elementwise_add(x, y),
            "torch.add": lambda: torch.add(x, y),
        },
    }
    triton = in_triton(add) if device == "cuda" else None
    if triton is not None:
        first = rows["launch of 3 tensors, 16 elements"]
        first["triton"] = lambda: triton[(1,)](x, y, out, 16, BLOCK=256)
    return rows


def row(kind: str, name: str, times: dict[str, float], **facts: Any) -> dict[str, Any]:
    ours = times["ours"]
    found = {
        "kind": kind,
        "name": name,
        "dtype": "float32",
        "elements": 16,
        "columns": 0,
        "bytes": 0,
        "rounds": ROUNDS,
        **facts,
        "median_us": {each: round(seconds * 1e6, 3) for each, seconds in times.items()},
        "ratios": {each: round(s / ours, 3) for each, s in times.items() if each != "ours"},
    }
    found["gb_per_second"] = round(found["bytes"] / ours / 1e9, 1)
    return found


class Rows:
    """Prints each row, and writes it where asked to."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.failed = path, False

    def write(self, line: dict[str, Any]) -> None:
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps(line) + "\n")

    def add(self, title: str, found: dict[str, Any]) -> None:
        times = ", ".join(f"{name} {us:.1f} us" for name, us in found["median_us"].items())
        bandwidth = f", {found['gb_per_second']:.0f} GB/s" if found["bytes"] else ""
        print(f"{title:32} {times}{bandwidth}", flush=True)
        self.write(found)

    def leave(self, title: str) -> None:
        print(f"{title:32} no time left", flush=True)
        self.write({"left": title})

    def fail(self, title: str, error: Exception) -> None:
        """The other rows are still worth their time."""
        self.failed = True
        text = f"{title}: {type(error).__name__}: {str(error)[:600]}"
        print(text, flush=True)
        self.write({"wrong": text})


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    torch.manual_seed(0)
    if options.device == "cpu":
        torch.set_num_threads(1)
    rows = Rows(options.rows)
    for name, runs in launches(options.device).items():
        try:
            rows.add(name, row("launch", name, queueing(runs, options.device), rounds=3 * ROUNDS))
        except Exception as error:
            rows.fail(name, error)
    for each in workloads(options.device):
        left = end - time.monotonic()
        if left < LEAST / 4:
            rows.leave(each.title())
            continue
        try:
            runs = each.contestants(compiled=left > LEAST)
            if options.device == "cuda":
                times = interleaved(runs, 0.2)
            else:
                times = compare(runs, 0.02, ROUNDS)
        except Exception as error:
            rows.fail(each.title(), error)
            continue
        facts = {"dtype": str(each.inputs[0].dtype)[6:], "elements": each.elements}
        facts |= {"columns": each.columns, "bytes": each.bytes}
        rows.add(each.title(), row("bandwidth", each.name, times, **facts))
    return int(rows.failed)


if __name__ == "__main__":
    raise SystemExit(main())
