"""Kernels of training and inference: AdamW, quantisation, pooling, groups of products."""

import mytriton as triton
import mytriton.language as tl


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def adamw_kernel(
    weight, grad, first, second, largest, n, rate, beta1, beta2, eps, decay, step,
    MAXIMUM: tl.constexpr, EVEN: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A step of AdamW, all in place; `largest` is None unless MAXIMUM (AMSGrad)."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = None if EVEN else at < n
    w, g = tl.load(weight + at, mask=mask), tl.load(grad + at, mask=mask)
    m = beta1 * tl.load(first + at, mask=mask) + (1 - beta1) * g
    v = beta2 * tl.load(second + at, mask=mask) + (1 - beta2) * g * g
    tl.store(first + at, m, mask=mask)
    tl.store(second + at, v, mask=mask)
    if MAXIMUM:
        v = tl.maximum(v, tl.load(largest + at, mask=mask))
        tl.store(largest + at, v, mask=mask)
    m_unit = 1 - tl.exp2(step * tl.log2(beta1))
    v_unit = 1 - tl.exp2(step * tl.log2(beta2))
    update = m / m_unit / (tl.sqrt(v / v_unit) + eps)
    tl.store(weight + at, w * (1 - rate * decay) - rate * update, mask=mask)


@triton.jit
def quantise_rows_kernel(x, out, scales, columns, BLOCK: tl.constexpr):
    """int8 with one scale a row: the row's largest size is 127."""
    row = tl.program_id(0)
    n = tl.arange(0, BLOCK)
    a = tl.load(x + row * columns + n, mask=n < columns, other=0.0)
    scale = tl.maximum(tl.max(tl.abs(a), axis=0), 1e-10) / 127.0
    whole = tl.extra.libdevice.rint(a / scale)
    tl.store(out + row * columns + n, whole.to(tl.int8), mask=n < columns)
    tl.store(scales + row, scale)


@triton.jit
def int4_product_kernel(
    a, packed, scales, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """a (M, K) times weights (K, N) of 4 bits, two of them, k and k + 1, in a byte of `packed`
    (K / 2, N), of which 8 is taken; a scale for each column and BK rows: scales (K / BK, N)."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(0, K // BK):
        k = step * BK + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * K + k[None, :], mask=m[:, None] < M, other=0.0)
        at = packed + (k // 2)[:, None] * N + n[None, :]
        byte = tl.load(at, mask=n[None, :] < N, other=0)
        weight = ((byte >> (k % 2 * 4)[:, None]) & 0xF).to(tl.int8) - 8
        scale = tl.load(scales + step * N + n, mask=n < N, other=0.0)
        total += tl.dot(left, weight.to(tl.float32), input_precision="ieee") * scale[None, :]
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def pool_kernel(
    x, out, places, rows, columns, out_rows, out_columns,
    SIZE: tl.constexpr, STRIDE: tl.constexpr, PAD: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The largest of each window, and where it is in its plane; of several the first; a plane a
    program 1."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    plane = tl.program_id(1)
    mask = i < out_rows * out_columns
    top, left = i // out_columns * STRIDE - PAD, i % out_columns * STRIDE - PAD
    largest = tl.full((BLOCK,), -float("inf"), tl.float32)
    place = tl.full((BLOCK,), -1, tl.int64)
    for r in tl.static_range(SIZE):
        for c in tl.static_range(SIZE):
            row, column = top + r, left + c
            inside = mask & (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
            at = row * columns + column
            value = tl.load(x + plane * rows * columns + at, mask=inside, other=-float("inf"))
            better = inside & ((value > largest) | (place < 0) | (value != value))
            largest, place = tl.where(better, value, largest), tl.where(better, at, place)
    at = plane * out_rows * out_columns + i
    tl.store(out + at, largest, mask=mask)
    tl.store(places + at, place, mask=mask)


@triton.jit
def unpool_kernel(grad, places, dx, n, size, out_size, BLOCK: tl.constexpr):
    """The gradient of pooling: dx (0 at first) at the places; windows may overlap."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    at = i // out_size * size + tl.load(places + i, mask=mask, other=0)
    tl.atomic_add(dx + at, tl.load(grad + i, mask=mask), mask=mask)


@triton.jit
def grouped_product_kernel(
    a_addresses, b_addresses, c_addresses, sizes, groups,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Products of several pairs of matrices, whose addresses and sizes (M, N, K) lie in memory; a
    fixed number of programs takes all tiles of all products in turn."""
    tile = tl.program_id(0)
    before = 0
    for group in range(groups):
        M = tl.load(sizes + group * 3)
        N = tl.load(sizes + group * 3 + 1)
        K = tl.load(sizes + group * 3 + 2)
        across = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * across
        while tile >= before and tile < before + tiles:
            a = tl.load(a_addresses + group).to(tl.pointer_type(tl.float32))
            b = tl.load(b_addresses + group).to(tl.pointer_type(tl.float32))
            c = tl.load(c_addresses + group).to(tl.pointer_type(tl.float32))
            m = (tile - before) // across * BM + tl.arange(0, BM)[:, None]
            n = (tile - before) % across * BN + tl.arange(0, BN)[None, :]
            total = tl.zeros((BM, BN), tl.float32)
            for start in range(0, K, BK):
                k = start + tl.arange(0, BK)
                left = tl.load(a + m * K + k[None, :], (m < M) & (k[None, :] < K), other=0.0)
                right = tl.load(b + k[:, None] * N + n, (k[:, None] < K) & (n < N), other=0.0)
                total = tl.dot(left, right, total, input_precision="ieee")
            tl.store(c + m * N + n, total, mask=(m < M) & (n < N))
            tile += tl.num_programs(0)
        before += tiles


@triton.jit
def split_product_kernel(
    a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr
):
    """Programs along axis 2 share the terms of a sum; c is 0 at first."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(tl.program_id(2) * BK, K, BK * SPLIT):
        k = start + tl.arange(0, BK)
        left = tl.load(
            a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0
        )
        right = tl.load(
            b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0
        )
        total += tl.dot(left, right, input_precision="ieee")
    mask = (m[:, None] < M) & (n[None, :] < N)
    tl.atomic_add(c + m[:, None] * N + n[None, :], total, mask=mask)
