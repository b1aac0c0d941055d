"""Kernels with branches and loops at run time, against torch and plain Python."""

from typing import Any

import pytest
import torch
from engines import every

import mytriton
import mytriton.language as tl


@mytriton.jit
def row_sum_kernel(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * n + i, mask=i < n, other=0.0)
    tl.store(out + row, tl.sum(total))


@every
def test_row_sums(engine: Any) -> None:
    for n in (1, 16, 100):
        x, out = torch.randn(5, n), torch.zeros(5)
        engine(row_sum_kernel)[5](x, out, n, BLOCK=16)
        torch.testing.assert_close(out, x.sum(1), rtol=1e-5, atol=1e-5)


@mytriton.jit
def log_sum_exp_kernel(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * n
    largest = float("-inf")
    total = 0.0
    for start in tl.range(0, n, BLOCK, num_stages=2):
        i = start + tl.arange(0, BLOCK)
        block = tl.load(x + i, mask=i < n, other=float("-inf"))
        new = tl.maximum(largest, tl.max(block))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(block - new))
        largest = new
    tl.store(out + row, largest + tl.log(total))


@every
def test_online_log_sum_exp(engine: Any) -> None:
    x, out = torch.randn(3, 77) * 10, torch.zeros(3)
    engine(log_sum_exp_kernel)[3](x, out, 77, BLOCK=32)
    torch.testing.assert_close(out, x.logsumexp(1))


