"""Kernels on tiles of two and three axes: strides, masked edges, sums, broadcasting, a stencil."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def copy_2d_kernel(
    x, out, rows, columns, x_row, x_column, out_row, out_column,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Any two layouts; a transpose where `out`'s strides stand the other way around."""
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    mask = (m < rows) & (n < columns)
    tl.store(
        out + m * out_row + n * out_column,
        tl.load(x + m * x_row + n * x_column, mask=mask),
        mask=mask,
    )


@triton.jit
def add_3d_kernel(
    x, y, out, planes, rows, columns, x0, x1, x2, y0, y1, y2,
    PLANES: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """x + 2 y, of a contiguous result; a stride of 0 repeats an operand along an axis."""
    b = tl.program_id(0) * PLANES + tl.arange(0, PLANES)[:, None, None]
    m = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[None, :, None]
    n = tl.program_id(2) * COLUMNS + tl.arange(0, COLUMNS)[None, None, :]
    mask = (b < planes) & (m < rows) & (n < columns)
    left = tl.load(x + b * x0 + m * x1 + n * x2, mask=mask)
    right = tl.load(y + b * y0 + m * y1 + n * y2, mask=mask)
    tl.store(out + (b * rows + m) * columns + n, left + 2 * right, mask=mask)


@triton.jit
def row_sums_kernel(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, columns, COLUMNS):
        n = start + tl.arange(0, COLUMNS)
        mask = (m < rows)[:, None] & (n < columns)[None, :]
        total += tl.load(x + m[:, None] * columns + n[None, :], mask=mask, other=0.0)
    tl.store(out + m, tl.sum(total, axis=1), mask=m < rows)


@triton.jit
def column_sums_kernel(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Programs along axis 1 share the rows of a column; `out` is 0 at first."""
    n = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((COLUMNS,), tl.float32)
    for start in range(tl.program_id(1) * ROWS, rows, tl.num_programs(1) * ROWS):
        m = start + tl.arange(0, ROWS)
        mask = (m < rows)[:, None] & (n < columns)[None, :]
        tile = tl.load(x + m[:, None] * columns + n[None, :], mask=mask, other=0.0)
        total += tl.sum(tile, axis=0)
    tl.atomic_add(out + n, total, mask=n < columns)


@triton.jit
def column_and_row_kernel(
    x, y, products, sums, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    """Outer product and outer sum of two vectors."""
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    a = tl.load(x + m, mask=m < rows)[:, None]
    b = tl.load(y + n, mask=n < columns)[None, :]
    mask = (m[:, None] < rows) & (n[None, :] < columns)
    at = m[:, None] * columns + n[None, :]
    tl.store(products + at, a * b, mask=mask)
    tl.store(sums + at, a + b, mask=mask)


@triton.jit
def convolution_kernel(
    x, taps, out, length, TAPS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """Each channel (program 0) with its own taps, zeros beyond the ends; `tl.static_range`."""
    channel = tl.program_id(0)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(TAPS):
        at = n + k - TAPS // 2
        inside = (at >= 0) & (at < length)
        value = tl.load(x + channel * length + at, mask=inside, other=0.0)
        total += value * tl.load(taps + channel * TAPS + k)
    tl.store(out + channel * length + n, total, mask=n < length)


@triton.jit
def reverse_rows_kernel(x, columns, BLOCK: tl.constexpr):
    """In place: every lane is read before the first is written."""
    row = x + tl.program_id(0) * columns
    n = tl.arange(0, BLOCK)
    mask = n < columns
    turned = tl.load(row + columns - 1 - n, mask=mask)
    tl.store(row + n, turned, mask=mask)
