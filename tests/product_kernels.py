"""Kernels built on tl.dot: matrix product with an epilogue, autotuned, and attention."""

import mytriton as triton
import mytriton.language as tl


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.autotune(
    configs=[
        triton.Config({"BM": 16, "BN": 32, "BK": 16, "GROUP": 2}, num_stages=3, num_warps=4),
        triton.Config({"BM": 32, "BN": 16, "BK": 32, "GROUP": 4}, num_stages=4, num_warps=2),
    ],
    key=["ACTIVATION"],
    warmup=1,
    rep=1,
)
@triton.jit
def matmul_kernel(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
    ACTIVATION: tl.constexpr,
):  # fmt: skip
    """c = activation(a b). Programs go down GROUP tiles of rows before the next tile of columns,
    so that what they read is still in the cache."""
    pid = tl.program_id(axis=0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * columns
    first = pid // in_group * GROUP
    height = min(rows - first, GROUP)
    row_tile = first + pid % in_group % height
    column_tile = pid % in_group // height

    # Beyond the edges rows and columns come from the beginning; what they give is not stored.
    m = (row_tile * BM + tl.arange(0, BM)) % M
    n = (column_tile * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a += m[:, None] * a_row + k[None, :] * a_column
    b += k[:, None] * b_row + n[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        left = tl.load(a, mask=k[None, :] < K - step * BK, other=0.0)
        right = tl.load(b, mask=k[:, None] < K - step * BK, other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
        a += BK * a_column
        b += BK * b_row
    if ACTIVATION == "leaky_relu":
        total = leaky_relu(total)
    m = row_tile * BM + tl.arange(0, BM)
    n = column_tile * BN + tl.arange(0, BN)
    at = c + m[:, None] * c_row + n[None, :] * c_column
    tl.store(at, total.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention_kernel(
    q, k, v, out, logsumexps, scale, heads, length,
    q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row,
    out_batch, out_head, out_row,
    CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """A block of queries a program; keys and values go by once, the softmax being kept online."""
    start_m = tl.program_id(0) * BM
    batch, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    m, lane = start_m + tl.arange(0, BM), tl.arange(0, WIDTH)
    q += batch * q_batch + head * q_head
    k += batch * k_batch + head * k_head
    v += batch * v_batch + head * v_head
    out += batch * out_batch + head * out_head
    queries = tl.load(q + m[:, None] * q_row + lane[None, :], mask=m[:, None] < length, other=0.0)

    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    result = tl.zeros((BM, WIDTH), tl.float32)
    stop = length
    if CAUSAL:
        stop = tl.minimum(start_m + BM, length)
    for start_n in range(0, stop, BN):
        n = start_n + tl.arange(0, BN)
        keys = tl.load(k + n[None, :] * k_row + lane[:, None], mask=n[None, :] < length, other=0.0)
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        seen = n[None, :] < length
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        shrunk = tl.exp(largest - new)
        powers = tl.exp(scores - new[:, None])
        total = total * shrunk + tl.sum(powers, axis=1)
        values = tl.load(
            v + n[:, None] * v_row + lane[None, :], mask=n[:, None] < length, other=0.0
        )
        result = result * shrunk[:, None]
        result = tl.dot(powers.to(values.dtype), values, result, input_precision="ieee")
        largest = new
    tl.store(
        out + m[:, None] * out_row + lane[None, :],
        (result / total[:, None]).to(out.dtype.element_ty),
        mask=m[:, None] < length,
    )
    at = logsumexps + tl.program_id(1) * length + m
    tl.store(at, largest + tl.log(total), mask=m < length)
