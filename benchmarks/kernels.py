"""Kernels that the benchmarks time, each beside the eager torch code that it stands for.

They compute in float32, whatever their tensors hold.
"""

import torch

import mytriton as triton
import mytriton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def relu_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.maximum(tl.load(x + at, mask=mask), 0.0), mask=mask)


@triton.jit
def leaky_relu_kernel(x, out, n, alpha, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    a = tl.load(x + at, mask=mask)
    tl.store(out + at, tl.where(a < 0.0, alpha * a, a), mask=mask)


@triton.jit
def sigmoid_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    a = tl.load(x + at, mask=mask).to(tl.float32)
    tl.store(out + at, 1.0 / (1.0 + tl.exp(-a)), mask=mask)


@triton.jit
def swiglu_kernel(a, b, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    gate = tl.load(a + at, mask=mask).to(tl.float32)
    tl.store(out + at, gate / (1.0 + tl.exp(-gate)) * tl.load(b + at, mask=mask), mask=mask)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    at = tl.program_id(0) * columns + column
    row = tl.load(x + at, mask=mask, other=float("-inf")).to(tl.float32)
    powers = tl.exp(row - tl.max(row, axis=0))
    tl.store(out + at, powers / tl.sum(powers, axis=0), mask=mask)


@triton.jit
def silu_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    a = tl.load(x + at, mask=mask).to(tl.float32)
    tl.store(out + at, a * tl.sigmoid(a), mask=mask)


@triton.jit
def layer_norm_kernel(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    at = tl.program_id(0) * columns + column
    row = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(row, axis=0) / columns
    centred = tl.where(mask, row - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    w = tl.load(weight + column, mask=mask)
    b = tl.load(bias + column, mask=mask)
    tl.store(out + at, centred * scale * w + b, mask=mask)


@triton.jit
def rms_norm_kernel(x, weight, out, columns, eps, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    at = tl.program_id(0) * columns + column
    row = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(row * row, axis=0) / columns + eps)
    tl.store(out + at, row * scale * tl.load(weight + column, mask=mask), mask=mask)


def elementwise(n: int, block: int = 1024):
    """Name -> (eager, ours), on n float32 elements, with preallocated outputs where torch can."""
    x, y = torch.randn(n), torch.randn(n)
    out = torch.empty(n)
    grid = (triton.cdiv(n, block),)
    silu = torch.nn.functional.silu
    leaky = torch._C._nn.leaky_relu
    return {
        "add": (
            lambda: torch.add(x, y, out=out),
            lambda: add_kernel[grid](x, y, out, n, BLOCK=block),
        ),
        "relu": (
            lambda: torch.clamp_min(x, 0.0, out=out),
            lambda: relu_kernel[grid](x, out, n, BLOCK=block),
        ),
        "leaky_relu": (
            lambda: leaky(x, 0.01, out=out),
            lambda: leaky_relu_kernel[grid](x, out, n, 0.01, BLOCK=block),
        ),
        "sigmoid": (
            lambda: torch.sigmoid(x, out=out),
            lambda: sigmoid_kernel[grid](x, out, n, BLOCK=block),
        ),
        "swiglu": (
            lambda: silu(x) * y,
            lambda: swiglu_kernel[grid](x, y, out, n, BLOCK=block),
        ),
    }


def softmax(rows: int, columns: int):
    x = torch.randn(rows, columns)
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    return (
        lambda: torch.softmax(x, 1, out=out),
        lambda: softmax_kernel[(rows,)](x, out, columns, BLOCK=block),
    )
