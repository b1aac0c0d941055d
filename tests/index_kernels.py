"""Kernels whose addresses come from memory: embedding, histogram, sums of segments."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def embedding_kernel(indices, table, out, width, BLOCK: tl.constexpr):
    """A row of the table a program; `indices` of int64 or int32, negative ones give zeros."""
    token = tl.program_id(0)
    row = tl.load(indices + token)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(table + row * width + n, mask=(n < width) & (row >= 0), other=0.0)
    tl.store(out + token * width + n, values, mask=n < width)


@triton.jit
def embedding_grad_kernel(
    indices, grad, dtable, tokens, width, TOKENS: tl.constexpr, BLOCK: tl.constexpr
):
    """Rows that are named more than once add up; dtable is float32 and 0 at first."""
    m = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    row = tl.load(indices + m, mask=m < tokens, other=-1)[:, None]
    mask = (row >= 0) & (n < width)
    values = tl.load(grad + m[:, None] * width + n, mask=mask, other=0.0)
    tl.atomic_add(dtable + row * width + n, values.to(tl.float32), mask=mask)


@triton.jit
def histogram_kernel(x, counts, n, low, width, bins, BLOCK: tl.constexpr):
    """As torch.histc: bins of one width from `low`, the last one closed; others do not count."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    value = tl.load(x + at, mask=mask, other=0.0)
    bin = tl.minimum(((value - low) / width).to(tl.int32), bins - 1)
    inside = mask & (value >= low) & (value <= low + width * bins)
    tl.atomic_add(counts + bin, 1, mask=inside)


@triton.jit
def segment_sums_kernel(x, segments, sums, largest, n, width, TILE: tl.constexpr):
    """Rows of x, (n, width), into the rows of `sums` and `largest` that `segments` names."""
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    mask = i < n * width
    row, column = i // width, i % width
    value = tl.load(x + i, mask=mask, other=0.0)
    to = tl.load(segments + row, mask=mask, other=0) * width + column
    tl.atomic_add(sums + to, value, mask=mask, sem="relaxed")
    tl.atomic_max(largest + to, value, mask=mask, sem="relaxed")


@triton.jit
def gather_columns_kernel(x, indices, out, columns, count, BLOCK: tl.constexpr):
    """out[r, c] = x[r, indices[r, c]], with indices and sizes in int64."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK).to(tl.int64)
    index = tl.load(indices + row * count + c, mask=c < count, other=0)
    index = tl.where(index < 0, index + columns, index)
    tl.store(out + row * count + c, tl.load(x + row * columns + index), mask=c < count)
