"""A matrix product with an epilogue, autotuned."""

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
