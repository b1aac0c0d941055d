"""What test_sanitizer.py runs under compute-sanitizer: python -m gpu.sanitized cuda

Kernels whose threads exchange much: reductions, sorts, scans, gathers, tails, atomics.
"""

import sys

import torch
from kernels import add_kernel, copy_kernel, softmax_kernel
from test_atomics import histogram_kernel
from test_gather import gather_kernel

import mytriton as triton
import mytriton.language as tl


@triton.jit
def exchange_kernel(x, sums, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Row sums, a transposition, a sort and a running sum, through shared memory."""
    r, c = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    block = tl.load(x + r[:, None] * COLUMNS + c[None, :])
    tl.store(sums + r, tl.sum(block, axis=1))
    turned = tl.sort(tl.trans(block), dim=1)
    tl.store(out + c[:, None] * ROWS + r[None, :], tl.cumsum(turned, axis=1))


def main(device: str) -> None:
    torch.manual_seed(0)
    n = 1000
    x, y, out = torch.randn(3, n, device=device).unbind()
    add_kernel[(4,)](x, y, out, n, BLOCK=256)
    add_kernel[(1,)](x, y, out, n, BLOCK=1024)
    assert torch.equal(out, x + y)
    copy_kernel[(1,)](x[1:], out[2:], n - 2, BLOCK=1024)
    rows = torch.randn(5, 777, device=device)
    normal = torch.empty_like(rows)
    softmax_kernel[(5,)](rows, normal, 777, 777, BLOCK=1024)
    torch.testing.assert_close(normal, rows.softmax(1))
    tile = torch.randn(32, 64, device=device)
    sums, turned = torch.empty(32, device=device), torch.empty(64, 32, device=device)
    exchange_kernel[(1,)](tile, sums, turned, ROWS=32, COLUMNS=64)
    torch.testing.assert_close(sums, tile.sum(1), rtol=1e-4, atol=1e-4)
    expected = tile.t().sort(1).values.cumsum(1)
    torch.testing.assert_close(turned, expected, rtol=1e-4, atol=1e-4)
    values = torch.randint(0, 10, (n,), device=device)
    counts = torch.zeros(10, dtype=torch.int32, device=device)
    histogram_kernel[(8,)](values, counts, n, BLOCK=128)
    assert torch.equal(counts.long(), torch.bincount(values, minlength=10))
    block, index = torch.randn(4, 64, device=device), torch.randint(0, 64, (4, 64), device=device)
    picked = torch.empty(4, 64, device=device)
    gather_kernel[(1,)](block, index, picked, SHAPE=(4, 64), INDEX=(4, 64), AXIS=1)
    assert torch.equal(picked, block.gather(1, index))
    print("ran to the end")


if __name__ == "__main__":
    main(sys.argv[1])
