"""What a launch costs: python benchmarks/launch.py

The first launch (trace, compile with the host compiler, register the op), and later ones on 16
elements beside torch.add(out=), as medians of interleaved runs.
"""

import statistics
import time

import torch
from kernels import add_kernel

from mytriton.testing import compare


def first_launch(x, y, out) -> float:
    """Seconds; another BLOCK each time, as equal kernels are compiled once a process."""
    first_launch.block += 16
    start = time.perf_counter()
    add_kernel[(1,)](x, y, out, 16, BLOCK=first_launch.block)
    return time.perf_counter() - start


first_launch.block = 16


def main() -> None:
    torch.set_num_threads(1)
    x, y, out = torch.randn(16), torch.randn(16), torch.empty(16)
    first = statistics.median(first_launch(x, y, out) for _ in range(9))
    print(f"first launch {first * 1e3:.0f} ms")
    times = compare(
        {
            "torch.add(out=)": lambda: torch.add(x, y, out=out),
            "kernel[grid](...)": lambda: add_kernel[(1,)](x, y, out, 16, BLOCK=256),
            "kernel[function](...)": lambda: add_kernel[lambda meta: (1,)](
                x, y, out, 16, BLOCK=256
            ),
        }
    )
    for name, seconds in times.items():
        print(f"{name:24} {seconds * 1e6:6.2f} us, {seconds / times['torch.add(out=)']:5.2f}")


if __name__ == "__main__":
    main()
