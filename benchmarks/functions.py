"""Elementwise math on the CPU beside eager torch: python benchmarks/functions.py

One thread, 64K float32 values in [0.1, 0.9]. Prints nanoseconds an element of both, and eager's
time divided by ours (above 1: ours is faster), from medians of interleaved runs. abs is what any
kernel costs at least.
"""

import functools

import torch

import mytriton as triton
import mytriton.language as tl
from mytriton import _C
from mytriton.testing import compare

COUNT = 64 << 10
ROWS = [row for row in _C.op_rows() if row["name"] == "abs" or any(row["ulp"])]


@triton.jit
def unary_kernel(x, out, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, FUNCTION(tl.load(x + at, mask=mask)), mask=mask)


@triton.jit
def binary_kernel(x, y, out, n, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    a, b = tl.load(x + at, mask=mask), tl.load(y + at, mask=mask)
    tl.store(out + at, FUNCTION(a, b), mask=mask)


def main() -> None:
    torch.set_num_threads(1)
    x, y = torch.rand(2, COUNT) * 0.8 + 0.1
    out = torch.empty(COUNT)
    grid = (triton.cdiv(COUNT, 1024),)
    print(f"{'':10}{'eager ns':>10}{'ours ns':>10}{'ratio':>8}")
    for row in ROWS:
        kernel = unary_kernel if row["operands"] == 1 else binary_kernel
        given = (x, y)[: row["operands"]]
        function = getattr(tl, row["name"])
        eager = getattr(torch, row["torch"].removeprefix("torch."))
        candidates = {
            "eager": functools.partial(eager, *given, out=out),
            "ours": functools.partial(
                kernel[grid], *given, out, COUNT, FUNCTION=function, BLOCK=1024
            ),
        }
        times = compare(candidates, seconds=0.2)
        eager_ns, ours_ns = (1e9 * times[each] / COUNT for each in ("eager", "ours"))
        print(
            f"{row['name']:10}{eager_ns:10.2f}{ours_ns:10.2f}{eager_ns / ours_ns:8.2f}", flush=True
        )


if __name__ == "__main__":
    main()
