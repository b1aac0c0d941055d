"""Tiles beside eager torch: python benchmarks/tiles.py [--threads N]

Masked 2-D tiles of squares of float32, preallocated outputs. Prints eager's time divided by ours
(above 1: ours is faster), the median of interleaved runs, for several tiles.
"""

import argparse
from collections.abc import Callable

import torch

import mytriton as triton
import mytriton.language as tl
from mytriton.testing import compare

SIZES = (512, 2000, 2048)
TILES = ((32, 32), (16, 256))


@triton.jit
def copy_kernel(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    m = tl.program_id(1) * R + tl.arange(0, R)[:, None]
    n = tl.program_id(0) * C + tl.arange(0, C)[None, :]
    mask = (m < rows) & (n < columns)
    tl.store(out + m * columns + n, tl.load(x + m * columns + n, mask=mask), mask=mask)


@triton.jit
def transpose_kernel(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    m = tl.program_id(1) * R + tl.arange(0, R)
    n = tl.program_id(0) * C + tl.arange(0, C)
    inside = (m[:, None] < rows) & (n[None, :] < columns)
    tile = tl.load(x + m[:, None] * columns + n[None, :], mask=inside)
    turned = (n[:, None] < columns) & (m[None, :] < rows)
    tl.store(out + n[:, None] * rows + m[None, :], tl.trans(tile), mask=turned)


@triton.jit
def broadcast_add_kernel(x, y, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    m = tl.program_id(1) * R + tl.arange(0, R)
    n = tl.program_id(0) * C + tl.arange(0, C)
    mask = (m[:, None] < rows) & (n[None, :] < columns)
    a, b = tl.load(x + m, mask=m < rows), tl.load(y + n, mask=n < columns)
    tl.store(out + m[:, None] * columns + n[None, :], a[:, None] + b[None, :], mask=mask)


@triton.jit
def column_sums_kernel(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    n = tl.program_id(0) * C + tl.arange(0, C)
    total = tl.zeros((C,), tl.float32)
    for start in range(0, rows, R):
        m = start + tl.arange(0, R)
        mask = (m[:, None] < rows) & (n[None, :] < columns)
        tile = tl.load(x + m[:, None] * columns + n[None, :], mask=mask, other=0.0)
        total += tl.sum(tile, axis=0)
    tl.store(out + n, total, mask=n < columns)


def workloads(size: int, R: int, C: int) -> dict[str, tuple[Callable, Callable]]:
    """Name -> (eager's call, ours)."""
    x, out = torch.randn(size, size), torch.empty(size, size)
    a, b, sums = torch.randn(size), torch.randn(size), torch.empty(size)
    grid = (triton.cdiv(size, C), triton.cdiv(size, R))
    shape = {"R": R, "C": C}
    column, row = a[:, None], b[None, :]
    return {
        "copy": (lambda: out.copy_(x), lambda: copy_kernel[grid](x, out, size, size, **shape)),
        "transpose": (
            lambda: out.copy_(x.T),
            lambda: transpose_kernel[grid](x, out, size, size, **shape),
        ),
        "broadcast add": (
            lambda: torch.add(column, row, out=out),
            lambda: broadcast_add_kernel[grid](a, b, out, size, size, **shape),
        ),
        "column sums": (
            lambda: torch.sum(x, 0, out=sums),
            lambda: column_sums_kernel[grid[:1]](x, sums, size, size, **shape),
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    torch.set_num_threads(parser.parse_args().threads)
    print(f"{'size, tile':20}" + "".join(f"{name:>15}" for name in workloads(16, 16, 16)))
    for size in SIZES:
        for R, C in TILES:
            line = f"{f'{size}, {R}x{C}':20}"
            for eager, ours in workloads(size, R, C).values():
                times = compare({"eager": eager, "ours": ours})
                line += f"{times['eager'] / times['ours']:15.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
