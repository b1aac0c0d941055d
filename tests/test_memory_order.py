"""Statements of a program are ordered for its whole block; and tensors of every shape and type.

A load sees every earlier store of its program, from any lane, and no later one.
"""

import pytest
import torch
from engines import assert_same_bits, both, every
from kernels import copy_kernel, mixed_widths_kernel, relu_kernel

import mytriton
import mytriton.language as tl

WIDTHS = [5, 16, 100, 1000]


def numbers(count: int) -> torch.Tensor:
    return torch.randn(count, generator=torch.Generator().manual_seed(count))


# --- order within a program ----------------------------------------------------------------------


@mytriton.jit
def reverse_kernel(x, n, N: tl.constexpr):
    lane = tl.arange(0, N)
    on = lane < n
    a = tl.load(x + lane, mask=on)
    tl.store(x + (n - 1 - lane), a, mask=on)


@mytriton.jit
def shift_up_kernel(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i + 1, tl.load(x + i))


@mytriton.jit
def shift_down_kernel(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i + 1))


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_copies_within_one_tensor(engine, width: int) -> None:
    for n in (width, width - 1, 1):
        x = numbers(width + 1)
        expected = torch.cat([x[:n].flip(0), x[n:]])
        engine(reverse_kernel)[1](x, n, N=width)
        assert_same_bits(x, expected)

    x = numbers(width + 1)
    expected = torch.cat([x[:1], x[:-1]])
    engine(shift_up_kernel)[1](x, N=width)
    assert_same_bits(x, expected)

    x = numbers(width + 1)
    expected = torch.cat([x[1:], x[-1:]])
    engine(shift_down_kernel)[1](x, N=width)
    assert_same_bits(x, expected)


@mytriton.jit
def sequence_kernel(x, out, N: tl.constexpr):
    """Each load must see the stores above it, and only those."""
    i = tl.arange(0, N)
    before = tl.load(x + i)
    reversed_before = tl.load(x + (N - 1 - i))
    tl.store(x + i, before + 1.0)
    after = tl.load(x + i)
    neighbour = tl.load(x + (N - 1 - i))
    tl.store(x + (N - 1 - i), neighbour * 2.0)
    last = tl.load(x + i)
    tl.store(x + i, -1.0)
    tl.store(out + i, before)
    tl.store(out + N + i, reversed_before)
    tl.store(out + 2 * N + i, after)
    tl.store(out + 3 * N + i, neighbour)
    tl.store(out + 4 * N + i, last)


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_loads_see_earlier_stores_only(engine, width: int) -> None:
    x = numbers(width)
    before = x.clone()
    out = torch.zeros(5, width)
    engine(sequence_kernel)[1](x, out, N=width)
    after = before + 1.0
    expected = [before, before.flip(0), after, after.flip(0), after * 2.0]
    assert_same_bits(out, torch.stack(expected))
    assert (x == -1.0).all()


@mytriton.jit
def scalars_kernel(x, counter, out, N: tl.constexpr):
    """Scalar loads and stores among those of blocks, of the same tensor."""
    i = tl.arange(0, N)
    tl.store(counter, tl.load(counter) + tl.program_id(0) + 1)
    tl.store(counter, tl.load(counter) * 2)
    first = tl.load(x)
    tl.store(x + i, tl.load(x + i) + first)
    second = tl.load(x + 1)
    tl.store(x + 2, second * 10.0)
    tl.store(out + i, tl.load(x + i))
    tl.store(out + N, tl.sum(tl.load(x + i) * 0.0) + second)
    tl.store(out + 1, tl.load(out + N) + tl.load(out + 1))
    tl.store(out + N + 1, tl.load(out + 1))


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_scalars_among_blocks(engine, width: int) -> None:
    x, out = numbers(width), torch.zeros(width + 2)
    expected = x + x[0]
    expected[2] = expected[1] * 10.0
    counter = torch.tensor([5], dtype=torch.int32)
    engine(scalars_kernel)[1](x, counter, out, N=width)
    assert_same_bits(x, expected)
    assert counter.item() == 12
    last = expected[1] * 2
    stored = torch.cat([expected[:1], last[None], expected[2:], expected[1:2], last[None]])
    assert_same_bits(out, stored)


@pytest.mark.on_host("programs, lanes or sums in the CPU's order")
@both
def test_scalar_programs_in_order(engine) -> None:
    @mytriton.jit
    def count(total):
        tl.store(total, tl.load(total) + 1)

    total = torch.zeros(1, dtype=torch.int32)
    engine(count)[1000](total)  # too little work for a second thread
    assert total.item() == 1000


@mytriton.jit
def through_memory_kernel(x, scratch, out, N: tl.constexpr):
    """A table is written, then gathered from; reductions between."""
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(scratch + i, a - tl.min(a))
    tl.store(out + i, tl.load(scratch + (i * 7 + 3) % N) / tl.max(tl.load(scratch + i)))


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_in_memory(engine, width: int) -> None:
    x, scratch, out = numbers(width), torch.zeros(width), torch.zeros(width)
    engine(through_memory_kernel)[1](x, scratch, out, N=width)
    table = x - x.min()
    assert_same_bits(scratch, table)
    assert_same_bits(out, table[(torch.arange(width) * 7 + 3) % width] / table.max())


