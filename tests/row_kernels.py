"""Kernels over the rows of a matrix: softmax and log-softmax in every common form."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def softmax_kernel(x, out, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    """One row a program, which one block holds."""
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    mask = n < columns
    a = tl.load(x + row * x_stride + n, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(a - tl.max(a, axis=0))
    tl.store(out + row * out_stride + n, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def persistent_softmax_kernel(
    x, out, x_stride, out_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    """A few programs take turns at the rows."""
    n = tl.arange(0, BLOCK)
    mask = n < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        a = tl.load(x + row * x_stride + n, mask=mask, other=-float("inf")).to(tl.float32)
        e = tl.exp(a - tl.max(a, axis=0))
        tl.store(out + row * out_stride + n, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def online_softmax_kernel(x, out, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    """Rows wider than the block: maximum and sum in one pass, a second one writes."""
    x += tl.program_id(0) * x_stride
    out += tl.program_id(0) * out_stride
    largest = -float("inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        n = start + tl.arange(0, BLOCK)
        a = tl.load(x + n, mask=n < columns, other=-float("inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(a, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)  # no -inf - -inf before a number came
        total = total * tl.exp(largest - shift) + tl.sum(tl.exp(a - shift), axis=0)
        largest = new
    for start in range(0, columns, BLOCK):
        n = start + tl.arange(0, BLOCK)
        a = tl.load(x + n, mask=n < columns, other=0.0).to(tl.float32)
        tl.store(out + n, tl.exp(a - largest) / total, mask=n < columns)


@triton.jit
def three_pass_softmax_kernel(x, out, x_stride, out_stride, columns, BLOCK: tl.constexpr):
    """Rows wider than the block: maximum, sum, result; each lane keeps its own until the end."""
    x += tl.program_id(0) * x_stride
    out += tl.program_id(0) * out_stride
    lane = tl.arange(0, BLOCK)
    maxima = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in range(0, columns, BLOCK):
        mask = start + lane < columns
        a = tl.load(x + start + lane, mask=mask, other=-float("inf")).to(tl.float32)
        maxima = tl.maximum(maxima, a)
    largest = tl.max(maxima, axis=0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        mask = start + lane < columns
        a = tl.load(x + start + lane, mask=mask, other=-float("inf")).to(tl.float32)
        sums += tl.exp(a - largest)
    total = tl.sum(sums, axis=0)
    for start in range(0, columns, BLOCK):
        mask = start + lane < columns
        a = tl.load(x + start + lane, mask=mask, other=0.0).to(tl.float32)
        tl.store(out + start + lane, tl.exp(a - largest) / total, mask=mask)


@triton.jit
def softmax_grad_kernel(y, grad, dx, columns, BLOCK: tl.constexpr):
    """dx = y (grad - sum(y grad)), y being the softmax; rows of any width."""
    row = tl.program_id(0) * columns
    products = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        n = start + tl.arange(0, BLOCK)
        mask = n < columns
        g = tl.load(grad + row + n, mask=mask, other=0.0).to(tl.float32)
        products += tl.load(y + row + n, mask=mask, other=0.0).to(tl.float32) * g
    total = tl.sum(products, axis=0)
    for start in range(0, columns, BLOCK):
        n = start + tl.arange(0, BLOCK)
        mask = n < columns
        g = tl.load(grad + row + n, mask=mask, other=0.0).to(tl.float32)
        s = tl.load(y + row + n, mask=mask, other=0.0).to(tl.float32)
        tl.store(dx + row + n, s * (g - total), mask=mask)


@triton.jit
def log_softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    n = tl.arange(0, BLOCK)
    mask = n < columns
    a = tl.load(x + row + n, mask=mask, other=-float("inf")).to(tl.float32)
    a -= tl.max(a, axis=0)
    tl.store(out + row + n, a - tl.log(tl.sum(tl.exp(a), axis=0)), mask=mask)


@triton.jit
def log_softmax_grad_kernel(y, grad, dx, columns, BLOCK: tl.constexpr):
    """dx = grad - exp(y) sum(grad), y being the log-softmax."""
    row = tl.program_id(0) * columns
    n = tl.arange(0, BLOCK)
    mask = n < columns
    g = tl.load(grad + row + n, mask=mask, other=0.0).to(tl.float32)
    powers = tl.exp(tl.load(y + row + n, mask=mask, other=0.0).to(tl.float32))
    tl.store(dx + row + n, g - powers * tl.sum(g, axis=0), mask=mask)
