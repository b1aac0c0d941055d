"""Prints tests/random_table.txt: random numbers of Triton, from its interpreter.

Run it where Triton is installed: python tools/random_table.py > tests/random_table.txt
"""

import os

os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported

import torch
import triton
import triton.language as tl

SEEDS = {
    "int32": [0, -1, 123456789],
    "int64": [2**40 + 17],
    "uint64": [0xDEADBEEF12345678, 2**64 - 1],
}
OFFSETS = {  # powers of two many
    "int32": [0, 1, 1000, -1],
    "uint32": [5, 2**32 - 1],
    "int64": [2**32, 2**40 + 5, -1, -(2**32)],
    "uint64": [2**63 + 9, 2**64 - 1],
    "int8": [127, -128],
}
ROUNDS = [10, 7, 1]
COUNTERS = [(0, 0, 0, 0), (1, 2, 3, 4), (2**64 - 1,) * 4, (2**63, 0, 2**32, 2**64 - 5)]


def unsigned(values: torch.Tensor) -> list[str]:
    """The bits of each element, in hex."""
    bits = 8 * values.element_size()
    ints = values.view({32: torch.int32, 64: torch.int64}[bits]).tolist()
    return [f"{each % 2**bits:0{bits // 4}x}" for each in ints]


@triton.jit
def streams(seeds, offsets, ints, uniforms, normals, N: tl.constexpr, ROUNDS: tl.constexpr):
    i = tl.arange(0, N)
    seed = tl.load(seeds)
    offset = tl.load(offsets + i)
    a, b, c, d = tl.randint4x(seed, offset, ROUNDS)
    tl.store(ints + i * 4, a)
    tl.store(ints + i * 4 + 1, b)
    tl.store(ints + i * 4 + 2, c)
    tl.store(ints + i * 4 + 3, d)
    a, b, c, d = tl.rand4x(seed, offset, ROUNDS)
    tl.store(uniforms + i * 4, a)
    tl.store(uniforms + i * 4 + 1, b)
    tl.store(uniforms + i * 4 + 2, c)
    tl.store(uniforms + i * 4 + 3, d)
    a, b, c, d = tl.randn4x(seed, offset, ROUNDS)
    tl.store(normals + i * 4, a)
    tl.store(normals + i * 4 + 1, b)
    tl.store(normals + i * 4 + 2, c)
    tl.store(normals + i * 4 + 3, d)


@triton.jit
def wide(seeds, counters, out, uniforms, ROUNDS: tl.constexpr):
    i = tl.arange(0, 1)
    seed = tl.load(seeds)
    c0 = tl.load(counters + i)
    c1 = tl.load(counters + i + 1)
    c2 = tl.load(counters + i + 2)
    c3 = tl.load(counters + i + 3)
    a, b, c, d = tl.philox(seed, c0, c1, c2, c3, ROUNDS)
    tl.store(out + i, a)
    tl.store(out + i + 1, b)
    tl.store(out + i + 2, c)
    tl.store(out + i + 3, d)
    tl.store(uniforms + i, tl.uint_to_uniform_float(a))


def tensor(values: list[int], dtype: str) -> torch.Tensor:
    return torch.tensor(values, dtype=getattr(torch, dtype))


def print_streams() -> None:
    print("# seed type, seed, offset type, offset, rounds: randint4x, rand4x, randn4x")
    for seed_type, seeds in SEEDS.items():
        for seed in seeds:
            for offset_type, offsets in OFFSETS.items():
                for rounds in ROUNDS if seed == 2**40 + 17 else ROUNDS[:1]:
                    n = len(offsets)
                    ints = torch.zeros(n, 4, dtype=torch.uint32)
                    uniforms, normals = torch.zeros(2, n, 4)
                    given = (tensor([seed], seed_type), tensor(offsets, offset_type))
                    streams[(1,)](*given, ints, uniforms, normals, n, rounds)
                    for i, offset in enumerate(offsets):
                        found = [unsigned(each[i]) for each in (ints, uniforms, normals)]
                        text = "  ".join(" ".join(each) for each in found)
                        print(f"streams {seed_type} {seed} {offset_type} {offset} {rounds}: {text}")


def print_wide() -> None:
    print("# seed, counter of 64 bits, rounds: philox, uint_to_uniform_float of its first")
    for seed in (0, 2**64 - 1, 0xDEADBEEF12345678):
        for counter in COUNTERS:
            for rounds in ROUNDS if seed == 2**64 - 1 else ROUNDS[:1]:
                out, uniform = torch.zeros(4, dtype=torch.uint64), torch.zeros(1)
                given = (tensor([seed], "uint64"), tensor(list(counter), "uint64"))
                wide[(1,)](*given, out, uniform, rounds)
                text = " ".join(str(each) for each in counter)
                values = " ".join(unsigned(out) + unsigned(uniform))
                print(f"philox {seed} {text} {rounds}: {values}")


if __name__ == "__main__":
    print(f"# Random numbers of Triton {triton.__version__}, bits in hex; tools/random_table.py")
    print_streams()
    print_wide()