@mytriton.jit
def wrapped_kernel(x, flags, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(flags + i + n, True, mask=i < n)
    largest = tl.max(i * 0 + 5)
    wrap = n - 1 - i
    tl.store(x + 16 + (wrap % 512 + 512) % 512, largest)
    j = i + tl.program_id(0) * N
    tl.store(x + 16 + (j % 512 + 512) % 512, j * 1.5, mask=j < n)


@every
def test_a_text_that_crashes_a_pass_of_the_host_compiler(engine) -> None:
    n, width = 5, 256  # g++ 12.2, -ftree-slp-vectorize
    x, flags = torch.zeros(600), torch.zeros(600, dtype=torch.bool)
    engine(wrapped_kernel)[1](x, flags, n, N=width)
    expected = torch.zeros(600)
    expected[16 + (n - 1 - torch.arange(width)) % 512] = 5.0
    expected[16 : 16 + n] = torch.arange(n) * 1.5
    assert_same_bits(x, expected)
    assert flags.nonzero().flatten().tolist() == list(range(n, 2 * n))


@every
def test_one_tensor_as_two_arguments(engine) -> None:
    x = numbers(1000)
    expected = torch.where(x > 0, x, 0.0)
    engine(relu_kernel)[4](x, x, 1000, BLOCK=256)
    assert_same_bits(x, expected)


# --- widths --------------------------------------------------------------------------------------


@mytriton.jit
def two_widths_kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(x + M + j)
    mean = tl.sum(a) * 0.0 + tl.max(b)
    tl.store(out + i, a - mean)
    tl.store(out + M + j, b + mean)
    tl.store(out + M + N, tl.max(a) + tl.max(b))


@both
@pytest.mark.parametrize(("m", "n"), [(128, 256), (16, 3), (1, 100), (4096, 37)])
def test_two_widths_in_one_kernel(engine, m: int, n: int) -> None:
    x, out = numbers(m + n), torch.zeros(m + n + 1)
    engine(two_widths_kernel)[1](x, out, M=m, N=n)
    largest = x[m:].max()
    total = x[:m].max() + largest
    assert_same_bits(out, torch.cat([x[:m] - largest, x[m:] + largest, total[None]]))


@both
def test_mixed_widths_example(engine) -> None:
    x, out = numbers(256), torch.zeros(256)
    engine(mixed_widths_kernel)[1](x, out)
    assert_same_bits(out, torch.cat([x[:128] * 2, x[128:]]))


@both
@pytest.mark.parametrize("width", [1025, 4096, 5000])
def test_blocks_wider_than_a_thread_block(engine, width: int) -> None:
    n = 2 * width - 3
    x, out = numbers(n), torch.full((n + width,), -7.0)
    engine(copy_kernel)[2](x, out, n, BLOCK=width)
    assert_same_bits(out[:n], x)
    assert (out[n:] == -7.0).all()


# --- tensors -------------------------------------------------------------------------------------


@every
def test_bool_tensors_are_bytes(engine) -> None:
    @mytriton.jit
    def flip(x, out, count, n, N: tl.constexpr):
        lane = tl.arange(0, N)
        on = lane < n
        a = tl.load(x + lane, mask=on)
        tl.store(out + lane, ~a, mask=on)
        tl.store(out + n + lane * 0, a, mask=on & (lane == 2))
        tl.store(count, tl.sum(a))

    n = 21
    for dtype in (torch.bool, torch.uint8):  # any byte but 0 is true, and 1 is written
        raw = (torch.arange(n) % 4).to(torch.uint8)
        raw = raw if dtype == torch.uint8 else (raw != 0).to(torch.uint8)
        x, out = raw.view(torch.bool), torch.full((n + 3,), 255, dtype=torch.uint8)
        count = torch.zeros(1, dtype=torch.int32)
        engine(flip)[1](x, out.view(torch.bool), count, n, N=32)
        assert out.tolist() == [*(int(each == 0) for each in raw.tolist()), 1, 255, 255]
        assert count.item() == int((raw != 0).sum())


@every
def test_views_are_their_memory_from_the_first_element(engine) -> None:
    x = numbers(64).reshape(8, 8)
    out = torch.full((64,), -7.0)
    engine(copy_kernel)[1](x[2:, 3:], out[5:], 10, BLOCK=16)  # storage offset, strides ignored
    expected = torch.full((64,), -7.0)
    expected[5:15] = x.flatten()[19:29]
    assert_same_bits(out, expected)

    out = torch.zeros(64)
    engine(copy_kernel)[1](x.t(), out, 64, BLOCK=64)
    assert_same_bits(out, x.flatten())

    unaligned = torch.zeros(64)
    engine(copy_kernel)[1](x.flatten()[1:], unaligned[3:], 60, BLOCK=64)
    assert_same_bits(unaligned[3:63], x.flatten()[1:61])


@every
def test_zero_size_tensors(engine) -> None:
    empty = torch.empty(0)
    engine(copy_kernel)[1](empty, empty, 0, BLOCK=64)
    engine(copy_kernel)[0](empty, empty, 0, BLOCK=64)
    x = numbers(3)
    copy = x.clone()
    engine(copy_kernel)[5](empty, x, 0, BLOCK=64)
    assert_same_bits(x, copy)
