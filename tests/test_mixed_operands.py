"""Operations on operands of different types, numbers and scalar arguments; results to the bit."""

import numpy as np
import torch
from engines import assert_same_bits, every

import mytriton
import mytriton.language as tl

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
NAN, INF = float("nan"), float("inf")


@mytriton.jit
def mixed_kernel(i, f, b, floats, ints, bools, n, eps, flag, N: tl.constexpr):
    lane = tl.arange(0, N)
    x, y, m = tl.load(i + lane), tl.load(f + lane), tl.load(b + lane)
    tl.store(floats + lane, x + y)
    tl.store(floats + N + lane, m + y)
    tl.store(floats + 2 * N + lane, y * 3)
    tl.store(floats + 3 * N + lane, x / n)
    tl.store(floats + 4 * N + lane, x * eps)
    tl.store(floats + 5 * N + lane, 1 / y)
    tl.store(floats + 6 * N + lane, tl.maximum(x, 0.5))
    tl.store(floats + 7 * N + lane, tl.where(m, x, y))
    tl.store(floats + 8 * N + lane, tl.where(x < y, 1, 0.5))
    tl.store(floats + 9 * N + lane, m / 2)
    tl.store(ints + lane, x // 3)
    tl.store(ints + N + lane, x % 3)
    tl.store(ints + 2 * N + lane, 17 // x)
    tl.store(ints + 3 * N + lane, 17 % x)
    tl.store(ints + 4 * N + lane, m + x)
    tl.store(ints + 5 * N + lane, m + 1)
    tl.store(ints + 6 * N + lane, x * x + x)
    tl.store(ints + 7 * N + lane, tl.where(flag, x, m))
    tl.store(bools + lane, x < y)
    tl.store(bools + N + lane, m == x)
    tl.store(bools + 2 * N + lane, m + m)
    tl.store(bools + 3 * N + lane, (x > 0) & m | ~m ^ flag)
    tl.store(bools + 4 * N + lane, n < x)


def truncated(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """C's quotient and remainder of wide ints; x // 0 is -1 and x % 0 is x."""
    safe = np.where(b == 0, 1, b)
    quotient = np.where(b == 0, -1, np.sign(a) * np.sign(safe) * (abs(a) // abs(safe)))
    return quotient.astype(np.int32), np.where(b == 0, a, a - quotient * safe).astype(np.int32)


@every
def test_mixed_operands(engine) -> None:
    width = 37
    i = torch.arange(width, dtype=torch.int32) * 90_000_007 - 5
    i[:8] = torch.tensor([0, 1, -1, 7, -7, INT_MAX, INT_MIN, -17])
    f = torch.linspace(-3e9, 3e9, width).round()
    f[:6] = torch.tensor([0.5, NAN, -0.0, 7.0, INF, 2147483648.0])
    b = torch.arange(width) % 3 == 0
    floats, ints = torch.zeros(10, width), torch.zeros(8, width, dtype=torch.int32)
    bools = torch.zeros(5, width, dtype=torch.bool)
    engine(mixed_kernel)[1](i, f, b, floats, ints, bools, -3, 0.1, True, N=width)

    x, eps = i.float(), torch.tensor(0.1)
    half, one = torch.tensor(0.5), torch.tensor(1.0)
    expected = [x + f, b.float() + f, f * 3.0, x / -3.0, x * eps, 1.0 / f, torch.maximum(x, half)]
    expected += [torch.where(b, x, f), torch.where(x < f, one, half), b.float() / 2]
    assert_same_bits(floats, torch.stack(expected))

    wide = i.numpy().astype(np.int64)
    by, of = truncated(wide, np.full(width, 3)), truncated(np.full(width, 17), wide)
    quotients = [torch.from_numpy(each) for each in (*by, *of)]
    assert_same_bits(ints, torch.stack([*quotients, b + i, b + 1, i * i + i, i]).int())

    logic = (i > 0) & b | ~b ^ True
    assert_same_bits(bools, torch.stack([x < f, b.int() == i, b & False, logic, i > -3]))
