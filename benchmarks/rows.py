"""Rows beside eager torch and torch.compile: python benchmarks/rows.py [--threads N] [--no-compile]

Prints their time divided by ours (above 1: ours is faster), each the median of interleaved runs,
on 1M float32 elements in rows of several widths. Every output is allocated by who computes it.
"""

import argparse
from collections.abc import Callable

import torch
from kernels import (
    add_kernel,
    layer_norm_kernel,
    rms_norm_kernel,
    silu_kernel,
    softmax_kernel,
)

import mytriton as triton
from mytriton.testing import compare

ELEMENTS = 1 << 20
WIDTHS = (128, 256, 520, 1000, 1024, 2048, 4096)
EPS = 1e-5


def workloads(columns: int) -> dict[str, tuple[Callable, Callable, tuple[torch.Tensor, ...]]]:
    """Name -> (torch's function, ours, their arguments), on rows of `columns` elements."""
    rows = ELEMENTS // columns
    block = triton.next_power_of_2(columns)
    functional = torch.nn.functional
    x, y = torch.randn(rows, columns), torch.randn(rows, columns)
    weight, bias = torch.randn(columns), torch.randn(columns)

    def softmax(x):
        out = torch.empty_like(x)
        softmax_kernel[(rows,)](x, out, columns, BLOCK=block)
        return out

    def layer_norm(x, weight, bias):
        out = torch.empty_like(x)
        layer_norm_kernel[(rows,)](x, weight, bias, out, columns, EPS, BLOCK=block)
        return out

    def rms_norm(x, weight):
        out = torch.empty_like(x)
        rms_norm_kernel[(rows,)](x, weight, out, columns, EPS, BLOCK=block)
        return out

    def silu(x):
        out = torch.empty_like(x)
        silu_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
        return out

    def add(x, y):
        out = torch.empty_like(x)
        add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
        return out

    return {
        "softmax": (lambda x: torch.softmax(x, 1), softmax, (x,)),
        "layer_norm": (
            lambda x, weight, bias: functional.layer_norm(x, (columns,), weight, bias, EPS),
            layer_norm,
            (x, weight, bias),
        ),
        "rms_norm": (
            lambda x, weight: functional.rms_norm(x, (columns,), weight, EPS),
            rms_norm,
            (x, weight),
        ),
        "silu": (functional.silu, silu, (x,)),
        "add": (torch.add, add, (x, y)),
    }


def ratios(theirs: Callable, ours: Callable, args: tuple, compiled: bool) -> list[float]:
    """Eager's time over ours and, where asked for, torch.compile's."""
    candidates = {"ours": lambda: ours(*args), "eager": lambda: theirs(*args)}
    if compiled:
        torch.compiler.reset()  # else it gives up after a number of shapes
        fused = torch.compile(theirs, dynamic=False)
        candidates["compile"] = lambda: fused(*args)
    torch.testing.assert_close(ours(*args), theirs(*args), rtol=1e-4, atol=1e-4)
    times = compare(candidates)
    return [times[name] / times["ours"] for name in candidates if name != "ours"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    peers = "eager" if options.no_compile else "eager / torch.compile"
    print(f"{ELEMENTS} elements, {options.threads} thread(s): time of {peers}, over ours")
    print(f"{'columns':12}" + "".join(f"{columns:>13}" for columns in WIDTHS))
    table = [workloads(columns) for columns in WIDTHS]
    for name in table[0]:
        print(f"{name:12}", end="", flush=True)
        for row in table:
            found = ratios(*row[name], compiled=not options.no_compile)
            print(f"{' / '.join(f'{each:.2f}' for each in found):>13}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
