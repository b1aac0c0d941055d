"""A matrix product with an epilogue, whose tile sizes are chosen by measuring.

python examples/matmul.py                 compare with torch
python examples/matmul.py --size 512      of other matrices; every size is tuned anew
python examples/matmul.py --device cuda   run on a GPU
"""

import argparse

import torch

import mytriton as triton
import mytriton.language as tl
from mytriton.testing import compare

CONFIGS = [
    triton.Config({"BM": 16, "BN": 64, "BK": 16, "GROUP": 4}, num_warps=4),
    triton.Config({"BM": 32, "BN": 32, "BK": 32, "GROUP": 4}, num_warps=4),
]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"], warmup=5, rep=20)
@triton.jit
def matmul_leaky_relu(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column, slope,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """c = leaky_relu(a b): one program a tile of BM x BN.

    Programs go through GROUP tiles of a column before the next column, so that those which run
    together read the same parts of a and b.
    """
    program = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = program // (GROUP * columns) * GROUP
    height = min(rows - first, GROUP)
    within = program % (GROUP * columns)
    m = (first + within % height) * BM + tl.arange(0, BM)[:, None]
    n = within // height * BN + tl.arange(0, BN)[None, :]
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        along = start + k
        left = tl.load(
            a + m * a_row + along[None, :] * a_column,
            mask=(m < M) & (along[None, :] < K),
            other=0.0,
        )
        right = tl.load(
            b + along[:, None] * b_row + n * b_column,
            mask=(along[:, None] < K) & (n < N),
            other=0.0,
        )
        total = tl.dot(left, right, total, input_precision="ieee")
    result = tl.where(total >= 0, total, slope * total)
    tl.store(c + m * c_row + n * c_column, result, mask=(m < M) & (n < N))


def fused(a, b, c, slope):
    (m, k), n = a.shape, b.shape[1]
    grid = lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)  # noqa: E731
    matmul_leaky_relu[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), slope)
    return c


def eager(a, b, slope):
    return torch.nn.functional.leaky_relu(a @ b, slope)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--size", type=int, default=100, help="of rows; 1.5 times as many columns")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of both contestants")
    options = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    m, n, k = options.size, options.size * 3 // 2, options.size
    a = torch.randn(m, k, device=options.device)
    b = torch.randn(n, k, device=options.device).T  # columns that are contiguous
    c = fused(a, b, torch.empty(m, n, device=options.device), 0.01)

    print(f"{m} x {k} times {k} x {n} on {options.device}, float32")
    for config, (median, *_) in matmul_leaky_relu.configs_timings.items():
        chosen = "  <- chosen" if config == matmul_leaky_relu.best_config else ""
        print(f"{median * 1e3:9.0f} us with {config.kwargs}{chosen}")
    exact = eager(a.double(), b.double(), 0.01)
    print(f"largest difference to float64: {(c - exact).abs().max().item():.1e}")
    # A sum of k products, each of which is off by some 2**-24 of sizes around 1.
    torch.testing.assert_close(c.double(), exact, rtol=1e-5, atol=k * 2.0**-22)
    times = compare({"eager": lambda: eager(a, b, 0.01), "fused": lambda: fused(a, b, c, 0.01)})
    print(
        f"eager {times['eager'] * 1e6:.0f} us, fused {times['fused'] * 1e6:.0f} us: "
        f"{times['eager'] / times['fused']:.2f} times as fast"
    )
    print("agrees with torch")


if __name__ == "__main__":
    main()