@mytriton.jit
def collatz_kernel(x, out, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    value = tl.load(x + pid)
    steps = 0
    while value != 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    tl.store(out + pid, steps)


def collatz(value: int) -> int:
    return 0 if value == 1 else 1 + collatz(value // 2 if value % 2 == 0 else 3 * value + 1)


@every
def test_collatz(engine: Any) -> None:
    x = torch.arange(1, 30, dtype=torch.int32)
    out = torch.full((32,), -1, dtype=torch.int32)
    engine(collatz_kernel)[32](x, out, len(x))
    assert out.tolist() == [collatz(each) for each in x.tolist()] + [-1] * 3


def position_of(x, n, value):
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        found = tl.load(x + middle)
        if found == value:
            return middle, True
        elif found < value:
            low = middle + 1
        else:
            high = middle
    return -1, False


@mytriton.jit
def search_kernel(x, wanted, out, n):
    pid = tl.program_id(0)
    position, found = position_of(x, n, tl.load(wanted + pid))
    tl.store(out + 2 * pid, position)
    tl.store(out + 2 * pid + 1, found.to(tl.int32))


@every
def test_binary_search_returns_from_a_loop(engine: Any) -> None:
    x = torch.arange(0, 40, 3, dtype=torch.int32)
    wanted = torch.tensor([0, 3, 4, 39, 100, 15, -5], dtype=torch.int32)
    out = torch.zeros(7, 2, dtype=torch.int32)
    engine(search_kernel)[7](x, wanted, out, len(x))
    assert out[:, 0].tolist() == [0, 1, -1, 13, -1, 5, -1]
    assert out[:, 1].tolist() == [1, 1, 0, 1, 0, 1, 0]


@mytriton.jit
def triangle_kernel(out, n, STEP: tl.constexpr):
    total = 0
    count = 0
    for i in range(n, 0, STEP):
        for j in range(i):
            if (j % 3 == 1 and i != 5) or j == 7:
                continue
            total += i * j
        count += 1
    tl.store(out, total)
    tl.store(out + 1, count)


@every
def test_nested_loops_with_a_negative_step(engine: Any) -> None:
    for n in (0, 1, 12):
        out = torch.zeros(2, dtype=torch.int32)
        engine(triangle_kernel)[1](out, n, STEP=-2)
        rounds = range(n, 0, -2)
        expected = sum(
            i * j for i in rounds for j in range(i) if not ((j % 3 == 1 and i != 5) or j == 7)
        )
        assert out.tolist() == [expected, len(rounds)]


@mytriton.jit
def persistent_kernel(x, out, n, tiles, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        i = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@every
@pytest.mark.parametrize("programs", [1, 3, 8])
def test_persistent_kernel(engine: Any, programs: int) -> None:
    x, out = torch.randn(75), torch.zeros(75)
    engine(persistent_kernel)[programs](x, out, 75, tiles=5, BLOCK=16)
    assert torch.equal(out, x * 2)


@mytriton.jit
def prefix_kernel(x, out, n):
    carry = 0.0
    for i in range(n):
        carry += tl.load(x + i)
        tl.store(out + i, carry)


@every
def test_prefix_sum_with_a_carry(engine: Any) -> None:
    x, out = torch.randint(0, 9, (50,)).float(), torch.zeros(50)
    engine(prefix_kernel)[1](x, out, 50)
    assert torch.equal(out, x.cumsum(0))


@mytriton.jit
def newton_kernel(x, out):
    pid = tl.program_id(0)
    a = tl.load(x + pid)
    guess = a
    rounds = 0
    while True:
        better = 0.5 * (guess + a / guess)
        if tl.abs(better - guess) <= 1e-6 * better or rounds > 50:
            break
        guess = better
        rounds += 1
    tl.store(out + pid, guess)


@every
def test_newton_iteration_until_it_converges(engine: Any) -> None:
    x, out = torch.rand(6) * 100 + 0.01, torch.zeros(6)
    engine(newton_kernel)[6](x, out)
    torch.testing.assert_close(out, x.sqrt(), rtol=1e-5, atol=1e-6)


@mytriton.jit
def walk_kernel(x, out, n, ROWS: tl.constexpr):
    """Pointers that loops and branches move."""
    at = x + tl.arange(0, 8)
    total = tl.zeros((8,), tl.float32)
    for _ in range(n):
        total += tl.load(at)
        at += 8
    if n > 2:
        where = out
    else:
        where = out + 8
    tl.store(where + tl.arange(0, 8), total)
    for k in tl.static_range(ROWS):
        where += k
    tl.store(where + 16, 7.0)


@every
def test_pointers_in_loops_and_branches(engine: Any) -> None:
    x = torch.arange(40.0)
    for n, row in ((3, 0), (2, 1)):
        out = torch.zeros(40)
        engine(walk_kernel)[1](x, out, n, ROWS=3)
        assert torch.equal(out[8 * row : 8 * row + 8], x.view(5, 8)[:n].sum(0))
        assert out[8 * row + 16 + 3] == 7


@mytriton.jit
def first_of_kernel(x, out, n, LIMIT: tl.constexpr):
    """A loop of Python's that is left at run time."""
    found = -1
    for k in tl.static_range(LIMIT):
        if tl.load(x + k) > n:
            found = k
            break
    else:
        found = 100
    tl.store(out, found)
    for name in ("a", "b"):
        if n > 100:
            break
        found += len(name)
    tl.store(out + 1, found)


@every
def test_a_break_out_of_an_unrolled_loop(engine: Any) -> None:
    x = torch.tensor([1, 5, 2, 9], dtype=torch.int32)
    for n, expected in ((0, [0, 2]), (3, [1, 3]), (7, [3, 5]), (9, [100, 102]), (200, [100, 100])):
        out = torch.zeros(2, dtype=torch.int32)
        engine(first_of_kernel)[1](x, out, n, LIMIT=4)
        assert out.tolist() == expected


@mytriton.jit
def operators_kernel(x, out, n, OFF: tl.constexpr):
    i = tl.arange(0, 8)
    value = tl.load(x + i)
    tl.store(out + i, ((value > 2 and not value > 5) or value == 7).to(tl.int32))
    tl.store(out + 8 + i, (1 < value <= 4).to(tl.int32))
    tl.store(out + 16, n * 2 if 0 < n < 9 else n - 1)
    tl.store(out + 17, (n and 3).to(tl.int32))
    tl.store(out + 18, 1 if OFF is None or n > OFF else 2)
    tl.store(out + 19, 5 if OFF and not n else 6)


@every
def test_operators(engine: Any) -> None:
    x = torch.arange(8, dtype=torch.int32)
    for n, off in ((4, 2), (0, 3), (9, None), (-1, 0)):
        out = torch.zeros(20, dtype=torch.int32)
        engine(operators_kernel)[1](x, out, n, OFF=off)
        assert out[:8].tolist() == [0, 0, 0, 1, 1, 1, 0, 1]
        assert out[8:16].tolist() == [0, 0, 1, 1, 1, 0, 0, 0]
        assert out[16] == (n * 2 if 0 < n < 9 else n - 1)
        assert out[17] == bool(n)
        assert out[18] == (1 if off is None or n > off else 2)
        assert out[19] == (5 if off and not n else 6)


@mytriton.jit
def for_bounds_kernel(out, start, stop, step):
    count = 0
    last = start
    for i in range(start, stop, step):
        if i == 77:
            break
        last = i
        count += 1
    tl.store(out, count)
    tl.store(out + 1, last)


@every
def test_a_step_of_either_sign_and_the_ends_of_32_bits(engine: Any) -> None:
    top = 2**31 - 1
    for bounds in ((0, 10, 3), (10, 0, -3), (top - 5, top, 4), (-top, -top - 1, -4), (70, 90, 7)):
        rounds = [i for i in range(*bounds) if not (77 in range(*bounds) and i >= 77)]
        out = torch.zeros(2, dtype=torch.int64)
        engine(for_bounds_kernel)[1](out, *bounds)
        assert out.tolist() == [len(rounds), rounds[-1]]


@mytriton.jit
def counted_kernel(out, n):
    i = -5
    for i in range(n):  # noqa: B007
        pass
    tl.store(out, i)
    j = 0
    while j < 3:  # known while it is compiled
        tl.store(out + 1 + j, j)
        j += 1
    while (k := tl.load(out + 4)) < n and k < 5:
        tl.store(out + 4, k + 2)
    else:
        tl.store(out + 5, 1)


@every
def test_variables_of_loops_keep_their_last_value(engine: Any) -> None:
    for n in (0, 4):
        out = torch.zeros(6, dtype=torch.int32)
        engine(counted_kernel)[1](out, n)
        assert out.tolist() == [3 if n else -5, 0, 1, 2, 4 if n else 0, 1]
