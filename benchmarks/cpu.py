"""CPU kernels beside eager torch: python benchmarks/cpu.py [--threads N]

Prints eager's time divided by ours (above 1: ours is faster), the median of interleaved runs.
"""

import argparse

import torch
from kernels import elementwise, softmax

from mytriton.testing import compare

SIZES = {"4K": 4 << 10, "64K": 64 << 10, "1M": 1 << 20, "16M": 16 << 20}
ROWS = {"128": 128, "520": 520, "1000": 1000, "1024": 1024, "4096": 4096}


def ratio(eager, ours) -> str:
    times = compare({"eager": eager, "ours": ours})
    return f"{times['eager'] / times['ours']:8.2f}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    torch.set_num_threads(parser.parse_args().threads)
    print(f"{'elements':14}" + "".join(f"{size:>8}" for size in SIZES))
    pairs = {size: elementwise(n) for size, n in SIZES.items()}
    for name in pairs["4K"]:
        print(f"{name:14}" + "".join(ratio(*pairs[size][name]) for size in SIZES), flush=True)
    print(f"{'columns, 1M':14}" + "".join(f"{columns:>8}" for columns in ROWS))
    softmaxes = (softmax((1 << 20) // columns, columns) for columns in ROWS.values())
    print(f"{'softmax':14}" + "".join(ratio(*pair) for pair in softmaxes))


if __name__ == "__main__":
    main()
