"""Loops and branches on the CPU beside eager torch: python benchmarks/loops.py

One thread. Prints microseconds a call of both, and eager's time divided by ours (above 1: ours is
faster), from medians of interleaved runs. Rows are summed in steps of 64 to 1024 lanes: what the
loop carries is a block of that many.
"""

import functools

import torch

import mytriton as triton
import mytriton.language as tl
from mytriton.testing import compare


@triton.jit
def row_sum(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + lanes
        total += tl.load(x + row.to(tl.int64) * columns + at, mask=at < columns, other=0.0)
    tl.store(out + row, tl.sum(total))


@triton.jit
def log_sum_exp(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    largest, total = float("-inf"), 0.0
    for start in range(0, columns, BLOCK):
        at = start + lanes
        value = tl.load(x + row * columns + at, mask=at < columns, other=float("-inf"))
        new = tl.maximum(largest, tl.max(value))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(value - new))
        largest = new
    tl.store(out + row, largest + tl.log(total))


def main() -> None:
    torch.set_num_threads(1)
    print(f"{'':34}{'eager us':>10}{'ours us':>10}{'ratio':>8}")

    def show(name, eager, ours):
        times = compare({"eager": eager, "ours": ours}, seconds=0.5)
        eager_us, ours_us = 1e6 * times["eager"], 1e6 * times["ours"]
        print(f"{name:34}{eager_us:10.1f}{ours_us:10.1f}{eager_us / ours_us:8.2f}", flush=True)

    for rows in (50, 1000):
        x, out = torch.randn(rows, 10007), torch.empty(rows)
        for block in (64, 256, 1024):
            show(
                f"row sum {rows} x 10007 by {block}",
                functools.partial(torch.sum, x, 1, out=out),
                functools.partial(row_sum[(rows,)], x, out, 10007, BLOCK=block),
            )
        for block in (64, 1024):
            show(
                f"log-sum-exp {rows} x 10007 by {block}",
                functools.partial(torch.logsumexp, x, 1, out=out),
                functools.partial(log_sum_exp[(rows,)], x, out, 10007, BLOCK=block),
            )


if __name__ == "__main__":
    main()
