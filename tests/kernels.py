"""Kernels that several test files launch; the first four are the language's reference examples."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n

    x_values = tl.load(x + offsets, mask=mask, other=0.0)
    y_values = tl.load(y + offsets, mask=mask, other=0.0)

    tl.store(out + offsets, x_values + y_values, mask=mask)


@triton.jit
def relu_kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n

    a = tl.load(x + offs, mask=mask, other=0.0)

    tl.store(out + offs, tl.maximum(a, 0.0), mask=mask)


@triton.jit
def leaky_relu_kernel(x, out, n, alpha, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n

    a = tl.load(x + offs, mask=mask, other=0.0)

    b = tl.where(a < 0.0, alpha * a, a)

    tl.store(out + offs, b, mask=mask)


@triton.jit
def sigmoid_kernel(x, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n

    a = tl.load(x + offs, mask=mask, other=0.0)

    b = 1.0 / (1.0 + tl.exp(-a))

    tl.store(out + offs, b, mask=mask)


@triton.jit
def softmax_kernel(x, out, columns, row_stride, BLOCK: tl.constexpr):
    """One row a program; `columns` is at most BLOCK."""
    row = tl.program_id(0) * row_stride
    column = tl.arange(0, BLOCK)
    mask = column < columns

    a = tl.load(x + row + column, mask=mask, other=float("-inf"))
    e = tl.exp(a - tl.max(a, axis=0))

    tl.store(out + row + column, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def copy_kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask), mask=mask)


@triton.jit
def mixed_widths_kernel(x, out):
    """Blocks of two widths in one program, which one lane a CUDA thread cannot hold."""
    wide = tl.arange(0, 256)
    narrow = tl.arange(0, 128)
    tl.store(out + wide, tl.load(x + wide))
    tl.store(out + narrow, tl.load(x + narrow) * 2.0)
